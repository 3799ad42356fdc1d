/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram of stack distances, in pages. Each distance below MRC_EXACT has its own bucket. The
 * width of the other buckets is at most 1/8192 of the distance. A hostile trace therefore cannot
 * make the histogram large.
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
	uint64_t *counts; /* number of distances in each bucket */
	size_t room;
	size_t used;	   /* index of the last non-empty bucket, plus 1 */
	uint64_t infinite; /* touches that miss in a memory of any size */
	/* each distance counts as the last distance of its bucket, not as the first one */
	bool round_up;
	/*
	 * mrc_distances_finish() was called: @counts[I] is now the number of distances in all
	 * buckets after I
	 */
	bool finished;
};

/* Counts a distance, which may be MRC_INFINITE. Returns 0, or -1 when out of memory. */
int mrc_distances_add(struct mrc_distances *distances, uint64_t distance);
void mrc_distances_finish(struct mrc_distances *distances);
/* Returns the number of distances above @size, after mrc_distances_finish(). */
uint64_t mrc_distances_above(const struct mrc_distances *distances, uint64_t size);
/* Returns an upper bound of all finite distances. */
uint64_t mrc_distances_end(const struct mrc_distances *distances);
void mrc_distances_release(struct mrc_distances *distances);

#endif /* LTTNG_MM_MRC_DISTANCES_H */
