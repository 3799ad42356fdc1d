/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads events outside the time range of a report, such as forks, because their effect lasts. If
 * the range has no events of the analysis, finds the time in which the trace has such events.
 */
#ifndef LTTNG_MM_RUN_WINDOW_H
#define LTTNG_MM_RUN_WINDOW_H

#include "analysis/subsystem/analysis.h"

/*
 * Passes the events of mm_analysis.request_history() before and after the time range of @source to
 * @state. @source has already run. Returns 0, or -1 with @err set.
 */
int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err);

/*
 * If @state has no events in the time range of @source, states in @report when the trace has events
 * of the analysis. Call it before adding other findings.
 */
void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report);

#endif /* LTTNG_MM_RUN_WINDOW_H */
