/* SPDX-License-Identifier: LGPL-2.1-only */
/* The sentences of a comparison of two snapshots of one boot. */
#ifndef LTTNG_MM_SLAB_REPORT_COMPARE_ANSWER_H
#define LTTNG_MM_SLAB_REPORT_COMPARE_ANSWER_H

#include "reader/report/report.h"

/* Live objects of several rows, with their bytes. */
struct slab_live_sum {
	uint64_t live, bytes;
	/* the sum is a lower bound, because a row has only a lower bound or no value */
	bool is_least, is_least_bytes;
};

struct slab_compare_sums {
	struct slab_live_sum live[2]; /* slab objects in OLD and in NEW */
	/* leak candidates of call sites that have leak candidates in both snapshots */
	struct slab_live_sum leaks[2];
	struct slab_live_sum uncertain[2]; /* objects that may have been freed without an event */
	/* both snapshots start at the same time, so the difference of live objects is growth */
	bool is_growth;
};

/* Adds the answer to @report, which has the tables of the comparison. @reports: OLD and NEW. */
void slab_compare_answer(const struct slab_compare_sums *sums,
			 const struct mm_report *const reports[2], struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_COMPARE_ANSWER_H */
