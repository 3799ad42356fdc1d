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
#include "regress/rows.h"

/* The group after a second `--`: fresh runs, which must confirm that a metric is worse. */
enum { GROUP_AGAIN = REGRESS_SIDES, GROUPS };

struct diff_options {
	char **inputs[GROUPS]; /* NULL: not given */
	size_t counts[GROUPS];
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
	if (options->inputs[GROUP_AGAIN] && !options->counts[GROUP_AGAIN])
		argp_error(state, "no runs are given after the second --");
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
	.args_doc = "BASE... -- NEW... [-- AGAIN...]",
	.doc = "Compares two sets of runs, metric by metric: folders of `lttng-mm run`, traces or stored "
	       "reports. A verdict needs ten runs of BASE and five of NEW. If AGAIN is given, a metric is "
	       "worse only if it is worse in NEW and in AGAIN."
	       "\vExit status: 0 no metric is worse, 1 a metric is worse, 2 bad usage or bad input, 3 there "
	       "is no verdict, because a run is incomplete or there are too few runs, 4 the environment "
	       "lacks something.\n\nExamples:\n"
	       "  $ lttng-mm diff old/ -- new/\n"
	       "  $ lttng-mm diff old/ -- new/ -- again/\n"
	       "  $ lttng-mm diff /tmp/snapshot-1 -- /tmp/snapshot-2\n"
	       "  $ lttng-mm diff --json old/ -- new/ | jq '.metrics[] | select(.verdict == \"worse\")'\n",
};

static int print(const struct diff_options *options, const struct regress_diff *diff,
		 const struct regress_runs *runs)
{
	struct regress_values rows = { NULL };
	bool comparable;
	int ret;

	if (options->json)
		return regress_diff_print_json(stdout, diff);
	if (regress_diff_print(stdout, diff, options->all,
			       options->wide ? MM_WIDTH_ALL : mm_render_width(stdout)))
		return -1;
	/* Rows of another build or of a longer recording are not comparable. */
	comparable = regress_diff_is_one_build(diff) && !diff->is_scaled;
	ret = comparable ? regress_rows_collect(&rows, &diff->sides[REGRESS_BASE]) : 0;
	if (!ret)
		regress_diff_print_worse(stdout, diff, runs, comparable ? &rows : NULL);
	regress_values_release(&rows);
	return ret || ferror(stdout) ? -1 : 0;
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

/* Reads the runs of one group. */
static int read_group(const struct diff_options *options, int group,
		      const struct mm_catalogue *catalogue, struct regress_runs *runs,
		      struct regress_side *side, struct mm_error *err)
{
	char **inputs = options->inputs[group];

	if (check_inputs(inputs, options->counts[group], err))
		return -1;
	for (size_t i = 0; i < options->counts[group]; i++) {
		command_trace(inputs[i]);
		command_lock_trace(inputs[i]);
		if (regress_runs_add(runs, inputs[i], NULL, &options->source, err))
			return -1;
	}
	if (!regress_side_collect(side, runs, catalogue))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "diff: out of memory");
}

/*
 * Reads the runs of all groups. Keeps the reports of NEW in @runs, because they name the causes.
 * Frees the other reports.
 */
static int read_groups(const struct diff_options *options, const struct mm_catalogue *catalogue,
		       struct regress_side sides[GROUPS], struct regress_runs *runs,
		       struct mm_error *err)
{
	for (int group = 0; group < GROUPS; group++) {
		struct regress_runs others = { NULL };
		int ret = read_group(options, group, catalogue,
				     group == REGRESS_NEW ? runs : &others, &sides[group], err);

		regress_runs_release(&others);
		if (ret)
			return -1;
	}
	return 0;
}

/* Compares NEW with BASE and, if something is worse, AGAIN with BASE. */
static int compare(const struct diff_options *options, const struct regress_side sides[GROUPS],
		   struct regress_diff *diff, struct mm_error *err)
{
	const struct regress_side fresh[REGRESS_SIDES] = { sides[REGRESS_BASE],
							   sides[GROUP_AGAIN] };
	struct regress_diff again;
	int ret = regress_diff(diff, sides, options->instructions, err);

	if (ret || !options->inputs[GROUP_AGAIN] || !diff->counts[REGRESS_WORSE])
		return ret;
	ret = regress_diff(&again, fresh, options->instructions, err);
	if (!ret)
		regress_diff_confirm(diff, &again);
	regress_diff_release(&again);
	return ret;
}

/* Splits the command line at each `--`. argp parses only the words before the first `--`. */
static void split(struct diff_options *options, int *argc, char **argv)
{
	int words = *argc;

	for (int group = REGRESS_NEW; group < GROUPS; group++) {
		/* command_split_line() skips the first element, the name of a program. */
		char **from = group == REGRESS_NEW ? argv : options->inputs[group - 1] - 1;
		int count = words;

		options->inputs[group] = command_split_line(&count, from);
		if (!options->inputs[group])
			return;
		if (group == REGRESS_NEW)
			*argc = count;
		else
			options->counts[group - 1] = (size_t)(count - 1);
		words -= count;
		options->counts[group] = (size_t)(words - 1);
	}
}

int cmd_diff(int argc, char **argv)
{
	struct regress_side sides[GROUPS] = { { NULL } };
	struct diff_options options = { .all = false };
	struct mm_catalogue catalogue = { NULL };
	struct regress_diff diff = { NULL };
	struct regress_runs runs = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	int status = MM_EXIT_FAILED;

	mm_source_options_init(&options.source);
	split(&options, &argc, argv);
	command_parse(&parser, argc, argv, &options);
	if (regress_catalogue(&catalogue))
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "diff: out of memory");
	else if (!read_groups(&options, &catalogue, sides, &runs, &err) &&
		 !compare(&options, sides, &diff, &err)) {
		status = regress_diff_status(&diff);
		if (print(&options, &diff, &runs))
			command_output_failed(&err);
	}
	regress_diff_release(&diff);
	for (int group = 0; group < GROUPS; group++)
		regress_side_release(&sides[group]);
	regress_runs_release(&runs);
	mm_catalogue_release(&catalogue);
	return command_end(&err, status);
}
