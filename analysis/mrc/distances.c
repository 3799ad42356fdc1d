// SPDX-License-Identifier: LGPL-2.1-only
/* Counts stack distances in buckets of a bounded relative width. */
#include "analysis/mrc/distances.h"

#include <stdlib.h>
#include <string.h>

#define HALF (MRC_EXACT / 2)

/* From MRC_EXACT on, each power of two has HALF buckets. */
static size_t bucket_of(uint64_t distance)
{
	unsigned int shift;

	if (distance < MRC_EXACT)
		return distance;
	shift = 64 - (unsigned int)__builtin_clzll(distance) - MRC_EXACT_BITS;
	return (size_t)(shift * HALF + (distance >> shift));
}

/* Returns the first distance of a bucket. */
static uint64_t start_of(size_t bucket)
{
	unsigned int shift;

	if (bucket < MRC_EXACT)
		return bucket;
	shift = (unsigned int)((bucket - HALF) / HALF);
	return (bucket - shift * HALF) << shift;
}

static int make_room(struct mrc_distances *distances, size_t bucket)
{
	size_t room = distances->room ? distances->room : 64;
	uint64_t *counts;

	while (room <= bucket)
		room *= 2;
	counts = realloc(distances->counts, room * sizeof(*counts));
	if (!counts)
		return -1;
	memset(counts + distances->room, 0, (room - distances->room) * sizeof(*counts));
	distances->counts = counts;
	distances->room = room;
	return 0;
}

int mrc_distances_add(struct mrc_distances *distances, uint64_t distance)
{
	size_t bucket;

	if (distance == MRC_INFINITE) {
		distances->infinite++;
		return 0;
	}
	bucket = bucket_of(distance);
	if (bucket >= distances->room && make_room(distances, bucket))
		return -1;
	distances->counts[bucket]++;
	if (bucket >= distances->used)
		distances->used = bucket + 1;
	return 0;
}

void mrc_distances_finish(struct mrc_distances *distances)
{
	uint64_t sum = 0;

	for (size_t i = distances->room; i-- && !distances->finished;) {
		const uint64_t count = distances->counts[i];

		distances->counts[i] = sum;
		sum += count;
	}
	distances->finished = true;
}

uint64_t mrc_distances_above(const struct mrc_distances *distances, uint64_t size)
{
	const size_t bucket = bucket_of(size);
	uint64_t above;

	if (bucket >= distances->room)
		return distances->infinite;
	/*
	 * With @round_up, each distance counts as the last distance of its bucket. If the last
	 * distance of @size's bucket exceeds @size, the whole bucket is above @size.
	 */
	if (distances->round_up && size + 1 < start_of(bucket + 1))
		above = bucket ? distances->counts[bucket - 1] : distances->counts[0];
	else
		above = distances->counts[bucket];
	return above + distances->infinite;
}

uint64_t mrc_distances_end(const struct mrc_distances *distances)
{
	return start_of(distances->used);
}

void mrc_distances_release(struct mrc_distances *distances)
{
	free(distances->counts);
	*distances = (struct mrc_distances){ NULL };
}
