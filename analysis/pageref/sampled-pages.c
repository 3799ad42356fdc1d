// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the pages of an event's range that are in the recorder's sample. */
#include "analysis/pageref/sampled-pages.h"

#include "analysis/pageref/pageref-pages.h"
#include "instrumentation/wire/pageref-sample.h"

int pageref_sampled_visit(uint32_t lowest, uint32_t highest, uint64_t first, uint64_t count,
			  pageref_sampled_visit_fn *visit, void *user)
{
	uint64_t from = first;
	int ret = 0;

	/*
	 * An event of the probe describes pages of one page table. A longer range comes from a
	 * hostile trace, so do not visit its pages one by one.
	 */
	if (lowest >= LTTNG_MM_PAGEREF_SAMPLE_ALL || count > PAGEREF_TABLE_PAGES)
		return visit(user, first, count);
	if (lttng_mm_sample_may_be_huge(first, count)) {
		if (lttng_mm_sample_has(lowest, first))
			return visit(user, first, count);
		if (highest < LTTNG_MM_PAGEREF_SAMPLE_ALL)
			return 0;
	}
	for (uint64_t page = first; page <= first + count && !ret; page++) {
		if (page < first + count && lttng_mm_sample_has(lowest, page))
			continue;
		if (page > from)
			ret = visit(user, from, page - from);
		from = page + 1;
	}
	return ret;
}
