/* SPDX-License-Identifier: LGPL-2.1-only */
/* Adds sessions to a snapshot, finds the folders of their traces, and dumps the sessions' state. */
#ifndef LTTNG_MM_SESSION_SESSIONS_H
#define LTTNG_MM_SESSION_SESSIONS_H

#include "lttng-session/snapshot/work.h"

/* Adds a session to the snapshot: to @states if it records state dumps, otherwise to @rings. */
int snapshot_add_session(struct snapshot *snapshot, const struct recorder_session *session,
			 struct mm_error *err);

/*
 * Makes the sessions dump their state, such as the names of threads. Readers need the state in
 * addition to the events.
 */
int snapshot_dump_sessions(const struct snapshot_sessions *states,
			   const struct snapshot_sessions *rings, struct mm_error *err);

int snapshot_dump_state(const struct snapshot *snapshot, struct mm_error *err);

/*
 * Determines the folder of a session's trace in @made. It is @folder, or a subfolder of @folder if
 * there are several traces. Writes the name of the trace's folder to @name (NAME_MAX + 1 bytes),
 * and opens the parent of this folder, which it creates if necessary. Returns the descriptor of the
 * parent, or -1 with errno set.
 */
int snapshot_open_parent(const struct snapshot_sessions *sessions, size_t i, const char *folder,
			 int made, char *name);

#endif /* LTTNG_MM_SESSION_SESSIONS_H */
