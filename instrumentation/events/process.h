/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State-dump events of the probe library: the threads that exist. doc/events.md describes every
 * field.
 *
 * LTTng's own event lttng_statedump_process_state cannot be used: it contains the address of each
 * thread's file table. For kernel threads, this address reveals where KASLR placed the kernel.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H

#include <probes/lib/record.h>

/* Written at the end of each state dump, once per thread. */
#define lttng_mm_process_statedump_thread_fields			\
	lttng_mm_field_int(tid, 32),					\
	lttng_mm_field_int(pid, 32),					\
	lttng_mm_field_text(name)

struct lttng_mm_process_statedump_thread {
	s32 tid;
	s32 pid;
} __packed;

/* S(PROVIDER, EVENT): a state-dump event. */
#define lttng_mm_process_statedump_events(S)				\
	S(process, process_statedump_thread)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_PROCESS_H */
