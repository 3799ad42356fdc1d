/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State-dump events of the probe library: the ranges of call-site numbers. Each range stands for
 * the code of the kernel or of a module. doc/events.md describes every field.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H

#include <probes/lib/record.h>

/* Written at the end of each state dump, once per range. */
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

/* S(PROVIDER, EVENT): a state-dump event. */
#define lttng_mm_callsite_statedump_events(S)				\
	S(callsite, callsite_statedump_range)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_CALLSITE_H */
