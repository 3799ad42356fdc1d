// SPDX-License-Identifier: LGPL-2.1-only
/* Finds processes and names of threads. */
#include "analysis/slab/decode/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void slab_threads_init(struct slab_threads *threads)
{
	mm_threads_init(&threads->seen);
	mm_threads_init(&threads->earlier);
	/*
	 * A thread that calls exec() gets a new name, but keeps its number, so its counts are not
	 * split.
	 */
	threads->seen.exec_renames = threads->earlier.exec_renames = true;
}

void slab_threads_release(struct slab_threads *threads)
{
	mm_threads_release(&threads->seen);
	mm_threads_release(&threads->earlier);
	free(threads->past);
}

/* Stores an earlier user of a thread id. Returns 0, or -1 when out of memory. */
static int add_past(struct slab_threads *threads, const struct slab_past_thread *past)
{
	struct slab_past_thread *grown = mm_array_grow(threads->past, threads->past_count,
						       &threads->past_room, sizeof(*grown));

	if (!grown)
		return -1;
	threads->past = grown;
	grown[threads->past_count++] = *past;
	return 0;
}

int slab_threads_fork(struct slab_threads *threads, const struct mm_event *event, uint32_t *tid,
		      uint32_t *number)
{
	int64_t child = event->fields[0].i;
	/*
	 * If there is no room for another thread, all threads with this id are counted as one
	 * thread.
	 */
	bool keep = child > 0 && child <= INT32_MAX && threads->seen.count < MM_THREADS_MAX - 1;
	struct slab_past_thread past = { (uint32_t)child, MM_HASH_NONE, event->time_ns };
	int32_t changed;

	*tid = past.tid;
	*number = MM_HASH_NONE;
	if (keep) {
		past.number = mm_threads_number(&threads->seen, (int32_t)child);
		if (past.number == MM_HASH_NONE)
			return -1;
	}
	if (mm_threads_see(&threads->seen, MM_THREAD_FORK, event, 0, &changed))
		return -1;
	if (!keep || changed < 0)
		return 0;
	*number = past.number;
	return add_past(threads, &past);
}

static int compare_past(const void *a, const void *b)
{
	const struct slab_past_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->until_ns != y->until_ns)
		return x->until_ns < y->until_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int slab_threads_finish(struct slab_threads *threads, const struct mm_sysinfo *sysinfo)
{
	threads->sysinfo = sysinfo;
	if (threads->past_count)
		qsort(threads->past, threads->past_count, sizeof(*threads->past), compare_past);
	return mm_threads_precede(&threads->seen, &threads->earlier);
}

/* Returns the number of the thread, or MM_HASH_NONE. A trace may contain any thread id. */
static uint32_t number_of(const struct slab_threads *threads, uint32_t id)
{
	uint32_t number = id & ~SLAB_THREAD_PAST;

	return id & SLAB_THREAD_PAST && number < threads->seen.count
		       ? number
		       : mm_threads_last(&threads->seen, (int32_t)id);
}

uint32_t slab_thread_at(const struct slab_threads *threads, uint32_t tid, int64_t time_ns)
{
	size_t low = 0, high = threads->past_count;

	/* Find the first thread with this id that ended after @time_ns. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct slab_past_thread *past = &threads->past[middle];

		if (past->tid < tid || (past->tid == tid && past->until_ns <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < threads->past_count && threads->past[low].tid == tid
		       ? SLAB_THREAD_PAST | threads->past[low].number
		       : tid;
}

uint32_t slab_thread_id(const struct slab_threads *threads, uint32_t number)
{
	int32_t tid = number < threads->seen.count ? threads->seen.all[number].tid : -1;

	return tid < 0 || mm_threads_last(&threads->seen, tid) != number ? SLAB_THREAD_PAST | number
									 : (uint32_t)tid;
}

const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t id)
{
	uint32_t number = number_of(threads, id);

	return number == MM_HASH_NONE ? NULL : &threads->seen.all[number];
}

uint32_t slab_thread_tid(const struct slab_threads *threads, uint32_t id)
{
	const struct mm_thread *thread =
		id & SLAB_THREAD_PAST ? slab_thread_find(threads, id) : NULL;

	return thread ? (uint32_t)thread->tid : id;
}

uint32_t slab_thread_leader(const struct slab_threads *threads, uint32_t id, int32_t pid)
{
	const struct mm_thread *thread;
	uint32_t leader;

	if (pid < 0 || slab_thread_tid(threads, id) == (uint32_t)pid)
		return id;
	if (!threads->past_count)
		return (uint32_t)pid;
	thread = slab_thread_find(threads, id);
	leader = slab_thread_at(threads, (uint32_t)pid, thread ? thread->since_ns : INT64_MIN);
	/*
	 * If the trace does not show when the thread started, @pid may seem to belong to an earlier
	 * process, about which nothing is known. Then return the last process with this id.
	 */
	return leader != (uint32_t)pid && slab_thread_pid(threads, leader) < 0 ? (uint32_t)pid
									       : leader;
}

const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t id)
{
	uint32_t number = number_of(threads, id);

	return number == MM_HASH_NONE ? NULL : mm_threads_comm(&threads->seen, number, NULL);
}

int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t id)
{
	uint32_t number = number_of(threads, id);

	if (number != MM_HASH_NONE)
		return mm_threads_pid(&threads->seen, number, threads->sysinfo);
	return id ? mm_sysinfo_pid(threads->sysinfo, (int)id) : 0;
}

static const char *comm_of(const struct slab_threads *threads, uint32_t id)
{
	uint32_t number = number_of(threads, id);

	if (number != MM_HASH_NONE)
		return mm_threads_comm(&threads->seen, number, threads->sysinfo);
	return id ? mm_sysinfo_comm(threads->sysinfo, (int)id) : "swapper";
}

bool slab_thread_is_named(const struct slab_threads *threads, uint32_t id)
{
	return comm_of(threads, id);
}

void slab_thread_name(const struct slab_threads *threads, uint32_t id, char *text, size_t size)
{
	const char *comm = comm_of(threads, id);

	if (comm)
		snprintf(text, size, "%s", comm);
	else
		snprintf(text, size, "thread %" PRIu32, slab_thread_tid(threads, id));
}

bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t id)
{
	static const char prefix[] = "ksoftirqd/";
	char name[SLAB_THREAD_BYTES];

	slab_thread_name(threads, id, name, sizeof(name));
	return !id || !strncmp(name, prefix, sizeof(prefix) - 1);
}
