/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a report of a part of a trace needs of the rest: its history, and where the trace is. */
#ifndef LTTNG_MM_CORE_WINDOW_H
#define LTTNG_MM_CORE_WINDOW_H

#include "analysis/core/consumer.h"

/*
 * Hands @state the events of analysis->history that come before the begin that @source, which has run, was asked
 * for. Returns 0, or -1 with @err set.
 */
int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err);

/*
 * If @source was asked for a part of the trace, and @state has nothing of it: concludes from when to when the
 * trace has events of analysis->wants. To be called before any other conclusion.
 */
void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report);

/*
 * From when to when every stream that may have events of a want has all of its events, apart from losses that are
 * told of as they come. A stream that is damaged or missing ends there; one that has nothing of a part of a trace
 * that is asked for has ended before, or begins after it. *@begin_ns may be later than *@end_ns.
 */
void mm_window_coverage(const struct mm_source *source, int64_t *begin_ns, int64_t *end_ns);

#endif /* LTTNG_MM_CORE_WINDOW_H */
