// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm run: records a command, and writes the reports of each run to a folder. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/command.h"
#include "cli/regress/run-command.h"

#define RUNS_MAX 1000

struct runs_options {
	struct run_options run;
	const char *output;
	unsigned int runs;
};

enum { OPTION_RUNS = 256 + 64 };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "DIR", 0, "the folder for the runs, which is created; required", 0 },
	{ "runs", OPTION_RUNS, "N", 0, "how often to run COMMAND (default 1)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct runs_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->run;
		return 0;
	case 'o':
		options->output = command_trace(arg);
		return 0;
	case OPTION_RUNS:
		options->runs = command_parse_number(arg, "--runs", 1, RUNS_MAX, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: unexpected argument; the command follows --", arg);
		return 0;
	case ARGP_KEY_END:
		if (!options->output)
			argp_error(state, "no folder given; use -o DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &run_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = children,
	.args_doc = "--profile=PROFILE -o DIR -- COMMAND [ARG...]",
	.doc = "Records COMMAND from its start to its end, and writes the trace and the reports of each "
	       "run to DIR/run-1, DIR/run-2, ... The reports count what COMMAND and its descendants do."
	       "\vExit status: 0 done, 2 bad usage or bad input, 4 the environment lacks something, or "
	       "COMMAND failed: then there is no result.\n\n"
	       "Examples:\n"
	       "  # lttng-mm run --profile slab -o /var/tmp/old --runs 10 -- make -C tests check\n"
	       "  # lttng-mm run --profile slab,dax -o /var/tmp/new --runs 5 -- ./benchmark\n"
	       "  $ lttng-mm diff /var/tmp/old -- /var/tmp/new\n",
};

int cmd_run(int argc, char **argv)
{
	struct runs_options options = { .runs = 1 };
	struct mm_error err = MM_ERROR_INIT;
	bool is_new;

	options.run.command = command_split_line(&argc, argv);
	command_parse(&parser, argc, argv, &options);
	is_new = !mkdir(options.output, 0755);
	if (!is_new && errno != EEXIST)
		mm_error_set(&err, MM_EXIT_BAD_INPUT, "run: %s: %s", options.output,
			     strerror(errno));
	else if (run_repeat(&options.run, options.output, 1, options.runs, &err) && is_new)
		/* This fails if a run was written, because the folder is then not empty. */
		remove(options.output);
	run_options_release(&options.run);
	return command_end(&err, MM_EXIT_OK);
}
