/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * lttng-mm snapshot where the recorder daemon takes the snapshot: the options, the request and its
 * answer. It needs few libraries, because linking the others would delay the freeze.
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
	const char *failed_unit; /* NULL: none */
	bool recorder_folder;	 /* request.output is not known then */
	bool no_wait, require_complete;
};

/* Parses the options of the command; errors end the program. The time of the request is the
 * program's start. */
void snapshot_options_parse(int argc, char **argv, struct snapshot_options *options);

/* For snapshot_request.cause, to be released; NULL: it is requested. */
json_t *snapshot_cause(const struct snapshot_options *options);

/*
 * Has the recorder daemon take the snapshot, and prints its answer. Returns false if no daemon is
 * running, or none for this user; otherwise *@status is the exit status unless @err is set.
 */
bool snapshot_by_daemon(const struct snapshot_options *options, int *status, struct mm_error *err);

/* Prints the path of a snapshot to standard output, and a message to standard error. */
void snapshot_print_path(const char *path);
void snapshot_print_note(bool warning, const char *message);

#endif /* LTTNG_MM_CLI_SNAPSHOT_REQUEST_H */
