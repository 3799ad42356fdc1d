/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the times at which recording may have been paused, by the packets. */
#ifndef LTTNG_MM_RUN_GAPS_FIND_H
#define LTTNG_MM_RUN_GAPS_FIND_H

#include "analysis/ctf/packet/packet.h"
#include "analysis/sysinfo/snapshots.h"
#include "analysis/trace/missing.h"

/*
 * Does the tracer start a packet where the one before ended, unless recording was paused or the
 * buffers were flushed? LTTng does, others may not.
 */
bool mm_gaps_is_contiguous(const struct ctf_trace_class *class);

/*
 * Adds to the pauses of source->missing the times between the packets of a trace at which none of
 * its streams has one, unless a certificate says that it was recording then. @traces are those of
 * @source, in any order. Returns 0, or -1 when out of memory, or with @err set.
 */
int mm_gaps_find(struct mm_source *source, const struct mm_snapshots *snapshots,
		 struct ctf_trace *const *traces, size_t count, struct mm_error *err);

#endif /* LTTNG_MM_RUN_GAPS_FIND_H */
