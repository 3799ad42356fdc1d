// SPDX-License-Identifier: LGPL-2.1-only
/* Processes and names of threads. */
#include "analysis/slab/decode/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void slab_threads_init(struct slab_threads *threads)
{
	mm_threads_init(&threads->seen);
	mm_threads_init(&threads->earlier);
}

void slab_threads_release(struct slab_threads *threads)
{
	mm_threads_release(&threads->seen);
	mm_threads_release(&threads->earlier);
}

int slab_threads_finish(struct slab_threads *threads, const struct mm_sysinfo *sysinfo)
{
	threads->sysinfo = sysinfo;
	return mm_threads_precede(&threads->seen, &threads->earlier);
}

const struct mm_thread *slab_thread_find(const struct slab_threads *threads, uint32_t tid)
{
	uint32_t number = mm_threads_last(&threads->seen, (int32_t)tid);

	return number == MM_HASH_NONE ? NULL : &threads->seen.all[number];
}

const char *slab_thread_traced_name(const struct slab_threads *threads, uint32_t tid)
{
	uint32_t number = mm_threads_last(&threads->seen, (int32_t)tid);

	return number == MM_HASH_NONE ? NULL : mm_threads_comm(&threads->seen, number, NULL);
}

int32_t slab_thread_pid(const struct slab_threads *threads, uint32_t tid)
{
	uint32_t number = mm_threads_last(&threads->seen, (int32_t)tid);

	if (number != MM_HASH_NONE)
		return mm_threads_pid(&threads->seen, number, threads->sysinfo);
	return tid ? mm_sysinfo_pid(threads->sysinfo, (int)tid) : 0;
}

void slab_thread_name(const struct slab_threads *threads, uint32_t tid, char *text, size_t size)
{
	uint32_t number = mm_threads_last(&threads->seen, (int32_t)tid);
	const char *comm;

	if (number != MM_HASH_NONE)
		comm = mm_threads_comm(&threads->seen, number, threads->sysinfo);
	else
		comm = tid ? mm_sysinfo_comm(threads->sysinfo, (int)tid) : "swapper";
	if (comm)
		snprintf(text, size, "%s", comm);
	else
		snprintf(text, size, "thread %" PRIu32, tid);
}

bool slab_thread_is_interrupt(const struct slab_threads *threads, uint32_t tid)
{
	static const char prefix[] = "ksoftirqd/";
	char name[SLAB_THREAD_BYTES];

	slab_thread_name(threads, tid, name, sizeof(name));
	return !tid || !strncmp(name, prefix, sizeof(prefix) - 1);
}
