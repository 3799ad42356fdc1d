/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Threads by thread id, with their processes and names. If a thread id was reused, only its last
 * thread is identified by the thread id. Earlier threads have other ids, with SLAB_THREAD_PAST.
 */
#ifndef LTTNG_MM_SLAB_DECODE_THREADS_H
#define LTTNG_MM_SLAB_DECODE_THREADS_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "reader/sysinfo/threads.h"

/* Room for a name. Names of kworkers in /proc are longer than in a trace. */
#define SLAB_THREAD_BYTES 80

/* An earlier user of a thread id. It had the id until @until_ns. */
struct slab_past_thread {
	uint32_t tid, number; /* number: in struct mm_threads */
	int64_t until_ns;
};

struct slab_threads {
	struct mm_threads seen;
	/* threads before the requested part of the trace */
	struct mm_threads earlier;
	const struct mm_sysinfo *sysinfo; /* NULL until the end of the trace */
	/* sorted by thread id, then by time, after the end of the trace */
	struct slab_past_thread *past;
	size_t past_count, past_room;
};

void slab_threads_init(struct slab_threads *threads);
void slab_threads_release(struct slab_threads *threads);
/* Completes the data after the last event. Returns 0, or -1 when out of memory. */
int slab_threads_finish(struct slab_threads *threads, const struct mm_sysinfo *sysinfo);

/*
 * Processes a fork. Sets *@tid to the id of the new thread. Sets *@number to the thread that had
 * this id before, or to MM_HASH_NONE if no such thread is stored. Returns 0, or -1 when out of
 * memory.
 */
int slab_threads_fork(struct slab_threads *threads, const struct mm_event *event, uint32_t *tid,
		      uint32_t *number);
/*
 * Returns the id (possibly with SLAB_THREAD_PAST) of the thread that used the thread id @tid at
 * @time_ns. Call this at the end.
 */
uint32_t slab_thread_at(const struct slab_threads *threads, uint32_t tid, int64_t time_ns);
/* Returns the id of thread @number in struct mm_threads. The id may contain SLAB_THREAD_PAST. */
uint32_t slab_thread_id(const struct slab_threads *threads, uint32_t number);
/* Returns the thread id, without SLAB_THREAD_PAST. */
uint32_t slab_thread_tid(const struct slab_threads *threads, uint32_t id);
/*
 * Returns the id of the first thread of process @pid, which must be the process of thread @id. If
 * @pid is -1, returns @id.
 */
uint32_t slab_thread_leader(const struct slab_threads *threads, uint32_t id, int32_t pid);

/* Returns the thread's data in the trace, or NULL. */
const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t id);
/* Returns the thread's name in the trace, or NULL. */
const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t id);
/* Returns the process id, or -1 if it is unknown. */
int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t id);
void slab_thread_name(const struct slab_threads *threads, uint32_t id, char *text, size_t size);
/* Is the name of the thread known? Otherwise slab_thread_name() writes its thread id. */
bool slab_thread_is_named(const struct slab_threads *threads, uint32_t id);
/* Is the thread an idle thread or ksoftirqd, whose events belong to interrupts? */
bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t id);

#endif /* LTTNG_MM_SLAB_DECODE_THREADS_H */
