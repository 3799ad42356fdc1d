/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds gaps between packets, when recording may have been paused. Also finds cut streams. */
#ifndef LTTNG_MM_COVERAGE_FIND_GAPS_FIND_H
#define LTTNG_MM_COVERAGE_FIND_GAPS_FIND_H

#include "reader/coverage/missing.h"
#include "reader/ctf/packet/packet.h"
#include "reader/sysinfo/snapshot-dirs.h"

/*
 * Adds gaps of single streams to source->missing->pauses, with `maybe` set. Fills in the members
 * gaps, gaps_ns, stream_gaps and cuts of source->missing. @traces: all traces of @source, in any
 * order. @listed[i] is true if the streams and packets of folder i are listed. Returns 0, or -1
 * when out of memory or with @err set.
 */
int mm_gaps_find(struct mm_source *source, const struct mm_snapshots *snapshots,
		 struct ctf_trace *const *traces, size_t count, const bool *listed,
		 struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_GAPS_FIND_H */
