/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which accounts and requests the figures are of: all but the recorder's, or of these those of a
 * slab cache, a call site or a process.
 */
#ifndef LTTNG_MM_SLAB_REPORT_SELECT_H
#define LTTNG_MM_SLAB_REPORT_SELECT_H

#include "analysis/slab/report/report.h"

bool slab_is_filtered(const struct slab_options *options);
/* ... by what the objects are, and not by process alone? */
bool slab_filters_objects(const struct slab_options *options);

/* Do the filters match the account of that number, whosever it is? */
bool slab_matches_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number);
/* ... and is it not to be left out as the recorder's? */
bool slab_selects_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number);
/*
 * May the account, which is left out or not, have freed objects from before the trace that the
 * filters would select if the event of the free said what it freed? kfree() states no cache, and no
 * free states the call site of the allocation.
 */
bool slab_may_free_selected(const struct slab_results *results, const struct slab_options *options,
			    uint32_t number);
/*
 * The same of a request that has no account: @thread is a number of struct mm_threads, @first_ns
 * the time of the first such request. Without a thread (@row 0 of its table), it is selected unless
 * a filter is set.
 */
bool slab_selects_request(const struct slab_results *results, const struct slab_options *options,
			  uint32_t code, uint32_t kind, uint32_t thread, int64_t first_ns);
/* ... of a thread, by its id in rows. */
bool slab_selects_thread(const struct slab_results *results, const struct slab_options *options,
			 uint32_t code, uint32_t kind, uint32_t id);

/* Says which filters are set, and whether they match anything. */
void slab_note_filters(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report);
/* With a filter, hides from the text form what the kernel and the trace have, whoever allocates. */
void slab_hide_unfiltered(const struct slab_options *options, struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_SELECT_H */
