/* SPDX-License-Identifier: LGPL-2.1-only */
/* The answer of the slab report: who uses most memory, what grew, and what to do next. */
#ifndef LTTNG_MM_SLAB_REPORT_ANSWER_H
#define LTTNG_MM_SLAB_REPORT_ANSWER_H

#include "analysis/slab/report/consumers.h"

/* Input of the sentences. Rows of call sites and kinds are sorted by allocated bytes. */
struct slab_answer {
	const struct slab_results *results;
	const struct slab_options *options;
	const struct slab_consumers *consumers;
	const struct slab_row *sites, *kinds;
	uint32_t site_count, kind_count;
	struct mm_report *report;
	unsigned int said; /* number of sentences so far */
	uint64_t anomalies;
	uint64_t failures;   /* failed allocations */
	uint64_t unexpected; /* failures without NOWARN: the caller did not expect them */
};

/* States anomalies and failures, the largest consumers, the growth, and wasted memory. */
void slab_report_answer(struct slab_answer *answer);
/* growth.c: states how much memory use grew. */
void slab_answer_growth(struct slab_answer *answer);
/*
 * findings.c: slab_report_findings() adds all other findings. slab_report_sums() adds only the
 * sums, for --leaks.
 */
void slab_report_findings(const struct slab_answer *answer);
void slab_report_sums(struct slab_answer *answer);

#endif /* LTTNG_MM_SLAB_REPORT_ANSWER_H */
