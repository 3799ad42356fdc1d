// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm info: describes a trace. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/pager.h"
#include "cli/common/source-options.h"
#include "reader/events/source.h"
#include "reader/inspect/info.h"
#include "reader/report/render.h"

struct info_options {
	const char *trace;
	bool all, json, wide, require_complete;
	struct ctf_info_options common;
};

enum { OPTION_JOBS = 256, OPTION_GMT, OPTION_REQUIRE_COMPLETE };

static const struct argp_option argp_options[] = {
	{ "all", 'a', NULL, 0,
	  "show all findings and tables; on a terminal, in the pager ($PAGER, or else less)", 0 },
	{ "events", 'e', NULL, 0, "count events by class, which reads the whole trace", 0 },
	{ "json", 'j', NULL, 0, "print the tables as JSON", 0 },
	{ "wide", 'w', NULL, 0, "print all columns of the tables, however wide the terminal is",
	  0 },
	{ "clock-gmt", OPTION_GMT, NULL, 0, "print times in UTC, not in the local time zone", 0 },
	{ "jobs", OPTION_JOBS, "N", 0,
	  "number of threads (default: one per core); does not affect the result", 0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, COMMAND_REQUIRE_COMPLETE, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct info_options *options = state->input;

	switch (key) {
	case 'a':
		options->all = true;
		return 0;
	case 'e':
		options->common.events = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'w':
		options->wide = true;
		return 0;
	case OPTION_GMT:
		options->common.gmt = true;
		return 0;
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case OPTION_JOBS:
		options->common.jobs = source_options_jobs(arg, state);
		return 0;
	default:
		return command_parse_trace(key, arg, state, &options->trace);
	}
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "TRACE",
	.doc = "States in one sentence how far back a trace reaches and what it lacks, and then lists "
	       "problems. --all shows everything: certificate of coverage, streams, losses, gaps, "
	       "clocks, environment. Without --events, only metadata and packet headers are read."
	       "\vExamples:\n"
	       "  $ lttng-mm info /tmp/snapshot-1\n"
	       "  $ lttng-mm info --all --events /tmp/snapshot-1\n"
	       "  $ lttng-mm info --json /tmp/snapshot-1 | jq '.tables.gaps'\n",
};

struct info_output {
	const struct info_options *options;
	const struct mm_report *report;
	const struct ctf_info_brief *brief;
	unsigned int width;
};

static int print(FILE *out, void *user)
{
	const struct info_output *output = user;
	const struct info_options *options = output->options;

	if (options->json)
		return mm_render_json(out, output->report);
	if (options->all)
		return mm_render_text(out, output->report, output->width);
	return ctf_info_brief_render(out, output->report, output->brief, output->width);
}

static void show(const struct info_options *options, const struct mm_report *report,
		 struct mm_error *err)
{
	struct info_output output = {
		.options = options,
		.report = report,
		.brief = options->common.brief,
		.width = options->wide ? MM_WIDTH_ALL : mm_render_width(stdout),
	};

	if (options->all && !options->json ? pager_print(print, &output) : print(stdout, &output))
		command_output_failed(err);
}

int cmd_info(int argc, char **argv)
{
	struct info_options options = { .json = false };
	struct mm_source_options defaults;
	struct mm_error err = MM_ERROR_INIT, incomplete = MM_ERROR_INIT;
	struct ctf_info_brief brief = { 0 };
	struct mm_report *report;

	mm_source_options_init(&defaults);
	options.common.jobs = defaults.jobs;
	command_parse(&parser, argc, argv, &options);
	command_lock_trace(options.trace);
	if (options.require_complete)
		options.common.incomplete = &incomplete;
	options.common.brief = &brief;
	report = ctf_info(options.trace, &options.common, &err);
	if (report)
		show(&options, report, &err);
	if (report && !err.code && report->damaged) {
		fflush(stdout);
		mm_error_set(&err, MM_EXIT_BAD_INPUT, "trace: %s: damaged (see `lttng-mm verify`)",
			     options.trace);
	}
	if (report && !err.code && incomplete.code) {
		fflush(stdout);
		err = incomplete;
	}
	mm_report_destroy(report);
	ctf_info_brief_release(&brief);
	return command_end(&err, MM_EXIT_OK);
}
