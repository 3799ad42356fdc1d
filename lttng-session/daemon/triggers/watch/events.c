// SPDX-License-Identifier: LGPL-2.1-only
/* The watcher process of an event or a rate. */
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
/*
 * In a quiet time, no match can get a snapshot. The trigger is unregistered only for quiet times of
 * at least this length, because registering it again takes milliseconds.
 */
#define QUIET_MIN_NS INT64_C(100000000)
/* Time to stay unregistered if there is no quiet time, or less than QUIET_MIN_NS of it is left. */
#define PAUSE_NS NS_PER_S
/* Intervals between reads of the count of discarded notifications, for events and for rates. */
#define LOOK_US (5 * 1000000ull)
#define LOOK_RATE_US (1000000ull)
/* Time limit for an answer of the session daemon, which serves one command after another. */
#define ANSWER_NS (90 * NS_PER_S)
/* Time limit for the notification of the event that a test causes. */
#define TEST_US (5 * 1000000ull)
/*
 * Maximum number of attempts to register again, after pauses of 1 s, 2 s, 4 s and so on. If all
 * fail, the process exits.
 */
#define ATTEMPTS_MAX 5

struct event_watcher {
	const struct trigger *trigger;
	int socket;
	pid_t daemon;
	sd_event *event;
	struct matches *matches;
	struct events_lttng lttng;
	struct notifications notifications;
	struct events_test test;
	struct presence presence;
	sd_event_source *testing; /* timer while a test waits for its notification */
	struct deadline deadline;
	sd_event_source *rearm;
	unsigned int attempts; /* number of failed attempts to register again */
	struct flood flood;
	/* since the last on_look(), the session daemon has dropped notifications of a rate */
	bool overloaded;
	int64_t armed_ns;
	/*
	 * End of the quiet time, on CLOCK_BOOTTIME, which includes suspend. Until then, no match
	 * gets a snapshot.
	 */
	int64_t quiet_until_ns;
	uint64_t discarded; /* count of discarded notifications at the last look */
	int64_t looked_ns;
	struct mm_error err;
};

static void send_failed(const struct event_watcher *watcher, const char *why)
{
	json_t *message = json_pack("{s:s,s:s}", "trigger", watcher->trigger->name, "failed", why);

	message_send(watcher->socket, message, -1);
	json_decref(message);
}

/*
 * Ends the process, because the session daemon does not answer. The recorder daemon starts a new
 * watcher, which tries again. If the thread of the session daemon that handles notifications is
 * stuck, all commands about triggers hang until the session daemon is restarted.
 */
static void on_silence(void *user, const char *what)
{
	char why[256];

	snprintf(
		why, sizeof(why),
		"lttng-sessiond: no answer for %d s while %s; restart it if this persists: systemctl restart lttng-sessiond",
		(int)(ANSWER_NS / NS_PER_S), what);
	send_failed(user, why);
	_exit(MM_EXIT_ENVIRONMENT);
}

static int end(struct event_watcher *watcher, int status)
{
	return sd_event_exit(watcher->event, status);
}

/* Registers the trigger. This resets the session daemon's count of discarded notifications. */
static int arm(struct event_watcher *watcher)
{
	int ret;

	deadline_begin(&watcher->deadline, "registering the trigger", ANSWER_NS);
	ret = events_lttng_register(&watcher->lttng, &watcher->err);
	deadline_end(&watcher->deadline);
	watcher->discarded = 0;
	watcher->armed_ns = watcher->looked_ns = mm_clock_ns(CLOCK_MONOTONIC);
	return ret;
}

static int on_rearm(sd_event_source *source, uint64_t now, void *user);

static int rearm_at(struct event_watcher *watcher, int64_t until_ns)
{
	watcher->rearm = sd_event_source_disable_unref(watcher->rearm);
	return sd_event_add_time(watcher->event, &watcher->rearm, CLOCK_BOOTTIME,
				 (uint64_t)until_ns / 1000, 1, on_rearm, watcher) < 0
		       ? end(watcher, MM_EXIT_ENVIRONMENT)
		       : 0;
}

/*
 * Tries to register again later, because the cause of the failure (lack of memory, for example) may
 * pass.
 */
static int rearm_later(struct event_watcher *watcher)
{
	int64_t wait_ns = NS_PER_S << watcher->attempts;

	if (++watcher->attempts == ATTEMPTS_MAX)
		return end(watcher, MM_EXIT_ENVIRONMENT);
	matches_fail(watcher->matches, watcher->trigger, watcher->err.message);
	mm_error_clear(&watcher->err);
	return rearm_at(watcher, mm_clock_ns(CLOCK_BOOTTIME) + wait_ns);
}

static int on_rearm(sd_event_source *source, uint64_t now, void *user)
{
	struct event_watcher *watcher = user;

	flood_clear(&watcher->flood);
	if (arm(watcher))
		return rearm_later(watcher);
	if (watcher->attempts)
		matches_fail(watcher->matches, watcher->trigger, NULL);
	watcher->attempts = 0;
	return 0;
}

/*
 * Unregisters the trigger until a match can get a snapshot. If that fails, the process ends, and
 * the next watcher removes LTTng's trigger.
 */
static int disarm(struct event_watcher *watcher)
{
	int64_t until_ns = watcher->quiet_until_ns, now;
	int ret;

	matches_lost(watcher->matches, watcher->trigger);
	watcher->flood.again = true;
	watcher->overloaded = false;
	deadline_begin(&watcher->deadline, "removing the trigger", ANSWER_NS);
	ret = events_lttng_unregister(&watcher->lttng, &watcher->err);
	deadline_end(&watcher->deadline);
	if (ret)
		return end(watcher, MM_EXIT_ENVIRONMENT);
	now = mm_clock_ns(CLOCK_BOOTTIME);
	return rearm_at(watcher, until_ns - now < QUIET_MIN_NS ? now + PAUSE_NS : until_ns);
}

/*
 * Registers the trigger again after another program has removed it. Reports that matches may have
 * been lost.
 */
static int restore(struct event_watcher *watcher)
{
	events_lttng_forget(&watcher->lttng);
	matches_lost(watcher->matches, watcher->trigger);
	matches_fail(watcher->matches, watcher->trigger,
		     "another program has removed LTTng's trigger; it is being registered again");
	if (arm(watcher))
		return rearm_later(watcher);
	matches_fail(watcher->matches, watcher->trigger, NULL);
	return 0;
}

/*
 * Ends a test with the time and CPU of its notification. If no notification came, @cpu is
 * EVENTS_TEST_SILENT.
 */
static void end_test(struct event_watcher *watcher, int64_t monotonic_ns, int cpu)
{
	const struct match match = { .monotonic_ns = monotonic_ns, .cpu = cpu };

	watcher->testing = sd_event_source_disable_unref(watcher->testing);
	deadline_begin(&watcher->deadline, "removing the trigger of a test", ANSWER_NS);
	events_test_end(&watcher->test, watcher->trigger, watcher->matches, cpu);
	deadline_end(&watcher->deadline);
	matches_end_test(watcher->matches, watcher->trigger->name,
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
	struct event_watcher *watcher = user;
	bool removed;
	int ret;

	/* A test is already running. Its end also answers this request. */
	if (watcher->testing)
		return;
	if (watcher->presence.gone) {
		matches_send_step(watcher->matches, watcher->trigger->name, "registered", false,
				  false, "not registered with LTTng: its event no longer exists");
		matches_end_test(watcher->matches, watcher->trigger->name, NULL);
		return;
	}
	deadline_begin(&watcher->deadline, "testing the trigger", ANSWER_NS);
	removed = events_test_links(&watcher->test, watcher->trigger, &watcher->lttng,
				    watcher->matches);
	ret = events_test_begin(&watcher->test, watcher->trigger, watcher->matches);
	deadline_end(&watcher->deadline);
	if (ret)
		matches_end_test(watcher->matches, watcher->trigger->name,
				 ret > 0 ? &synthetic : NULL);
	else if (sd_event_add_time_relative(watcher->event, &watcher->testing, CLOCK_MONOTONIC,
					    TEST_US, 0, on_untested, watcher) < 0)
		end_test(watcher, 0, EVENTS_TEST_SILENT);
	if (removed)
		restore(watcher);
}

static bool is_rate(const struct event_watcher *watcher)
{
	return watcher->trigger->kind == TRIGGER_RATE;
}

/* Reports events as matches. For a rate, many events make one match when they exceed the rate. */
static void report(struct event_watcher *watcher, struct match *match, uint64_t counted,
		   int64_t now)
{
	if (!is_rate(watcher)) {
		matches_add(watcher->matches, watcher->trigger, match);
		return;
	}
	match->others = 0;
	if (flood_sum(&watcher->flood, now) + counted > watcher->trigger->rate) {
		matches_add(watcher->matches, watcher->trigger, match);
		flood_clear(&watcher->flood);
	} else {
		json_decref(match->fields);
	}
}

/*
 * Unregisters the trigger if it floods (flood.h) or notifications were dropped. A trigger on a rate
 * stays registered while a match may get a snapshot, because its events must be counted until they
 * exceed the rate. Dropped notifications then only set @overloaded. The next on_look() adds the
 * discarded notifications to the count, and unregisters the trigger.
 */
static int check_flood(struct event_watcher *watcher, bool dropped)
{
	int64_t now = mm_clock_ns(CLOCK_MONOTONIC);
	bool permitted = watcher->quiet_until_ns - mm_clock_ns(CLOCK_BOOTTIME) < QUIET_MIN_NS;

	if (!watcher->lttng.trigger)
		return 0;
	if (permitted && is_rate(watcher)) {
		watcher->overloaded |= dropped;
		return 0;
	}
	return dropped || flood_is_on(&watcher->flood, now, permitted) ? disarm(watcher) : 0;
}

static int on_notified(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	struct event_watcher *watcher = user;
	struct notification_batch notified = notifications_take(&watcher->notifications);

	if (notified.dropped)
		matches_lost(watcher->matches, watcher->trigger);
	if (notified.count) {
		struct match match = {
			.monotonic_ns = notified.monotonic_ns,
			.cpu = notified.cpu,
			.others = notified.count - 1,
			.fields = notified.fields,
		};

		flood_add(&watcher->flood, notified.monotonic_ns, notified.count);
		report(watcher, &match, 0, notified.monotonic_ns);
	}
	if (notified.tested && watcher->testing)
		end_test(watcher, notified.tested_ns, notified.tested_cpu);
	if (notified.ended) {
		mm_error_set(
			&watcher->err, MM_EXIT_ENVIRONMENT,
			"lttng-sessiond: the session daemon has ended or closed the connection; start it: systemctl start lttng-sessiond");
		return end(watcher, MM_EXIT_ENVIRONMENT);
	}
	return check_flood(watcher, notified.dropped);
}

/*
 * Returns how many of the @count events since the last on_look() fall into one second, on average.
 */
static uint64_t of_a_second(const struct event_watcher *watcher, uint64_t count, int64_t now)
{
	int64_t since_ns = now - watcher->looked_ns;

	return since_ns <= 1000000000 ? count : (uint64_t)((double)count * 1e9 / (double)since_ns);
}

/*
 * Unregisters the trigger while its event does not exist. When the event is back, the process
 * exits, and the next watcher checks the condition again, because fields and labels may have
 * changed.
 */
static int check_presence(struct event_watcher *watcher)
{
	char why[512];
	int ret = 0;

	deadline_begin(&watcher->deadline, "listing events", ANSWER_NS);
	switch (presence_look(&watcher->presence, watcher->trigger, why, sizeof(why))) {
	case PRESENCE_GONE:
		watcher->rearm = sd_event_source_disable_unref(watcher->rearm);
		if (watcher->lttng.trigger)
			ret = events_lttng_unregister(&watcher->lttng, &watcher->err);
		matches_fail(watcher->matches, watcher->trigger, why);
		break;
	case PRESENCE_BACK:
		end(watcher, MM_EXIT_OK);
		break;
	case PRESENCE_SAME:
		break;
	}
	deadline_end(&watcher->deadline);
	return ret ? end(watcher, MM_EXIT_ENVIRONMENT) : 0;
}

static int on_look(sd_event_source *source, uint64_t time_us, void *user)
{
	struct event_watcher *watcher = user;
	struct match match = { .cpu = -1, .at_least = true };
	int64_t now = mm_clock_ns(CLOCK_MONOTONIC);
	uint64_t count;
	int ret = -1;

	check_presence(watcher);
	if (watcher->lttng.trigger) {
		deadline_begin(&watcher->deadline, "counting discarded notifications", ANSWER_NS);
		ret = events_lttng_discarded(&watcher->lttng, &count);
		deadline_end(&watcher->deadline);
		if (now - watcher->armed_ns >= FLOOD_OVER_NS)
			watcher->flood.again = false;
	}
	if (ret > 0)
		restore(watcher);
	if (!ret && count > watcher->discarded) {
		report(watcher, &match, of_a_second(watcher, count - watcher->discarded, now), now);
		watcher->discarded = count;
	}
	watcher->looked_ns = now;
	if (watcher->overloaded && watcher->lttng.trigger)
		disarm(watcher);
	sd_event_source_set_time_relative(source, is_rate(watcher) ? LOOK_RATE_US : LOOK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* Handles a message with the end of the quiet time, which may be earlier than the previous end. */
static void take_message(void *user, const json_t *message)
{
	struct event_watcher *watcher = user;

	watcher->quiet_until_ns =
		message_number(message, "quiet_until_ns", watcher->quiet_until_ns);
	if (watcher->lttng.trigger)
		check_flood(watcher, false);
	/* After a failed attempt to register, keep the time that rearm_later() has set. */
	else if (watcher->rearm && !watcher->attempts)
		sd_event_source_set_time(watcher->rearm, (uint64_t)watcher->quiet_until_ns / 1000);
}

static int prepare(struct event_watcher *watcher)
{
	sd_event *event;

	if (sd_event_new(&watcher->event) < 0)
		return -1;
	event = watcher->event;
	watcher->matches = matches_create(event, watcher->socket);
	if (!watcher->matches)
		return -1;
	matches_listen(watcher->matches, take_message, watcher);
	matches_test(watcher->matches, begin_test, watcher);
	return sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, LOOK_RATE_US, 0, on_look,
					  watcher) < 0
		       ? -1
		       : 0;
}

static int watch(struct event_watcher *watcher)
{
	if (prepare(watcher))
		return mm_error_set(&watcher->err, MM_EXIT_ENVIRONMENT, "out of memory");
	if (events_lttng_make(&watcher->lttng, watcher->trigger, watcher->daemon, &watcher->err) ||
	    events_test_make(&watcher->test, watcher->trigger, watcher->daemon, &watcher->err))
		return -1;
	events_lttng_sweep(watcher->lttng.name, watcher->daemon);
	events_lttng_sweep(watcher->test.lttng.name, watcher->daemon);
	if (notifications_start(&watcher->notifications, watcher->trigger, &watcher->lttng,
				&watcher->test.lttng, &watcher->err) ||
	    arm(watcher))
		return -1;
	if (sd_event_add_io(watcher->event, NULL, watcher->notifications.wake, EPOLLIN, on_notified,
			    watcher) < 0)
		return mm_error_set(&watcher->err, MM_EXIT_ENVIRONMENT, "out of memory");
	matches_ready(watcher->matches);
	return sd_event_loop(watcher->event) ? -1 : 0;
}

/*
 * Runs the watcher. At the end, it removes its LTTng triggers. If the removal hangs, the recorder
 * daemon kills the process.
 */
static int run(struct trigger *trigger, pid_t daemon, int socket)
{
	struct event_watcher watcher = {
		.trigger = trigger, .socket = socket, .daemon = daemon, .deadline = DEADLINE_INIT
	};
	struct mm_error ignored = MM_ERROR_INIT;
	int ret = -1;

	if (deadline_start(&watcher.deadline, on_silence, &watcher))
		mm_error_set(&watcher.err, MM_EXIT_ENVIRONMENT,
			     "trigger: no thread can be started");
	else
		deadline_begin(&watcher.deadline, "checking the condition", ANSWER_NS);
	presence_init(&watcher.presence, trigger);
	if (!watcher.err.code && !trigger_check_event(trigger, &watcher.err))
		ret = watch(&watcher);
	deadline_begin(&watcher.deadline, "removing the trigger", ANSWER_NS);
	if (watcher.lttng.trigger)
		events_lttng_unregister(&watcher.lttng, &ignored);
	if (watcher.test.lttng.trigger)
		events_lttng_unregister(&watcher.test.lttng, &ignored);
	if (ret && watcher.err.code)
		send_failed(&watcher, watcher.err.message);
	return ret ? MM_EXIT_ENVIRONMENT : 0;
}

/*
 * Resets signals, and closes all inherited descriptors except @socket. The process must not keep
 * the daemon's end of the socket, or it would not notice the daemon's exit.
 */
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
	/* If descriptor 3 is not the socket, dup2() closes it. */
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
		/* run() changes the trigger, but only in this child's memory. */
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
