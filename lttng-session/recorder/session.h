/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * One LTTng session in snapshot mode with kernel channels: started through liblttng-ctl, or printed
 * as plain commands.
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

/* Names may be used in shell commands: letters, digits, -_. and, in events, * only. */
struct session_channel {
	char name[SESSION_CHANNEL_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count; /* powers of two */
	const char *const *events;	     /* ends with NULL; names, patterns, syscall:NAME */
	const char *const *contexts;	  /* ends with NULL; as lttng-add-context(1) names them */
	const char *const *more_contexts; /* the same; NULL: none */
	const char *filter; /* LTTng's expression, of events fn_NAME_call; NULL: none */
};

struct session_plan {
	char session[SESSION_NAME_MAX];
	/* In the order in which they are created, and so of their stream classes in traces. */
	struct session_channel channels[SESSION_CHANNELS_MAX];
	size_t channel_count;
	struct trackers trackers;
};

/* Creates the session, without channels. Returns 0, or -1 with @err set: the name may be in use. */
int session_create(const struct session_plan *plan, struct mm_error *err);

/*
 * Gives a session that session_create() has created its channels, and starts it. Returns 0, or -1
 * with @err set; the caller destroys the session then.
 */
int session_start(const struct session_plan *plan, struct mm_error *err);

/*
 * Enables the channels and the events of a session that exists, as far as others have disabled
 * them, and sets its trackers. Returns 0, or -1 with @err set.
 */
int session_enable(const struct session_plan *plan, struct mm_error *err);

/* Are the channels and all events enabled? True also if it is not known. */
bool session_is_enabled(const struct session_plan *plan);

/* Does a session of this name exist, with all events of @plan in its channels, enabled? */
bool session_matches(const struct session_plan *plan);

/* Sets @err: the session exists already. Returns -1. */
int session_fail_exists(const char *session, struct mm_error *err);

/* When the session daemon created it, in seconds since the Epoch; 0: not known. */
int64_t session_creation_time(const char *session);

/* Prints the equivalent lttng commands. */
void session_print_commands(FILE *out, const struct session_plan *plan);

#endif /* LTTNG_MM_SESSION_SESSION_H */
