// SPDX-License-Identifier: LGPL-2.1-only
/* The options of `lttng-mm trigger`. */
#include "cli/trigger/trigger-options.h"

#include <string.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"

enum {
	OPTION_ON = 256,
	OPTION_AFTER,
	OPTION_LAST,
	OPTION_COOLDOWN,
	OPTION_MAX,
	OPTION_WARM_UP,
	OPTION_CAPTURE,
	OPTION_RUN,
	OPTION_RUN_TIMEOUT,
	OPTION_DRY_RUN,
};

static const struct argp_option argp_options[] = {
	{ "on", OPTION_ON, "CONDITION", 0,
	  "take a snapshot on: EVENT [if FILTER]; rate EVENT [if FILTER] > N/s; pressure RESOURCE LEVEL > TIME per TIME; failed-allocation; kernel-message oom, hung-task or REGEX; file PATH REGEX; journal [unit=UNIT] REGEX",
	  0 },
	{ "after", OPTION_AFTER, "TIME", 0, "also record for TIME after the match", 0 },
	{ "last", OPTION_LAST, "TIME", 0, "keep only the last TIME before the match", 0 },
	{ "cooldown", OPTION_COOLDOWN, "TIME", 0,
	  "ignore matches within TIME after a snapshot (default: 60s)", 0 },
	{ "max", OPTION_MAX, "N/UNIT", 0,
	  "maximum number of snapshots per minute, hour, day or TIME, such as 3/12h; none: no limit (default: 20/day)",
	  0 },
	{ "warm-up", OPTION_WARM_UP, "TIME", 0,
	  "ignore matches within TIME after the daemon starts or the trigger is added (default: 10s)",
	  0 },
	{ "capture", OPTION_CAPTURE, "FIELD,...", 0,
	  "store these fields of the event, or contexts such as $ctx.procname, with the cause", 0 },
	{ "run", OPTION_RUN, "COMMAND", 0,
	  "after each snapshot, run COMMAND as this user without a shell, with the snapshot's folder as the last argument",
	  0 },
	{ "run-timeout", OPTION_RUN_TIMEOUT, "TIME", 0,
	  "kill the command after TIME (default: 60s)", 0 },
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "check the trigger and print it, but do not add it",
	  0 },
	{ "json", 'j', NULL, 0, "list: print JSON", 0 },
	{ 0 },
};

static void parse_text(struct trigger_options *options, struct argp_state *state,
		       const char *option, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;

	options->adds = option;
	if (!trigger_text_set(options->definition, option + strlen("--"), option, text, &err))
		return;
	if (err.code == MM_EXIT_ENVIRONMENT)
		argp_failure(state, err.code, 0, "%s", err.message);
	argp_error(state, "%s", err.message);
}

static void parse_argument(struct trigger_options *options, struct argp_state *state,
			   const char *arg)
{
	static const char *const actions[] = {
		[TRIGGER_ADD] = "add",
		[TRIGGER_LIST] = "list",
		[TRIGGER_REMOVE] = "remove",
		[TRIGGER_TEST] = "test",
	};

	if (options->has_action && (options->name || options->action == TRIGGER_LIST))
		argp_error(state, "'%s': unexpected argument", arg);
	if (options->has_action) {
		if (!trigger_name_is_valid(arg))
			argp_error(
				state,
				"'%s' cannot be the name of a trigger; use 1 to %d letters, digits, '-', '_' or '.', but neither '-' nor '.' at the start",
				arg, TRIGGER_NAME_MAX - 1);
		options->name = arg;
		return;
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(arg, actions[i]) != 0)
			continue;
		options->action = (enum trigger_action)i;
		options->has_action = true;
		return;
	}
	argp_error(state, "'%s' is not an action; known: add, list, remove, test", arg);
}

static void check(struct trigger_options *options, struct argp_state *state)
{
	if (!options->has_action)
		argp_error(state, "no action is given; known: add, list, remove, test");
	if (options->action != TRIGGER_LIST && !options->name)
		argp_error(state, "the name of the trigger is missing");
	if (options->action != TRIGGER_ADD && options->adds)
		argp_error(state, "%s: only `lttng-mm trigger add` accepts this option",
			   options->adds);
	if (options->action != TRIGGER_LIST && options->json)
		argp_error(state, "--json: only `lttng-mm trigger list` accepts this option");
	if (options->action == TRIGGER_ADD && !json_object_get(options->definition, "on"))
		argp_error(
			state,
			"--on is missing; example: --on 'dax_pmd_fault_done if result & FALLBACK'");
	if (options->name &&
	    json_object_set_new(options->definition, "name", json_string(options->name)))
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
}

static const struct {
	int key;
	const char *option;
} texts[] = {
	{ OPTION_ON, "--on" },
	{ OPTION_AFTER, "--after" },
	{ OPTION_LAST, "--last" },
	{ OPTION_COOLDOWN, "--cooldown" },
	{ OPTION_MAX, "--max" },
	{ OPTION_WARM_UP, "--warm-up" },
	{ OPTION_CAPTURE, "--capture" },
	{ OPTION_RUN, "--run" },
	{ OPTION_RUN_TIMEOUT, "--run-timeout" },
	{ 's', "--session" },
};

static error_t parse_definition(int key, char *arg, struct argp_state *state)
{
	struct trigger_options *options = state->input;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].key != key)
			continue;
		parse_text(options, state, texts[i].option, arg);
		return 0;
	}
	if (key != OPTION_DRY_RUN)
		return ARGP_ERR_UNKNOWN;
	options->adds = "--dry-run";
	options->dry_run = true;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trigger_options *options = state->input;

	switch (key) {
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		parse_argument(options, state, arg);
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return parse_definition(key, arg, state);
	}
}

const struct argp trigger_parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "add NAME --on CONDITION\nlist\nremove NAME\ntest NAME",
	.doc = "Adds, lists, removes or tests a trigger: a condition on which the recorder daemon takes "
	       "a snapshot. Triggers persist across reboots. root and the members of the group "
	       "`tracing` may add triggers; users other than root may remove and test only their own triggers."
	       "\vExamples:\n"
	       "  # lttng-mm trigger add fallback --on 'dax_pmd_fault_done if result & FALLBACK'\n"
	       "  # lttng-mm trigger add oom --on 'kernel-message oom' --after 2s\n"
	       "  # lttng-mm trigger list\n",
};
