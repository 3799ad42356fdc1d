/* SPDX-License-Identifier: LGPL-2.1-only */
/* The slowest intervals, in bounded memory. */
#ifndef LTTNG_MM_WHY_SLOWEST_H
#define LTTNG_MM_WHY_SLOWEST_H

#include "analysis/why/interval.h"

/* That many can be listed, */
#define WHY_SLOWEST_MAX 1000u
/* ... of that many that are kept: those within others are part of these. */
#define WHY_CANDIDATES_MAX 8192u

struct why_slowest {
	struct why_interval *all; /* WHY_CANDIDATES_MAX; a heap whose root is the fastest of them */
	uint32_t count;
	bool is_full; /* some were left out */
};

/* Returns 0, or -1: out of memory. */
int why_slowest_init(struct why_slowest *slowest);
void why_slowest_release(struct why_slowest *slowest);

/* Would it be kept? */
static inline bool why_slowest_would_keep(const struct why_slowest *slowest, uint64_t duration_ns)
{
	return slowest->count < WHY_CANDIDATES_MAX || duration_ns >= slowest->all[0].duration_ns;
}

void why_slowest_add(struct why_slowest *slowest, const struct why_interval *interval);

/* After the last one: sorts all, the slowest first. */
void why_slowest_sort(struct why_slowest *slowest);
/*
 * Of the sorted ones: sets the first @max of @numbers to those that are not within another one of
 * them, in the order of slowness. Returns how many these are.
 */
uint32_t why_slowest_select(const struct why_slowest *slowest, uint32_t *numbers, uint32_t max);
/* One more than there are slower ones of its kind and function; @number is of the sorted ones. */
uint32_t why_slowest_rank(const struct why_slowest *slowest, uint32_t number);

#endif /* LTTNG_MM_WHY_SLOWEST_H */
