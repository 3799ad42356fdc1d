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
 * Returns the later of @since_ns and the start of the time for which a certificate covers @stream,
 * if the stream has packets before that. @begin_ns: the start of its first packet.
 */
int64_t mm_coverage_certified_later(const struct mm_source *source, const char *stream,
				    int64_t begin_ns, int64_t since_ns);
/*
 * Returns the latest start of the certified times of streams that have requested events and earlier
 * packets: before it, not all events were enabled. INT64_MIN: no such stream has earlier packets.
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
