/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the pages of an event's range that are in the recorder's sample. */
#ifndef LTTNG_MM_PAGEREF_SAMPLED_PAGES_H
#define LTTNG_MM_PAGEREF_SAMPLED_PAGES_H

#include <stdint.h>

/* Receives @count pages from page number @first on. Returns 0 to continue. */
typedef int pageref_sampled_visit_fn(void *user, uint64_t first, uint64_t count);

/*
 * Calls @visit for each part of the range of @count pages from @first on that is in the sample
 * @lowest. Both thresholds are described in pageref-sample.h; @highest is the largest one of the
 * trace. Returns 0, or the first result of @visit that is not 0.
 */
int pageref_sampled_visit(uint32_t lowest, uint32_t highest, uint64_t first, uint64_t count,
			  pageref_sampled_visit_fn *visit, void *user);

#endif /* LTTNG_MM_PAGEREF_SAMPLED_PAGES_H */
