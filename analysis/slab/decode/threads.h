/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Threads by thread id: their processes and names. Where a thread id was used again, the earlier
 * threads of it have other ids here, with SLAB_THREAD_PAST.
 */
#ifndef LTTNG_MM_SLAB_DECODE_THREADS_H
#define LTTNG_MM_SLAB_DECODE_THREADS_H

#include "analysis/slab/decode/op.h"
#include "analysis/sysinfo/sysinfo.h"
#include "analysis/sysinfo/threads.h"
#include "analysis/trace/source.h"

/* A thread's name: /proc has longer ones of kworkers than a trace. */
#define SLAB_THREAD_BYTES 80

/* What a thread id stood for up to a time. */
struct slab_past_thread {
	uint32_t tid, number; /* of struct mm_threads */
	int64_t until_ns;
};

struct slab_threads {
	struct mm_threads seen;
	/* ... before the requested part of the trace */
	struct mm_threads earlier;
	const struct mm_sysinfo *sysinfo; /* NULL before the end of the trace */
	struct slab_past_thread *past;	  /* at the end by thread id, then by time */
	size_t past_count, past_room;
};

void slab_threads_init(struct slab_threads *threads);
void slab_threads_release(struct slab_threads *threads);
/* After the last event. Returns 0, or -1: out of memory. */
int slab_threads_finish(struct slab_threads *threads, const struct mm_sysinfo *sysinfo);

/*
 * A fork. *@number: what the thread id stood for until then; MM_HASH_NONE: that is not kept. 0, or
 * -1: out of memory.
 */
int slab_threads_fork(struct slab_threads *threads, const struct mm_event *event, uint32_t *tid,
		      uint32_t *number);
/* After the end: the id, as rows have it, of whom the thread id stood for at that time. */
uint32_t slab_thread_at(const struct slab_threads *threads, uint32_t tid, int64_t time_ns);
/* The thread id, without SLAB_THREAD_PAST. */
uint32_t slab_thread_tid(const struct slab_threads *threads, uint32_t id);
/* The id of the first thread of the thread's process @pid; its own where that is not known. */
uint32_t slab_thread_leader(const struct slab_threads *threads, uint32_t id, int32_t pid);

/* What the trace has of the thread; NULL: nothing. */
const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t id);
/* What it was called by the trace alone; NULL: not known. */
const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t id);
/* -1: not known. */
int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t id);
void slab_thread_name(const struct slab_threads *threads, uint32_t id, char *text, size_t size);
/* Does what the thread does belong to interrupts? The idle thread's and ksoftirqd's does. */
bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t id);

#endif /* LTTNG_MM_SLAB_DECODE_THREADS_H */
