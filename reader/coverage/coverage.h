/* SPDX-License-Identifier: LGPL-2.1-only */
/* The time range in which a trace has all of its events. */
#ifndef LTTNG_MM_COVERAGE_COVERAGE_H
#define LTTNG_MM_COVERAGE_COVERAGE_H

#include "reader/events/source.h"

/*
 * When the stream starts: with its first packet, or before, where a certificate of coverage says
 * that nothing is missing there. INT64_MIN: not known.
 */
int64_t mm_coverage_begin(const struct mm_source *source, const struct mm_loss *loss);

/*
 * When the last of the streams with requested events starts to be certified, if one of them has
 * packets before that: a certificate covers a stream since all of its events are enabled. Otherwise
 * INT64_MIN.
 */
int64_t mm_coverage_certified_since(const struct mm_source *source);

/*
 * When the last of the streams that limit the range of mm_coverage() starts, as far as the source
 * has noticed: it may be later after source->starts_noticed has changed.
 */
int64_t mm_coverage_started(const struct mm_source *source);

/*
 * The time range in which every stream that may have requested events has all of its events, except
 * for losses that lost() reports. A stream that is damaged or missing ends there; one that has no
 * packet in the requested part of a trace has ended before that part, or starts after it.
 * *@start_ns may be later than *@end_ns.
 */
void mm_coverage(const struct mm_source *source, int64_t *start_ns, int64_t *end_ns);

#endif /* LTTNG_MM_COVERAGE_COVERAGE_H */
