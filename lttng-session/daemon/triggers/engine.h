/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The trigger engine of the recorder daemon: watches for the conditions of all triggers, and takes
 * a snapshot when a condition matches and its trigger's limits permit it. Processes and messages
 * (trigger.h):
 *
 *   watcher, one per trigger        daemon                        worker (jobs/worker.h)
 *   match                   -->  counts, asks limits.h
 *                                job_queue_add_triggered()  -->  freezes the buffers
 *   (events) quiet_until_ns <--  match is covered           <--  "frozen"
 *                                runs the command (command.h) <--  "path"
 *
 * States of a watcher (enum watcher_state):
 *
 *   WATCHER_STARTING --"ready"--> WATCHER_ARMED --"failed", or it ends--> WATCHER_FAILED
 *                                      ^------------------"armed"--------------'
 *
 * The engine restarts a watcher that ends, at first after 1 s, later after up to 16 s.
 * watch/watch.h watches for lines and pressure, watch/events.h for events. The engine runs in the
 * daemon's event loop and must never block. It handles one message of a watcher at a time. Blocking
 * work runs in child processes, which watch for conditions, check and store triggers
 * (engine-requests.h, engine-limits.c), and test triggers (engine-test.c).
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ENGINE_H
#define LTTNG_MM_DAEMON_TRIGGERS_ENGINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/job-queue.h"
#include "lttng-session/daemon/jobs/requester.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

struct engine;

/* Starts a watcher process for @trigger. Returns like watch_start(). */
typedef pid_t engine_watch(const struct trigger *trigger, int *socket, struct mm_error *err);
/* An engine_watch that supports all kinds of triggers. */
engine_watch engine_watch_all;

/* Creates an engine that requests snapshots from @queue. Returns NULL if out of memory. */
struct engine *engine_create(sd_event *event, struct job_queue *queue, engine_watch *watch);
/*
 * Saves limits and counts to files from now on (store.h), so that the next daemon continues with
 * them.
 */
void engine_persist(struct engine *engine);
/*
 * Ends watchers and commands, and frees the engine. Call it before job_queue_destroy(). Accepts
 * NULL.
 */
void engine_destroy(struct engine *engine);

/*
 * Limits all triggers of a user (except root) together to @max snapshots in any interval of @max_ns
 * (0: no limit). Replaces the default limit below. Call it before adding triggers.
 */
void engine_limit_users(struct engine *engine, uint64_t max, int64_t max_ns);
#define ENGINE_USER_MAX 10
#define ENGINE_USER_MAX_NS (INT64_C(3600) * 1000000000)

/*
 * Adds @trigger, and takes ownership of it even on failure. @requester is the user who adds a new
 * trigger. If @requester is NULL, @trigger is a stored trigger: its saved limits apply again, and
 * the groups of its user are looked up. A new trigger replaces a profile's trigger of the same
 * name. Returns 0, or -1 with @err set if the name exists or there are too many triggers. Does not
 * wait for the watcher. Later, engine_list() shows whether the watcher works.
 */
int engine_add(struct engine *engine, const struct requester *requester, struct trigger *trigger,
	       struct mm_error *err);

/* Number of triggers that are being added: by one user, and by all users. */
struct engine_pending {
	size_t own, all;
};

/*
 * May @uid add a trigger @name when the @pending triggers are also added? Only root may replace a
 * trigger of a profile. Returns 0, or -1 with @err set.
 */
int engine_check_name(const struct engine *engine, uid_t uid, const char *name,
		      const struct engine_pending *pending, struct mm_error *err);

/*
 * Sets the triggers of profiles, and removes profiles' triggers that @planned lacks. @planned is an
 * array from the plan, in the order of precedence. The engine takes a reference to it. Each element
 * has this form:
 *
 *   { "profile": "dax", "recorder": "lttng-mm", "definition": { ... } }
 *
 * A user's trigger takes precedence over a profile's trigger of the same name. @recorded means that
 * the recording of the new triggers' profiles has just begun, so the triggers' warm-up starts now.
 * Otherwise, recording began before the daemon started, and the saved limits apply.
 */
void engine_set_planned(struct engine *engine, json_t *planned, bool recorded);
/* Does the trigger @name belong to a profile? */
bool engine_is_planned(const struct engine *engine, const char *name);

/*
 * Removes a trigger. @uid must be the trigger's user or root. Snapshots in progress are completed,
 * but the trigger's command does not run for them. Returns 0, or -1 with @err set.
 */
int engine_remove(struct engine *engine, uid_t uid, const char *name, struct mm_error *err);

/*
 * Removes a trigger in two steps. Between them, a child process removes the trigger's file, so the
 * engine writes nothing about the trigger meanwhile. If @removed is false, the file could not be
 * removed, and the trigger stays.
 */
int engine_begin_removal(struct engine *engine, uid_t uid, const char *name, struct mm_error *err);
void engine_end_removal(struct engine *engine, const char *name, bool removed);

/*
 * Returns an array of all triggers, oldest first (a new reference):
 *
 *   { "definition": { ... },            trigger_to_json()
 *     "state": "armed",                 or "starting", or "failed"
 *     "why": "lttng-sessiond ...",      if it failed
 *     "matches": N, "at_least": false,  since the trigger was added, while a daemon ran
 *     "snapshots": N, "failures": N,    requested snapshots, and how many of them failed
 *     "limits": "in its cooldown, for 12 s more",
 *     "last": { "time": N, "path": "/var/lib/lttng-mm/oom-..." }, or "error" instead of the path
 *     "run": { "time": N, "status": "exit status 1" },
 *     "profile": "dax", "recorder": "lttng-mm" }        if it is a trigger of a profile
 *
 * Times are seconds since the Epoch. "last" and "run" are absent before the first snapshot or
 * command.
 */
json_t *engine_list(const struct engine *engine);

/*
 * Tests a trigger: sends a synthetic match through all steps of a real match, except the snapshot
 * and the command. Calls @answer once, after this function has returned, with @client and
 *
 *   { "trigger": "NAME", "ok": true,
 *     "steps": [ { "step": "watcher", "ok": true, "held": false,
 *                  "text": "armed, process 4711" }, ... ] }
 *
 * A step is "held" if it works, but prevents snapshots at present: the step "limits" during a
 * cooldown, for example. The outer "ok" is true if no step fails or is held.
 *
 * After engine_forget(), @answer is not called. Returns 0, or -1 with @err set if the trigger does
 * not exist, or if @uid is neither its user nor root.
 */
int engine_test(struct engine *engine, uid_t uid, const char *name, void *client,
		client_answer *answer, struct mm_error *err);
/* Forgets @client, which no longer waits for the end of a test. */
void engine_forget(struct engine *engine, void *client);

/* Stops requesting snapshots for matches. */
void engine_finish(struct engine *engine);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ENGINE_H */
