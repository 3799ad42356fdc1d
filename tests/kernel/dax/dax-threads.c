// SPDX-License-Identifier: LGPL-2.1-only
/* The scenarios of the DAX workload in which two threads fault at the same time. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "dax-threads.h"

struct thread_work {
	char *address;
	size_t step;
	int count, cpu;
	long delay_ns; /* after the start signal */
	bool write;
	atomic_int *waiting; /* threads that have not reached the start yet */
};

static void spin(long delay_ns)
{
	struct timespec now;
	long long until;

	clock_gettime(CLOCK_MONOTONIC, &now);
	until = now.tv_sec * 1000000000LL + now.tv_nsec + delay_ns;
	while (now.tv_sec * 1000000000LL + now.tv_nsec < until)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

static void *thread_touches(void *data)
{
	const struct thread_work *work = data;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(work->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus); /* if this fails, the threads share a CPU */
	/*
	 * Spins, because waking a sleeping thread takes longer than the faults that must collide.
	 */
	atomic_fetch_sub(work->waiting, 1);
	for (unsigned int turns = 0; atomic_load(work->waiting); turns++)
		if (turns > 100000)
			sched_yield();
	spin(work->delay_ns);
	for (int i = 0; i < work->count; i++) {
		volatile char *byte = work->address + (size_t)i * work->step;

		if (work->write)
			*byte = 1;
		else
			(void)*byte;
	}
	return NULL;
}

/* Runs both pieces of work at the same time, on CPUs 0 and 1. */
static void in_two_threads(struct dax_run *run, struct thread_work work[2])
{
	atomic_int waiting = 2;
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		work[i].waiting = &waiting;
		work[i].cpu = i;
	}
	errno = pthread_create(&thread, NULL, thread_touches, &work[1]);
	if (errno) {
		dax_fail(run, "pthread_create");
		return;
	}
	thread_touches(&work[0]);
	pthread_join(thread, NULL);
}

void dax_threads(struct dax_run *run)
{
	char *p = dax_map(run, 4 * DAX_PMD, MAP_SHARED, 0, 0);
	struct thread_work work[2] = {
		{ .address = p, .step = 2 * DAX_PMD, .count = 2, .write = true },
		{ .address = p + DAX_PMD, .step = 2 * DAX_PMD, .count = 2, .write = true },
	};

	if (!p)
		return;
	for (int i = 0; i < 4; i++)
		dax_expect(run, MAPPED, CAUSE_NONE, NO_FAULT);
	in_two_threads(run, work);
}

/*
 * One thread reads a private mapping while the other writes to it. The winner of the race decides
 * the kernel's path. From round to round, the read starts a little later (after STEPS rounds,
 * without delay again), so that some reads find the entry locked by the write.
 */
static void race(struct dax_run *run, unsigned int ranges)
{
	enum { STEPS = 24, STEP_NS = 10000 };

	for (int round = 0; round < DAX_RACE_ROUNDS && !run->failed; round++) {
		size_t offset = (size_t)round % ranges * DAX_PMD;
		char *keep = dax_map(run, DAX_PMD, MAP_SHARED, offset, 0);
		char *p = dax_map(run, DAX_PMD, MAP_PRIVATE, offset, 0);
		struct thread_work work[2] = {
			{ .address = p,
			  .step = DAX_PAGE,
			  .count = 2,
			  .delay_ns = (long)(round % STEPS) * STEP_NS },
			{ .address = p + 8 * DAX_PAGE,
			  .step = DAX_PAGE,
			  .count = 2,
			  .write = true },
		};

		if (!p || !keep)
			return;
		(void)*(volatile char *)keep; /* creates a huge page cache entry before the race */
		in_two_threads(run, work);
		munmap(p, DAX_PMD);
		munmap(keep, DAX_PMD);
	}
}

void dax_race_written(struct dax_run *run)
{
	race(run, 2);
}

void dax_race_hole(struct dax_run *run)
{
	race(run, DAX_RACE_ROUNDS);
}
