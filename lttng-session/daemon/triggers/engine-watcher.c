// SPDX-License-Identifier: LGPL-2.1-only
/* The processes that watch for the conditions of triggers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/engine-end.h"
#include "lttng-session/daemon/triggers/engine-work.h"
#include "lttng-session/system/message.h"
#include "lttng-session/daemon/triggers/watch/events.h"
#include "lttng-session/daemon/triggers/watch/watch.h"
#include "lttng-session/system/journal.h"
#include "util/escape.h"

/* Before the first restart; it doubles with each, up to the maximum. */
#define RESTART_US (1000000ull)
#define RESTART_MAX_US (16 * 1000000ull)
/* What worked for so long starts again with the first. */
#define WORKED_NS (INT64_C(60) * 1000000000)

pid_t engine_watch_all(const struct trigger *trigger, int *socket, struct mm_error *err)
{
	return watch_has(trigger->kind) ? watch_start(&trigger, 1, socket, err)
					: events_start(trigger, socket, err);
}

/* Forgets the process, which may have ended already. */
static void close_watcher(struct watched *watched)
{
	watched->io = sd_event_source_disable_unref(watched->io);
	watched->child = sd_event_source_disable_unref(watched->child);
	watched->timer = sd_event_source_disable_unref(watched->timer);
	if (watched->socket >= 0)
		close(watched->socket);
	watched->socket = -1;
}

void engine_stop_watcher(struct watched *watched)
{
	pid_t pid = watched->pid;

	close_watcher(watched);
	watched->pid = 0;
	if (pid)
		engine_let_end(watched->engine->event, pid);
}

/* Why the trigger is not watched for; untrusted. Said once, however often it is tried. */
static void set_failed(struct watched *watched, const char *why)
{
	char shown[sizeof(watched->why)];

	mm_escape_message(shown, sizeof(shown), why, strlen(why));
	if (!watched->was_failed || strcmp(watched->why, shown))
		journal_note(LOG_WARNING, "trigger: %s: it is not watched for: %s",
			     watched->trigger->name, shown);
	watched->state = WATCHED_FAILED;
	watched->was_failed = true;
	snprintf(watched->why, sizeof(watched->why), "%s", shown);
}

static int on_restart(sd_event_source *source, uint64_t now, void *user)
{
	struct watched *watched = user;

	watched->timer = sd_event_source_disable_unref(watched->timer);
	engine_start_watcher(watched);
	return 0;
}

/* Starts it again, later the more often that was necessary. */
static void restart_later(struct watched *watched)
{
	uint64_t wait_us = RESTART_US;

	if (watched->armed_ns && engine_now_ns() - watched->armed_ns >= WORKED_NS)
		watched->attempts = 0;
	watched->armed_ns = 0;
	for (unsigned int i = 0; i < watched->attempts && wait_us < RESTART_MAX_US; i++)
		wait_us *= 2;
	watched->attempts++;
	if (sd_event_add_time_relative(watched->engine->event, &watched->timer, CLOCK_MONOTONIC,
				       wait_us, 0, on_restart, watched) < 0)
		journal_note(LOG_ERR, "trigger: %s: out of memory: it is not watched for any more",
			     watched->trigger->name);
}

static void set_armed(struct watched *watched)
{
	if (watched->was_failed)
		journal_note(LOG_INFO, "trigger: %s: it is watched for again",
			     watched->trigger->name);
	watched->was_failed = false;
	watched->state = WATCHED_ARMED;
	watched->armed_ns = engine_now_ns();
}

static void take(struct watched *watched, const json_t *message)
{
	const char *failed = message_text(message, "failed", NULL);

	if (failed)
		set_failed(watched, failed);
	/* What failed before it was ready stays so. */
	else if (json_is_true(json_object_get(message, "armed")) ||
		 (json_is_true(json_object_get(message, "ready")) &&
		  watched->state == WATCHED_STARTING))
		set_armed(watched);
	else if (json_object_get(message, "test_step"))
		engine_test_step(watched, json_object_get(message, "test_step"));
	else if (json_is_true(json_object_get(message, "test")))
		engine_test_match(watched, message);
	else if (json_object_get(message, "match"))
		engine_match(watched, message);
}

static int on_message(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct watched *watched = user;
	/* One at a time: no process keeps the daemon from the others. */
	json_t *message = message_receive(fd, NULL);

	if (message)
		take(watched, message);
	else if (errno != EAGAIN && errno != EBADMSG)
		watched->io = sd_event_source_disable_unref(watched->io);
	json_decref(message);
	return 0;
}

/* Takes what the process has sent before it ended. */
static void drain(struct watched *watched)
{
	json_t *message;

	while ((message = message_receive(watched->socket, NULL))) {
		take(watched, message);
		json_decref(message);
	}
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct watched *watched = user;
	char why[64];

	watched->pid = 0;
	drain(watched);
	snprintf(why, sizeof(why), "the process that watches ended with %s %d",
		 info->si_code == CLD_EXITED ? "status" : "signal", info->si_status);
	/* What it has said itself is better. */
	if (watched->state != WATCHED_FAILED)
		set_failed(watched, why);
	engine_test_lost(watched);
	close_watcher(watched);
	restart_later(watched);
	return 0;
}

void engine_start_watcher(struct watched *watched)
{
	sd_event *event = watched->engine->event;
	struct mm_error err = MM_ERROR_INIT;
	pid_t pid = watched->engine->watch(watched->trigger, &watched->socket, &err);

	if (pid < 0) {
		set_failed(watched, err.message);
		watched->socket = -1;
		restart_later(watched);
		return;
	}
	watched->pid = pid;
	watched->sent_ns = 0;
	watched->sent_until_ns = 0;
	watched->state = WATCHED_STARTING;
	if (sd_event_add_child(event, &watched->child, pid, WEXITED, on_child, watched) >= 0 &&
	    sd_event_add_io(event, &watched->io, watched->socket, EPOLLIN, on_message, watched) >=
		    0)
		return;
	engine_stop_watcher(watched);
	set_failed(watched, "out of memory");
	restart_later(watched);
}
