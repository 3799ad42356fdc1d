/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The buffers of one recorder. The freeze module holds a reference to each channel's file, so the
 * buffers, the metadata and the started session survive LTTng's daemons. When the daemons have
 * ended, a rescue freezes the held buffers without the session daemon, and releases them. Only then
 * does the supervisor create the sessions again, so that memory never has to hold old and new
 * buffers at once.
 */
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
	char recorder[RECORDER_NAME_MAX]; /* name; empty: this entry is unused */
	char output[PATH_MAX];		  /* the recorder's folder */
	/* the first @rings sessions record events, the others record state dumps */
	struct recorder_session sessions[HELD_SESSIONS_MAX];
	int64_t since[HELD_SESSIONS_MAX];
	struct freeze_progress progress[HELD_SESSIONS_MAX];
	size_t count, rings;
	struct freeze *ring, *state;
	/*
	 * The session daemon has listed the sessions while their buffers were held. The buffers
	 * therefore belong to these sessions, not to another program's sessions of the same names.
	 */
	bool confirmed;
	pid_t daemon; /* pid of the session daemon that created the sessions */
};

/*
 * Holds the buffers of the recorder's sessions in @plan, unless they are held already. Does not
 * call the session daemon, which may hang. Returns 0, or -1 with @err set and nothing held if the
 * freeze module is missing or a session does not exist.
 */
int held_buffers_hold(struct held_buffers *held, const struct plan *plan, const char *recorder,
		      struct mm_error *err);
void held_buffers_release(struct held_buffers *held);

/* Updates @held->progress from the buffers. Returns 0, or -1 with errno set. */
int held_buffers_look(struct held_buffers *held);
/*
 * Returns what the last held_buffers_look() found for the session, or NULL if @held does not
 * contain the session.
 */
const struct freeze_progress *held_buffers_progress(const struct held_buffers *held,
						    const char *session);

/*
 * Starts a child process that copies the held buffers to memory and writes a snapshot of them to
 * the recorder's folder, within the folder's limits. Waits until the copy is complete, then
 * releases the buffers. Returns the time of the freeze in nanoseconds since the Epoch, or
 * HELD_NOT_FROZEN. When the snapshot is complete, the child sends {"rescue": ...} with the reason
 * @what to the socket @report (loop.h).
 */
#define HELD_NOT_FROZEN INT64_C(-1)
int64_t held_buffers_rescue(struct held_buffers *held, const char *what, int report);

/* Sends the message "rescue" (loop.h). @key is "path" or "error", and @text is its value. */
void held_buffers_send_rescue(int report, const char *what, int64_t at_ns, const char *key,
			      const char *text);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_HELD_BUFFERS_H */
