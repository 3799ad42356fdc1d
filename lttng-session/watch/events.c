// SPDX-License-Identifier: LGPL-2.1-only
/* The process that watches for the event of a trigger. */
#include "lttng-session/watch/events.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/message.h"
#include "lttng-session/watch/events-lttng.h"
#include "lttng-session/watch/flood.h"
#include "lttng-session/watch/matches.h"
#include "util/threads.h"

/*
 * Notifications in a second that are read while no snapshot is permitted; the session daemon spends
 * about a tenth of a CPU on them.
 */
#define FLOOD_MAX 100
/* It is not unregistered for less: registering takes milliseconds. */
#define QUIET_MIN_NS INT64_C(100000000)
/* Between two looks at the count of discarded notifications. */
#define LOOK_US (5 * 1000000ull)
#define LOOK_RATE_US (1000000ull)

/* What the thread that reads has received; NULL fields without any. */
struct received {
	int64_t monotonic_ns;
	int cpu;
	json_t *fields;
	bool dropped; /* none, but an unknown number was dropped */
};

struct events {
	const struct trigger *trigger;
	int socket;
	pid_t daemon; /* which has started this process */
	sd_event *event;
	struct matches *matches;
	struct events_lttng lttng;
	struct lttng_notification_channel *channel;
	int from_thread, to_main; /* the ends of a pipe with struct received */
	sd_event_source *rearm;
	struct flood flood;
	int64_t quiet_until_ns; /* no match gets a snapshot before */
	uint64_t discarded;	/* when it was last looked at */
	int64_t looked_ns;
	struct mm_error err; /* why the process ends */
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Reads notifications until there will be none, which closes the pipe. */
static void *read_notifications(void *user)
{
	struct events *events = user;

	for (;;) {
		struct lttng_notification *notification = NULL;
		struct received received = { .cpu = -1 };
		enum lttng_notification_channel_status status =
			lttng_notification_channel_get_next_notification(events->channel,
									 &notification);

		if (status == LTTNG_NOTIFICATION_CHANNEL_STATUS_INTERRUPTED)
			continue;
		if (status != LTTNG_NOTIFICATION_CHANNEL_STATUS_OK &&
		    status != LTTNG_NOTIFICATION_CHANNEL_STATUS_NOTIFICATIONS_DROPPED)
			break;
		received.monotonic_ns = now_ns();
		received.dropped = status != LTTNG_NOTIFICATION_CHANNEL_STATUS_OK;
		if (!received.dropped)
			events_lttng_captured(events->trigger, notification, &received.cpu,
					      &received.fields);
		lttng_notification_destroy(notification);
		/* A pipe takes so little in one piece, or waits. */
		if (write(events->to_main, &received, sizeof(received)) !=
		    (ssize_t)sizeof(received))
			break;
	}
	close(events->to_main);
	return NULL;
}

static int end(struct events *events, int status)
{
	return sd_event_exit(events->event, status);
}

/* The count of discarded notifications starts anew with each registration. */
static int arm(struct events *events)
{
	events->discarded = 0;
	events->looked_ns = now_ns();
	return events_lttng_register(&events->lttng, &events->err);
}

static int on_rearm(sd_event_source *source, uint64_t now, void *user)
{
	struct events *events = user;

	flood_clear(&events->flood);
	return arm(events) ? end(events, MM_EXIT_ENVIRONMENT) : 0;
}

/* Unregisters the trigger for as long as no match gets a snapshot. */
static int disarm(struct events *events, int64_t now)
{
	uint64_t until_us = (uint64_t)events->quiet_until_ns / 1000;

	matches_lost(events->matches, events->trigger);
	events->rearm = sd_event_source_disable_unref(events->rearm);
	if (events_lttng_unregister(&events->lttng, &events->err) ||
	    sd_event_add_time(events->event, &events->rearm, CLOCK_MONOTONIC, until_us, 1, on_rearm,
			      events) < 0)
		return end(events, MM_EXIT_ENVIRONMENT);
	return 0;
}

static bool is_rate(const struct events *events)
{
	return events->trigger->kind == TRIGGER_RATE;
}

/* Reports events: of a rate, one match for so many that it is exceeded. */
static void report(struct events *events, const struct match *match, uint64_t counted, int64_t now)
{
	if (!is_rate(events)) {
		matches_add(events->matches, events->trigger, match);
		return;
	}
	if (flood_sum(&events->flood, now) + counted > events->trigger->rate) {
		matches_add(events->matches, events->trigger, match);
		flood_clear(&events->flood);
	} else {
		json_decref(match->fields);
	}
}

static int on_received(sd_event_source *source, int fd, uint32_t revents, void *user)
{
	struct events *events = user;
	struct received received;
	ssize_t size = read(fd, &received, sizeof(received));

	if (size < 0 && errno == EAGAIN)
		return 0;
	if (size != (ssize_t)sizeof(received)) {
		mm_error_set(&events->err, MM_EXIT_ENVIRONMENT,
			     "lttng-sessiond: it has ended, or has closed the connection");
		return end(events, MM_EXIT_ENVIRONMENT);
	}
	if (received.dropped) {
		matches_lost(events->matches, events->trigger);
	} else {
		const struct match match = {
			.monotonic_ns = received.monotonic_ns,
			.cpu = received.cpu,
			.fields = received.fields,
		};

		flood_add(&events->flood, received.monotonic_ns, 1);
		report(events, &match, 0, received.monotonic_ns);
	}
	if (events->lttng.registered && events->quiet_until_ns - now_ns() >= QUIET_MIN_NS &&
	    (received.dropped || flood_sum(&events->flood, received.monotonic_ns) > FLOOD_MAX))
		return disarm(events, now_ns());
	return 0;
}

/* Of a rate: how many of @count, since the last look, were in the last second. */
static uint64_t of_a_second(const struct events *events, uint64_t count, int64_t now)
{
	int64_t since_ns = now - events->looked_ns;

	return since_ns <= 1000000000 ? count : (uint64_t)((double)count * 1e9 / (double)since_ns);
}

static int on_look(sd_event_source *source, uint64_t time_us, void *user)
{
	struct events *events = user;
	const struct match match = { .cpu = -1, .at_least = true };
	int64_t now = now_ns();
	uint64_t count;

	if (events->lttng.registered && !events_lttng_discarded(&events->lttng, &count) &&
	    count > events->discarded) {
		report(events, &match, of_a_second(events, count - events->discarded, now), now);
		events->discarded = count;
	}
	events->looked_ns = now;
	sd_event_source_set_time_relative(source, is_rate(events) ? LOOK_RATE_US : LOOK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* The daemon says until when no match gets a snapshot, which may be sooner than it said before. */
static void take_message(void *user, const json_t *message)
{
	struct events *events = user;

	events->quiet_until_ns = message_number(message, "quiet_until_ns", events->quiet_until_ns);
	if (events->rearm && !events->lttng.registered)
		sd_event_source_set_time(events->rearm, (uint64_t)events->quiet_until_ns / 1000);
}

/* Listens first, so that nothing is missed. */
static int start_reading(struct events *events)
{
	pthread_t thread;
	int ends[2];

	events->channel =
		lttng_notification_channel_create(lttng_session_daemon_notification_endpoint);
	if (!events->channel ||
	    lttng_notification_channel_subscribe(events->channel, events->lttng.condition) !=
		    LTTNG_NOTIFICATION_CHANNEL_STATUS_OK)
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT,
				    "lttng-sessiond: it does not run, or sends no notifications");
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno));
	events->from_thread = ends[0];
	events->to_main = ends[1];
	errno = mm_thread_start(&thread, read_notifications, events);
	return errno ? mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "%s", strerror(errno)) : 0;
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
	return sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, LOOK_RATE_US, 0, on_look,
					  events) < 0
		       ? -1
		       : 0;
}

static int watch(struct events *events)
{
	if (prepare(events))
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "out of memory");
	if (events_lttng_make(&events->lttng, events->trigger, events->daemon, &events->err))
		return -1;
	events_lttng_sweep(events->lttng.name, events->daemon);
	if (start_reading(events) || arm(events))
		return -1;
	if (sd_event_add_io(events->event, NULL, events->from_thread, EPOLLIN, on_received,
			    events) < 0)
		return mm_error_set(&events->err, MM_EXIT_ENVIRONMENT, "out of memory");
	matches_ready(events->matches);
	return sd_event_loop(events->event) ? -1 : 0;
}

/* Leaves nothing in the session daemon; if that hangs, this process is killed. */
static int run(struct trigger *trigger, pid_t daemon, int socket)
{
	struct events events = { .trigger = trigger, .socket = socket, .daemon = daemon };
	struct mm_error ignored = MM_ERROR_INIT;
	int ret = trigger_check_event(trigger, &events.err) ? -1 : watch(&events);

	if (events.lttng.registered)
		events_lttng_unregister(&events.lttng, &ignored);
	if (ret && events.err.code) {
		json_t *message = json_pack("{s:s,s:s}", "trigger", trigger->name, "failed",
					    events.err.message);

		message_send(socket, message, -1);
		json_decref(message);
	}
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
