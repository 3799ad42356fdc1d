/* SPDX-License-Identifier: LGPL-2.1-only */
/* `lttng-mm record page-ref`: records page references to a folder, or to buffers in memory. */
#ifndef LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H
#define LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H

#include <argp.h>
#include <stdbool.h>

#include "lttng-session/pageref/record.h"

/* Exit status if recording a command fails. env(1) uses the same status. */
#define RECORD_PAGEREF_FAILED 125

struct record_pageref {
	bool given;		  /* the profile page-ref is given */
	bool is_single;		  /* page-ref is the only profile */
	unsigned int interval_ms; /* 0: not given */
	const char *max_overhead; /* NULL: not given */
	/* --max-overhead in 1/10,000; 0: no limit; valid after record_pageref_check() */
	unsigned int limit;
	uint64_t from_bytes; /* 0: not given */
	const char *cgroup;
	bool dax;	/* record DAX mappings, too */
	char **command; /* the words after --; NULL: no command */
	const char *output;
	uint64_t max_bytes;
	const struct trackers *ids;
	bool dry_run;
	bool file_io;	/* record reads and writes of files, too */
	bool no_daemon; /* --no-daemon is given */
	/*
	 * Valid between record_pageref_check_targets() and record_pageref_plan(). @noted: the
	 * targets in the format of the plan. @control: descriptor of the control file.
	 */
	json_t *noted;
	int control;
	/* A given option that has no effect on a recording to a folder; NULL: none. */
	const char *excess;
};

/*
 * If a word before `--` on the command line is the name of the profile, splits the command line at
 * `--`. The words after `--` are the command. From then on, failures of the program exit with
 * RECORD_PAGEREF_FAILED, because the exit status of the command must be distinguishable.
 */
void record_pageref_split(struct record_pageref *pageref, int *argc, char **argv);

/*
 * Refuses options that are not valid or cannot be combined. Call this after parsing all arguments.
 */
void record_pageref_check(struct record_pageref *pageref, const struct argp_state *state);

/*
 * Records to a folder, or prints the commands of a dry run. @options contains the profile. Returns
 * the exit status.
 */
int record_pageref(const struct record_pageref *pageref, const struct recorder_options *options);

/*
 * The steps of recording to buffers in memory:
 *
 *   record_pageref_check_targets()  loads the probe and sets the targets, to find errors in them;
 *                                   if a session is already recording (--window), pages are
 *                                   marked from now on
 *   record_pageref_plan()           closes the control file, and adds the targets to @options
 *   recorder_start(), daemon_start()
 *   record_pageref_await()          waits until the recorder daemon has set the targets; stops the
 *                                   session if no daemon is running
 *
 * record_pageref_check_targets() and record_pageref_await() return 0, or -1 with @err set.
 */
int record_pageref_check_targets(struct record_pageref *pageref,
				 const struct recorder_options *options, struct mm_error *err);
void record_pageref_plan(struct record_pageref *pageref, struct recorder_options *options);
int record_pageref_await(struct mm_error *err);

/* Prints the commands that set the targets of buffers in memory. */
void record_pageref_print(FILE *out, const struct record_pageref *pageref);

/*
 * Returns the exit status for @err: RECORD_PAGEREF_FAILED if a command is recorded, or else the
 * error's own status.
 */
int record_pageref_fail(const struct record_pageref *pageref, const struct mm_error *err);

#endif /* LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H */
