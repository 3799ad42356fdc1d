/* SPDX-License-Identifier: LGPL-2.1-only */
/* The commands of lttng-mm, and common parts of their implementation. */
#ifndef LTTNG_MM_CLI_COMMON_COMMAND_H
#define LTTNG_MM_CLI_COMMON_COMMAND_H

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/times.h"
#include "util/error.h"

/* Parses the options of a command. Exits on bad usage or when out of memory. */
void command_parse(const struct argp *parser, int argc, char **argv, void *input);

/* The start time of the program. */
extern struct snapshot_times command_started;

/* The recorder that the command line selects. */
struct command_recorder {
	size_t max; /* maximum number of profiles */
	size_t count;
	const char *profiles[RECORDER_PROFILES_MAX], *session;
};

/* Functions with the argument @key return ARGP_ERR_UNKNOWN for keys that they do not handle. */

/* Parses the command's only argument, a trace, which is required. */
error_t command_parse_trace(int key, char *arg, struct argp_state *state, const char **trace);
/* Parses -s, which names a recorder or its session, and the arguments, which are profiles. */
error_t command_parse_recorder(int key, char *arg, struct argp_state *state,
			       struct command_recorder *recorder);
/* Parses a number of bytes. A suffix k, M or G is optional. Returns 0 if @text is invalid. */
uint64_t command_parse_bytes(const char *text);
/* Parses the value of option @name ("--jobs"). Exits unless it is a number from @low to @high. */
unsigned int command_parse_number(const char *arg, const char *name, unsigned int low,
				  unsigned int high, const struct argp_state *state);
/*
 * Splits the command line at the first `--`. Sets *@argc to the number of words before the `--`,
 * and returns the words after it, or NULL if there is no `--`. Call this before argp, which changes
 * the order of words.
 */
char **command_split_line(int *argc, char **argv);
/* Parses --json, and refuses arguments. The input is a bool. */
error_t command_parse_json(int key, char *arg, struct argp_state *state);
/* Removes trailing slashes from @arg, because messages append paths to it. Returns @arg. */
const char *command_trace(char *arg);
/* Prevents the recorder daemon from deleting the snapshot of @trace until the program exits. */
void command_lock_trace(const char *trace);
/* Exits with a message if no trace was given. */
void command_require_trace(const char *trace, const struct argp_state *state);

/* A row of the table in commands.c. The help text is also made from this table. */
struct mm_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0] is "lttng-mm NAME"; returns the exit status */
};

/* After a failed write to standard output: sets @err according to errno. Returns -1. */
int command_output_failed(struct mm_error *err);
/* Prints the message of @err and returns its exit status. If there is no error, returns @status. */
int command_end(const struct mm_error *err, int status);

/* Flushes standard output. Returns @status, or an error's status if flushing fails. */
int command_finish(int status);

/* Runs a command. @started is the program's start time. Returns the exit status. */
int commands_run(int argc, char **argv, const struct snapshot_times *started);

/* Name and format of the environment variable in which main.c passes on its start time. */
#define COMMAND_STARTED "LTTNG_MM_STARTED"
#define COMMAND_STARTED_FORMAT "%" SCNd64 " %" SCNd64 " %" SCNd64

int cmd_check(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_fn(int argc, char **argv);
int cmd_gate(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_mrc(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_trigger(int argc, char **argv);
int cmd_verify(int argc, char **argv);

/* The help of --require-complete. */
#define COMMAND_REQUIRE_COMPLETE                                                                 \
	"exit with 3 unless the snapshot's certificate says `complete` and the files match it; " \
	"without a certificate, exit with 3 if something was lost"

#endif /* LTTNG_MM_CLI_COMMON_COMMAND_H */
