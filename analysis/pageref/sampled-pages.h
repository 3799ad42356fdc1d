/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the pages of an event's range that are in the recorder's sample. */
#ifndef LTTNG_MM_PAGEREF_SAMPLED_PAGES_H
#define LTTNG_MM_PAGEREF_SAMPLED_PAGES_H

#include <stdint.h>

/* Receives @count pages from page number @first on. Returns 0 to continue. */
typedef int pageref_sampled_visit_fn(void *user, uint64_t first, uint64_t count);

/*
 * Finds the sampled pages among the @count pages from @first on, and calls @visit for each sequence
 * of consecutive pages. @lowest is the threshold of the sample (see pageref-sample.h), and @highest
 * is the largest threshold in the trace. Returns 0, or the first result of @visit that is not 0.
 */
int pageref_sampled_visit(uint32_t lowest, uint32_t highest, uint64_t first, uint64_t count,
			  pageref_sampled_visit_fn *visit, void *user);

#endif /* LTTNG_MM_PAGEREF_SAMPLED_PAGES_H */
