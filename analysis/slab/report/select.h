/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Selects the accounts and requests that the figures count. By default, only the recorder is
 * excluded. Options select a slab cache, a call site or a process.
 */
#ifndef LTTNG_MM_SLAB_REPORT_SELECT_H
#define LTTNG_MM_SLAB_REPORT_SELECT_H

#include "analysis/slab/report/report.h"

bool slab_is_filtered(const struct slab_options *options);
/* Is there a filter by cache or call site? */
bool slab_filters_objects(const struct slab_options *options);

/* Do the filters match the account, even if it is the recorder's? */
bool slab_matches_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number);
/* Is the account counted? The filters must match it, and it must not be the recorder's. */
bool slab_selects_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number);
/*
 * Is it uncertain whether the filters select objects from before the trace that this account freed?
 * kfree() does not state the cache, and no free states the call site of the allocation.
 */
bool slab_may_free_selected(const struct slab_results *results, const struct slab_options *options,
			    uint32_t number);
/*
 * Do the filters select a request without an account? @thread: number in struct mm_threads.
 * @first_ns: time of the first request in the row of struct slab_requests. Row 0 has no thread, and
 * is selected if there is no filter.
 */
bool slab_selects_request(const struct slab_results *results, const struct slab_options *options,
			  uint32_t code, uint32_t kind, uint32_t thread, int64_t first_ns);
/*
 * Do the filters select thread @id for this call site and kind? The id may contain
 * SLAB_THREAD_PAST.
 */
bool slab_selects_thread(const struct slab_results *results, const struct slab_options *options,
			 uint32_t code, uint32_t kind, uint32_t id);

/* States the filters, or that nothing matches the filters. */
void slab_note_filters(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/* With a filter, the text form hides the tables to which the filter does not apply. */
void slab_hide_unfiltered(const struct slab_options *options, struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_SELECT_H */
