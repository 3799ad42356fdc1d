/* SPDX-License-Identifier: LGPL-2.1-only */
/* `lttng-mm record page-ref`: records page references to a folder. */
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
	const char *cgroup;
	bool dax;	/* record DAX mappings, too */
	char **command; /* the words after --; NULL: no command */
	const char *output;
	uint64_t max_bytes;
	const struct trackers *ids;
	bool dry_run;
	/* An option that is given, but has no effect on a recording to a folder; may be NULL. */
	const char *excess;
};

/*
 * Cuts the command line after --, if a word before it is the name of the profile. Everything after
 * it is the command. From then on, failures of the program exit with RECORD_PAGEREF_FAILED.
 */
void record_pageref_split(struct record_pageref *pageref, int *argc, char **argv);

/* Call after parsing all arguments: refuses options that cannot be combined. */
void record_pageref_check(const struct record_pageref *pageref, const struct argp_state *state);

/*
 * Records, or prints the commands of a dry run. @options has the profile. Returns the exit status.
 */
int record_pageref(const struct record_pageref *pageref, const struct recorder_options *options);

/* Returns the exit status for @err: the program's own, or RECORD_PAGEREF_FAILED for a command. */
int record_pageref_fail(const struct record_pageref *pageref, const struct mm_error *err);

#endif /* LTTNG_MM_CLI_PAGEREF_RECORD_PAGEREF_H */
