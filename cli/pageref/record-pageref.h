/* SPDX-License-Identifier: LGPL-2.1-only */
/* `lttng-mm record page-ref`: records page references to a folder, or to buffers in memory. */
#ifndef LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H
#define LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H

#include <argp.h>
#include <stdbool.h>

#include "lttng-session/pageref/record.h"

/* Exit status if recording a command fails, as of env(1). */
#define RECORD_PAGEREF_FAILED 125

struct record_pageref {
	bool given;		  /* the profile page-ref is given */
	bool is_single;		  /* it is the only profile */
	unsigned int interval_ms; /* 0: not given */
	const char *max_overhead; /* NULL: not given */
	unsigned int limit;	  /* --max-overhead in 1/10,000; 0: none; valid after the check */
	uint64_t from_bytes;	  /* 0: not given */
	const char *cgroup;
	bool dax;	/* record DAX mappings, too */
	char **command; /* the words after --; NULL: no command */
	const char *output;
	uint64_t max_bytes;
	const struct trackers *ids;
	bool dry_run;
	bool file_io;	/* record reads and writes of files, too */
	bool no_daemon; /* --no-daemon is given */
	/* Targets whose existence was checked, until the recorder starts; and the control file. */
	json_t *noted;
	int control;
	/* An option that is given, but has no effect on a recording to a folder; may be NULL. */
	const char *excess;
};

/*
 * Cuts the command line after --, if a word before it is the name of the profile. Everything after
 * it is the command. From then on, failures of the program exit with RECORD_PAGEREF_FAILED.
 */
void record_pageref_split(struct record_pageref *pageref, int *argc, char **argv);

/* Call after parsing all arguments: refuses options that are not valid or cannot be combined. */
void record_pageref_check(struct record_pageref *pageref, const struct argp_state *state);

/*
 * Records to a folder, or prints the commands of a dry run. @options has the profile. Returns the
 * exit status.
 */
int record_pageref(const struct record_pageref *pageref, const struct recorder_options *options);

/*
 * The steps of recording to buffers in memory:
 *
 *   record_pageref_check_targets()  loads the probe and sets the targets, to find bad ones; pages
 *                                   are marked from now on if a session records, as for --window
 *   record_pageref_plan()           forgets them again, and adds them to @options for the plan
 *   recorder_start(), daemon_start()
 *   record_pageref_await()          waits until the recorder daemon has set them; stops the
 *                                   session if there is no daemon
 *
 * The two that can fail return 0, or -1 with @err set.
 */
int record_pageref_check_targets(struct record_pageref *pageref,
				 const struct recorder_options *options, struct mm_error *err);
void record_pageref_plan(struct record_pageref *pageref, struct recorder_options *options);
int record_pageref_await(struct mm_error *err);

/* Prints the commands that set the targets of buffers in memory. */
void record_pageref_print(FILE *out, const struct record_pageref *pageref);

/* Returns the exit status for @err: the program's own, or RECORD_PAGEREF_FAILED for a command. */
int record_pageref_fail(const struct record_pageref *pageref, const struct mm_error *err);

#endif /* LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H */
