/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads by thread id: their processes and names. */
#ifndef LTTNG_MM_SLAB_DECODE_THREADS_H
#define LTTNG_MM_SLAB_DECODE_THREADS_H

#include "analysis/sysinfo/sysinfo.h"
#include "analysis/sysinfo/threads.h"
#include "analysis/trace/source.h"

/* A thread's name: /proc has longer ones of kworkers than a trace. */
#define SLAB_THREAD_BYTES 80

struct slab_threads {
	struct mm_threads seen;
	/* ... before the requested part of the trace */
	struct mm_threads earlier;
	const struct mm_sysinfo *sysinfo; /* NULL before the end of the trace */
};

void slab_threads_init(struct slab_threads *threads);
void slab_threads_release(struct slab_threads *threads);
/* After the last event. Returns 0, or -1: out of memory. */
int slab_threads_finish(struct slab_threads *threads, const struct mm_sysinfo *sysinfo);

/* What the trace has of the last thread of that id; NULL: nothing. */
const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t tid);
/* What it was called by the trace alone; NULL: not known. */
const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t tid);
/* -1: not known. */
int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t tid);
void slab_thread_name(const struct slab_threads *threads, uint32_t tid, char *text, size_t size);
/* Does what the thread does belong to interrupts? The idle thread's and ksoftirqd's does. */
bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t tid);

#endif /* LTTNG_MM_SLAB_DECODE_THREADS_H */
