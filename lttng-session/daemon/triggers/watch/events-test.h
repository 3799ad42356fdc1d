/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An event that this process causes itself, and a trigger of LTTng for it: its notification shows
 * that those of other triggers arrive. It is a system call for a trigger of a system call, and
 * otherwise a fork, which fires a tracepoint.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_TEST_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_TEST_H

#include <stdbool.h>
#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/daemon/triggers/watch/events-lttng.h"
#include "lttng-session/daemon/triggers/watch/matches.h"
#include "util/error.h"

struct events_test {
	struct events_lttng lttng; /* unregistered except during a test */
	bool syscall;
	char *event;  /* its name */
	bool missing; /* the tracer does not have it, as the last test found */
};

/*
 * Prepares it for tests of @trigger in the process that calls it, of the recorder daemon @daemon;
 * nothing is registered. Returns 0, or -1 with @err set.
 */
int events_test_make(struct events_test *test, const struct trigger *trigger, pid_t daemon,
		     struct mm_error *err);

/*
 * Sends the steps up to the registration of @lttng, which is that of @trigger. Returns whether
 * another program has removed it from the session daemon. Waits for the session daemon.
 */
bool events_test_links(struct events_test *test, const struct trigger *trigger,
		       const struct events_lttng *lttng, const struct matches *matches);

/*
 * Registers the trigger for the event of the test, and causes that: its notification is to come.
 * Returns 0, or 1 or -1 if none will come: that step was sent, and with -1 it failed.
 */
int events_test_begin(struct events_test *test, const struct trigger *trigger,
		      const struct matches *matches);
/* It has come, on the CPU @cpu, or it has not: @cpu is EVENTS_TEST_SILENT. Sends the step. */
#define EVENTS_TEST_SILENT (-2)
void events_test_end(struct events_test *test, const struct trigger *trigger,
		     const struct matches *matches, int cpu);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_TEST_H */
