/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What lists have: all but the recorder's own accounts, or those of a slab cache, a call site or a
 * process alone.
 */
#ifndef LTTNG_MM_SLAB_REPORT_SELECT_H
#define LTTNG_MM_SLAB_REPORT_SELECT_H

#include "analysis/slab/report/report.h"

struct slab_selection {
	const struct mm_report_options *options;
	struct slab_recorder unlisted; /* accounts that lists leave out */
	struct slab_tallies tallies;   /* of the others */
	struct slab_tracker tracker;   /* results' own, with these */
	struct slab_results results;   /* what lists are made from */
};

/*
 * What lists are made from: @results without a filter, else &@selection->results, and @report says
 * which filter it is, or that it matches nothing. NULL: out of memory. @selection is all zeros
 * before, and released in any case.
 */
const struct slab_results *slab_select(struct slab_selection *selection,
				       const struct slab_results *results,
				       const struct mm_report_options *options,
				       struct mm_report *report);
void slab_selection_release(struct slab_selection *selection);
/* Hides, from the text form, tables that a filter does not concern and --by does not request. */
void slab_selection_hide(const struct slab_selection *selection, struct mm_report *report);

/* The part of a call site that lists leave out; NULL: none. */
const struct slab_site *slab_unlisted_site(const struct slab_results *results,
					   const struct mm_report_options *options,
					   uint32_t number);
bool slab_lists_account(const struct slab_results *results, const struct mm_report_options *options,
			uint32_t account);
/* May lists have a call site and kind, or a thread? */
bool slab_selects(const struct slab_results *results, uint32_t code, uint32_t kind);
bool slab_selects_thread(const struct slab_results *results, uint32_t tid);

#endif /* LTTNG_MM_SLAB_REPORT_SELECT_H */
