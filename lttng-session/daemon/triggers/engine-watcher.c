// SPDX-License-Identifier: LGPL-2.1-only
/* Starts, restarts and ends watcher processes, and dispatches their messages. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/reaper.h"
#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/system/message.h"
#include "lttng-session/daemon/triggers/watch/events.h"
#include "lttng-session/daemon/triggers/watch/watch.h"
#include "lttng-session/system/journal.h"
#include "util/escape.h"

/* Pause before the first restart. Each restart doubles the pause, up to the maximum. */
#define RESTART_US (1000000ull)
#define RESTART_MAX_US (16 * 1000000ull)
/*
 * When a watcher has worked for this long, the pause before its next restart is RESTART_US again.
 */
#define WORKED_NS (INT64_C(60) * 1000000000)

pid_t engine_watch_all(const struct trigger *trigger, int *socket, struct mm_error *err)
{
	return watch_has(trigger->kind) ? watch_start(&trigger, 1, socket, err)
					: events_start(trigger, socket, err);
}

/*
 * Closes the socket and event sources of the watcher process. The process may have ended already.
 */
static void close_watcher(struct active_trigger *active)
{
	active->io = sd_event_source_disable_unref(active->io);
	active->child = sd_event_source_disable_unref(active->child);
	active->timer = sd_event_source_disable_unref(active->timer);
	if (active->socket >= 0)
		close(active->socket);
	active->socket = -1;
}

void engine_stop_watcher(struct active_trigger *active)
{
	pid_t pid = active->pid;

	close_watcher(active);
	active->pid = 0;
	if (pid)
		reap_in_background(active->engine->event, pid);
}

/* Sets the reason of a failure. @why is untrusted text. Does not log a repeated reason again. */
static void set_failed(struct active_trigger *active, const char *why)
{
	char shown[sizeof(active->why)];

	mm_escape_message(shown, sizeof(shown), why, strlen(why));
	if (!active->was_failed || strcmp(active->why, shown))
		journal_note(LOG_WARNING, "trigger: %s: its condition is not being watched: %s",
			     active->trigger->name, shown);
	active->state = WATCHER_FAILED;
	active->was_failed = true;
	snprintf(active->why, sizeof(active->why), "%s", shown);
}

static int on_restart(sd_event_source *source, uint64_t now, void *user)
{
	struct active_trigger *active = user;

	active->timer = sd_event_source_disable_unref(active->timer);
	engine_start_watcher(active);
	return 0;
}

/* Schedules the next start, with a longer pause after each failure. */
static void restart_later(struct active_trigger *active)
{
	uint64_t wait_us = RESTART_US;

	if (active->armed_ns && engine_now_ns() - active->armed_ns >= WORKED_NS)
		active->attempts = 0;
	active->armed_ns = 0;
	for (unsigned int i = 0; i < active->attempts && wait_us < RESTART_MAX_US; i++)
		wait_us *= 2;
	active->attempts++;
	if (sd_event_add_time_relative(active->engine->event, &active->timer, CLOCK_MONOTONIC,
				       wait_us, 0, on_restart, active) < 0)
		journal_note(LOG_ERR,
			     "trigger: %s: out of memory: its condition is no longer being watched",
			     active->trigger->name);
}

static void set_armed(struct active_trigger *active)
{
	if (active->was_failed)
		journal_note(LOG_INFO, "trigger: %s: its condition is being watched again",
			     active->trigger->name);
	active->was_failed = false;
	active->state = WATCHER_ARMED;
	active->armed_ns = engine_now_ns();
}

static void take(struct active_trigger *active, const json_t *message)
{
	const char *failed = message_text(message, "failed", NULL);

	if (failed)
		set_failed(active, failed);
	/*
	 * Ignore "ready" after the watcher has reported a failure: only "armed" ends the failure.
	 */
	else if (json_is_true(json_object_get(message, "armed")) ||
		 (json_is_true(json_object_get(message, "ready")) &&
		  active->state == WATCHER_STARTING))
		set_armed(active);
	else if (json_object_get(message, "test_step"))
		engine_test_step(active, json_object_get(message, "test_step"));
	else if (json_is_true(json_object_get(message, "test")))
		engine_test_match(active, message);
	else if (json_object_get(message, "match"))
		engine_match(active, message);
}

static int on_message(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct active_trigger *active = user;
	/* Read only one message per call, so that no watcher delays the others. */
	json_t *message = message_receive(fd, NULL);

	if (message)
		take(active, message);
	else if (errno != EAGAIN && errno != EBADMSG)
		active->io = sd_event_source_disable_unref(active->io);
	json_decref(message);
	return 0;
}

static void drain(struct active_trigger *active)
{
	json_t *message;

	while ((message = message_receive(active->socket, NULL))) {
		take(active, message);
		json_decref(message);
	}
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct active_trigger *active = user;
	char why[64];

	active->pid = 0;
	drain(active);
	snprintf(why, sizeof(why), "the watcher process ended with %s %d",
		 info->si_code == CLD_EXITED ? "status" : "signal", info->si_status);
	/* If the process has sent a reason, keep it, because it says more than the exit status. */
	if (active->state != WATCHER_FAILED)
		set_failed(active, why);
	engine_test_lost(active);
	close_watcher(active);
	restart_later(active);
	return 0;
}

void engine_start_watcher(struct active_trigger *active)
{
	sd_event *event = active->engine->event;
	struct mm_error err = MM_ERROR_INIT;
	pid_t pid = active->engine->watch(active->trigger, &active->socket, &err);

	if (pid < 0) {
		set_failed(active, err.message);
		active->socket = -1;
		restart_later(active);
		return;
	}
	active->pid = pid;
	active->sent_ns = 0;
	active->sent_until_ns = 0;
	active->state = WATCHER_STARTING;
	if (sd_event_add_child(event, &active->child, pid, WEXITED, on_child, active) >= 0 &&
	    sd_event_add_io(event, &active->io, active->socket, EPOLLIN, on_message, active) >= 0)
		return;
	engine_stop_watcher(active);
	set_failed(active, "out of memory");
	restart_later(active);
}
