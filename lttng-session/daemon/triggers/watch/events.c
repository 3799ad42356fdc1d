// SPDX-License-Identifier: LGPL-2.1-only
/* The process that watches for the event of a trigger. */
#include "lttng-session/daemon/triggers/watch/events.h"
#include "util/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/deadline.h"
#include "lttng-session/daemon/triggers/watch/events-lttng.h"
#include "lttng-session/daemon/triggers/watch/events-test.h"
#include "lttng-session/daemon/triggers/watch/flood.h"
#include "lttng-session/daemon/triggers/watch/matches.h"
#include "lttng-session/daemon/triggers/watch/notifications.h"
#include "lttng-session/daemon/triggers/watch/presence.h"
#include "lttng-session/system/message.h"

#define NS_PER_S INT64_C(1000000000)
/* It is not unregistered for less: registering takes milliseconds. */
#define QUIET_MIN_NS INT64_C(100000000)
/* It is unregistered for so long if it is not known until when no snapshot is permitted. */
#define PAUSE_NS NS_PER_S
/* Between two looks at the count of discarded notifications. */
#define LOOK_US (5 * 1000000ull)
#define LOOK_RATE_US (1000000ull)
/* For the session daemon, which serves one command after another, to do what is requested. */
#define ANSWER_NS (90 * NS_PER_S)
/* For a notification of an event that the test causes. */
#define TEST_US (5 * 1000000ull)
/* To register again, after 1 s, 2 s and so on; then another process tries. */
#define ATTEMPTS_MAX 5

struct events {
	const struct trigger *trigger;
	int socket;
	pid_t daemon; /* which has started this process */
	sd_event *event;
	struct matches *matches;
	struct events_lttng lttng;
	struct notifications notifications;
	struct events_test test;
	struct presence presence;
	sd_event_source *testing; /* until the notification of the test comes */
	struct deadline deadline;
	sd_event_source *rearm;
	unsigned int attempts; /* to register again, that have failed */
	struct flood flood;
	bool overloaded; /* notifications of a rate were dropped since the last look */
	int64_t armed_ns;
	/* No match gets a snapshot before, on CLOCK_BOOTTIME, which goes on in suspend. */
	int64_t quiet_until_ns;
	uint64_t discarded; /* when it was last looked at */
	int64_t looked_ns;
	struct mm_error err; /* why the process ends */
};

static void send_failed(const struct events *events, const char *why)
{
	json_t *message = json_pack("{s:s,s:s}", "trigger", events->trigger->name, "failed", why);

	message_send(events->socket, message, -1);
	json_decref(message);
}

/*
 * The session daemon does not answer. Its thread that handles notifications can be stuck for good,
 * and then all commands about triggers are: only its restart helps. The daemon starts this process
 * again, which finds out whether that has happened.
 */
static void on_silence(void *user, const char *what)
{
	char why[256];

	snprintf(
		why, sizeof(why),
		"lttng-sessiond: no answer for %d s, %s; restart it if this persists: systemctl restart lttng-sessiond",
		(int)(ANSWER_NS / NS_PER_S), what);
	send_failed(user, why);
	_exit(MM_EXIT_ENVIRONMENT);
}

static int end(struct events *events, int status)
{
	return sd_event_exit(events->event, status);
}

/* The count of discarded notifications starts anew with each registration. */
static int arm(struct events *events)
{
	int ret;

	deadline_begin(&events->deadline, "registering the trigger", ANSWER_NS);
	ret = events_lttng_register(&events->lttng, &events->err);
	deadline_end(&events->deadline);
	events->discarded = 0;
	events->armed_ns = events->looked_ns = mm_clock_ns(CLOCK_MONOTONIC);
	return ret;
}

static int on_rearm(sd_event_source *source, uint64_t now, void *user);

static int rearm_at(struct events *events, int64_t until_ns)
{
	events->rearm = sd_event_source_disable_unref(events->rearm);
	return sd_event_add_time(events->event, &events->rearm, CLOCK_BOOTTIME,
				 (uint64_t)until_ns / 1000, 1, on_rearm, events) < 0
		       ? end(events, MM_EXIT_ENVIRONMENT)
		       : 0;
}

/* What is in the way may pass, such as a lack of memory. */
static int rearm_later(struct events *events)
{
	int64_t wait_ns = NS_PER_S << events->attempts;

	if (++events->attempts == ATTEMPTS_MAX)
		return end(events, MM_EXIT_ENVIRONMENT);
	matches_fail(events->matches, events->trigger, events->err.message);
	mm_error_clear(&events->err);
	return rearm_at(events, mm_clock_ns(CLOCK_BOOTTIME) + wait_ns);
}

static int on_rearm(sd_event_source *source, uint64_t now, void *user)
{
	struct events *events = user;

	flood_clear(&events->flood);
	if (arm(events))
		return rearm_later(events);
	if (events->attempts)
		matches_fail(events->matches, events->trigger, NULL);
	events->attempts = 0;
	return 0;
}

/*
 * Unregisters the trigger for as long as no match gets a snapshot. If that fails, it may still be
 * registered: the next process removes it.
 */
static int disarm(struct events *events)
{
	int64_t until_ns = events->quiet_until_ns, now;
	int ret;

	matches_lost(events->matches, events->trigger);
	events->flood.again = true;
	events->overloaded = false;
	deadline_begin(&events->deadline, "removing the trigger", ANSWER_NS);
	ret = events_lttng_unregister(&events->lttng, &events->err);
	deadline_end(&events->deadline);
	if (ret)
		return end(events, MM_EXIT_ENVIRONMENT);
	now = mm_clock_ns(CLOCK_BOOTTIME);
	return rearm_at(events, until_ns - now < QUIET_MIN_NS ? now + PAUSE_NS : until_ns);
}

/* Another program has removed it. Until it is registered again, matches are missed. */
static int restore(struct events *events)
{
	events_lttng_forget(&events->lttng);
	matches_lost(events->matches, events->trigger);
	matches_fail(events->matches, events->trigger,
		     "another program has removed it from lttng-sessiond; it is registered again");
	if (arm(events))
		return rearm_later(events);
	matches_fail(events->matches, events->trigger, NULL);
	return 0;
}

/* Of a notification of the test; EVENTS_TEST_SILENT: none has come. */
static void end_test(struct events *events, int64_t monotonic_ns, int cpu)
{
	const struct match match = { .monotonic_ns = monotonic_ns, .cpu = cpu };

	events->testing = sd_event_source_disable_unref(events->testing);
	deadline_begin(&events->deadline, "removing the trigger of a test", ANSWER_NS);
	events_test_end(&events->test, events->trigger, events->matches, cpu);
	deadline_end(&events->deadline);
	matches_end_test(events->matches, events->trigger->name,
			 cpu == EVENTS_TEST_SILENT ? NULL : &match);
}

static int on_untested(sd_event_source *source, uint64_t now, void *user)
{
	end_test(user, 0, EVENTS_TEST_SILENT);
	return 0;
}

static void begin_test(void *user, const char *name)
{
	const struct match synthetic = { .cpu = -1 };
	struct events *events = user;
	bool removed;
	int ret;

	/* The one before was given up, and will be answered. */
	if (events->testing)
		return;
	if (events->presence.gone) {
		matches_send_step(events->matches, events->trigger->name, "registered", false,
				  false, "not with LTTng: its event is gone");
		matches_end_test(events->matches, events->trigger->name, NULL);
		return;
	}
	deadline_begin(&events->deadline, "testing the trigger", ANSWER_NS);
	removed =
		events_test_links(&events->test, events->trigger, &events->lttng, events->matches);
	ret = events_test_begin(&events->test, events->trigger, events->matches);
	deadline_end(&events->deadline);
	if (ret)
		matches_end_test(events->matches, events->trigger->name,
				 ret > 0 ? &synthetic : NULL);
	else if (sd_event_add_time_relative(events->event, &events->testing, CLOCK_MONOTONIC,
					    TEST_US, 0, on_untested, events) < 0)
		end_test(events, 0, EVENTS_TEST_SILENT);
	if (removed)
		restore(events);
}

static bool is_rate(const struct events *events)
{
	return events->trigger->kind == TRIGGER_RATE;
}

/* Reports events: of a rate, one match for so many that it is exceeded. */
static void report(struct events *events, struct match *match, uint64_t counted, int64_t now)
{
	if (!is_rate(events)) {
		matches_add(events->matches, events->trigger, match);
		return;
	}
	match->others = 0;
	if (flood_sum(&events->flood, now) + counted > events->trigger->rate) {
		matches_add(events->matches, events->trigger, match);
		flood_clear(&events->flood);
	} else {
		json_decref(match->fields);
	}
}

/*
 * A rate must be counted until it is exceeded, or until the session daemon cannot keep up: the next
 * look then counts what the tracer has discarded, which may exceed the rate, and disarms.
 */
static int check_flood(struct events *events, bool dropped)
{
	int64_t now = mm_clock_ns(CLOCK_MONOTONIC);
	bool permitted = events->quiet_until_ns - mm_clock_ns(CLOCK_BOOTTIME) < QUIET_MIN_NS;

	if (!events->lttng.trigger)
		return 0;
	if (permitted && is_rate(events)) {
		events->overloaded |= dropped;
		return 0;
	}
	return dropped || flood_is_on(&events->flood, now, permitted) ? disarm(events) : 0;
}

static int on_notified(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	struct events *events = user;
	struct notified notified = notifications_take(&events->notifications);

	if (notified.dropped)
		matches_lost(events->matches, events->trigger);
	if (notified.count) {
		struct match match = {
			.monotonic_ns = notified.monotonic_ns,
			.cpu = notified.cpu,
			.others = notified.count - 1,
			.fields = notified.fields,
		};

		flood_add(&events->flood, notified.monotonic_ns, notified.count);
		report(events, &match, 0, notified.monotonic_ns);
	}
	if (notified.tested && events->testing)
		end_test(events, notified.tested_ns, notified.tested_cpu);
	if (notified.ended) {
		mm_error_set(
			&events->err, MM_EXIT_ENVIRONMENT,
			"lttng-sessiond: it has ended, or has closed the connection; start it: systemctl start lttng-sessiond");
		return end(events, MM_EXIT_ENVIRONMENT);
	}
	return check_flood(events, notified.dropped);
}

/* Of a rate: how many of @count, since the last look, were in the last second. */
static uint64_t of_a_second(const struct events *events, uint64_t count, int64_t now)
{
	int64_t since_ns = now - events->looked_ns;

	return since_ns <= 1000000000 ? count : (uint64_t)((double)count * 1e9 / (double)since_ns);
}

/*
 * While the event is gone, the trigger is not registered. When the event is back, another process
 * starts: fields and labels may be others.
 */
static int check_presence(struct events *events)
{
	char why[512];
	int ret = 0;

	deadline_begin(&events->deadline, "listing events", ANSWER_NS);
	switch (presence_look(&events->presence, events->trigger, why, sizeof(why))) {
	case PRESENCE_GONE:
		events->rearm = sd_event_source_disable_unref(events->rearm);
		if (events->lttng.trigger)
			ret = events_lttng_unregister(&events->lttng, &events->err);
		matches_fail(events->matches, events->trigger, why);
		break;
	case PRESENCE_BACK:
		end(events, MM_EXIT_OK);
		break;
	case PRESENCE_SAME:
		break;
	}
	deadline_end(&events->deadline);
	return ret ? end(events, MM_EXIT_ENVIRONMENT) : 0;
}

static int on_look(sd_event_source *source, uint64_t time_us, void *user)
{
	struct events *events = user;
	struct match match = { .cpu = -1, .at_least = true };
	int64_t now = mm_clock_ns(CLOCK_MONOTONIC);
	uint64_t count;
	int ret = -1;

	check_presence(events);
	if (events->lttng.trigger) {
		deadline_begin(&events->deadline, "counting discarded notifications", ANSWER_NS);
		ret = events_lttng_discarded(&events->lttng, &count);
		deadline_end(&events->deadline);
		if (now - events->armed_ns >= FLOOD_OVER_NS)
			events->flood.again = false;
	}
	if (ret > 0)
		restore(events);
	if (!ret && count > events->discarded) {
		report(events, &match, of_a_second(events, count - events->discarded, now), now);
		events->discarded = count;
	}
	events->looked_ns = now;
	if (events->overloaded && events->lttng.trigger)
		disarm(events);
	sd_event_source_set_time_relative(source, is_rate(events) ? LOOK_RATE_US : LOOK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* The daemon says until when no match gets a snapshot, which may be sooner than it said before. */
static void take_message(void *user, const json_t *message)
{
	struct events *events = user;

	events->quiet_until_ns = message_number(message, "quiet_until_ns", events->quiet_until_ns);
	if (events->lttng.trigger)
		check_flood(events, false);
	/* What failed is tried again at its own time. */
	else if (events->rearm && !events->attempts)
		sd_event_source_set_time(events->rearm, (uint64_t)events->quiet_until_ns / 1000);
}

static int prepare(struct events *events)
{
	sd_event *event;

	if (sd_event_new(&events->event) < 0)
		return -1;
	event = events->event;
	events->matches = matches_create(event, events->socket);
	if (!events->matches)
		return -1;
	matches_listen(events->matches, take_message, events);
	matches_test(events->matches, begin_test, events);
	return sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, LOOK_RATE_US, 0, on_look,
					  events) < 0
		       ? -1
		       : 0;
}

static int watch(struct events *events)
{
	if (prepare(events))
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "out of memory");
	if (events_lttng_make(&events->lttng, events->trigger, events->daemon, &events->err) ||
	    events_test_make(&events->test, events->trigger, events->daemon, &events->err))
		return -1;
	events_lttng_sweep(events->lttng.name, events->daemon);
	events_lttng_sweep(events->test.lttng.name, events->daemon);
	if (notifications_start(&events->notifications, events->trigger, &events->lttng,
				&events->test.lttng, &events->err) ||
	    arm(events))
		return -1;
	if (sd_event_add_io(events->event, NULL, events->notifications.wake, EPOLLIN, on_notified,
			    events) < 0)
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "out of memory");
	matches_ready(events->matches);
	return sd_event_loop(events->event) ? -1 : 0;
}

/* Leaves nothing in the session daemon; if that hangs, this process is killed. */
static int run(struct trigger *trigger, pid_t daemon, int socket)
{
	struct events events = {
		.trigger = trigger, .socket = socket, .daemon = daemon, .deadline = DEADLINE_INIT
	};
	struct mm_error ignored = MM_ERROR_INIT;
	int ret = -1;

	if (deadline_start(&events.deadline, on_silence, &events))
		mm_error_set(&events.err, MM_EXIT_ENVIRONMENT, "trigger: no thread can be started");
	else
		deadline_begin(&events.deadline, "checking the condition", ANSWER_NS);
	presence_init(&events.presence, trigger);
	if (!events.err.code && !trigger_check_event(trigger, &events.err))
		ret = watch(&events);
	deadline_begin(&events.deadline, "removing the trigger", ANSWER_NS);
	if (events.lttng.trigger)
		events_lttng_unregister(&events.lttng, &ignored);
	if (events.test.lttng.trigger)
		events_lttng_unregister(&events.test.lttng, &ignored);
	if (ret && events.err.code)
		send_failed(&events, events.err.message);
	return ret ? MM_EXIT_ENVIRONMENT : 0;
}

/* Only the socket is left of what the daemon has open, so that it ends with the daemon. */
static void leave_daemon(int *socket)
{
	sigset_t none;

	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_NAME, "lttng-mm-watch");
	/* Whatever has that number is the daemon's, or the socket itself. */
	*socket = dup2(*socket, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0u, 0);
}

pid_t events_start(const struct trigger *trigger, int *socket, struct mm_error *err)
{
	pid_t daemon = getpid(), pid;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno));
	pid = fork();
	if (!pid) {
		leave_daemon(&fds[1]);
		/* The copy of the daemon's, which is changed. */
		_exit(run((struct trigger *)trigger, daemon, fds[1]));
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno));
	}
	*socket = fds[0];
	return pid;
}
