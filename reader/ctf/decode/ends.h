/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens traces, and finds what packet headers do not say of the times of their events. */
#ifndef LTTNG_MM_CTF_DECODE_ENDS_H
#define LTTNG_MM_CTF_DECODE_ENDS_H

#include "reader/ctf/packet/packet.h"

/*
 * As ctf_traces_open(). The last packet of a stream without a trustworthy end timestamp, such as
 * those of LTTng before 2.11, ends at its last event, which is decoded for that. So are the events
 * of streams whose packets overlap: only if the events go back in time, their clock did.
 */
struct ctf_trace **ctf_traces_open_timed(const char *root, char *const *folders,
					 size_t folder_count, struct ctf_trace_class **classes,
					 int64_t clock_shift_ns, size_t *count,
					 struct mm_error *err);

#endif /* LTTNG_MM_CTF_DECODE_ENDS_H */
