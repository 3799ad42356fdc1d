/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the report of a time range needs of the rest of the trace: earlier events, and when the
 * trace has events.
 */
#ifndef LTTNG_MM_RUN_WINDOW_H
#define LTTNG_MM_RUN_WINDOW_H

#include "analysis/subsystem/analysis.h"

/*
 * Hands @state the events of analysis->request_history that come before the begin that @source, which has
 * run, was asked for. Returns 0, or -1 with @err set.
 */
int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err);

/*
 * If @source was asked for a part of the trace, and @state has nothing of it: concludes from when
 * to when the trace has events that @analysis requests. To be called before any other conclusion.
 */
void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report);

#endif /* LTTNG_MM_RUN_WINDOW_H */
