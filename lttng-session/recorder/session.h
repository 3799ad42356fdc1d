/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * One LTTng session with kernel channels, in snapshot mode or writing to a folder. It is started
 * through liblttng-ctl, or printed as commands.
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
 * Names may be used in shell commands, so they consist of letters, digits, and -_. only. Events may
 * also contain *.
 */
struct session_channel {
	char name[SESSION_CHANNEL_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* powers of two */
	const char *const *events;	     /* ends with NULL; names, patterns, syscall:NAME */
	const char *const *contexts;	     /* ends with NULL; names as in lttng-add-context(1) */
	const char *const *more_contexts;    /* further contexts; may be NULL */
	const char *filter; /* LTTng's expression for events fn_NAME_call; may be NULL */
};

struct session_plan {
	char session[SESSION_NAME_MAX];
	/*
	 * NULL: snapshot mode, in which new events overwrite old ones. Otherwise an absolute path.
	 * The session daemon writes all events to that folder, and new events are discarded while
	 * buffers are full.
	 */
	const char *output;
	/* channels in the order of creation (and of their stream classes in traces) */
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
 * Adds the channels to a session from session_create(), and starts it. Returns 0; or -1 with @err
 * set, and the caller must destroy the session.
 */
int session_start(const struct session_plan *plan, struct mm_error *err);

/*
 * Enables channels and events that other programs have disabled in an existing session, and sets
 * its trackers. Returns 0, or -1 with @err set.
 */
int session_enable(const struct session_plan *plan, struct mm_error *err);

/* Are the channels and all events enabled? True if it is not known. */
bool session_is_enabled(const struct session_plan *plan);

/* Is there a session with this name whose channels record all events of @plan? */
bool session_matches(const struct session_plan *plan);

/* Sets @err to report that the session already exists. Returns -1. */
int session_fail_exists(const char *session, struct mm_error *err);

/* Returns the session's creation time in seconds since the Epoch, or 0 if unknown. */
int64_t session_creation_time(const char *session);

/* Prints the equivalent lttng commands. */
void session_print_commands(FILE *out, const struct session_plan *plan);

#endif /* LTTNG_MM_SESSION_SESSION_H */
