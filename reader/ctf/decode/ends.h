/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens traces, and decodes events where packet headers lack times. */
#ifndef LTTNG_MM_CTF_DECODE_ENDS_H
#define LTTNG_MM_CTF_DECODE_ENDS_H

#include "reader/ctf/packet/packet.h"

/*
 * Like ctf_traces_open(), and decodes events for two purposes. A stream's last packet without a
 * trustworthy end timestamp (LTTng before 2.11) ends at its last event. Where packets overlap, only
 * the events show whether the clock went backwards.
 */
struct ctf_trace **ctf_traces_open_timed(const char *root, char *const *folders,
					 size_t folder_count, struct ctf_trace_class **classes,
					 int64_t clock_shift_ns, size_t *count,
					 struct mm_error *err);

#endif /* LTTNG_MM_CTF_DECODE_ENDS_H */
