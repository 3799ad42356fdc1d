/* SPDX-License-Identifier: LGPL-2.1-only */
/* The miss curve of an LRU stack: the number of refaults for each size of the memory. */
#ifndef LTTNG_MM_MRC_CURVE_H
#define LTTNG_MM_MRC_CURVE_H

#include "analysis/mrc/stack.h"

struct mrc_curve {
	const struct mrc_stack *stack; /* after mrc_stack_finish() */
	uint64_t lost;		       /* number of discarded events */
	bool is_unbounded;	       /* the number of refaults has no upper bound */
};

/*
 * Bounds of the number of refaults. With a sample of the pages, the interval contains the true
 * number in 9 of 10 cases.
 */
struct mrc_refaults {
	double low, high; /* @high is infinite if there is no upper bound */
};

/* In the functions below, sizes are in pages of 4 KiB. */

/* Returns the smallest size for which the bounds are valid. */
uint64_t mrc_curve_valid_from(const struct mrc_curve *curve);
/* Returns a size above which the curve is constant. */
uint64_t mrc_curve_end(const struct mrc_curve *curve);
struct mrc_refaults mrc_curve_at(const struct mrc_curve *curve, uint64_t size);
/*
 * Returns the smallest valid size at which a bound of the refaults is at most @limit: the upper
 * bound if @by_high is set, otherwise the lower bound. Returns UINT64_MAX if there is no such size.
 */
uint64_t mrc_curve_needed(const struct mrc_curve *curve, double limit, bool by_high);

#endif /* LTTNG_MM_MRC_CURVE_H */
