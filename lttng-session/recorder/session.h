/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Starts an LTTng session with kernel channels through liblttng-ctl, or prints the equivalent
 * commands. The session is in snapshot mode or writes to a folder.
 */
#ifndef LTTNG_MM_SESSION_SESSION_H
#define LTTNG_MM_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/recorder/trackers.h"
#include "util/error.h"

#define SESSION_NAME_MAX 256

#define SESSION_CHANNELS_MAX 16
#define SESSION_CHANNEL_NAME_MAX 256

/*
 * A channel to be created. Its name and events may be used in shell commands, so names consist of
 * letters, digits, and -_. only. Names of events may also contain *.
 */
struct session_channel {
	char name[SESSION_CHANNEL_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* powers of two */
	const char *const *events;   /* names, patterns, and syscall:NAME; terminated by NULL */
	const char *const *contexts; /* names as in lttng-add-context(1); terminated by NULL */
	const char *const *more_contexts; /* further contexts; may be NULL */
	const char *filter; /* LTTng's filter expression for the events fn_NAME_call; may be NULL */
};

struct session_plan {
	char session[SESSION_NAME_MAX];
	/*
	 * NULL: snapshot mode, in which new events overwrite old ones. Otherwise, an absolute path:
	 * the session daemon writes all events to this folder, and the tracer discards new events
	 * while buffers are full.
	 */
	const char *output;
	/* channels in the order of creation; a trace numbers its stream classes in this order */
	struct session_channel channels[SESSION_CHANNELS_MAX];
	size_t channel_count;
	struct trackers trackers;
};

/*
 * Creates the session without channels. Returns 0, or -1 with @err set, for example if the name is
 * in use.
 */
int session_create(const struct session_plan *plan, struct mm_error *err);

/*
 * Adds the channels to a session from session_create(), and starts it. Returns 0, or -1 with @err
 * set. After -1, the caller must destroy the session.
 */
int session_start(const struct session_plan *plan, struct mm_error *err);

/*
 * Enables the channels and events of @plan in an existing session, because other programs may have
 * disabled them. Also sets the session's trackers. Returns 0, or -1 with @err set.
 */
int session_enable(const struct session_plan *plan, struct mm_error *err);

/* Are the channels and all events enabled? Returns true if that is unknown. */
bool session_is_enabled(const struct session_plan *plan);

/* Does the session exist, and do its channels record all events of @plan? */
bool session_matches(const struct session_plan *plan);

/* Sets @err to report that the session already exists. Returns -1. */
int session_fail_exists(const char *session, struct mm_error *err);

/* Returns the session's creation time in seconds since the Epoch, or 0 if unknown. */
int64_t session_creation_time(const char *session);

/* Prints the equivalent lttng commands. */
void session_print_commands(FILE *out, const struct session_plan *plan);

#endif /* LTTNG_MM_SESSION_SESSION_H */
