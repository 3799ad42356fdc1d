// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm mrc: prints the number of refaults for each size of memory. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mrc/mrc.h"
#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "reader/coverage/certify/certify.h"
#include "reader/open/open.h"
#include "reader/report/render.h"

struct command_options {
	const char *trace, *table;
	bool all, json, wide, require_complete;
	struct mrc_settings settings;
	struct mm_source_options source;
};

enum {
	OPTION_POLICY = 256,
	OPTION_SIZES,
	OPTION_RATE,
	OPTION_BY,
	OPTION_SAMPLE,
	OPTION_TABLE,
	OPTION_REQUIRE_COMPLETE,
};

static const struct argp_option argp_options[] = {
	{ "policy", OPTION_POLICY, "NAME[,NAME]", 0,
	  "replacement policies: lru (default), clock, fifo, opt", 0 },
	{ "sizes", OPTION_SIZES, "SIZE[,SIZE]", 0,
	  "sizes of the memory, in bytes or with the suffix k, M or G (default: up to 16 sizes from the smallest valid one on)",
	  0 },
	{ "rate", OPTION_RATE, "N", 0,
	  "state the memory that is needed for at most N refaults per second (default 100)", 0 },
	{ "by", OPTION_BY, "process", 0, "one curve for each process, as if it were alone", 0 },
	{ "sample", OPTION_SAMPLE, "R", 0,
	  "count only this part of the pages, such as 0.01, and state intervals that contain the result with a probability of 90 %",
	  0 },
	{ "all", 'a', NULL, 0, "show all tables, findings and notes", 0 },
	{ "table", OPTION_TABLE, "NAME", 0, "show all rows of one table, by its name in JSON", 0 },
	{ "json", 'j', NULL, 0, "print metrics and tables as JSON", 0 },
	{ "wide", 'w', NULL, 0, "print all columns of the tables, however wide the terminal is",
	  0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, "exit with 3 if something was lost",
	  0 },
	{ 0 },
};

/* Calls @parse for each part of the list @arg. */
static void parse_list(char *arg, struct argp_state *state,
		       void (*parse)(const char *word, struct argp_state *state))
{
	char *rest = arg, *word;

	while ((word = strsep(&rest, ",")))
		parse(word, state);
}

static void parse_policy(const char *word, struct argp_state *state)
{
	struct mrc_settings *settings = &((struct command_options *)state->input)->settings;

	for (unsigned int i = 0; i < MRC_POLICIES; i++)
		if (!strcmp(word, mrc_policy_names[i])) {
			settings->policies[i] = true;
			return;
		}
	argp_error(
		state,
		"--policy: '%s' is not one of lru, clock, fifo, opt; for others, run `lttng-mm export` and a simulator",
		word);
}

static void parse_size(const char *word, struct argp_state *state)
{
	struct mrc_settings *settings = &((struct command_options *)state->input)->settings;
	const uint64_t size = command_parse_bytes(word);

	if (!size)
		argp_error(state, "--sizes: '%s' is not a size; example: 64M", word);
	if (settings->size_count == MRC_SIZES_MAX)
		argp_error(state, "--sizes: more than %u sizes; give fewer", MRC_SIZES_MAX);
	settings->sizes[settings->size_count++] = size;
}

/* Parses a number that is greater than @low and at most @high. */
static double parse_real(const char *arg, const char *name, double low, double high,
			 struct argp_state *state)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(arg, &end);
	if (end == arg || *end || errno || !(value > low) || value > high)
		argp_error(state, "%s: '%s' is not a number above %g and up to %g", name, arg, low,
			   high);
	return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct command_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case OPTION_POLICY:
		parse_list(arg, state, parse_policy);
		return 0;
	case OPTION_SIZES:
		parse_list(arg, state, parse_size);
		return 0;
	case OPTION_RATE:
		options->settings.limit = parse_real(arg, "--rate", 0, 1e9, state);
		return 0;
	case OPTION_BY:
		if (strcmp(arg, "process"))
			argp_error(state, "--by: '%s' is unknown; known: process", arg);
		options->settings.by_process = true;
		return 0;
	case OPTION_SAMPLE:
		options->settings.sample = parse_real(arg, "--sample", 0, 1, state);
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case OPTION_TABLE:
		options->table = arg;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'w':
		options->wide = true;
		return 0;
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	default:
		return command_parse_trace(key, arg, state, &options->trace);
	}
}

static const struct argp_child children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = children,
	.args_doc = "TRACE",
	.doc = "States how much memory the recorded processes need, and how many refaults a memory of "
	       "each size would have, from a trace of page references (`lttng-mm record page-ref`). "
	       "For LRU, the number of refaults lies between two bounds."
	       "\vExit status: 0 done, 2 bad usage or bad input, 3 the trace lost events and "
	       "--require-complete was given.\n\n"
	       "Examples:\n"
	       "  $ lttng-mm mrc /var/tmp/page-ref-1\n"
	       "  $ lttng-mm mrc --rate 10 --by process /var/tmp/page-ref-1\n"
	       "  $ lttng-mm mrc --policy lru,clock,opt --sizes 64M,128M,256M /var/tmp/page-ref-1\n"
	       "  $ lttng-mm mrc --json /var/tmp/page-ref-1 | jq '.tables.sizes'\n",
};

static int print(const struct command_options *options, const struct mm_report *report)
{
	const unsigned int width = options->wide ? MM_WIDTH_ALL : mm_render_width(stdout);

	if (options->json)
		return mm_render_json(stdout, report);
	if (options->table)
		return mm_render_named_table(stdout, report, width, options->table, SIZE_MAX);
	return options->all ? mm_render_text(stdout, report, width)
			    : mm_render_first(stdout, report, width, NULL, options->trace);
}

static void check_report(const struct command_options *options, const struct mm_report *report,
			 struct mm_error *err)
{
	fflush(stdout);
	if (report->damaged)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the report covers the readable part (see `lttng-mm verify`)",
			options->trace);
	else if (options->require_complete)
		certificate_require_whole(options->trace, &options->source, err);
}

int cmd_mrc(int argc, char **argv)
{
	struct command_options options = {
		.settings = { .limit = MRC_RATE_DEFAULT, .sample = 1 },
	};
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = NULL;
	bool any = false;

	mm_source_options_init(&options.source);
	command_parse(&parser, argc, argv, &options);
	for (unsigned int i = 0; i < MRC_POLICIES; i++)
		any |= options.settings.policies[i];
	options.settings.policies[MRC_LRU] |= !any;
	if (mm_source_is_live(options.trace)) {
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"mrc: %s: a live session, which can be read only once; record to a folder and give that",
			options.trace);
	} else if (!options.table || !mm_render_check_table(&mrc_schema, options.table, &err)) {
		command_lock_trace(options.trace);
		report = mrc_report(options.trace, &options.source, &options.settings, &err);
	}
	if (report && print(&options, report))
		command_output_failed(&err);
	else if (report)
		check_report(&options, report, &err);
	mm_report_destroy(report);
	return command_end(&err, MM_EXIT_OK);
}
