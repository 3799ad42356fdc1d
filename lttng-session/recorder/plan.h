/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The plan lists the LTTng sessions that the recorders of this machine consist of, and the purpose
 * of each session. Every command reads the plan. `record` and `stop` change it.
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
 *             "targets": { "interval_ms": 500, "uid": 1000, ... },
 *             "triggers": [ { "name": "fallback", "uid": 0, "on": "...", ... } ] } ] } ],
 *     "unfinished": [ { "name": "lttng-mm-slab", "since": 1795000009 } ] }
 *
 * - "budget_bytes": null without a budget.
 * - "window_ns": history that the buffers must cover (`record --window`), in nanoseconds; or null.
 * - "output": folder for triggered snapshots; "keep": its limits (retention-limits.h). Both,
 *   and each limit, may be absent.
 * - "trackers": may be absent (trackers.h).
 * - "since": creation time of the session in seconds since the Epoch. Together with the name, this
 *   distinguishes the session from later sessions of the same name.
 * - "daemon_started": may be absent; identifies the session daemon that created the session
 *   (session-daemon.h).
 * - "filter" of a channel: LTTng's filter expression for its events fn_NAME_call; may be absent.
 * - "targets": the processes whose page references the session records; may be absent. The recorder
 *   daemon keeps the probe's control file open while such a session is in the plan.
 *   lttng-session/pageref/targets.h describes the targets; plan.c does not interpret them.
 * - "triggers": triggers of the session's profile, in the form of trigger.h; may be absent. The
 *   recorder daemon enables them while the session is in the plan.
 * - "unfinished": sessions that a command is creating or destroying, or that a killed command left
 *   (transaction.h). Their "since" is null until the session has been created.
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
/* Maximum numbers of triggers and channels per session. */
#define PLAN_TRIGGERS_MAX 16
#define PLAN_CHANNELS_MAX SESSION_CHANNELS_MAX
/* Name of the plan's member that lists the unfinished sessions, and maximum length of the list. */
#define PLAN_UNFINISHED "unfinished"
#define PLAN_UNFINISHED_MAX (2 * PLAN_SESSIONS_MAX)
/* Text that the name of each state-dump event contains. */
#define PLAN_STATE_DUMP "_statedump_"

struct plan_session {
	char recorder[PLAN_NAME_MAX];
	char name[PLAN_NAME_MAX]; /* name of the LTTng session */
	/* name of the first profile; a state session may serve several profiles */
	char profile[32];
	/*
	 * Names of the channels in the order of creation, separated by commas. Empty if they do not
	 * fit.
	 */
	char channels[PLAN_NAME_MAX];
	bool state; /* the session records state dumps; otherwise, it records events */
	bool callstack, kaslr_safe;
	int64_t since;
	/* identifies the session daemon that created the session (daemon_started()); 0: unknown */
	int64_t daemon;
	/* memory per CPU for all channels, including LTTng's additional sub-buffers */
	uint64_t ring_bytes;
	/* the buffers of each channel (at least one channel), with @fixed set */
	struct budget_ring rings[PLAN_CHANNELS_MAX];
	size_t ring_count;
	struct trackers trackers; /* the trackers given to `record` */
	const json_t *json;	  /* the session's object in the file, owned by the plan */
};

/* A plan that was read from the file. Release with plan_release(). */
struct plan {
	json_t *json;
	struct plan_session sessions[PLAN_SESSIONS_MAX];
	size_t count;
	/* the file is from another boot, so its sessions are gone, and are not listed here */
	bool other_boot;
};

/*
 * Reads the plan. If there is no file, the plan is empty. Refuses a file that is malformed, or that
 * another user could have written. Returns 0, or -1 with @err set and an empty @plan.
 */
int plan_read(struct plan *plan, struct mm_error *err);
void plan_release(struct plan *plan);

/* May the caller change the plan? Returns 0, or -1 with @err set. Does not wait for the lock. */
int plan_check_rights(struct mm_error *err);

/*
 * Locks the plan, so that no other command can change it. Waits up to @wait_ms. Only root may
 * change the plan, and the folder must belong to the caller. The lock ends when this process exits,
 * even if a forked process continues. Returns a descriptor for plan_unlock(), or -1 with @err set.
 */
int plan_lock(unsigned int wait_ms, struct mm_error *err);
void plan_unlock(int lock);

/*
 * Usual time limit for plan_lock(). A command that starts a recorder on a busy machine keeps the
 * lock for seconds.
 */
#define PLAN_WAIT_MS 30000

/*
 * Replaces the plan's file, or removes it if no sessions are left. The plan must be locked. Returns
 * 0, or -1 with @err set.
 */
int plan_write(const struct plan *plan, struct mm_error *err);
/* Like plan_write(), but writes @json, a modified copy of plan->json. */
int plan_write_json(const json_t *json, struct mm_error *err);

/*
 * Returns the JSON object of a session that was created at @since. @profiles are the names of the
 * profiles that it serves, terminated by NULL. Returns NULL when out of memory.
 */
json_t *plan_make_session(const struct session_plan *session, bool state,
			  const char *const *profiles, int64_t since, bool kaslr_safe);

/*
 * Adds @session to @recorder, and takes ownership of the reference. Fails if @session is NULL (out
 * of memory). Returns 0, or -1 with @err set.
 */
int plan_add(struct plan *plan, const char *recorder, json_t *session, struct mm_error *err);
/*
 * Removes a session. The index of each later session in plan->sessions decreases by one. Returns 0,
 * or -1 with @err set.
 */
int plan_remove(struct plan *plan, const char *session, struct mm_error *err);

/* Returns the session with this name, or NULL if it is not in the plan. */
const struct plan_session *plan_find(const struct plan *plan, const char *session);
bool plan_has_recorder(const struct plan *plan, const char *recorder);

/* Does the session serve this profile? */
bool plan_session_is_for(const struct plan_session *session, const char *profile);
/*
 * Adds @profile to the profiles that a state session serves or, with @share false, removes it.
 * Returns 0, or -1 with @err set.
 */
int plan_share_state(struct plan *plan, const char *session, const char *profile, bool share,
		     struct mm_error *err);
/*
 * Sets the creation time of the session, and the start time of its session daemon
 * (daemon_started()).
 */
int plan_set_since(struct plan *plan, const char *session, int64_t since, int64_t daemon,
		   struct mm_error *err);
/* Marks the session as recording kernel addresses, which reveal the KASLR offset. */
int plan_set_revealing(struct plan *plan, const char *session, struct mm_error *err);
/*
 * Sets the triggers of the session. The plan keeps a reference to the array. Returns 0, or -1 with
 * @err set.
 */
int plan_set_triggers(struct plan *plan, const char *session, json_t *triggers,
		      struct mm_error *err);
/*
 * Returns the session's triggers (an array that the plan owns), or NULL. Each element is an object
 * with a valid "name". Its other members are not checked.
 */
const json_t *plan_session_triggers(const struct plan_session *session);
/* Sets the session's "targets" in the plan. Works like plan_set_triggers(). */
int plan_set_targets(struct plan *plan, const char *session, json_t *targets, struct mm_error *err);
/* Returns the session's "targets", an object that the plan owns, or NULL. */
const json_t *plan_session_targets(const struct plan_session *session);
/* Returns the first session that has targets, or NULL. */
const struct plan_session *plan_find_targets(const struct plan *plan);
/*
 * Removes the trigger @name from all sessions. Returns 1 if it was found, 0 if not, or -1 with @err
 * set.
 */
int plan_remove_trigger(struct plan *plan, const char *name, struct mm_error *err);
/* Does a channel of the session record exactly this event name, or exactly this pattern? */
bool plan_session_records(const struct plan_session *session, const char *event);
/* Does the session record a state-dump event? */
bool plan_session_dumps(const struct plan_session *session);

/*
 * Returns the JSON object (owned by the plan) of a recorder, or NULL if there is none. @name is the
 * name of the recorder or of one of its sessions.
 */
json_t *plan_recorder_json(const struct plan *plan, const char *name);

/* Return and set the memory budget of the recorder; 0: no budget. */
uint64_t plan_budget(const struct plan *plan, const char *recorder);
int plan_set_budget(struct plan *plan, const char *recorder, uint64_t bytes, struct mm_error *err);

/* Return and set how much history `record --window` promises, in nanoseconds; 0: no promise. */
int64_t plan_window(const struct plan *plan, const char *recorder);
int plan_set_window(struct plan *plan, const char *recorder, int64_t ns, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_H */
