// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the tournament tree, which merges streams, with a plain search for the smallest key, for
 * many numbers of streams.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "reader/ctf/decode/merge.h"
#include "tests/tap.h"

#define STREAMS_MAX 70
#define ITEMS 40

static uint64_t state = 1;

static uint32_t roll(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

struct merge_stream {
	int64_t times[ITEMS];
	size_t count, at;
};

static int64_t key_of(const struct merge_stream *stream)
{
	return stream->at == stream->count ? CTF_MERGE_OVER : stream->times[stream->at];
}

/* Returns the first stream with the smallest key; 0 when all streams have ended. */
static size_t smallest(const struct merge_stream *streams, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (key_of(&streams[i]) < key_of(&streams[best]))
			best = i;
	return best;
}

static bool merges(size_t count)
{
	struct merge_stream *streams = calloc(count ? count : 1, sizeof(*streams));
	struct ctf_merge merge;
	bool right = !ctf_merge_init(&merge, count);
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t time = roll() % 2 ? INT64_MIN : -1;

		/* Use few different timestamps, so that many are equal. Some streams are empty. */
		streams[i].count = roll() % ITEMS;
		left += streams[i].count;
		for (size_t j = 0; j < streams[i].count; j++) {
			streams[i].times[j] = time;
			time += roll() % 3;
		}
		ctf_merge_set(&merge, i, key_of(&streams[i]));
	}
	for (; left && right; left--) {
		size_t first = ctf_merge_first(&merge);

		right = first == smallest(streams, count);
		if (count <= CTF_MERGE_GROUP)
			right &= first == ctf_merge_smallest(merge.keys[0], (unsigned int)count);
		streams[first].at++;
		ctf_merge_set(&merge, first, key_of(&streams[first]));
	}
	/* All streams have ended. */
	right &= ctf_merge_first(&merge) == 0 && merge.keys[0][0] == CTF_MERGE_OVER;
	ctf_merge_release(&merge);
	free(streams);
	return right;
}

int main(void)
{
	static const size_t many[] = { 511, 512, 513, 600 };

	for (size_t count = 0; count <= STREAMS_MAX; count++)
		tap(merges(count), "%zu streams are delivered in order", count);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		tap(merges(many[i]), "%zu streams are delivered in order", many[i]);
	return tap_status();
}
