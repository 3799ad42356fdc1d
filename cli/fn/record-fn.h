/* SPDX-License-Identifier: LGPL-2.1-only */
/* `lttng-mm record fn SPEC...`: adds functions, and records them. */
#ifndef LTTNG_MM_CLI_FN_RECORD_FN_H
#define LTTNG_MM_CLI_FN_RECORD_FN_H

#include <argp.h>
#include <stdio.h>

#include "cli/fn/fn-options.h"
#include "lttng-session/fn/change.h"
#include "lttng-session/recorder/recorder.h"

#define RECORD_FN "fn"

struct record_fn {
	bool given; /* the profile fn is given */
	const char **specs;
	size_t count;
	struct fn_set_options set;
	struct fn_function_options of_functions;
	bool calls;
	const char *filter; /* the filter for fn_NAME_call; may be NULL */
	bool is_added;	    /* record_fn_add() has filled @added */
	struct fn_added added;
	struct fn_guard guard;
	struct fn_changed changed; /* functions whose options were changed */
	const char *recorder;
	int64_t since; /* start time of @recorder's existing session of functions; 0: none */
};

void record_fn_init(struct record_fn *fn);
void record_fn_release(struct record_fn *fn);

void record_fn_add_spec(struct record_fn *fn, const char *spec, struct argp_state *state);
/* Refuses options that cannot be combined. Call it after parsing all arguments. */
void record_fn_check(struct record_fn *fn, const struct argp_state *state);

/*
 * Checks the filter of a dry run. Checks the syntax and, if the session daemon is running, the
 * fields of functions that are already added. Returns 0, or -1 with @err set.
 */
int record_fn_check_filter(const struct record_fn *fn, struct mm_error *err);

/* Prints `lttng-mm fn add ...` if there are functions to add. Returns 0, or -1 with @err set. */
int record_fn_print(FILE *out, const struct record_fn *fn, struct mm_error *err);

/*
 * Adds the functions. If there is no SPEC, at least one function must already exist. Also checks
 * the filter. If the command exits before record_fn_keep(), a guard removes the functions again.
 * Returns 0, or -1 with @err set; then nothing has been added.
 */
int record_fn_add(struct record_fn *fn, struct recorder_options *options, struct mm_error *err);

/*
 * Keeps the functions after the command exits. Call this when the recorder records. Returns 0, or
 * -1 with @err set.
 */
int record_fn_keep(struct record_fn *fn, struct mm_error *err);
void record_fn_print_added(const struct record_fn *fn);
/* Removes the added functions, and restores the changed ones. Call this when the command fails. */
void record_fn_undo(struct record_fn *fn);

#endif /* LTTNG_MM_CLI_FN_RECORD_FN_H */
