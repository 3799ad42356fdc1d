/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that exist: a provider of the probe library. doc/events.md describes every field.
 *
 * LTTng's own event, lttng_statedump_process_state, has the address of each thread's table of
 * files: that of the kernel's threads reveals where KASLR placed the kernel.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H

#include <probes/lib/record.h>

/* Written at the end of each state dump, once for each thread. */
#define lttng_mm_process_statedump_thread_fields			\
	lttng_mm_field_int(tid, 32),					\
	lttng_mm_field_int(pid, 32),					\
	lttng_mm_field_text(name)

struct lttng_mm_process_statedump_thread {
	s32 tid;
	s32 pid;
} __packed;

/* S(PROVIDER, EVENT): an event of the state dump. */
#define lttng_mm_process_statedump_events(S)				\
	S(process, process_statedump_thread)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H */
