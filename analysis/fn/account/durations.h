/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A distribution of durations in bounded memory: buckets that are at most 1/128 of a duration wide,
 * 512 bytes for each power of two that occurs. util/latencies.h is exact, and needs up to 8 MiB,
 * which is too much for each of thousands of functions.
 */
#ifndef LTTNG_MM_FN_ACCOUNT_DURATIONS_H
#define LTTNG_MM_FN_ACCOUNT_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#define FN_OCTAVES 58
#define FN_OCTAVE 128

struct fn_durations {
	uint64_t count, sum_ns, max_ns;
	/* of FN_OCTAVE buckets, NULL: none has a value; a bucket stays at its largest number */
	uint32_t *octaves[FN_OCTAVES];
};

/* An object that is all zeros is empty. */
void fn_durations_release(struct fn_durations *durations);
/* Makes the buckets for @ns. NULL: out of memory. */
uint32_t *fn_durations_grow(struct fn_durations *durations, unsigned int octave);

static inline unsigned int fn_octave_of(uint64_t ns)
{
	return ns < FN_OCTAVE ? 0 : (unsigned int)(57 - __builtin_clzll(ns));
}

/* Returns 0, or -1: out of memory. */
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
 * Nearest-rank quantiles: the largest duration of the bucket that has it. @q, of @count elements,
 * must be in ascending order. Without values, all results are 0.
 */
void fn_durations_quantiles(const struct fn_durations *durations, const double *q, uint64_t *ns,
			    size_t count);

#endif /* LTTNG_MM_FN_ACCOUNT_DURATIONS_H */
