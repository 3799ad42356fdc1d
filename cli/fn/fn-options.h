/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of `lttng-mm fn`, and the parts of the command. */
#ifndef LTTNG_MM_CLI_FN_FN_OPTIONS_H
#define LTTNG_MM_CLI_FN_FN_OPTIONS_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/fn/guard.h"

enum fn_action { FN_ADD, FN_LIST, FN_REMOVE, FN_SIGNATURE };

/* State of the parser for options such as --slower. `lttng-mm record` also accepts them. */
struct fn_function_options {
	struct fn_set_options *options;
	const char *last; /* name of the last option; or NULL */
	/* name of the last option that cannot change an added function; or NULL */
	const char *of_new;
};

extern const struct argp_child fn_function_parsers[];

struct fn_command {
	bool has_action;
	enum fn_action action;
	const char **names; /* names; with FN_ADD: SPECs */
	size_t count;
	struct fn_set_options set;
	struct fn_function_options of_functions;
	bool json, available;
	const char *btf;
	/*
	 * for `add`, `list` and `signature`: a given option that only this action accepts; or NULL
	 */
	const char *adds, *lists, *describes;
};

extern const struct argp fn_parser;

/* The actions of the command. Each of them prints its result, or sets @err. */
void fn_print_signatures(const struct fn_command *command, struct mm_error *err);
void fn_print_list(const struct fn_command *command, struct mm_error *err);
void fn_print_available(const struct fn_command *command, struct mm_error *err);

/*
 * Calls fn_guard_add(), or fn_add() if @guard is NULL. Before adding a function that records kernel
 * addresses, marks the recorders of functions as recording addresses.
 */
int fn_command_add(const char *const *specs, size_t count, const struct fn_set_options *options,
		   struct fn_guard *guard, struct fn_added *added, struct mm_error *err);
/* Prints notes to standard error, and one line for each function. */
void fn_print_added(const struct fn_added *added, bool dry_run);

/* Writes the type of the field for a recorded value, such as `unsigned, 32 bits`. */
void fn_value_text(const struct fn_btf *btf, const struct fn_value *value, char *text, size_t size);

#endif /* LTTNG_MM_CLI_FN_FN_OPTIONS_H */
