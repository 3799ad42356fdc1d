// SPDX-License-Identifier: LGPL-2.1-only
/* The options of `lttng-mm trigger`. */
#include "cli/trigger-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/trigger/trigger.h"
#include "util/duration.h"
#include "util/escape.h"

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
	  "when to take a snapshot: EVENT [if FILTER]; rate EVENT [if FILTER] > N/s; pressure RESOURCE LEVEL > TIME per TIME; failed-allocation; kernel-message oom, hung-task or REGEX; file PATH REGEX; journal [unit=UNIT] REGEX",
	  0 },
	{ "after", OPTION_AFTER, "TIME", 0, "also record for TIME after the match", 0 },
	{ "last", OPTION_LAST, "TIME", 0, "keep the last TIME before the match only", 0 },
	{ "cooldown", OPTION_COOLDOWN, "TIME", 0,
	  "matches in so long after a snapshot have no snapshot of their own (default: 60s)", 0 },
	{ "max", OPTION_MAX, "N/UNIT", 0,
	  "at most so many snapshots in a minute, hour or day, or in a TIME, as in 3/12h; none: no limit (default: 20/day)",
	  0 },
	{ "warm-up", OPTION_WARM_UP, "TIME", 0,
	  "matches in so long after the start of the daemon or the addition do not count (default: 10s)",
	  0 },
	{ "capture", OPTION_CAPTURE, "FIELD,...", 0,
	  "fields of the event, or contexts such as $ctx.procname, that are kept with the cause",
	  0 },
	{ "run", OPTION_RUN, "COMMAND", 0,
	  "run COMMAND as this user after each snapshot, split into words, without a shell, with the snapshot's folder as the last argument",
	  0 },
	{ "run-timeout", OPTION_RUN_TIMEOUT, "TIME", 0, "end the command after TIME (default: 60s)",
	  0 },
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "check the trigger and print it, but do not add it",
	  0 },
	{ "json", 'j', NULL, 0, "list: as JSON", 0 },
	{ 0 },
};

static void set(struct trigger_options *options, struct argp_state *state, const char *name,
		json_t *value)
{
	if (json_object_set_new(options->definition, name, value))
		argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
}

static void set_text(struct trigger_options *options, struct argp_state *state, const char *name,
		     const char *text)
{
	char *utf8 = mm_escape_to_utf8(text, strlen(text));

	set(options, state, name, utf8 ? json_string(utf8) : NULL);
	free(utf8);
}

static void parse_time(struct trigger_options *options, struct argp_state *state,
		       const char *option, const char *name, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;
	int64_t ns;

	if (mm_duration_parse(text, option, &ns, &err))
		argp_error(state, "%s", err.message);
	set(options, state, name, json_integer(ns));
}

static int64_t parse_unit(const char *text)
{
	static const struct {
		const char *name;
		int64_t s;
	} units[] = { { "minute", 60 }, { "hour", 3600 }, { "day", 24 * 3600 } };
	int64_t ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, text))
			return units[i].s * 1000000000;
	return mm_duration_parse(text, "--max", &ns, NULL) ? 0 : ns;
}

static void parse_max(struct trigger_options *options, struct argp_state *state, const char *text)
{
	char *end;
	unsigned long max;
	int64_t ns;

	if (!strcmp(text, "none")) {
		set(options, state, "max_ns", json_integer(0));
		return;
	}
	errno = 0;
	max = strtoul(text, &end, 10);
	ns = *end == '/' ? parse_unit(end + 1) : 0;
	if (*text < '0' || *text > '9' || errno || !max || max > 1000000 || ns <= 0)
		argp_error(
			state,
			"--max: %s: not a number of snapshots in a time; examples: 20/day, 3/12h, none",
			text);
	set(options, state, "max", json_integer((json_int_t)max));
	set(options, state, "max_ns", json_integer(ns));
}

static void parse_captures(struct trigger_options *options, struct argp_state *state,
			   const char *text)
{
	json_t *captures = json_array();

	for (;;) {
		size_t length = strcspn(text, ",");
		char *utf8 = mm_escape_to_utf8(text, length);

		if (!length)
			argp_error(state,
				   "--capture: a name is empty; example: --capture=address,pgoff");
		if (json_array_append_new(captures, utf8 ? json_string(utf8) : NULL))
			argp_failure(state, MM_EXIT_ENVIRONMENT, 0, "out of memory");
		free(utf8);
		if (!text[length])
			break;
		text += length + 1;
	}
	set(options, state, "captures", captures);
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
				"'%s' cannot be the name of a trigger; use up to %d letters, digits, and - _ . except as the first one",
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
		argp_error(state, "%s: only `lttng-mm trigger add` has this option", options->adds);
	if (options->action != TRIGGER_LIST && options->json)
		argp_error(state, "--json: only `lttng-mm trigger list` has this option");
	if (options->action == TRIGGER_ADD && !json_object_get(options->definition, "on"))
		argp_error(
			state,
			"--on is missing; example: --on 'dax_pmd_fault_done if result & FALLBACK'");
	if (options->name)
		set_text(options, state, "name", options->name);
}

/* Those that take a time, by their keys. */
static const struct {
	int key;
	const char *option, *name;
} times[] = {
	{ OPTION_AFTER, "--after", "after_ns" },
	{ OPTION_LAST, "--last", "last_ns" },
	{ OPTION_COOLDOWN, "--cooldown", "cooldown_ns" },
	{ OPTION_WARM_UP, "--warm-up", "warm_up_ns" },
	{ OPTION_RUN_TIMEOUT, "--run-timeout", "run_ns" },
};

static error_t parse_definition(int key, char *arg, struct argp_state *state)
{
	struct trigger_options *options = state->input;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (times[i].key != key)
			continue;
		options->adds = times[i].option;
		parse_time(options, state, times[i].option, times[i].name, arg);
		return 0;
	}
	switch (key) {
	case OPTION_ON:
		options->adds = "--on";
		set_text(options, state, "on", arg);
		return 0;
	case OPTION_MAX:
		options->adds = "--max";
		parse_max(options, state, arg);
		return 0;
	case OPTION_CAPTURE:
		options->adds = "--capture";
		parse_captures(options, state, arg);
		return 0;
	case OPTION_RUN:
		options->adds = "--run";
		set_text(options, state, "run", arg);
		return 0;
	case 's':
		options->adds = "--session";
		set_text(options, state, "session", arg);
		return 0;
	case OPTION_DRY_RUN:
		options->adds = "--dry-run";
		options->dry_run = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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
	.doc = "Adds, lists, removes or tests a trigger: a condition upon which the recorder daemon takes "
	       "a snapshot. Triggers are kept over reboots. root and the members of the group "
	       "`tracing` may add triggers; other users than root may remove and test their own."
	       "\vExamples:\n"
	       "  # lttng-mm trigger add fallback --on 'dax_pmd_fault_done if result & FALLBACK'\n"
	       "  # lttng-mm trigger add oom --on 'kernel-message oom' --after 2s\n"
	       "  # lttng-mm trigger list\n",
};
