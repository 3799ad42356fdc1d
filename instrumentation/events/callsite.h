/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code ranges of call-site numbers: the provider of the probe library. doc/events.md describes
 * every field.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H

#include <probes/lib/record.h>

/* Written at the end of each state dump, once for each range. */
#define lttng_mm_callsite_statedump_range_fields			\
	lttng_mm_field_hex(start, 32),				\
	lttng_mm_field_uint(size, 32),					\
	lttng_mm_field_uint(alive, 8),					\
	lttng_mm_field_text(name)

struct lttng_mm_callsite_statedump_range {
	u32 start;
	u32 size;
	u8 alive;
} __packed;

/* S(PROVIDER, EVENT): an event of the state dump. */
#define lttng_mm_callsite_statedump_events(S)				\
	S(callsite, callsite_statedump_range)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H */
