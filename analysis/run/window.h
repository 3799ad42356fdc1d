/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the report of a time range needs of the rest of the trace: earlier events, and when the
 * trace has events.
 */
#ifndef LTTNG_MM_RUN_WINDOW_H
#define LTTNG_MM_RUN_WINDOW_H

#include "analysis/subsystem/analysis.h"

/*
 * Passes @state the events of analysis->request_history before and after the time range of @source,
 * which has run. Returns 0, or -1 with @err set.
 */
int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err);

/*
 * If a time range was requested of @source and @state has no events in it, adds a sentence to
 * @report that says in which time range the trace has events of the analysis. To be called before
 * any other conclusion.
 */
void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report);

#endif /* LTTNG_MM_RUN_WINDOW_H */
