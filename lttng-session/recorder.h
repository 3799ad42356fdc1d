/* SPDX-License-Identifier: LGPL-2.1-only */
/* Recorders: LTTng sessions in snapshot mode, made from a profile. */
#ifndef LTTNG_MM_SESSION_RECORDER_H
#define LTTNG_MM_SESSION_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/registry/registry.h"
#include "util/error.h"

/* Names of LTTng sessions have up to 254 bytes, and other programs may create sessions too. */
#define RECORDER_NAME_MAX 256

/* The suffix of a recorder's state session, and the folder of its trace in a snapshot. */
#define RECORDER_STATE_SUFFIX "-state"
#define RECORDER_STATE_FOLDER "state"

/*
 * The names of a session and of its channel may be used in shell commands: letters, digits, -_.
 * only.
 */
struct recorder_options {
	const struct mm_profile *profile;
	char session[RECORDER_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count;
	bool force;	/* start without a DAX mount */
	bool callstack; /* record the kernel's call stacks; see recorder_options_callstack() */
};

/* Fills in the defaults of the profile and checks them. Returns 0, or -1 with @err set. */
int recorder_options_init(struct recorder_options *options, const char *profile,
			  const char *session, struct mm_error *err);

/*
 * Has the kernel's call stack recorded with each event. Returns 0, or -1 with @err set: the profile
 * does not have them.
 */
int recorder_options_callstack(struct recorder_options *options, struct mm_error *err);

/* Starts a recorder. On error no session is left behind. */
int recorder_start(const struct recorder_options *options, struct mm_error *err);

/* Prints plain lttng commands that start the same recorder. */
void recorder_print_commands(FILE *out, const struct recorder_options *options);

/*
 * Looks up the session into which the recorder @session dumps state: a separate one that
 * recorder_start() created, or itself, if somebody enabled the events of the state dump in it.
 * Returns false if there is none; @name is empty then.
 */
bool recorder_state_session(const char *session, char *name, size_t size);

/* Returns whether a tracker or a filter excludes some events from the session. */
bool recorder_is_partial(const char *session);

/* Returns whether the name is that of a session for a state dump. */
bool recorder_is_state(const char *session);

/* Bytes of memory that a recorder uses on @cpus CPUs with the default buffers of the profile. */
uint64_t recorder_buffer_bytes(const struct mm_profile *profile, unsigned int cpus);

/* Stops and destroys the session and its state session. */
int recorder_stop(const char *session, struct mm_error *err);

/* One of our sessions, as reported by the session daemon. */
struct recorder_status {
	char session[RECORDER_NAME_MAX]; /* untrusted: other users may use such names too */
	char profile[32];		 /* "?" if the profile is unknown */
	bool running;
	int64_t since; /* seconds since the Epoch; 0 if the daemon does not report it */
	uint64_t subbuf_bytes, subbuf_count;
	uint64_t discarded_events, lost_packets;
	int callstack; /* it records call stacks: 1, 0, or -1 if not known */
};

/*
 * Lists our sessions, without state sessions whose recorder is running, in a new array that the
 * caller frees with free(). Returns their number, or -1 with @err set.
 */
int recorder_list(struct recorder_status **list, struct mm_error *err);

/*
 * Selects @session, or else that of @profile, or else the only one that exists. Returns 0, or -1
 * with @err set.
 */
int recorder_find(const char *session, const char *profile, char *name, size_t size,
		  struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORDER_H */
