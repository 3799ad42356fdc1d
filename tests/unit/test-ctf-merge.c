// SPDX-License-Identifier: LGPL-2.1-only
/* The loser tree against a plain search for the smallest key, over many numbers of streams. */
#include <stdlib.h>

#include "analysis/ctf/merge.h"
#include "tests/unit/tap.h"

#define STREAMS_MAX 70
#define ITEMS 40

static uint64_t state = 1;

static uint32_t roll(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

struct stream {
	int64_t times[ITEMS];
	size_t count, at;
};

static struct ctf_merge_key key_of(const struct stream *stream, size_t rank)
{
	if (stream->at == stream->count)
		return CTF_MERGE_OVER;
	return (struct ctf_merge_key){ stream->times[stream->at], (uint32_t)rank };
}

/* The order by itself: time, then stream. */
static bool before(const struct stream *streams, size_t a, size_t b)
{
	int64_t x = streams[a].times[streams[a].at], y = streams[b].times[streams[b].at];

	return x < y || (x == y && a < b);
}

/* The stream with the smallest key but @except; -1 when all are over. */
static long smallest(const struct stream *streams, size_t count, long except)
{
	long best = -1;

	for (size_t i = 0; i < count; i++)
		if ((long)i != except && streams[i].at < streams[i].count &&
		    (best < 0 || before(streams, i, (size_t)best)))
			best = (long)i;
	return best;
}

static bool merges(size_t count)
{
	struct stream *streams = calloc(count ? count : 1, sizeof(*streams));
	struct ctf_merge *merge = ctf_merge_create(count);
	bool right = true;
	long first;

	for (size_t i = 0; i < count; i++) {
		int64_t time = INT64_MIN;

		/* Few different times, so that equal ones are common; some streams are empty. */
		streams[i].count = roll() % ITEMS;
		for (size_t j = 0; j < streams[i].count; j++) {
			streams[i].times[j] = time;
			time += roll() % 3;
		}
		ctf_merge_set(merge, i, key_of(&streams[i], i));
	}
	ctf_merge_build(merge);
	do {
		struct ctf_merge_key next, expected = CTF_MERGE_OVER;
		long other;

		first = ctf_merge_first(merge, &next);
		right &= first == smallest(streams, count, -1);
		if (first < 0)
			break;
		other = smallest(streams, count, first);
		if (other >= 0)
			expected = key_of(&streams[other], (size_t)other);
		right &= next.time_ns == expected.time_ns && next.rank == expected.rank;
		streams[first].at++;
		ctf_merge_replace(merge, key_of(&streams[first], (size_t)first));
	} while (right);
	ctf_merge_destroy(merge);
	free(streams);
	return right;
}

int main(void)
{
	for (size_t count = 0; count <= STREAMS_MAX; count++)
		tap(merges(count), "%zu streams come in order", count);
	return tap_status();
}
