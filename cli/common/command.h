/* SPDX-License-Identifier: LGPL-2.1-only */
/* The commands of the lttng-mm program. */
#ifndef LTTNG_MM_CLI_COMMON_COMMAND_H
#define LTTNG_MM_CLI_COMMON_COMMAND_H

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/times.h"
#include "util/error.h"

/* Parses the options of a command; errors end the program, and so does a lack of memory. */
void command_parse(const struct argp *parser, int argc, char **argv, void *input);

/* When the program was started. */
extern struct snapshot_times command_started;

/* The recorder that a command is for. */
struct command_recorder {
	size_t max; /* so many profiles may be given */
	size_t count;
	const char *profiles[RECORDER_PROFILES_MAX], *session;
};

/*
 * Parts of the parsers of commands: they take the keys that concern them and return
 * ARGP_ERR_UNKNOWN for all others.
 */
/* The only argument, a trace, which must be given. */
error_t command_parse_trace(int key, char *arg, struct argp_state *state, const char **trace);
/* The arguments, profiles of a recorder, and -s, the recorder's session. */
error_t command_parse_recorder(int key, char *arg, struct argp_state *state,
			       struct command_recorder *recorder);
/* Returns a number of bytes, with suffix k, M or G, or 0 if @text is not one. */
uint64_t command_parse_bytes(const char *text);
/* Returns the number that the option @name ("--jobs") has as value. Any other value ends the program. */
unsigned int command_parse_number(const char *arg, const char *name, unsigned int low,
				  unsigned int high, const struct argp_state *state);
/* --json, and no argument; the input is a bool. */
error_t command_parse_json(int key, char *arg, struct argp_state *state);
/* Returns the trace @arg without the slashes at its end: paths in messages extend it. */
const char *command_trace(char *arg);
/* Keeps the recorder daemon from deleting the snapshot of @trace until the program ends. */
void command_lock_trace(const char *trace);
/* Ends the program if no trace was given. */
void command_require_trace(const char *trace, const struct argp_state *state);

/* One row of the table in commands.c, from which the help text is made. */
struct mm_command {
	const char *name;
	const char *summary;
	/*
	 * argv[0] is "lttng-mm NAME"; returns the exit status of the process (doc/design.md lists
	 * them).
	 */
	int (*run)(int argc, char **argv);
};

/*
 * Returns the exit status of a command: that of an error, whose message is printed, or else
 * @status.
 */
int command_end(const struct mm_error *err, int status);

/* Ends the output: returns @status, or another one if standard output cannot be written. */
int command_finish(int status);

/* Runs any command; @started is when the program was. Returns the exit status. */
int commands_run(int argc, char **argv, const struct snapshot_times *started);

/* In the environment, by the program that runs this one: when it was started. */
#define COMMAND_STARTED "LTTNG_MM_STARTED"
#define COMMAND_STARTED_FORMAT "%" SCNd64 " %" SCNd64 " %" SCNd64

int cmd_doctor(int argc, char **argv);
int cmd_fn(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_trigger(int argc, char **argv);
int cmd_verify(int argc, char **argv);

/* The help of --require-complete. */
#define COMMAND_REQUIRE_COMPLETE                                                                 \
	"exit with 3 unless the snapshot's certificate says `complete` and the files match it; " \
	"without a certificate, if something was lost"

#endif /* LTTNG_MM_CLI_COMMON_COMMAND_H */
