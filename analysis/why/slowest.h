/* SPDX-License-Identifier: LGPL-2.1-only */
/* Keeps the slowest intervals in bounded memory. */
#ifndef LTTNG_MM_WHY_SLOWEST_H
#define LTTNG_MM_WHY_SLOWEST_H

#include "analysis/why/interval.h"

/* Maximum number of listed intervals. */
#define WHY_SLOWEST_MAX 1000u
/*
 * Maximum number of candidates. There are more candidates than listed intervals, because an
 * interval inside another listed interval is not listed.
 */
#define WHY_CANDIDATES_MAX 8192u

struct why_slowest {
	/* room for WHY_CANDIDATES_MAX; a heap with the fastest interval at its root */
	struct why_interval *all;
	uint32_t count;
	bool is_full; /* faster intervals were dropped */
};

/* Returns 0, or -1 when out of memory. */
int why_slowest_init(struct why_slowest *slowest);
void why_slowest_release(struct why_slowest *slowest);

/* Is an interval of this duration slow enough to keep? */
static inline bool why_slowest_would_keep(const struct why_slowest *slowest, uint64_t duration_ns)
{
	return slowest->count < WHY_CANDIDATES_MAX || duration_ns >= slowest->all[0].duration_ns;
}

void why_slowest_add(struct why_slowest *slowest, const struct why_interval *interval);

/* Sorts the intervals, slowest first. Call it after the last interval was added. */
void why_slowest_sort(struct why_slowest *slowest);
/*
 * Selects up to @max of the sorted intervals, slowest first. Skips an interval inside an interval
 * that is already selected. Writes the indexes to @numbers, and returns how many there are.
 */
uint32_t why_slowest_select(const struct why_slowest *slowest, uint32_t *numbers, uint32_t max);
/*
 * Returns the rank, from 1, of a sorted interval among the intervals of the same kind and function.
 */
uint32_t why_slowest_rank(const struct why_slowest *slowest, uint32_t number);

#endif /* LTTNG_MM_WHY_SLOWEST_H */
