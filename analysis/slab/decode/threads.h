/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Threads by thread id: their processes and names. Where a thread id was used again, the earlier
 * threads of it have other ids here, with SLAB_THREAD_PAST.
 */
#ifndef LTTNG_MM_SLAB_DECODE_THREADS_H
#define LTTNG_MM_SLAB_DECODE_THREADS_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "reader/sysinfo/threads.h"

/* A thread's name: /proc has longer ones of kworkers than a trace. */
#define SLAB_THREAD_BYTES 80

/* The thread that a thread id represented up to a time. */
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
 * A fork. *@number: the thread that the thread id represented until then; MM_HASH_NONE: not kept.
 * Returns 0, or -1: out of memory.
 */
int slab_threads_fork(struct slab_threads *threads, const struct mm_event *event, uint32_t *tid,
		      uint32_t *number);
/* After the end: the id, as in rows, of the thread that the thread id represented at that time. */
uint32_t slab_thread_at(const struct slab_threads *threads, uint32_t tid, int64_t time_ns);
/* The id, as in rows, of the thread with that number of struct mm_threads. */
uint32_t slab_thread_id(const struct slab_threads *threads, uint32_t number);
/* The thread id, without SLAB_THREAD_PAST. */
uint32_t slab_thread_tid(const struct slab_threads *threads, uint32_t id);
/*
 * The id of the first thread of the thread's process @pid; the thread's own if that is not known.
 */
uint32_t slab_thread_leader(const struct slab_threads *threads, uint32_t id, int32_t pid);

/* The thread's data in the trace; NULL: none. */
const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t id);
/* Its name from the trace alone; NULL: not known. */
const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t id);
/* -1: not known. */
int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t id);
void slab_thread_name(const struct slab_threads *threads, uint32_t id, char *text, size_t size);
/* Is its name known? Without one, it is called by its thread id. */
bool slab_thread_is_named(const struct slab_threads *threads, uint32_t id);
/* Do the thread's events belong to interrupts? Those of the idle thread and ksoftirqd do. */
bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t id);

#endif /* LTTNG_MM_SLAB_DECODE_THREADS_H */
