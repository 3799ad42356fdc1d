// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm report: runs an analysis on a trace and prints the report. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/inspect/info-schema.h"
#include "analysis/registry/registry.h"
#include "analysis/report/render.h"
#include "analysis/report/sort.h"
#include "analysis/run/analysis.h"
#include "analysis/run/compare.h"
#include "analysis/run/open.h"
#include "cli/command.h"
#include "cli/source-options.h"
#include "util/time.h"

struct report_options {
	const char *analysis, *trace, *newer;
	bool compare, json, wide, require_complete;
	const char *since;
	struct mm_report_options common;
	struct mm_source_options source;
};

enum {
	OPTION_REQUIRE_COMPLETE = 256,
	OPTION_BY,
	OPTION_LEAKS,
	OPTION_SINCE,
	OPTION_RECORDER,
	OPTION_COMPARE,
	OPTION_SORT,
	OPTION_CACHE,
	OPTION_CALL_SITE,
	OPTION_PID,
	OPTION_LIST_METRICS
};

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "metrics and tables as JSON", 0 },
	{ "wide", 'w', NULL, 0, "all columns of the tables, however wide the terminal is", 0 },
	{ "top", 'n', "N", 0, "number of rows of a list (default 10, at most 100)", 0 },
	{ "by", OPTION_BY, "WHAT", 0,
	  "slab: only the lists by call-site, cache, cpu, node, process or order", 0 },
	{ "leaks", OPTION_LEAKS, NULL, 0, "slab: leak candidates: what was allocated and not freed",
	  0 },
	{ "since", OPTION_SINCE, "TIME", 0,
	  "slab: only leak candidates allocated from TIME on, as for --begin", 0 },
	{ "include-recorder", OPTION_RECORDER, NULL, 0,
	  "slab: include the recorder's own allocations in the lists", 0 },
	{ "sort", OPTION_SORT, "KEY[,KEY]", 0,
	  "sort lists by these columns, as JSON names them: numbers largest first, texts ascending; -KEY reverses",
	  0 },
	{ "cache", OPTION_CACHE, "NAME", 0,
	  "slab: only lists of this slab cache, kmalloc size class or page order", 0 },
	{ "call-site", OPTION_CALL_SITE, "NAME", 0,
	  "slab: only lists of this call site: function, function+offset or call-site number", 0 },
	{ "pid", OPTION_PID, "PID", 0, "slab: only lists of this process", 0 },
	{ "compare", OPTION_COMPARE, NULL, 0,
	  "slab: what grew between two snapshots of one boot, the older one first", 0 },
	{ "list-metrics", OPTION_LIST_METRICS, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0,
	  "exit with 3 if the trace lost events", 0 },
	{ 0 },
};

/* What doc/metrics.md must have. */
static void list_metrics(void)
{
	mm_render_coverage_schema(stdout);
	for (size_t i = 0; mm_analysis_at(i); i++) {
		mm_render_schema(stdout, mm_analysis_at(i)->schema);
		if (mm_analysis_at(i)->compare_schema)
			mm_render_schema(stdout, mm_analysis_at(i)->compare_schema);
	}
	mm_render_schema(stdout, &ctf_info_schema);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;
	unsigned long number;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'w':
		options->wide = true;
		return 0;
	case 'n':
		options->common.top = (unsigned int)strtoul(arg, &end, 10);
		if (*end || end == arg || *arg == '-' || options->common.top > 100)
			argp_error(state, "--top: '%s' is not a number from 0 to 100", arg);
		return 0;
	case OPTION_BY:
		options->common.by = arg;
		return 0;
	case OPTION_LEAKS:
		options->common.leaks = true;
		return 0;
	case OPTION_SINCE:
		options->since = arg;
		return 0;
	case OPTION_RECORDER:
		options->common.include_recorder = true;
		return 0;
	case OPTION_COMPARE:
		options->compare = true;
		return 0;
	case OPTION_SORT:
		options->common.sort = arg;
		return 0;
	case OPTION_CACHE:
		options->common.cache = arg;
		return 0;
	case OPTION_CALL_SITE:
		options->common.call_site = arg;
		return 0;
	case OPTION_PID:
		number = strtoul(arg, &end, 10);
		if (*end || end == arg || *arg == '-' || number > INT32_MAX)
			argp_error(state, "--pid: '%s' is not a process id", arg);
		options->common.pid = (int32_t)number;
		options->common.by_pid = true;
		return 0;
	case OPTION_LIST_METRICS:
		list_metrics();
		exit(MM_EXIT_OK);
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->analysis)
			options->analysis = arg;
		else if (!options->trace)
			options->trace = arg;
		else if (!options->newer)
			options->newer = arg;
		else
			argp_error(state, "too many traces");
		return 0;
	case ARGP_KEY_END:
		if (!options->analysis)
			argp_error(state, "no analysis given; known: %s", mm_subsystem_names());
		if (!options->trace)
			argp_error(
				state,
				"no trace given; name the folder that `lttng-mm snapshot` printed");
		if (options->newer && !options->compare)
			argp_error(state, "only one trace can be given without --compare");
		if (!options->newer && options->compare)
			argp_error(state, "--compare requires two snapshots, the older one first");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child argp_children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

/*
 * Appends the names of the analyses to the text before the options. argp frees what is not @text.
 */
static char *show_analyses(int key, const char *text, void *input)
{
	char *all;

	(void)input;
	if (!text || key != ARGP_KEY_HELP_PRE_DOC ||
	    asprintf(&all, "%s Analyses: %s.", text, mm_subsystem_names()) < 0)
		return (char *)text;
	return all;
}

static const struct argp parser = {
	.help_filter = show_analyses,
	.options = argp_options,
	.parser = parse,
	.children = argp_children,
	.args_doc = "ANALYSIS TRACE\nslab --compare OLD NEW",
	.doc = "Analyzes a trace."
	       "\vExit status: 0 done, 2 bad usage or bad input, 3 the trace lost events and "
	       "--require-complete was given.\n\n"
	       "Examples:\n"
	       "  $ lttng-mm report dax /tmp/snapshot-1\n"
	       "  $ lttng-mm report dax --json /tmp/snapshot-1 | jq '.tables.causes'\n"
	       "  $ lttng-mm report slab --by call-site --top 50 /tmp/snapshot-1\n"
	       "  $ lttng-mm report slab --leaks --since 14:30 /tmp/snapshot-1\n"
	       "  $ lttng-mm report slab --compare /tmp/snapshot-1 /tmp/snapshot-2\n",
};

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

/*
 * A live session may never end: a user who interrupts it once wants the report on what has arrived
 * so far.
 */
static void let_stop(struct mm_source_options *options)
{
	const struct sigaction action = { .sa_handler = on_stop, .sa_flags = SA_RESETHAND };
	struct sigaction before;

	/*
	 * In the background of a script, an interrupt of the script does not concern this program.
	 */
	if (sigaction(SIGINT, NULL, &before) || before.sa_handler == SIG_IGN)
		return;
	if (!sigaction(SIGINT, &action, NULL))
		options->stop = &stop;
}

static bool is_by(const struct mm_analysis *analysis, const char *by)
{
	for (size_t i = 0; analysis->by && analysis->by[i]; i++)
		if (!strcmp(analysis->by[i], by))
			return true;
	return false;
}

/* Checks options that not every analysis has. Returns 0, or -1 with @err set. */
static int check_options(const struct mm_analysis *analysis, struct report_options *options,
			 struct mm_error *err)
{
	struct mm_time time;

	if (options->common.by && !is_by(analysis, options->common.by))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --by: '%s' is not a list; `lttng-mm report --help` names the lists",
			analysis->name, options->common.by);
	if (options->common.by && options->common.leaks && analysis->leaks &&
	    strcmp(options->common.by, analysis->by[0]) != 0)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --by=%s: --leaks lists by %s only; remove one of the two",
			analysis->name, options->common.by, analysis->by[0]);
	if ((options->common.leaks || options->since) && !analysis->leaks)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report %s: --leaks and --since are for slab only",
				    analysis->name);
	if (options->common.include_recorder && !analysis->leaks)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report %s: --include-recorder is for slab only",
				    analysis->name);
	if (options->since && !options->common.leaks)
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "report %s: --since requires --leaks",
				    analysis->name);
	if (options->compare && !analysis->compare)
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "report %s: --compare is for slab only",
				    analysis->name);
	if (options->compare && (options->common.by || options->common.leaks))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --compare has lists of its own; omit --by and --leaks",
			analysis->name);
	if ((options->common.cache || options->common.call_site || options->common.by_pid) &&
	    !analysis->filters)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report %s: --cache, --call-site and --pid are for slab only",
				    analysis->name);
	if (options->common.sort &&
	    mm_report_check_sort(options->compare ? analysis->compare_schema : analysis->schema,
				 options->common.sort, err))
		return -1;
	if (!options->since)
		return 0;
	if (mm_time_parse(options->since, options->source.gmt, "--since", &time, err))
		return -1;
	options->common.since_ns = time.ns;
	options->common.since_in_day = !time.has_date;
	options->common.since_gmt = options->source.gmt;
	return 0;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = { .common = { .top = 10, .since_ns = INT64_MIN } };
	const struct mm_analysis *analysis;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report;
	int status = MM_EXIT_OK;

	mm_source_options_init(&options.source);
	command_parse(&parser, argc, argv, &options);
	analysis = mm_analysis_find(options.analysis);
	if (!analysis) {
		mm_error_set(&err, MM_EXIT_BAD_INPUT, "report: unknown analysis '%s'; known: %s",
			     options.analysis, mm_subsystem_names());
		return command_end(&err, MM_EXIT_FAILED);
	}
	if (check_options(analysis, &options, &err))
		return command_end(&err, MM_EXIT_FAILED);
	if (mm_source_is_live(options.trace))
		let_stop(&options.source);
	if (options.compare)
		report = mm_analysis_compare(analysis, options.trace, options.newer,
					     &options.source, &options.common, &err);
	else
		report = mm_analysis_run(analysis, options.trace, &options.source, &options.common,
					 &err);
	if (!report)
		return command_end(&err, MM_EXIT_FAILED);
	if (options.common.sort && mm_report_sort(report, options.common.sort)) {
		mm_report_destroy(report);
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return command_end(&err, MM_EXIT_FAILED);
	}
	if (options.json ? mm_render_json(stdout, report)
			 : mm_render_text(stdout, report,
					  options.wide ? MM_WIDTH_ALL : mm_render_width(stdout))) {
		mm_error_set(&err, errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
			     "standard output: cannot be written: %s", strerror(errno));
		status = command_end(&err, MM_EXIT_FAILED);
	} else if (report->damaged) {
		fflush(stdout);
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the report covers what can be read (see `lttng-mm verify`)",
			options.trace);
		status = command_end(&err, MM_EXIT_FAILED);
	} else if (report->incomplete && options.require_complete) {
		fflush(stdout);
		mm_error_set(&err, MM_EXIT_INCOMPLETE, "trace: %s: %s; %s", options.trace,
			     report->recorder_lost ? "events were lost"
						   : "a part of the trace is missing or truncated",
			     mm_report_remedy(report));
		status = command_end(&err, MM_EXIT_FAILED);
	}
	mm_report_destroy(report);
	return status;
}
