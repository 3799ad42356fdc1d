/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The plan: which LTTng sessions make up the recorders of this machine, and what each is for. Every
 * command reads it; `record` and `stop` change it.
 *
 * /run/lttng-mm/recorder.json:
 *
 *   { "version": 1, "boot_id": "5dd5...",
 *     "recorders": [
 *       { "name": "lttng-mm", "budget_bytes": 67108864, "window_ns": null,
 *         "output": "/var/lib/lttng-mm",
 *         "keep": { "count": 20, "max_bytes": 2147483648, "min_free_percent": 10 },
 *         "sessions": [
 *           { "name": "lttng-mm-dax", "role": "events", "profiles": ["dax"], "since": 1795000000,
 *             "callstack": false, "kaslr_safe": true,
 *             "channels": [ { "name": "lttng-mm", "subbuf_bytes": 1048576, "subbuf_count": 8,
 *                             "events": ["dax_pmd_fault*"], "contexts": [] },
 *                           { "name": "lttng-mm-rare", "subbuf_bytes": 4096,
 *                             "subbuf_count": 8, "contexts": [],
 *                             "events": ["dax_pmd_load_hole_fallback"] } ],
 *             "trackers": { "pid": [4711] },
 *             "triggers": [ { "name": "fallback", "uid": 0, "on": "...", ... } ] } ] } ],
 *     "unfinished": [ { "name": "lttng-mm-slab", "since": 1795000009 } ] }
 *
 * "budget_bytes" is null without a budget, and "window_ns", which older versions did not write, is
 * absent or null without a promised window, in nanoseconds. "output" is the recorder's folder, of
 * triggered snapshots, and "keep" what is kept there; both may be missing, as may each limit
 * (keep.h). "trackers" may be missing (trackers.h). "since" is the session's creation time, in seconds
 * since the Epoch; with the name it tells the session from a later one of that name.
 * "daemon_started", which may be missing, tells the session daemon that created it from a later one
 * (daemon.h).
 * A channel may have a "filter", LTTng's expression, of its events fn_NAME_call.
 * "triggers", in the form of trigger.h, are those of the session's profile, and may be missing: the
 * recorder daemon has them in effect while the session is in the plan.
 * "unfinished" is there while a command creates or destroys these sessions, or if such a command was
 * killed (transaction.h); "since" is null until the session has been created.
 */
#ifndef LTTNG_MM_SESSION_PLAN_H
#define LTTNG_MM_SESSION_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/recorder/budget.h"
#include "lttng-session/recorder/session.h"
#include "util/error.h"

#define PLAN_NAME_MAX 256
#define PLAN_SESSIONS_MAX 64
/* Of a session. */
#define PLAN_TRIGGERS_MAX 16
#define PLAN_CHANNELS_MAX SESSION_CHANNELS_MAX
/* The member of the plan with sessions that are being created or destroyed, and their maximum. */
#define PLAN_UNFINISHED "unfinished"
#define PLAN_UNFINISHED_MAX (2 * PLAN_SESSIONS_MAX)
/* In the names of events of state dumps. */
#define PLAN_STATE_DUMP "_statedump_"

struct plan_session {
	char recorder[PLAN_NAME_MAX];
	char name[PLAN_NAME_MAX]; /* of the LTTng session */
	char profile[32];	  /* the first one; a state session may have several */
	/*
	 * The names of its channels in the order in which they were created, separated by
	 * commas. Empty: they do not fit.
	 */
	char channels[PLAN_NAME_MAX];
	bool state; /* for the state dump; otherwise for events */
	bool callstack, kaslr_safe;
	int64_t since;
	int64_t daemon;	     /* daemon_started() of the session daemon that has it; 0: not known */
	uint64_t ring_bytes; /* for each CPU, with LTTng's extra sub-buffer, of all channels */
	/* The buffers of each channel, all fixed; there is at least one. */
	struct budget_ring rings[PLAN_CHANNELS_MAX];
	size_t ring_count;
	struct trackers trackers; /* that `record` was given */
	const json_t *json;	  /* belongs to the plan */
};

/* A plan that was read. Release with plan_release(). */
struct plan {
	json_t *json;
	struct plan_session sessions[PLAN_SESSIONS_MAX];
	size_t count;
	bool other_boot; /* the file is of another boot: its sessions are gone, and not listed */
};

/*
 * Reads the plan; without a file it is empty. A file that another user could have written, or that
 * is malformed, is refused. Returns 0, or -1 with @err set; @plan is empty then.
 */
int plan_read(struct plan *plan, struct mm_error *err);
void plan_release(struct plan *plan);

/* May the caller change the plan? Returns 0, or -1 with @err set. It waits for nobody. */
int plan_check_rights(struct mm_error *err);

/*
 * Locks the plan against other commands that change it, for which it waits up to @wait_ms. Only
 * root may change it: the folder must belong to the caller. The lock ends with this process, even
 * if a process that it has forked goes on. Returns a descriptor for plan_unlock(), or -1 with @err
 * set.
 */
int plan_lock(unsigned int wait_ms, struct mm_error *err);
void plan_unlock(int lock);

/* The time that a command waits: starting a busy recorder takes seconds. */
#define PLAN_WAIT_MS 30000

/* Replaces the file, or removes it if there are no sessions. The plan must be locked. */
int plan_write(const struct plan *plan, struct mm_error *err);
/* The same for a copy of plan->json. */
int plan_write_json(const json_t *json, struct mm_error *err);

/*
 * A session that was started at @since, as the file has it; @profiles ends with NULL. NULL: out of
 * memory.
 */
json_t *plan_make_session(const struct session_plan *session, bool state,
			  const char *const *profiles, int64_t since, bool kaslr_safe);

/*
 * Adds a session (NULL: out of memory), which is released, to @recorder. Returns 0, or -1 with @err
 * set.
 */
int plan_add(struct plan *plan, const char *recorder, json_t *session, struct mm_error *err);
/* Removes sessions; those after it in plan->sessions move up. */
int plan_remove(struct plan *plan, const char *session, struct mm_error *err);

/* NULL: there is none. */
const struct plan_session *plan_find(const struct plan *plan, const char *session);
bool plan_has_recorder(const struct plan *plan, const char *recorder);

/* Is the session for that profile? */
bool plan_session_is_for(const struct plan_session *session, const char *profile);
/* Marks the state session as being for @profile, or not any more. Returns 0, or -1 (@err set). */
int plan_share_state(struct plan *plan, const char *session, const char *profile, bool share,
		     struct mm_error *err);
/* Notes when the session was created, and by which session daemon: see struct plan_session. */
int plan_set_since(struct plan *plan, const char *session, int64_t since, int64_t daemon,
		   struct mm_error *err);
/* Notes that the session records what reveals where KASLR placed the kernel. */
int plan_set_revealing(struct plan *plan, const char *session, struct mm_error *err);
/*
 * Notes the triggers of the session, an array, of which the plan keeps a reference. Returns 0, or
 * -1 with @err set.
 */
int plan_set_triggers(struct plan *plan, const char *session, json_t *triggers,
		      struct mm_error *err);
/*
 * The triggers of the session: an array of objects that have a "name" which is one of a trigger, and
 * of which nothing else is known. NULL: none. Belongs to the plan.
 */
const json_t *plan_session_triggers(const struct plan_session *session);
/*
 * Removes the trigger @name of all sessions. Returns whether there was one, or -1 with @err set.
 */
int plan_remove_trigger(struct plan *plan, const char *name, struct mm_error *err);
/* Does a channel of the session record exactly that name or pattern? */
bool plan_session_records(const struct plan_session *session, const char *event);
/* Does it record an event of a state dump? */
bool plan_session_dumps(const struct plan_session *session);

/*
 * The recorder of that name, or with a session of that name, as the file has it; belongs to the
 * plan. NULL: there is none.
 */
json_t *plan_recorder_json(const struct plan *plan, const char *name);

/* The ceiling of the recorder's memory; 0: none. */
uint64_t plan_budget(const struct plan *plan, const char *recorder);
int plan_set_budget(struct plan *plan, const char *recorder, uint64_t bytes, struct mm_error *err);

/* The window that `record --window` promised, in nanoseconds; 0: none. */
int64_t plan_window(const struct plan *plan, const char *recorder);
int plan_set_window(struct plan *plan, const char *recorder, int64_t ns, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_H */
