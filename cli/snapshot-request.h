/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The part of `lttng-mm snapshot` that asks the recorder daemon: options, request and answer. It
 * uses few libraries, because loading libraries would delay the freeze.
 */
#ifndef LTTNG_MM_CLI_SNAPSHOT_REQUEST_H
#define LTTNG_MM_CLI_SNAPSHOT_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/common/command.h"
#include "lttng-session/snapshot/snapshot.h"

struct snapshot_options {
	struct command_recorder recorder;
	struct snapshot_request request;
	const char *failed_unit; /* the unit that failed, or NULL */
	/*
	 * --recorder-folder was given: the caller must set request.output to the recorder's folder
	 */
	bool recorder_folder;
	bool no_wait, require_complete;
};

/*
 * Parses the command line. Exits on bad usage. The time of the request is the start time of the
 * program.
 */
void snapshot_options_parse(int argc, char **argv, struct snapshot_options *options);

/*
 * Returns the cause that the request states, or NULL if the user is the cause. The caller releases
 * it.
 */
json_t *snapshot_cause(const struct snapshot_options *options);

/*
 * Asks the recorder daemon for the snapshot, and prints its answer. Returns false if no daemon
 * serves this user. Otherwise sets *@status or @err.
 */
bool snapshot_by_daemon(const struct snapshot_options *options, int *status, struct mm_error *err);

/* Prints a snapshot's path to standard output, or a message to standard error. */
void snapshot_print_path(const char *path);
void snapshot_print_note(bool warning, const char *message);

#endif /* LTTNG_MM_CLI_SNAPSHOT_REQUEST_H */
