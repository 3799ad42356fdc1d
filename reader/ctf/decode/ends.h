/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens traces, and decodes events where packet headers lack times. */
#ifndef LTTNG_MM_CTF_DECODE_ENDS_H
#define LTTNG_MM_CTF_DECODE_ENDS_H

#include "reader/ctf/packet/packet.h"

/*
 * Like ctf_traces_open(), but also decodes events where packet headers are not enough. If the end
 * timestamp of a stream's last packet cannot be trusted (LTTng before 2.11), the packet ends at its
 * last event. If packets overlap, their events show whether the clock went backwards.
 */
struct ctf_trace **ctf_traces_open_timed(const char *root, char *const *folders,
					 size_t folder_count, struct ctf_trace_class **classes,
					 int64_t clock_shift_ns, size_t *count,
					 struct mm_error *err);

#endif /* LTTNG_MM_CTF_DECODE_ENDS_H */
