/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records the page references of a command or of other processes to a folder. The steps:
 *
 *   checked    probe, session daemon, events; the control file is open, the folder is empty
 *   created    the session exists; the command's process is a target, and waits
 *   recording  the session has started; the command executes
 *   ended      by the end of the command, or by a signal: the control file is closed, so no page
 *              is marked; the session is destroyed; the system information is written
 *
 * A failure before the command executes removes the session and the contents of the folder. If this
 * process is killed, the kernel closes the control file, a guard destroys the session, and the
 * command continues.
 */
#ifndef LTTNG_MM_SESSION_PAGEREF_RECORD_H
#define LTTNG_MM_SESSION_PAGEREF_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/pageref/control.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/notes.h"

/* Name of the profile. */
#define PAGEREF_PROFILE "page-ref"

struct pageref_request {
	/* The profile, and the sizes of its sub-buffers. Its trackers are ignored. */
	const struct recorder_options *recorder;
	struct pageref_targets targets;
	/*
	 * Command to record, terminated by NULL. If it is NULL: record @targets until a signal
	 * arrives.
	 */
	char *const *command;
	const char *output;
	uint64_t max_bytes; /* stop recording when the folder reaches this size; 0: no limit */
};

struct pageref_recorded {
	char path[PATH_MAX]; /* path of the folder */
	/*
	 * Exit status of the command, or 128 plus the number of the signal that killed the command.
	 * LAUNCH_NOT_FOUND or LAUNCH_NOT_EXECUTABLE if the command could not be executed.
	 */
	int status;
	bool executed;	    /* the command was executed */
	bool full;	    /* recording stopped because the folder reached max_bytes */
	uint64_t discarded; /* events that the tracer discarded because buffers were full */
	/*
	 * The smallest sample of pages during the recording, as a threshold (pageref-sample.h); 0:
	 * unknown.
	 */
	uint64_t sample;
};

/*
 * Records until the command ends or, without a command, until SIGINT, SIGTERM or SIGHUP arrives.
 * Forwards these signals to the command. Returns 0, or -1 with @err set. recorded->status and
 * recorded->executed are valid in both cases.
 */
int pageref_record(const struct pageref_request *request, struct pageref_recorded *recorded,
		   struct snapshot_notes *notes, struct mm_error *err);

/* Prints shell commands that make the same recording. */
void pageref_print_commands(FILE *out, const struct pageref_request *request);

#endif /* LTTNG_MM_SESSION_PAGEREF_RECORD_H */
