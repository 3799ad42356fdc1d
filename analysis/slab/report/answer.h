/* SPDX-License-Identifier: LGPL-2.1-only */
/* The answer of the slab report: who uses most memory, what grows, and what to do next. */
#ifndef LTTNG_MM_SLAB_REPORT_ANSWER_H
#define LTTNG_MM_SLAB_REPORT_ANSWER_H

#include "analysis/slab/report/consumers.h"

/*
 * What sentences are made of. Rows of call sites and kinds are as in the rankings, by allocated
 * bytes.
 */
struct slab_answer {
	const struct slab_results *results;
	const struct slab_options *options;
	const struct slab_consumers *consumers;
	const struct slab_row *sites, *kinds;
	uint32_t site_count, kind_count;
	struct mm_report *report;
	unsigned int said; /* sentences so far */
	uint64_t anomalies;
	uint64_t failures, unexpected; /* ... without NOWARN, which callers with a fallback set */
};

/* Says what went wrong, who allocated most, what grew, and what is wasted. */
void slab_report_answer(struct slab_answer *answer);
/* growth.c */
void slab_answer_growth(struct slab_answer *answer);
/* findings.c: other findings; and the sums alone, for a report that answers another question. */
void slab_report_findings(const struct slab_answer *answer);
void slab_report_sums(struct slab_answer *answer);

#endif /* LTTNG_MM_SLAB_REPORT_ANSWER_H */
