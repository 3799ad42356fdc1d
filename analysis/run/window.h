/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads events outside the time range of a report: forks and the like, which have lasting effects,
 * and, if the range is empty, the times of the analysis's events.
 */
#ifndef LTTNG_MM_RUN_WINDOW_H
#define LTTNG_MM_RUN_WINDOW_H

#include "analysis/subsystem/analysis.h"

/*
 * Passes the events of mm_analysis.request_history() before and after the time range of @source,
 * which has run, to @state. Returns 0, or -1 with @err set.
 */
int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err);

/*
 * If @source reads a time range in which @state has no events, states in @report when the trace has
 * events of the analysis. Must be called before other findings are added.
 */
void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report);

#endif /* LTTNG_MM_RUN_WINDOW_H */
