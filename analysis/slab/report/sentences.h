/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes parts of sentences for the slab report's answer. */
#ifndef LTTNG_MM_SLAB_REPORT_SENTENCES_H
#define LTTNG_MM_SLAB_REPORT_SENTENCES_H

#include "analysis/slab/report/answer.h"

/* Maximum number of sentences in the answer. Further sentences become findings. */
#define SLAB_SENTENCES_MAX 8

/*
 * Adds a sentence to the answer. If the answer is full, or --by was given, adds it to the findings.
 */
__attribute__((format(printf, 2, 3))) void slab_say(struct slab_answer *answer, const char *fmt,
						    ...);
/*
 * Returns the row of @kind with the largest @amount, or NULL. SLAB_KIND_ANY: considers all kinds of
 * objects.
 */
const struct slab_row *slab_row_with_most(const struct slab_row *rows, uint32_t count,
					  uint32_t kind,
					  uint64_t (*amount)(const struct slab_sum *sum));
/* Returns @text: "; 12 of unknown size", or "". */
const char *slab_unsized_text(uint64_t unsized, char *text, size_t size);
double slab_percent(uint64_t part, uint64_t whole);
/*
 * Appends who allocated more than half of @bytes: ", most at SITE, all by dd (pid 8)" or ", all at
 * SITE by dd (pid 8)". @text has @size bytes.
 */
void slab_add_who(const struct slab_results *results, const struct slab_largest *site,
		  const struct slab_largest *process, uint64_t bytes, char *text, size_t size);

#endif /* LTTNG_MM_SLAB_REPORT_SENTENCES_H */
