/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram of stack distances, in pages. Distances below MRC_EXACT are counted one by one,
 * longer ones in buckets that are 1/8192 of the distance wide, so that a hostile trace cannot make
 * the histogram large.
 */
#ifndef LTTNG_MM_MRC_DISTANCES_H
#define LTTNG_MM_MRC_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRC_EXACT_BITS 14
#define MRC_EXACT (UINT64_C(1) << MRC_EXACT_BITS)
#define MRC_INFINITE UINT64_MAX

struct mrc_distances {
	uint64_t *counts; /* by bucket */
	size_t room;
	size_t used;	   /* the last bucket with a distance, plus 1 */
	uint64_t infinite; /* touches that miss in a memory of any size */
	bool round_up;	   /* distances count as the end of their bucket, not as its start */
	/* After mrc_distances_finish(), @counts has the number of distances in longer buckets. */
	bool finished;
};

/* Counts a distance, which may be MRC_INFINITE. Returns 0, or -1 when out of memory. */
int mrc_distances_add(struct mrc_distances *distances, uint64_t distance);
void mrc_distances_finish(struct mrc_distances *distances);
/* Returns the number of distances above @size, after mrc_distances_finish(). */
uint64_t mrc_distances_above(const struct mrc_distances *distances, uint64_t size);
/* Returns a distance that no finite distance exceeds. */
uint64_t mrc_distances_end(const struct mrc_distances *distances);
void mrc_distances_release(struct mrc_distances *distances);

#endif /* LTTNG_MM_MRC_DISTANCES_H */
