// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm diff: compares two sets of runs. */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "reader/report/render.h"
#include "regress/diff.h"

struct diff_options {
	char **inputs[REGRESS_SIDES];
	size_t counts[REGRESS_SIDES];
	bool all, json, wide, instructions;
	struct mm_source_options source;
};

enum { OPTION_INSTRUCTIONS = 256 };

static const struct argp_option argp_options[] = {
	{ "all", 'a', NULL, 0, "show all metrics and rows, also those that did not change", 0 },
	{ "instructions", OPTION_INSTRUCTIONS, NULL, 0,
	  "judge times, too: the runs are from a guest whose clock counts instructions (--icount)",
	  0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "wide", 'w', NULL, 0, "print whole names, however wide the terminal is", 0 },
	{ 0 },
};

static void check(const struct diff_options *options, const struct argp_state *state)
{
	if (!options->inputs[REGRESS_NEW])
		argp_error(state, "there is no --; give the old runs, then --, then the new runs");
	if (!options->counts[REGRESS_BASE])
		argp_error(state, "no runs are given before --");
	if (!options->counts[REGRESS_NEW])
		argp_error(state, "no runs are given after --");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'w':
		options->wide = true;
		return 0;
	case OPTION_INSTRUCTIONS:
		options->instructions = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->inputs[REGRESS_BASE])
			options->inputs[REGRESS_BASE] = &state->argv[state->next - 1];
		options->counts[REGRESS_BASE]++;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = children,
	.args_doc = "BASE... -- NEW...",
	.doc = "Compares two sets of runs, metric by metric: folders of `lttng-mm run`, traces or stored "
	       "reports. A verdict needs ten runs of BASE and five of NEW."
	       "\vExit status: 0 no metric is worse, 1 a metric is worse, 2 bad usage or bad input, 3 this "
	       "cannot be told, because a run is incomplete or there are too few, 4 the environment lacks "
	       "something.\n\nExamples:\n"
	       "  $ lttng-mm diff old/ -- new/\n"
	       "  $ lttng-mm diff /tmp/snapshot-1 -- /tmp/snapshot-2\n"
	       "  $ lttng-mm diff --json old/ -- new/ | jq '.metrics[] | select(.verdict == \"worse\")'\n",
};

static int print(const struct diff_options *options, const struct regress_diff *diff)
{
	return options->json
		       ? regress_diff_print_json(stdout, diff)
		       : regress_diff_print(stdout, diff, options->all,
					    options->wide ? MM_WIDTH_ALL : mm_render_width(stdout));
}

/* Refuses an input that is given twice on one side: it would count as several runs. */
static int check_inputs(char *const *inputs, size_t count, struct mm_error *err)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++) {
			struct stat x, y;

			if (stat(inputs[i], &x) || stat(inputs[k], &y) || x.st_dev != y.st_dev ||
			    x.st_ino != y.st_ino)
				continue;
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"diff: %s: given twice; each argument must be another run",
				inputs[i]);
		}
	return 0;
}

/* Reads the runs of both sides. Their reports are no longer needed afterwards. */
static int read_sides(const struct diff_options *options, const struct mm_catalogue *catalogue,
		      struct regress_side sides[REGRESS_SIDES], struct mm_error *err)
{
	for (int side = 0; side < REGRESS_SIDES; side++) {
		struct regress_runs runs = { NULL };
		int ret = check_inputs(options->inputs[side], options->counts[side], err);

		for (size_t i = 0; i < options->counts[side] && !ret; i++) {
			command_trace(options->inputs[side][i]);
			command_lock_trace(options->inputs[side][i]);
			ret = regress_runs_add(&runs, options->inputs[side][i], NULL,
					       &options->source, err);
		}
		if (!ret && regress_side_collect(&sides[side], &runs, catalogue))
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "diff: out of memory");
		regress_runs_release(&runs);
		if (ret)
			return -1;
	}
	return 0;
}

int cmd_diff(int argc, char **argv)
{
	struct regress_side sides[REGRESS_SIDES] = { { NULL } };
	struct diff_options options = { .all = false };
	struct mm_catalogue catalogue = { NULL };
	struct regress_diff diff = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	const int words = argc;
	int status = MM_EXIT_FAILED;

	mm_source_options_init(&options.source);
	options.inputs[REGRESS_NEW] = command_split_line(&argc, argv);
	if (options.inputs[REGRESS_NEW])
		options.counts[REGRESS_NEW] = (size_t)(words - argc - 1);
	command_parse(&parser, argc, argv, &options);
	if (regress_catalogue(&catalogue))
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "diff: out of memory");
	else if (!read_sides(&options, &catalogue, sides, &err) &&
		 !regress_diff(&diff, sides, options.instructions, &err)) {
		status = regress_diff_status(&diff);
		if (print(&options, &diff))
			mm_error_set(&err,
				     errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
				     "standard output: cannot be written: %s", strerror(errno));
	}
	regress_diff_release(&diff);
	for (int side = 0; side < REGRESS_SIDES; side++)
		regress_side_release(&sides[side]);
	mm_catalogue_release(&catalogue);
	return command_end(&err, status);
}
