/* SPDX-License-Identifier: LGPL-2.1-only */
/* The buffers of one recorder, held so that they survive LTTng's daemons. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_HELD_BUFFERS_H
#define LTTNG_MM_DAEMON_SUPERVISOR_HELD_BUFFERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lttng-session/freeze/freeze.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"

#define HELD_SESSIONS_MAX 16

struct held_buffers {
	char recorder[RECORDER_NAME_MAX]; /* empty: unused */
	char output[PATH_MAX];		  /* the recorder's folder */
	/* Those with events first. */
	struct recorder_session sessions[HELD_SESSIONS_MAX];
	int64_t since[HELD_SESSIONS_MAX];
	struct freeze_progress progress[HELD_SESSIONS_MAX];
	size_t count, rings;
	struct freeze *ring, *state;
	bool confirmed; /* the session daemon has said that they are those of the plan */
	pid_t daemon;	/* the session daemon that had them */
};

/*
 * Holds the sessions of the recorder as the plan has them, without asking the session daemon, which
 * may hang; nothing happens if they are held. Fails without the freeze module, or if a session does
 * not exist: nothing is held then.
 */
int held_buffers_hold(struct held_buffers *held, const struct plan *plan, const char *recorder,
		      struct mm_error *err);
void held_buffers_release(struct held_buffers *held);

/* Looks at the buffers: kept->progress. Returns 0, or -1 with errno set. */
int held_buffers_look(struct held_buffers *held);
/* NULL: it is not held. */
const struct freeze_progress *held_buffers_progress(const struct held_buffers *held,
						    const char *session);

/*
 * Takes a snapshot of what is held to the recorder's folder, within its limits, in a process of its
 * own, and holds it no longer. Returns when the contents are in memory: the time of the freeze, in
 * nanoseconds since the Epoch, or HELD_NOT_FROZEN. The process sends {"rescue": ...} to the socket
 * @report (loop.h) when the snapshot is complete. @what: what has happened.
 */
#define HELD_NOT_FROZEN INT64_C(-1)
int64_t held_buffers_rescue(struct held_buffers *held, const char *what, int report);

/* Sends such a message: @key is "path" or "error". */
void held_buffers_send_rescue(int report, const char *what, int64_t at_ns, const char *key,
			      const char *text);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_HELD_BUFFERS_H */
