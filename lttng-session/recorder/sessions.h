/* SPDX-License-Identifier: LGPL-2.1-only */
/* The sessions of a recorder. This header is for the files that implement recorder.h. */
#ifndef LTTNG_MM_SESSION_RECORDER_SESSIONS_H
#define LTTNG_MM_SESSION_RECORDER_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/recorder/session.h"

#define RECORDER_CHANNEL "lttng-mm"
#define RECORDER_STATE_CHANNEL "lttng-mm-state"
#define RECORDER_STATE_SUFFIX "-state"
#define RECORDER_STATE_EVENTS_MAX 128

/*
 * The sessions that `record` starts. For each profile, @rings has the session that records the
 * events, and @attach has a temporary session. The temporary session starts first if
 * profile->attach_first is set, so that all events in @rings start at the same instant. The
 * profiles own the names of events and contexts.
 */
struct recorder_sessions {
	struct session_plan rings[RECORDER_PROFILES_MAX], attach[RECORDER_PROFILES_MAX];
	struct session_plan state; /* one state session for all profiles */
	bool has_state;
	const char *state_events[RECORDER_STATE_EVENTS_MAX];
};

/*
 * Checks the name of a recorder or session. Letters, digits and -_. are valid, because the name is
 * used in shell commands. Returns 0, or -1 with @err set.
 */
int recorder_check_name(const char *name, struct mm_error *err);

/* Plans the sessions. @plan (may be NULL) lists the existing sessions and their state events. */
void recorder_plan_sessions(struct recorder_sessions *sessions,
			    const struct recorder_options *options, const struct plan *plan);

/*
 * Chooses the buffer sizes within the budget, if any. Returns 0, or -1 with @err set if the budget
 * is too small.
 */
int recorder_choose_sizes(struct recorder_sessions *sessions,
			  const struct recorder_options *options, const struct plan *plan,
			  struct recorder_started *started, struct mm_error *err);

/*
 * Loads the probes, starts the session daemon, and checks that the events exist. Returns 0, or -1
 * with @err set.
 */
int recorder_prepare(const struct recorder_options *options, struct mm_error *err);

struct lttng_session;

/*
 * Finds the planned session among the session daemon's @sessions, by name and creation time.
 * Returns NULL if the session is gone, even if another session has its name.
 */
const struct lttng_session *recorder_find_planned(const struct plan_session *session,
						  const struct lttng_session *sessions, int count);

#endif /* LTTNG_MM_SESSION_RECORDER_SESSIONS_H */
