/* SPDX-License-Identifier: LGPL-2.1-only */
/* Recorders: LTTng sessions in snapshot mode, made from a profile. */
#ifndef LTTNG_MM_SESSION_RECORDER_H
#define LTTNG_MM_SESSION_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/profile.h"
#include "util/error.h"

/* LTTng has names of up to 254 bytes, and others may have made sessions too. */
#define RECORDER_NAME_MAX 256

/* What a recorder's session for the state dump is called after, and its trace in a snapshot. */
#define RECORDER_STATE_SUFFIX "-state"
#define RECORDER_STATE_FOLDER "state"

/* Names of a session and of its channel may go into shell commands: letters, digits, -_. only. */
struct recorder_options {
	const struct profile *profile;
	char session[RECORDER_NAME_MAX];
	uint64_t subbuf_bytes, subbuf_count;
	bool force; /* go on without a DAX mount */
};

/* Fills in the profile's defaults and checks. Returns 0, or -1 with @err set. */
int recorder_options_init(struct recorder_options *options, const char *profile,
			  const char *session, struct mm_error *err);

/* Starts a recorder. On error no session is left behind. */
int recorder_start(const struct recorder_options *options, struct mm_error *err);

/* Prints plain lttng commands that start the same recorder. */
void recorder_print_commands(FILE *out, const struct recorder_options *options);

struct sysinfo_gaps;

/*
 * Records a snapshot below folder @output, named @name, and writes its folder's path, which is
 * complete when it appears, to @path. @gaps: files of its system information that are missing,
 * each with a message. Returns 0, or -1 with @err set and nothing left in @output.
 */
int recorder_snapshot(const char *session, const char *output, const char *name, char *path,
		      size_t size, struct sysinfo_gaps *gaps, struct mm_error *err);

/*
 * The session into which the recorder @session dumps state: one of its own, as recorder_start()
 * makes it, or itself, where someone enabled the state dump's events in it. False: none, @name is
 * empty.
 */
bool recorder_state_session(const char *session, char *name, size_t size);

/* Does a tracker or a filter keep some events out of the session? */
bool recorder_is_partial(const char *session);

/* Is it by its name a session of a state dump? */
bool recorder_is_state(const char *session);

/* Bytes that a recorder of the profile takes with the profile's own buffers, on @cpus CPUs. */
uint64_t recorder_buffer_bytes(const struct profile *profile, unsigned int cpus);

/* Stops and destroys the session, and that of its state dump. */
int recorder_stop(const char *session, struct mm_error *err);

/* One of our sessions, as the daemon tells it. */
struct recorder_status {
	char session[RECORDER_NAME_MAX]; /* hostile: other users may name theirs as we do */
	char profile[32];		 /* "?" for a session of ours of unknown profile */
	bool running;
	int64_t since; /* seconds since the Epoch, 0 where the daemon doesn't tell */
	uint64_t subbuf_bytes, subbuf_count;
	uint64_t discarded_events, lost_packets;
};

/*
 * Lists our sessions, without those of state dumps whose recorder runs, into a new array, free()
 * it. Returns their number, or -1 with @err set.
 */
int recorder_list(struct recorder_status **list, struct mm_error *err);

/*
 * The session that is meant: @session, else that of @profile, else the only one there is. Returns
 * 0, or -1 with @err set.
 */
int recorder_find(const char *session, const char *profile, char *name, size_t size,
		  struct mm_error *err);

#endif /* LTTNG_MM_SESSION_RECORDER_H */
