/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tests whether notifications arrive. A test cannot cause the condition's event. Instead, the
 * watcher registers a second LTTng trigger and causes that trigger's event: a system call if the
 * tested trigger is on system calls, otherwise a fork, which fires a tracepoint. If the
 * notification of the second trigger arrives, notifications of the tested trigger arrive, too. The
 * watcher subscribes to both conditions when it starts, because the library locks the notification
 * channel while waiting.
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
	struct events_lttng lttng; /* registered only during a test */
	bool syscall;
	char *event;  /* the event that the test causes */
	bool missing; /* in the last test, the tracer did not know @event */
};

/*
 * Prepares tests of @trigger. This process is a watcher of the recorder daemon @daemon. Registers
 * nothing yet. Returns 0, or -1 with @err set.
 */
int events_test_make(struct events_test *test, const struct trigger *trigger, pid_t daemon,
		     struct mm_error *err);

/*
 * Checks the session daemon, the event, and the registration @lttng of @trigger, and sends a step
 * for each. Returns true if another program has removed the registration. May block in the session
 * daemon.
 */
bool events_test_links(struct events_test *test, const struct trigger *trigger,
		       const struct events_lttng *lttng, const struct matches *matches);

/*
 * Registers the test's LTTng trigger and causes its event. Returns 0 if a notification should
 * arrive. Otherwise sends the step "notification", and returns 1 if no test is possible, or -1 if
 * the test failed.
 */
int events_test_begin(struct events_test *test, const struct trigger *trigger,
		      const struct matches *matches);
/*
 * Ends a test and sends the step "notification". @cpu is the CPU of the notification, or
 * EVENTS_TEST_SILENT if no notification arrived.
 */
#define EVENTS_TEST_SILENT (-2)
void events_test_end(struct events_test *test, const struct trigger *trigger,
		     const struct matches *matches, int cpu);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_TEST_H */
