/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `lttng-mm record` that concerns functions: what follows the profile fn is a SPEC. */
#ifndef LTTNG_MM_CLI_FN_RECORD_FN_H
#define LTTNG_MM_CLI_FN_RECORD_FN_H

#include <argp.h>
#include <stdio.h>

#include "cli/fn/fn-options.h"
#include "lttng-session/fn/change.h"
#include "lttng-session/recorder/recorder.h"

#define RECORD_FN "fn"

struct record_fn {
	bool given;	    /* the profile fn */
	const char **specs; /* what follows it */
	size_t count;
	struct fn_set_options set;
	struct fn_function_options of_functions;
	bool calls;
	const char *filter; /* of their calls; NULL: none */
	/* The functions that record_fn_add() added, until record_fn_keep() or record_fn_undo(). */
	bool is_added;
	struct fn_added added;
	struct fn_guard guard;
	/* The functions whose options it changed, until record_fn_undo(). */
	struct fn_changed changed;
	/* The recorder that records them, and when its session of functions started; 0: none. */
	const char *recorder;
	int64_t since;
};

void record_fn_init(struct record_fn *fn);
void record_fn_release(struct record_fn *fn);

void record_fn_add_spec(struct record_fn *fn, const char *spec, struct argp_state *state);
/* After all arguments; refuses what does not fit together. */
void record_fn_check(struct record_fn *fn, const struct argp_state *state);

/*
 * Checks the filter of a dry run: its syntax, and its fields for those of the functions that have
 * been added, if the session daemon is running. Returns 0, or -1 with @err set.
 */
int record_fn_check_filter(const struct record_fn *fn, struct mm_error *err);

/* Prints `lttng-mm fn add ...`, if there is something to add. Returns 0, or -1 with @err set. */
int record_fn_print(FILE *out, const struct record_fn *fn, struct mm_error *err);

/*
 * Adds the functions, or checks that some have been added, and checks the filter. They are removed
 * again if the command ends before record_fn_keep(). Returns 0, or -1 with @err set; nothing is
 * added then.
 */
int record_fn_add(struct record_fn *fn, struct recorder_options *options, struct mm_error *err);

/* The recorder records: the functions stay. Returns 0, or -1 with @err set. */
int record_fn_keep(struct record_fn *fn, struct mm_error *err);
/* Prints the functions that stay. */
void record_fn_print_added(const struct record_fn *fn);
/* The command failed: removes the functions again that it has added, if any. */
void record_fn_undo(struct record_fn *fn);

#endif /* LTTNG_MM_CLI_FN_RECORD_FN_H */
