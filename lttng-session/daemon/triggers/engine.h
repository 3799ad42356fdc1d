/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Triggers at work, in the recorder daemon: a process watches for the condition of each (watch.h,
 * events.h), its matches pass the trigger's limits, and those that do get a snapshot. A process
 * that ends is started again, after a while. Nothing here blocks.
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

/* Starts a process that watches for @trigger, as watch_start(). */
typedef pid_t engine_watch(const struct trigger *trigger, int *socket, struct mm_error *err);
/* The one that knows all kinds of triggers. */
engine_watch engine_watch_all;

/* Returns NULL if out of memory. */
struct engine *engine_create(sd_event *event, struct job_queue *queue, engine_watch *watch);
/* Limits and counts are kept over a restart, with the triggers (store.h), from now on. */
void engine_persist(struct engine *engine);
/* Ends the processes that watch, and the commands. Accepts NULL. Before job_queue_destroy(). */
void engine_destroy(struct engine *engine);

/*
 * All triggers of a user other than root get @max snapshots in any @max_ns together, instead of
 * these; @max_ns 0: any number. To be called before triggers are added.
 */
void engine_limit_users(struct engine *engine, uint64_t max, int64_t max_ns);
#define ENGINE_USER_MAX 10
#define ENGINE_USER_MAX_NS (INT64_C(3600) * 1000000000)

/*
 * Watches for @trigger, which is taken over in any case. @requester: who added it; NULL: its user,
 * with the groups that the user has now, and the limits continue as they were kept. Returns 0, or
 * -1 with @err set: the name exists, there are too many, or no memory. Whether it can be watched is
 * seen later, in engine_list(). A trigger of a profile gives way.
 */
int engine_add(struct engine *engine, const struct requester *requester, struct trigger *trigger,
	       struct mm_error *err);

/* Triggers that are being added: by one user, and by all. */
struct engine_pending {
	size_t own, all;
};

/*
 * May @uid add a trigger of that name, in addition to @pending? Only root may replace one of a
 * profile. Returns 0, or -1 with @err set.
 */
int engine_check_name(const struct engine *engine, uid_t uid, const char *name,
		      const struct engine_pending *pending, struct mm_error *err);

/*
 * Has the triggers of profiles in effect that are in @planned, which is kept, and no others of
 * profiles: an array, in the order of precedence, of
 *
 *   { "profile": "dax", "recorder": "lttng-mm", "definition": { ... } }       as the plan has them
 *
 * A trigger that was added takes precedence over those of its name. @recorded: those that are new
 * were recorded just now, so their warm-up begins; otherwise they were before the daemon started.
 */
void engine_set_planned(struct engine *engine, json_t *planned, bool recorded);
/* Is the trigger of that name, which is in effect, one of a profile? */
bool engine_is_planned(const struct engine *engine, const char *name);

/*
 * No longer watches for a trigger, which @uid must have added unless it is root. Snapshots in
 * progress are completed, but nothing is run after them. Returns 0, or -1 with @err set.
 */
int engine_remove(struct engine *engine, uid_t uid, const char *name, struct mm_error *err);

/*
 * The same while its file is being removed: nothing is written about it between the two. @removed:
 * whether its file is; otherwise all remains as it was.
 */
int engine_begin_removal(struct engine *engine, uid_t uid, const char *name, struct mm_error *err);
void engine_end_removal(struct engine *engine, const char *name, bool removed);

/*
 * All triggers in the order of their addition, as an array; a new reference:
 *
 *   { "definition": { ... },            trigger_to_json()
 *     "state": "armed",                 or "starting", or "failed"
 *     "why": "lttng-sessiond ...",      if it failed
 *     "matches": N, "at_least": false,  since it was added, while a daemon ran
 *     "snapshots": N, "failures": N,    that were requested, and that failed
 *     "limits": "in its cooldown, for 12 s more",
 *     "last": { "time": N, "path": "/var/lib/lttng-mm/oom-..." }, or "error" instead of the path
 *     "run": { "time": N, "status": "exit status 1" },
 *     "profile": "dax", "recorder": "lttng-mm" }              of a profile: which is recorded there
 *
 * Times are seconds since the Epoch. "last" and "run" are there if there are any.
 */
json_t *engine_list(const struct engine *engine);

/*
 * Sends a synthetic match through the whole chain, which takes no snapshot and runs nothing. Later
 * @answer is called once with @client and
 *
 *   { "trigger": "NAME", "ok": true,
 *     "steps": [ { "step": "watcher", "ok": true, "held": false,
 *                  "text": "armed, process 4711" }, ... ] }
 *
 * "held": the step works, but no match gets a snapshot at present; "ok": nothing fails, nor is held.
 *
 * unless engine_forget() is called before. Returns 0, or -1 with @err set: there is no such
 * trigger, or it is not one of @uid, which is not root.
 */
int engine_test(struct engine *engine, uid_t uid, const char *name, void *client,
		client_answer *answer, struct mm_error *err);
/* @client no longer waits. */
void engine_forget(struct engine *engine, void *client);

/* Starts no snapshots any more. */
void engine_finish(struct engine *engine);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ENGINE_H */
