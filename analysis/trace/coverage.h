/* SPDX-License-Identifier: LGPL-2.1-only */
/* Where in time a trace has all of its events. */
#ifndef LTTNG_MM_TRACE_COVERAGE_H
#define LTTNG_MM_TRACE_COVERAGE_H

#include "analysis/trace/source.h"

/*
 * From when to when every stream that may have requested events has all of its events, apart from
 * losses that are told of as they come. A stream that is damaged or missing ends there; one that
 * has nothing of a part of a trace that is asked for has ended before, or begins after it.
 * *@begin_ns may be later than *@end_ns.
 */
void mm_coverage(const struct mm_source *source, int64_t *begin_ns, int64_t *end_ns);

#endif /* LTTNG_MM_TRACE_COVERAGE_H */
