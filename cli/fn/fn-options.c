// SPDX-License-Identifier: LGPL-2.1-only
/* The options of `lttng-mm fn`. */
#include "cli/fn/fn-options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "util/duration.h"

enum {
	OPTION_DRY_RUN = 256,
	OPTION_AVAILABLE,
	OPTION_BTF,
};

enum {
	OPTION_AS = 256,
	OPTION_MAX,
	OPTION_TAKING,
	OPTION_CALLER,
	OPTION_INSIDE,
	OPTION_SLOWER,
	OPTION_ERRORS,
	OPTION_MAX_RATE,
	OPTION_RAW,
};

static const struct argp_option function_options[] = {
	{ "as", OPTION_AS, "NAME", 0,
	  "name in the events fn_NAME_... (default: the function's name)", 0 },
	{ "max", OPTION_MAX, "N", 0,
	  "refuse patterns that match more than N functions (default: 200)", 0 },
	{ "taking", OPTION_TAKING, "TYPE", 0,
	  "for patterns: add only functions with an argument of this type, such as 'struct folio *'",
	  0 },
	{ "caller", OPTION_CALLER, NULL, 0, "also record the caller, as a call-site number", 0 },
	{ "inside", OPTION_INSIDE, "FUNCTION", 0,
	  "record only during a call of FUNCTION in the same thread", 0 },
	{ "slower", OPTION_SLOWER, "TIME", 0,
	  "record fn_NAME_call only if the call took at least TIME", 0 },
	{ "errors", OPTION_ERRORS, NULL, 0, "record fn_NAME_call only if the result is an error",
	  0 },
	{ "max-rate", OPTION_MAX_RATE, "N", 0,
	  "stop recording a function that is called more than N times in a second (default: 1000000; 0: never)",
	  0 },
	{ "raw", OPTION_RAW, NULL, 0,
	  "record kernel addresses unchanged, so that traces are not KASLR-safe", 0 },
	{ 0 },
};

static const struct argp_option argp_options[] = {
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "add: show what would be added, but add nothing", 0 },
	{ "available", OPTION_AVAILABLE, NULL, 0,
	  "list: show how many functions and arguments can be recorded", 0 },
	{ "btf", OPTION_BTF, "FILE", 0,
	  "signature, list --available: read BTF from FILE instead of the running kernel", 0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static int64_t parse_time(struct argp_state *state, const char *option, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;
	int64_t ns;

	if (mm_duration_parse(text, option, &ns, &err))
		argp_error(state, "%s", err.message);
	return ns;
}

static void add_name(struct fn_command *command, struct argp_state *state, const char *name)
{
	const char **names =
		realloc(command->names, (command->count + 1) * sizeof(*command->names));

	if (!names) {
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
		return;
	}
	command->names = names;
	names[command->count++] = name;
}

static void parse_argument(struct fn_command *command, struct argp_state *state, const char *arg)
{
	static const char *const actions[] = {
		[FN_ADD] = "add",
		[FN_LIST] = "list",
		[FN_REMOVE] = "remove",
		[FN_SIGNATURE] = "signature",
	};

	if (command->has_action && command->action == FN_LIST)
		argp_error(state, "'%s': unexpected argument", arg);
	if (command->has_action) {
		add_name(command, state, arg);
		return;
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(arg, actions[i]) != 0)
			continue;
		command->action = (enum fn_action)i;
		command->has_action = true;
		return;
	}
	argp_error(state, "'%s' is not an action; known: add, list, remove, signature", arg);
}

static void check(struct fn_command *command, struct argp_state *state)
{
	if (!command->adds)
		command->adds = command->of_functions.last;
	if (!command->has_action)
		argp_error(state, "no action is given; known: add, list, remove, signature");
	if (command->action != FN_LIST && !command->count)
		argp_error(state, command->action == FN_ADD
					  ? "no SPEC is given; example: handle_mm_fault"
					  : "no NAME is given");
	if (command->action != FN_ADD && command->adds)
		argp_error(state, "%s: only `lttng-mm fn add` accepts this option", command->adds);
	if (command->action != FN_LIST && command->lists)
		argp_error(state, "%s: only `lttng-mm fn list` accepts this option",
			   command->lists);
	if (command->action != FN_SIGNATURE && !command->available && command->describes)
		argp_error(
			state,
			"%s: only `lttng-mm fn signature` and `lttng-mm fn list --available` accept this option",
			command->describes);
}

static error_t parse_function(int key, char *arg, struct argp_state *state)
{
	struct fn_function_options *given = state->input;
	struct fn_set_options *set = given->options;
	struct fn_add_options *options = &set->function;

	switch (key) {
	case OPTION_AS:
		given->last = given->of_new = "--as";
		options->as = arg;
		return 0;
	case OPTION_MAX:
		given->last = given->of_new = "--max";
		set->max = command_parse_number(arg, "--max", 1, LTTNG_MM_FN_FUNCTIONS, state);
		return 0;
	case OPTION_TAKING:
		given->last = given->of_new = "--taking";
		set->taking = arg;
		return 0;
	case OPTION_CALLER:
		given->last = given->of_new = "--caller";
		options->caller = true;
		return 0;
	case OPTION_INSIDE:
		given->last = "--inside";
		options->inside = arg;
		return 0;
	case OPTION_SLOWER:
		given->last = "--slower";
		options->slower_ns = parse_time(state, "--slower", arg);
		return 0;
	case OPTION_ERRORS:
		given->last = "--errors";
		options->errors = true;
		return 0;
	case OPTION_MAX_RATE:
		given->last = given->of_new = "--max-rate";
		options->max_rate = command_parse_number(arg, "--max-rate", 0, 1000000000, state);
		return 0;
	case OPTION_RAW:
		given->last = given->of_new = "--raw";
		options->raw = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp function_parser = {
	.options = function_options,
	.parser = parse_function,
};

const struct argp_child fn_function_parsers[] = {
	{ &function_parser, 0, "Options for added functions:", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct fn_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		command->of_functions.options = &command->set;
		state->child_inputs[0] = &command->of_functions;
		return 0;
	case 'j':
		command->json = true;
		return 0;
	case OPTION_DRY_RUN:
		command->adds = "--dry-run";
		command->set.dry_run = true;
		return 0;
	case OPTION_AVAILABLE:
		command->lists = "--available";
		command->available = true;
		return 0;
	case OPTION_BTF:
		command->describes = "--btf";
		command->btf = arg;
		return 0;
	case ARGP_KEY_ARG:
		parse_argument(command, state, arg);
		return 0;
	case ARGP_KEY_END:
		check(command, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp fn_parser = {
	.options = argp_options,
	.parser = parse,
	.children = fn_function_parsers,
	.args_doc = "add SPEC...\nlist\nremove NAME...\nsignature NAME...",
	.doc = "Turns calls of kernel functions into events with arguments and results: fn_NAME_entry, "
	       "fn_NAME_exit and fn_NAME_call. Only root may add, list and remove functions."
	       "\vA SPEC is a function, MODULE:FUNCTION, or a pattern; by itself, it records all "
	       "arguments and the result. Examples:\n"
	       "  # lttng-mm fn add handle_mm_fault 'ext4:ext4_dax_*'\n"
	       "  # lttng-mm fn add 'vfs_open(path->dentry->d_name.name:string) : int'\n"
	       "  # lttng-mm fn add 'handle_mm_fault(address:x64, flags:enum fault_flag)'\n"
	       "  $ lttng-mm fn signature handle_mm_fault\n"
	       "  # lttng-mm fn list\n",
};
