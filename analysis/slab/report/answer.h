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

/* Adds a sentence to the answer or, if that is full or lists were requested, to the findings. */
__attribute__((format(printf, 2, 3))) void slab_say(struct slab_answer *answer, const char *fmt,
						    ...);

/* The row of objects with the most of @amount, of @kind only unless that is SLAB_KIND_ANY. */
const struct slab_row *slab_row_with_most(const struct slab_row *rows, uint32_t count,
					  uint32_t kind,
					  uint64_t (*amount)(const struct slab_sum *sum));
/* "; 12 of unknown size", or nothing. Returns @text. */
const char *slab_unsized_text(uint64_t unsized, char *text, size_t size);
double slab_percent(uint64_t part, uint64_t whole);
/*
 * Appends who allocated more than half of the @bytes of a consumer: ", most at SITE, all by dd
 * (pid 8)" or ", all at SITE by dd (pid 8)". @text has @size bytes.
 */
void slab_add_who(const struct slab_results *results, const struct slab_largest *site,
		  const struct slab_largest *process, uint64_t bytes, char *text, size_t size);

/* Says what went wrong, who allocated most, what grew, and what is wasted. */
void slab_report_answer(struct slab_answer *answer);
/* growth.c */
void slab_answer_growth(struct slab_answer *answer);
/* findings.c: other findings; and the sums alone, for a report that answers another question. */
void slab_report_findings(const struct slab_answer *answer);
void slab_report_sums(struct slab_answer *answer);

#endif /* LTTNG_MM_SLAB_REPORT_ANSWER_H */
