/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram of durations in bounded memory. The width of a bucket is at most 1/128 of the
 * durations in it. The buckets for one power of two need 512 bytes, which are allocated on first
 * use. util/latencies.h is exact, but needs up to 8 MiB, which is too much for each of thousands of
 * functions.
 */
#ifndef LTTNG_MM_FN_ACCOUNT_DURATIONS_H
#define LTTNG_MM_FN_ACCOUNT_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#define FN_OCTAVES 58
#define FN_OCTAVE 128

struct fn_durations {
	uint64_t count, sum_ns, max_ns;
	/*
	 * Arrays of FN_OCTAVE buckets. NULL: all buckets are empty. A bucket that reaches
	 * UINT32_MAX is not incremented any more.
	 */
	uint32_t *octaves[FN_OCTAVES];
};

/* An all-zero struct is an empty histogram. */
void fn_durations_release(struct fn_durations *durations);
/* Allocates the buckets of an octave. Returns NULL when out of memory. */
uint32_t *fn_durations_grow(struct fn_durations *durations, unsigned int octave);

static inline unsigned int fn_octave_of(uint64_t ns)
{
	return ns < FN_OCTAVE ? 0 : (unsigned int)(57 - __builtin_clzll(ns));
}

/* Counts a duration. Returns 0, or -1 when out of memory. */
static inline int fn_durations_add(struct fn_durations *durations, uint64_t ns)
{
	unsigned int octave = fn_octave_of(ns);
	uint32_t *buckets = durations->octaves[octave], *bucket;

	if (!buckets) {
		buckets = fn_durations_grow(durations, octave);
		if (!buckets)
			return -1;
	}
	bucket = &buckets[ns >> (octave ? octave - 1 : 0) & (FN_OCTAVE - 1)];
	*bucket += *bucket < UINT32_MAX;
	durations->count++;
	durations->sum_ns += ns;
	if (ns > durations->max_ns)
		durations->max_ns = ns;
	return 0;
}

/*
 * Computes nearest-rank quantiles. Each result is the upper end of the quantile's bucket, but not
 * more than the maximum. The @count elements of @q must ascend. If the histogram is empty, all
 * results are 0.
 */
void fn_durations_quantiles(const struct fn_durations *durations, const double *q, uint64_t *ns,
			    size_t count);

#endif /* LTTNG_MM_FN_ACCOUNT_DURATIONS_H */
