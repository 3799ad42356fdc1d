// SPDX-License-Identifier: LGPL-2.1-only
/* Detects active sessions that record nothing. */
#include "lttng-session/daemon/supervisor/silence.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "util/threads.h"

#define PAUSE_NS 10000000
#define PAUSES 100

/* Events of the start and end of a thread. They fire on the thread's CPU. */
static const char *const events[] = {
	"sched_process_fork",
	"sched_process_exit",
	"sched_wakeup_new",
	"sched_switch",
};

enum silence_verdict silence_look(struct silence *silence, bool moved, bool missed)
{
	const bool awaited = silence->caused || silence->caused_each;

	silence->each_looks++;
	if (awaited && !moved) {
		silence->caused = true;
		silence->caused_each = false;
		return SILENCE_FOUND;
	}
	silence->caused = false;
	if (silence->caused_each && missed)
		return SILENCE_FOUND_CPU;
	silence->caused_each = false;
	silence->looks = moved ? 0 : silence->looks + 1;
	if (silence->each_looks >= SILENCE_EACH_LOOKS) {
		silence->each_looks = 0;
		silence->caused_each = true;
		return SILENCE_CAUSE_EACH;
	}
	if (silence->looks < SILENCE_LOOKS)
		return SILENCE_NONE;
	silence->caused = true;
	return SILENCE_CAUSE;
}

int silence_missed_cpu(const cpu_set_t *caused, const cpu_set_t *moved)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, caused) && !CPU_ISSET(cpu, moved))
			return cpu;
	return -1;
}

/* Do the trackers select this process? A UID tracker may select it. A PID tracker never does. */
static bool are_tracked(const struct trackers *trackers)
{
	const size_t users = trackers->count[TRACKER_UID];

	for (size_t i = 0; i < users; i++)
		if (trackers->ids[TRACKER_UID][i] == geteuid())
			return !trackers->count[TRACKER_PID];
	return !users && !trackers->count[TRACKER_PID];
}

bool silence_applies(const struct plan_session *session)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (plan_session_records(session, events[i]))
			return are_tracked(&session->trackers);
	return false;
}

static void *end_at_once(void *user)
{
	return user;
}

static int start_thread(void)
{
	pthread_t thread;
	int error = mm_thread_start(&thread, end_at_once, NULL);

	return error ? error : pthread_join(thread, NULL);
}

/*
 * State of the thread that visits all CPUs. @going is true until the thread has finished; a
 * realtime task on a CPU may delay it. caused_on[CPU] is true if the thread fired events on the
 * CPU.
 */
static atomic_bool going;
static atomic_bool caused_on[CPU_SETSIZE];

static void *start_on_each(void *user)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		CPU_ZERO(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		/* If the CPU goes offline, the kernel moves the visiting thread to another CPU. */
		if (!sched_setaffinity(0, sizeof(one), &one) && !start_thread() &&
		    sched_getcpu() == cpu)
			caused_on[cpu] = true;
	}
	going = false;
	return user;
}

/* Waits up to a second until the thread has visited all CPUs. */
static void await(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	for (int i = 0; going && i < PAUSES; i++)
		nanosleep(&pause, NULL);
}

static int cause_on_each(cpu_set_t *caused)
{
	pthread_t thread;
	int error;

	if (going)
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		caused_on[cpu] = false;
	going = true;
	error = mm_thread_start(&thread, start_on_each, NULL);
	if (error) {
		going = false;
		return error;
	}
	pthread_detach(thread);
	await();
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (caused_on[cpu])
			CPU_SET(cpu, caused);
	return 0;
}

int silence_cause(bool each, cpu_set_t *caused)
{
	int error;

	CPU_ZERO(caused);
	error = start_thread();
	return error || !each ? error : cause_on_each(caused);
}
