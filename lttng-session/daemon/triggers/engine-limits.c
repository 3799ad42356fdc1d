// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Saves the state of the limits and the counts of matches and snapshots, so that a restart of the
 * daemon, even after a crash, does not reset them. Child processes write the files, because the
 * daemon must not wait for a disk. For the triggers of one user, only one child process writes at a
 * time. Otherwise, the user's limit could forget a snapshot:
 *
 *   process A starts with the state after snapshot 1; process B with the state after snapshot 2;
 *   B writes; A writes, and snapshot 2 is forgotten
 *
 * The file of the limits (limits.h) also has the counts:
 *
 *   "counts": { "matches": N, "at_least": false, "snapshots": N, "failures": N, "ended": true }
 *
 * "ended" means that the daemon ended normally. Otherwise, there may have been matches after the
 * last save, so the counts are lower bounds.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/daemon/triggers/reaper.h"
#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"
#include "util/mounts.h"

#define WRITING_TRIES 200
#define WRITING_PAUSE_NS 10000000
/* Minimum time between two writes of counts. */
#define COUNTS_US (10 * 1000000ull)

static struct limits_clocks clocks(char boot_id[64])
{
	struct snapshot_times now;

	mounts_read_line("/proc/sys/kernel/random/boot_id", boot_id, 64);
	snapshot_now(&now);
	return (struct limits_clocks){ now.boottime_ns, now.realtime_ns, boot_id };
}

static json_t *counts_to_json(const struct active_trigger *active, bool ended)
{
	return json_pack("{s:I,s:b,s:I,s:I,s:b}", "matches",
			 (json_int_t)(active->matches & INT64_MAX), "at_least", active->at_least,
			 "snapshots", (json_int_t)active->snapshots, "failures",
			 (json_int_t)active->failures, "ended", ended);
}

/* Sets the counts from the file. Files of older versions have no counts. */
static void load_counts(struct active_trigger *active, const json_t *counts)
{
	json_int_t matches = message_number(counts, "matches", 0);
	json_int_t snapshots = message_number(counts, "snapshots", 0);
	json_int_t failures = message_number(counts, "failures", 0);

	active->matches = matches > 0 ? (uint64_t)matches : 0;
	active->snapshots = snapshots > 0 ? (uint64_t)snapshots : 0;
	active->failures = failures > 0 ? (uint64_t)failures : 0;
	active->at_least = json_is_true(json_object_get(counts, "at_least")) ||
			   !json_is_true(json_object_get(counts, "ended"));
}

/*
 * Loads the file @name into @limits. Returns the file's JSON, which also contains the counts, or
 * NULL if there is no file.
 */
static json_t *load(const char *name, struct snapshot_limits *limits, const char *trigger)
{
	char boot_id[64];
	const struct limits_clocks now = clocks(boot_id);
	json_t *json = trigger_store_load_limits(name);

	if (json && limits_from_json(limits, json, &now))
		journal_note(
			LOG_WARNING,
			"trigger: %s: the times of its last snapshots cannot be read, so its limits start anew",
			trigger);
	return json;
}

static void load_own(struct active_trigger *active)
{
	const char *name = active->trigger->name;
	json_t *json = load(name, &active->limits, name);

	if (json)
		load_counts(active, json_object_get(json, "counts"));
	json_decref(json);
}

void engine_load_limits(struct active_trigger *active, bool is_new)
{
	struct snapshot_limits *user = engine_user_limits(active);
	char name[TRIGGER_NAME_MAX];

	if (!active->engine->persists)
		return;
	if (!is_new)
		load_own(active);
	engine_user_file(active->trigger->uid, name);
	/* The limits of the user may already be loaded for another trigger. */
	if (user && !user->any)
		json_decref(load(name, user, active->trigger->name));
}

/* Writes one file. Takes ownership of @counts, which may be NULL. */
static int write_one(const char *name, const struct snapshot_limits *limits, json_t *counts)
{
	char boot_id[64];
	const struct limits_clocks now = clocks(boot_id);
	struct mm_error err = MM_ERROR_INIT;
	json_t *json = limits_to_json(limits, &now);

	if (json && counts)
		json_object_set(json, "counts", counts);
	json_decref(counts);
	if (json && !trigger_store_save_limits(name, json, &err))
		return 0;
	journal_note(LOG_WARNING, "%s; more snapshots than permitted may be taken after a restart",
		     json ? err.message : "trigger: out of memory");
	return MM_EXIT_ENVIRONMENT;
}

/* Writes the limits and counts, in the child process. @ended is true if the daemon is ending. */
static int write_limits(const struct active_trigger *active, bool ended)
{
	const struct snapshot_limits *user = engine_user_limits(active);
	char name[TRIGGER_NAME_MAX];
	int ret = write_one(active->trigger->name, &active->limits, counts_to_json(active, ended));

	engine_user_file(active->trigger->uid, name);
	return user && user->any && write_one(name, user, NULL) ? MM_EXIT_ENVIRONMENT : ret;
}

static bool is_writing(const struct engine *engine, uid_t uid)
{
	for (const struct active_trigger *active = engine->first; active; active = active->next)
		if (active->writing && active->trigger->uid == uid)
			return true;
	return false;
}

/* Saves the changes of the user's other triggers, which waited for a child process to end. */
static void write_next(const struct engine *engine, uid_t uid)
{
	for (struct active_trigger *active = engine->first; active; active = active->next)
		if (active->write_again && active->trigger->uid == uid)
			engine_save_limits(active);
}

static int on_written(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct active_trigger *active = user;

	active->writing = sd_event_source_disable_unref(active->writing);
	write_next(active->engine, active->trigger->uid);
	return 0;
}

void engine_save_limits(struct active_trigger *active)
{
	pid_t pid;

	if (!active->engine->persists)
		return;
	active->write_again = active->removing || is_writing(active->engine, active->trigger->uid);
	if (active->write_again)
		return;
	pid = child_fork(NULL, 0);
	if (!pid)
		_exit(write_limits(active, false));
	if (pid < 0 || sd_event_add_child(active->engine->event, &active->writing, pid, WEXITED,
					  on_written, active) < 0)
		journal_note(
			LOG_WARNING,
			"trigger: %s: no process can be started to save its limits; after a restart, more snapshots than permitted may be taken",
			active->trigger->name);
}

static int on_count(sd_event_source *source, uint64_t now, void *user)
{
	struct active_trigger *active = user;

	active->counting = sd_event_source_disable_unref(active->counting);
	engine_save_limits(active);
	return 0;
}

void engine_save_counts_later(struct active_trigger *active)
{
	if (active->engine->persists && !active->counting)
		sd_event_add_time_relative(active->engine->event, &active->counting,
					   CLOCK_MONOTONIC, COUNTS_US, 0, on_count, active);
}

/* Kill the child process. Otherwise, it could write the file again after the trigger is removed. */
void engine_suspend_saving(struct active_trigger *active)
{
	pid_t pid;

	if (!active->writing)
		return;
	sd_event_source_get_child_pid(active->writing, &pid);
	active->writing = sd_event_source_disable_unref(active->writing);
	active->write_again = true;
	kill(pid, SIGKILL);
	reap_in_background(active->engine->event, pid);
	write_next(active->engine, active->trigger->uid);
}

void engine_stop_saving(struct active_trigger *active)
{
	active->counting = sd_event_source_disable_unref(active->counting);
	engine_suspend_saving(active);
}

/* Waits at most two seconds, because a disk may hang. Returns true if the process has ended. */
static bool await_writing(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = WRITING_PAUSE_NS };

	for (int tries = 0; tries < WRITING_TRIES; tries++) {
		if (waitpid(pid, NULL, WNOHANG))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool await_all(const struct engine *engine)
{
	for (struct active_trigger *active = engine->first; active; active = active->next) {
		pid_t pid;

		if (!active->writing)
			continue;
		sd_event_source_get_child_pid(active->writing, &pid);
		active->writing = sd_event_source_disable_unref(active->writing);
		if (!await_writing(pid))
			return false;
	}
	return true;
}

void engine_save_all(struct engine *engine)
{
	pid_t pid;

	if (!engine->persists || !engine->first)
		return;
	/* This save sets "ended". No later save may overwrite the file. */
	engine->persists = false;
	if (!await_all(engine))
		return;
	pid = child_fork(NULL, 0);
	if (!pid) {
		for (const struct active_trigger *active = engine->first; active;
		     active = active->next)
			if (!active->removing)
				write_limits(active, true);
		_exit(0);
	}
	if (pid > 0)
		await_writing(pid);
}
