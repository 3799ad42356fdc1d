// SPDX-License-Identifier: LGPL-2.1-only
/* Tests whether a notification gets from the kernel through the session daemon to the watcher. */
#include "lttng-session/daemon/triggers/watch/events-test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/events.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"

#define FORK "sched_process_fork"
#define CALL "getpgid"
/* Start of the name of a test's LTTng trigger. Names of other triggers never start with a dot. */
#define NAME ".test-"
#define RESTART "restart it: systemctl restart lttng-sessiond"

int events_test_make(struct events_test *test, const struct trigger *trigger, pid_t daemon,
		     struct mm_error *err)
{
	static char fork_event[] = FORK, call_event[] = PROFILE_SYSCALL CALL;
	char filter[64];
	struct trigger own = { .kind = TRIGGER_EVENT, .filter = filter };

	test->syscall = !strncmp(trigger->event, PROFILE_SYSCALL, strlen(PROFILE_SYSCALL));
	test->event = own.event = test->syscall ? call_event : fork_event;
	/* Match only events of this process. */
	snprintf(filter, sizeof(filter), test->syscall ? "pid == %d" : "parent_tid == %d",
		 (int)getpid());
	if (events_lttng_make(&test->lttng, &own, daemon, err))
		return -1;
	snprintf(test->lttng.name, sizeof(test->lttng.name), EVENTS_PREFIX "%d-" NAME "%s",
		 (int)daemon, trigger->name);
	return 0;
}

static int cause(const struct events_test *test)
{
	pid_t pid;

	if (test->syscall)
		return getpgid(getpid()) < 0 ? -1 : 0;
	pid = fork();
	if (!pid)
		_exit(0);
	return pid < 0 || waitpid(pid, NULL, 0) != pid ? -1 : 0;
}

enum outcome { FAILED, HELD, WORKS };

__attribute__((format(printf, 5, 6))) static void step(const struct matches *matches,
						       const struct trigger *trigger,
						       const char *name, enum outcome outcome,
						       const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	matches_send_step(matches, trigger->name, name, outcome != FAILED, outcome == HELD, text);
}

/* Checks that the session daemon answers, and that the tracer knows the event. */
static void check_events(struct events_test *test, const struct trigger *trigger,
			 const struct matches *matches)
{
	struct mm_error err = MM_ERROR_INIT;
	struct event_names known;

	if (event_names_list(&known, &err)) {
		step(matches, trigger, "session daemon", FAILED, "%s", err.message);
		event_names_release(&known);
		return;
	}
	step(matches, trigger, "session daemon", WORKS, "lttng-sessiond answers");
	if (event_names_have(&known, trigger->event))
		step(matches, trigger, "event", WORKS, "the tracer has %s", trigger->event);
	else
		step(matches, trigger, "event", FAILED,
		     "the tracer has no event %s: its module is not loaded; record its profile, or load the module with modprobe",
		     trigger->event);
	test->missing = !event_names_have(&known, test->event);
	event_names_release(&known);
}

static void check_discarded(const struct events_lttng *lttng, const struct trigger *trigger,
			    const struct matches *matches)
{
	uint64_t count;

	if (events_lttng_discarded(lttng, &count))
		step(matches, trigger, "tracer", FAILED,
		     "the number of discarded notifications cannot be read; " RESTART);
	else
		step(matches, trigger, "tracer", WORKS,
		     "%" PRIu64 " notifications were discarded since the registration", count);
}

bool events_test_links(struct events_test *test, const struct trigger *trigger,
		       const struct events_lttng *lttng, const struct matches *matches)
{
	struct mm_error err = MM_ERROR_INIT;
	int listed;

	check_events(test, trigger, matches);
	if (!lttng->trigger) {
		step(matches, trigger, "registered", HELD,
		     "the trigger matched too often, so it is not registered with LTTng until a snapshot is permitted");
		return false;
	}
	listed = events_lttng_is_listed(lttng, &err);
	if (listed < 0)
		step(matches, trigger, "registered", FAILED, "%s; " RESTART, err.message);
	else if (!listed)
		step(matches, trigger, "registered", FAILED,
		     "another program has removed LTTng's trigger %s; it is being registered again: test again",
		     lttng->name);
	else
		step(matches, trigger, "registered", WORKS, "LTTng has the trigger %s",
		     lttng->name);
	if (listed > 0)
		check_discarded(lttng, trigger, matches);
	return !listed;
}

int events_test_begin(struct events_test *test, const struct trigger *trigger,
		      const struct matches *matches)
{
	struct mm_error err = MM_ERROR_INIT, ignored = MM_ERROR_INIT;

	if (test->missing) {
		step(matches, trigger, "notification", WORKS,
		     "not tested: the tracer has no event %s, which the test would cause",
		     test->event);
		return 1;
	}
	if (events_lttng_register(&test->lttng, &err)) {
		step(matches, trigger, "notification", FAILED, "%s", err.message);
		return -1;
	}
	if (!cause(test))
		return 0;
	step(matches, trigger, "notification", FAILED, "the event %s cannot be caused: %m",
	     test->event);
	events_lttng_unregister(&test->lttng, &ignored);
	return -1;
}

void events_test_end(struct events_test *test, const struct trigger *trigger,
		     const struct matches *matches, int cpu)
{
	struct mm_error ignored = MM_ERROR_INIT;

	if (test->lttng.trigger)
		events_lttng_unregister(&test->lttng, &ignored);
	if (cpu == EVENTS_TEST_SILENT)
		step(matches, trigger, "notification", FAILED,
		     "LTTng has not sent the notification of an event %s that the test caused; " RESTART,
		     test->event);
	else
		step(matches, trigger, "notification", WORKS,
		     "LTTng has sent the notification of an event %s that the test caused, on CPU %d",
		     test->event, cpu);
}
