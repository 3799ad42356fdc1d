// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests urgent sections: they raise the priority of the thread, but not of threads and processes
 * that it creates.
 */
#include "lttng-session/system/urgent.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static void *policy_of_thread(void *user)
{
	*(int *)user = sched_getscheduler(0);
	return NULL;
}

static int policy_of_started_thread(void)
{
	int policy = -1;
	pthread_t thread;

	if (!pthread_create(&thread, NULL, policy_of_thread, &policy))
		pthread_join(thread, NULL);
	return policy;
}

static int policy_of_child(void)
{
	int status = -1, pid = fork();

	if (!pid)
		_exit(sched_getscheduler(0));
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Does the machine allow a realtime priority? */
static bool may_raise(void)
{
	const struct sched_param lowest = { .sched_priority = 1 }, usual = { 0 };
	bool may = !sched_setscheduler(0, SCHED_FIFO, &lowest);

	sched_setscheduler(0, SCHED_OTHER, &usual);
	return may;
}

int main(void)
{
	const int raised = may_raise() ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER;
	const struct sched_param two = { .sched_priority = 2 };
	struct urgent urgent, again;

	printf("# realtime priorities are %s here\n", raised ? "allowed" : "not allowed");
	urgent_begin(&urgent);
	tap(sched_getscheduler(0) == raised, "the thread is urgent if it may be");
	tap(policy_of_started_thread() == SCHED_OTHER, "a thread that it starts is not");
	tap(policy_of_child() == SCHED_OTHER, "a process that it starts is not");
	urgent_begin(&again);
	urgent_end(&again);
	tap(sched_getscheduler(0) == raised, "the end of a nested section keeps the priority");
	urgent_end(&urgent);
	tap(sched_getscheduler(0) == SCHED_OTHER, "afterwards it is as before");
	urgent_begin(&urgent);
	urgent_begin(&again);
	urgent_end_all();
	tap(sched_getscheduler(0) == SCHED_OTHER, "all that was begun can be ended at once");
	urgent_end(&again);
	urgent_end(&urgent);
	tap(sched_getscheduler(0) == SCHED_OTHER, "... before each is ended");
	if (raised && !pthread_setschedparam(pthread_self(), SCHED_RR, &two)) {
		urgent_begin(&urgent);
		tap(sched_getscheduler(0) == SCHED_RR, "a realtime priority of its own is kept");
		urgent_end_all();
		tap(sched_getscheduler(0) == SCHED_RR, "... when all is ended, too");
		urgent_end(&urgent);
	}
	return tap_status();
}
