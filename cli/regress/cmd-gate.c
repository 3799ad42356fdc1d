// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm gate: runs a command, and says whether it became worse. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/regress/run-command.h"
#include "lttng-session/system/folder.h"
#include "reader/report/render.h"
#include "regress/base.h"
#include "regress/check.h"
#include "util/escape.h"

/* The output reports the age of a base file that is older than this number of days. */
#define OLD_DAYS 90
/* Exit statuses for git bisect: skip this commit, and stop bisecting. */
#define BISECT_SKIP 125
#define BISECT_STOP 128

struct gate_options {
	struct run_options run;
	const char *base, *rules, *output;
	bool accept, bisect;
};

enum { OPTION_BASE = 256 + 64, OPTION_RULES, OPTION_ACCEPT, OPTION_BISECT };

static const struct argp_option argp_options[] = {
	{ "base", OPTION_BASE, "FILE", 0, "the base file, with the values of ten runs; required",
	  0 },
	{ "rules", OPTION_RULES, "FILE", 0,
	  "rules that each run must also meet (see lttng-mm check)", 0 },
	{ "accept", OPTION_ACCEPT, NULL, 0, "run COMMAND ten times, and write the base file", 0 },
	{ "bisect", OPTION_BISECT, NULL, 0,
	  "exit with 125 if there is no verdict, so that git bisect run skips the commit, and with 128 for "
	  "bad usage or bad input, so that it stops",
	  0 },
	{ "output", 'o', "DIR", 0, "keep the runs in this folder, which must not exist", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct gate_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->run;
		return 0;
	case OPTION_BASE:
		options->base = arg;
		return 0;
	case OPTION_RULES:
		options->rules = arg;
		return 0;
	case OPTION_ACCEPT:
		options->accept = true;
		return 0;
	case OPTION_BISECT:
		options->bisect = true;
		return 0;
	case 'o':
		options->output = command_trace(arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: unexpected argument; the command follows --", arg);
		return 0;
	case ARGP_KEY_END:
		if (!options->base)
			argp_error(state, "no base file given; use --base=FILE");
		if (options->accept && options->bisect)
			argp_error(state, "--accept and --bisect cannot be combined");
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
	.args_doc = "--base=FILE --profile=PROFILE -- COMMAND [ARG...]",
	.doc = "Runs COMMAND five times under a recorder, checks the rules, and compares the metrics with "
	       "those of ten runs in the base file. If a metric is worse, five more runs must confirm it."
	       "\vExit status: 0 nothing is worse, 1 a rule fails, or a metric is worse, 2 bad usage or bad "
	       "input, 3 there is no verdict, because a run is incomplete, or the base file is of another "
	       "kernel or machine and there are no rules, 4 the environment lacks something, or COMMAND "
	       "failed.\n\n"
	       "Examples:\n"
	       "  # lttng-mm gate --base alloc.base --accept --profile slab -- ./benchmark\n"
	       "  # lttng-mm gate --base alloc.base --profile slab -- ./benchmark\n"
	       "  # git bisect run sh -c 'make || exit 125; exec lttng-mm gate --bisect --base /tmp/alloc.base --profile slab -- ./benchmark'\n",
};

/* The state of a gate. */
struct gate {
	const struct gate_options *options;
	char dir[PATH_MAX]; /* folder of the runs */
	struct mm_catalogue catalogue;
	struct regress_base base;
	struct regress_rules rules;
	bool is_comparable; /* base file and runs have the same kernel, probes and machine */
	bool fails, is_inconclusive;
};

static void today(char date[16])
{
	const time_t now = time(NULL);
	struct tm tm;

	strftime(date, 16, "%Y-%m-%d", gmtime_r(&now, &tm));
}

/* Returns the words of a command as one text. Release with free(). */
static char *command_text(char *const *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && command[i]; i++)
		mm_escape_print_argument(out, i ? " " : "", command[i]);
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Records runs @first to @first + @count - 1, and reads their reports. */
static int record(const struct gate *gate, unsigned int first, unsigned int count,
		  struct regress_runs *runs, struct mm_error *err)
{
	struct mm_source_options source;
	int ret = run_repeat(&gate->options->run, gate->dir, first, count, err);

	mm_source_options_init(&source);
	for (unsigned int i = first; i < first + count && !ret; i++) {
		char path[PATH_MAX + 32];

		snprintf(path, sizeof(path), "%s/" REGRESS_RUN_PREFIX "%u", gate->dir, i);
		ret = regress_runs_add(runs, path, NULL, &source, err);
	}
	return ret;
}

/* Writes the base file from ten runs. */
static int accept_runs(struct gate *gate, struct mm_error *err)
{
	const struct gate_options *options = gate->options;
	char *command = command_text(options->run.command), date[16];
	struct regress_runs runs = { NULL };
	struct regress_side side = { NULL };
	int ret = record(gate, 1, REGRESS_BASE_MIN, &runs, err);

	if (!ret && (!command || regress_side_collect(&side, &runs, &gate->catalogue)))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "gate: out of memory");
	if (!ret && side.doubt)
		ret = mm_error_set(err, MM_EXIT_INCOMPLETE,
				   "gate: %s; the base file is not written", side.doubt);
	today(date);
	if (!ret)
		ret = regress_base_write(options->base, &side, date, options->run.profile_text,
					 command, err);
	if (!ret) {
		printf("accepted: ");
		mm_escape_message_print(stdout, options->base);
		printf(" has the values of %zu runs\n", side.count);
	}
	regress_side_release(&side);
	regress_runs_release(&runs);
	free(command);
	return ret;
}

/* Checks the rules on the runs. */
static int check_rules(struct gate *gate, const struct regress_runs *runs, struct mm_error *err)
{
	struct regress_check check;

	if (!gate->options->rules)
		return 0;
	if (regress_check(&check, &gate->rules, runs, &gate->catalogue, err))
		return -1;
	regress_check_print(stdout, &check, REGRESS_TEXT);
	if (check.state == REGRESS_ERROR)
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "gate: %s: a rule selects no metric of the runs (see above)",
			     gate->options->rules);
	gate->fails |= check.state == REGRESS_FAIL;
	gate->is_inconclusive |= check.state == REGRESS_INCONCLUSIVE;
	regress_check_release(&check);
	return err->code ? -1 : 0;
}

static bool is_equal(const char *x, const char *y)
{
	return x && y && !strcmp(x, y);
}

/* Reports an old base file, or one of another machine. Sets gate->is_comparable. */
static void compare_machines(struct gate *gate, const struct regress_side *new)
{
	const struct regress_side *base = &gate->base.side;
	char date[16];
	int age;

	today(date);
	age = regress_base_age(gate->base.accepted, date);
	if (age > OLD_DAYS)
		printf("The base file is %d days old; accept a new one with --accept.\n", age);
	gate->is_comparable = is_equal(base->kernel, new->kernel) &&
			      is_equal(base->probes, new->probes) &&
			      regress_machines_match(base->machine, new->machine);
	if (!gate->is_comparable)
		printf("The base file is of another kernel, probe or machine: the comparison is shown, but does not affect the verdict; %s.\n",
		       gate->options->rules ? "the rules decide"
					    : "write a new base file with --accept");
}

/* Compares five more runs, and prints the metrics that are worse in both comparisons. */
static int confirm(struct gate *gate, struct regress_diff *first, struct mm_error *err)
{
	struct regress_side sides[REGRESS_SIDES] = { gate->base.side, { NULL } };
	struct regress_runs runs = { NULL };
	struct regress_diff again = { NULL };
	int ret;

	printf("%zu metric%s worse; five more runs must confirm that.\n",
	       first->counts[REGRESS_WORSE], first->counts[REGRESS_WORSE] == 1 ? " is" : "s are");
	fflush(stdout);
	ret = record(gate, REGRESS_NEW_MIN + 1, REGRESS_NEW_MIN, &runs, err);
	if (!ret && regress_side_collect(&sides[REGRESS_NEW], &runs, &gate->catalogue))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "gate: out of memory");
	if (!ret)
		ret = regress_diff(&again, sides, false, err);
	if (!ret && sides[REGRESS_NEW].doubt) {
		gate->is_inconclusive = true;
		printf("Not confirmed, because a run is incomplete: ");
		mm_escape_message_print(stdout, sides[REGRESS_NEW].doubt);
		putchar('\n');
	}
	if (!ret) {
		regress_diff_confirm(first, &again);
		gate->fails |= first->counts[REGRESS_WORSE];
		gate->is_inconclusive |= first->undecided;
		regress_diff_print_worse(stdout, first, &runs, &gate->base.rows);
	}
	regress_diff_release(&again);
	regress_side_release(&sides[REGRESS_NEW]);
	regress_runs_release(&runs);
	return ret;
}

/* Compares the runs with the base file. */
static int compare(struct gate *gate, const struct regress_runs *runs, struct mm_error *err)
{
	struct regress_side sides[REGRESS_SIDES] = { gate->base.side, { NULL } };
	struct regress_diff diff = { NULL };
	int ret = 0;

	if (regress_side_collect(&sides[REGRESS_NEW], runs, &gate->catalogue))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "gate: out of memory");
	if (!ret)
		ret = regress_diff(&diff, sides, false, err);
	if (!ret) {
		/* Omit rows of tables: the base file has none, so all rows would seem to be new. */
		struct regress_diff metrics = diff;

		metrics.count = diff.metric_count;
		compare_machines(gate, &sides[REGRESS_NEW]);
		regress_diff_print(stdout, &metrics, false,
				   isatty(STDOUT_FILENO) ? mm_render_width(stdout) : MM_WIDTH_ALL);
		/* If neither a comparison nor rules can decide, the result is inconclusive. */
		gate->is_inconclusive |=
			sides[REGRESS_NEW].doubt ||
			(gate->is_comparable ? diff.undecided != 0 : !gate->options->rules);
		if (gate->is_comparable && diff.counts[REGRESS_WORSE])
			ret = confirm(gate, &diff, err);
	}
	regress_diff_release(&diff);
	regress_side_release(&sides[REGRESS_NEW]);
	return ret;
}

static int judge(struct gate *gate, struct mm_error *err)
{
	struct regress_runs runs = { NULL };
	int ret = record(gate, 1, REGRESS_NEW_MIN, &runs, err);

	if (!ret)
		ret = check_rules(gate, &runs, err);
	if (!ret)
		ret = compare(gate, &runs, err);
	regress_runs_release(&runs);
	return ret;
}

/* Reads the base file and the rules before the command runs. */
static int prepare(struct gate *gate, struct mm_error *err)
{
	const struct gate_options *options = gate->options;

	if (regress_catalogue(&gate->catalogue))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "gate: out of memory");
	if (options->rules &&
	    regress_rules_read(&gate->rules, options->rules, &gate->catalogue, err))
		return -1;
	if (!options->accept &&
	    regress_base_read(&gate->base, options->base, &gate->catalogue, err))
		return -1;
	if (options->output) {
		snprintf(gate->dir, sizeof(gate->dir), "%s", options->output);
		return mkdir(gate->dir, 0755) ? mm_error_set(err, MM_EXIT_BAD_INPUT, "gate: %s: %s",
							     gate->dir, strerror(errno))
					      : 0;
	}
	snprintf(gate->dir, sizeof(gate->dir), "%s/lttng-mm-gate.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/var/tmp");
	return mkdtemp(gate->dir) ? 0
				  : mm_error_set(err, MM_EXIT_ENVIRONMENT, "gate: %s: %s",
						 gate->dir, strerror(errno));
}

/* Prints the verdict. Returns the exit status. */
static int conclude(const struct gate *gate)
{
	const char *verdict = gate->fails	      ? "fail"
			      : gate->is_inconclusive ? "inconclusive"
						      : "pass";

	printf("gate: %s%s\n", verdict,
	       strcmp(verdict, "pass") == 0 && !gate->is_comparable ? ", by the rules only" : "");
	return gate->fails	       ? MM_EXIT_FAILED
	       : gate->is_inconclusive ? MM_EXIT_INCOMPLETE
				       : MM_EXIT_OK;
}

/* Returns the status for git bisect, which would take an error's own status for a bad commit. */
static int bisect_status(int status)
{
	return status == MM_EXIT_INCOMPLETE || status == MM_EXIT_ENVIRONMENT ? BISECT_SKIP
	       : status == MM_EXIT_BAD_INPUT				     ? BISECT_STOP
									     : status;
}

int cmd_gate(int argc, char **argv)
{
	struct gate_options options = { .base = NULL };
	struct gate gate = { .options = &options };
	struct mm_error err = MM_ERROR_INIT;
	int status = MM_EXIT_FAILED;

	options.run.command = command_split_line(&argc, argv);
	/* argp may exit before it parses --bisect, so set its exit status first. */
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--bisect"))
			argp_err_exit_status = BISECT_STOP;
	command_parse(&parser, argc, argv, &options);
	if (!prepare(&gate, &err) &&
	    !(options.accept ? accept_runs(&gate, &err) : judge(&gate, &err)))
		status = options.accept ? MM_EXIT_OK : conclude(&gate);
	if (*gate.dir && !options.output)
		folder_remove(AT_FDCWD, gate.dir);
	regress_base_release(&gate.base);
	regress_rules_release(&gate.rules);
	mm_catalogue_release(&gate.catalogue);
	run_options_release(&options.run);
	fflush(stdout);
	status = command_end(&err, status);
	return options.bisect ? bisect_status(status) : status;
}
