/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs a command repeatedly under a recorder. Shared by `run` and `gate`. */
#ifndef LTTNG_MM_CLI_REGRESS_RUN_COMMAND_H
#define LTTNG_MM_CLI_REGRESS_RUN_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/recorder/recorder.h"
#include "util/error.h"

struct run_options {
	char *profiles[RECORDER_PROFILES_MAX + 1]; /* end with NULL; parts of @profile_list */
	size_t profile_count;
	const char *profile_text; /* as given */
	char *profile_list;
	char *const *command; /* ends with NULL; NULL: none was given */
	bool all;	      /* count the events of all processes */
	int64_t timeout_ns;
	uint64_t subbuf_bytes, subbuf_count;
};

/* A child parser of these options, except the command. Its input is a struct run_options. */
extern const struct argp run_options_argp;

void run_options_release(struct run_options *options);

/*
 * Records the command @count times, in the folders DIR/run-@first and later ones, which must not
 * exist. Shows the progress on standard error. Returns 0, or -1 with @err set. The folder of a run
 * that failed is removed.
 */
int run_repeat(const struct run_options *options, const char *dir, unsigned int first,
	       unsigned int count, struct mm_error *err);

#endif /* LTTNG_MM_CLI_REGRESS_RUN_COMMAND_H */
