/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The time range in which a trace has all of its events. Words that have one meaning in this
 * folder:
 *
 *   coverage      the time for which a trace, or a stream, has all of its events except for losses
 *   loss          events that are not there: discarded events, missing, damaged or truncated
 *                 packets, a missing stream, a pause (struct mm_loss)
 *   missing file  a stream's file that is listed but absent, or lacks listed packets (missing.h)
 *   pause         time in which a stream did not record all of its events on purpose: the session
 *                 was stopped, or events were disabled or excluded (pauses.h)
 *   gap           time without packets: nothing shows whether it was a pause or idle time
 *   hole          an interval in a stream's coverage for which its certificate does not promise all
 *                 events: a pause, a gap or a loss (certificate.h)
 *   cut           a stream that starts later or ends earlier than its trace. No list contains its
 *                 packets, so some packets may have been removed (missing.h)
 *   certificate   the part of snapshot.json that says which time each stream covers, with its holes
 *   suspect       a packet without a checksum that has an impossible event (suspects.h)
 */
#ifndef LTTNG_MM_COVERAGE_COVERAGE_H
#define LTTNG_MM_COVERAGE_COVERAGE_H

#include "reader/events/source.h"

/*
 * Returns the start of the stream. This is the start of its first packet, or an earlier time if a
 * certificate covers the time before that packet. INT64_MIN: not known.
 */
int64_t mm_coverage_begin(const struct mm_source *source, const struct mm_loss *loss);

/*
 * If @stream has packets before its certified time, returns the start of the certified time or
 * @since_ns, whichever is later. Otherwise returns @since_ns. @begin_ns: start of the first packet.
 */
int64_t mm_coverage_certified_later(const struct mm_source *source, const char *stream,
				    int64_t begin_ns, int64_t since_ns);
/*
 * Considers the streams that have packets before their certified time. Returns the latest start of
 * their certified times. Before this time, some requested events may not have been recorded.
 * INT64_MIN: there is no such stream.
 */
int64_t mm_coverage_certified_since(const struct mm_source *source);

/*
 * Returns the latest start among the streams that limit the range of mm_coverage(). Ignores streams
 * that the source has not noticed yet. Call it again when mm_source_starts_noticed() changes.
 */
int64_t mm_coverage_started(const struct mm_source *source);

/*
 * Finds the time range in which every relevant stream has all of its events, except for losses that
 * mm_handler.lost() reports. A stream is relevant if other events may depend on its requested
 * events, or if its requested events only name threads. The range ends where a relevant stream is
 * damaged or missing. If such a stream has no packet in the requested part of a trace, and no
 * certificate covers it, *@end_ns becomes INT64_MIN, because the stream ended before this part or
 * starts after it. *@start_ns may be later than *@end_ns.
 */
void mm_coverage(const struct mm_source *source, int64_t *start_ns, int64_t *end_ns);

#endif /* LTTNG_MM_COVERAGE_COVERAGE_H */
