/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State-dump events of lttng-probe-fn: the functions that it records. doc/events.md describes every
 * field.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_FNSTATE_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_FNSTATE_H

#include <probes/lib/record.h>

/* Written at the end of each state dump, once per added function. */
#define lttng_mm_fnstate_statedump_function_fields			\
	lttng_mm_field_uint(calls, 64),				\
	lttng_mm_field_uint(misses, 64),				\
	lttng_mm_field_uint(misses_group, 32),				\
	lttng_mm_field_uint(hooked, 8),				\
	lttng_mm_field_uint(stopped, 8),				\
	lttng_mm_field_uint(absent, 8),				\
	lttng_mm_field_text(name),					\
	lttng_mm_field_text(function),					\
	lttng_mm_field_text(module),					\
	lttng_mm_field_text(spec)

struct lttng_mm_fnstate_statedump_function {
	u64 calls;
	u64 misses;
	u32 misses_group;
	u8 hooked;
	u8 stopped;
	u8 absent;
} __packed;

/* S(PROVIDER, EVENT): a state-dump event. */
#define lttng_mm_fnstate_statedump_events(S)				\
	S(fnstate, fnstate_statedump_function)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_FNSTATE_H */
