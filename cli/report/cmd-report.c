// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm report: runs an analysis on a trace and prints the report. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "analysis/mrc/mrc.h"
#include "analysis/registry/registry.h"
#include "analysis/run/compare.h"
#include "analysis/run/listing.h"
#include "analysis/run/trace-report.h"
#include "cli/common/command.h"
#include "cli/common/pager.h"
#include "cli/report/report-options.h"
#include "reader/coverage/certify/certify.h"
#include "reader/coverage/suspects.h"
#include "reader/inspect/verify.h"
#include "reader/open/open.h"
#include "reader/report/read.h"
#include "reader/report/render.h"
#include "reader/report/sort.h"
#include "util/plural.h"

static volatile sig_atomic_t stop;

static void on_stop(int number)
{
	(void)number;
	stop = 1;
}

/*
 * Makes the first SIGINT end the reading of a live session, which may otherwise never end. The
 * report then covers the events before SIGINT.
 */
static void let_stop(struct mm_source_options *options)
{
	const struct sigaction action = { .sa_handler = on_stop, .sa_flags = SA_RESETHAND };
	struct sigaction before;

	/* SIGINT is ignored in background processes of a script, for example. Keep ignoring it. */
	if (sigaction(SIGINT, NULL, &before) || before.sa_handler == SIG_IGN)
		return;
	if (!sigaction(SIGINT, &action, NULL))
		options->stop = &stop;
}

/*
 * Returns the path of one side of a comparison (0 or 1): a trace or a stored report. Without
 * --compare, there is only side 0, and the path of side 1 is NULL.
 */
static const char *path_of(const struct report_options *options, int side)
{
	return !side ? options->trace : options->compare ? options->newer : NULL;
}

/* Is @path a stored report? Only --compare accepts one. */
static bool is_stored(const struct report_options *options, const char *path)
{
	return options->compare && mm_report_is_stored(path);
}

/*
 * Checks --require-complete, with the certificates of traces and with the coverage of stored
 * reports. Returns the exit status.
 */
static int require_complete(const struct report_options *options, const struct mm_report *report)
{
	struct mm_error err = MM_ERROR_INIT;
	bool any_stored = false;
	const char *path;

	for (int i = 0; i < 2 && (path = path_of(options, i)) && !err.code; i++)
		if (is_stored(options, path))
			any_stored = true;
		else
			certificate_require_whole(path, &options->source, &err);
	if (any_stored && !report->coverage[MM_COVERAGE_COMPLETE].u && !err.code)
		mm_error_set(
			&err, MM_EXIT_INCOMPLETE,
			"report %s: --compare: a stored report does not state that its trace was complete; omit --require-complete",
			options->analysis->name);
	return command_end(&err, MM_EXIT_OK);
}

static void warn(const struct report_options *options, struct mm_error *err)
{
	struct mm_source *source;

	if (mm_source_is_live(options->trace))
		return;
	source = mm_source_open(options->trace, &options->source, err);
	if (source)
		certificate_print(source, err);
	mm_source_destroy(source);
}

/*
 * Returns another analysis whose events the trace declares. Returns NULL if there is none, or if
 * the trace may have events of the failed analysis.
 */
static const struct mm_analysis *find_fitting(const struct mm_analysis *failed,
					      const struct mm_source *source)
{
	const struct mm_analysis *analysis;

	if (!failed->required || mm_source_declares_prefix(source, failed->required) ||
	    mm_source_orphan_count(source))
		return NULL;
	for (size_t i = 0; (analysis = mm_analysis_at(i)); i++)
		if (analysis->required && mm_source_declares_prefix(source, analysis->required))
			return analysis;
	return NULL;
}

/*
 * If the trace has events of another analysis, replaces @err by a message that names this analysis.
 */
static void name_fitting(const struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis, *fitting = NULL;
	struct mm_source_options opened = options->source;
	struct mm_error ignored = MM_ERROR_INIT;
	struct mm_source *source = NULL;

	opened.suspects = NULL;
	if (err->code == MM_EXIT_BAD_INPUT && !mm_source_is_live(options->trace))
		source = mm_source_open(options->trace, &opened, &ignored);
	if (source && !mm_source_identify(source, &ignored))
		fitting = find_fitting(analysis, source);
	if (fitting) {
		mm_error_clear(err);
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the trace has no %s* events; record them with `lttng-mm record %s`, or analyze the events that the trace has with `lttng-mm report %s`",
			mm_source_path(source), analysis->required, analysis->name, fitting->name);
	}
	mm_source_destroy(source);
}

/* Prints a listing, one line for each event, instead of a report. Returns the exit status. */
static int list(const struct report_options *options, const struct mm_listing *listing)
{
	const char *name = listing->name ? listing->name : "listing";
	struct mm_error err = MM_ERROR_INIT;
	struct mm_listing_gaps gaps;

	if (options->compare)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"report %s: --compare cannot be combined with an option that prints a %s",
			options->analysis->name, name);
	else if (options->json || options->sort || options->require_complete || options->table)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"report %s: an option that prints a %s cannot be combined with --json, --sort, --table or --require-complete",
			options->analysis->name, name);
	else
		warn(options, &err);
	if (!err.code &&
	    !mm_listing_run(options->analysis, listing, options->trace, &options->source,
			    options->report, stdout, &gaps, &err) &&
	    (fflush(stdout) || ferror(stdout)))
		command_output_failed(&err);
	else if (!err.code && gaps.damaged)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the %s covers the readable part (see `lttng-mm verify`)",
			options->trace, name);
	else if (!err.code && gaps.truncated)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: a file is truncated; the %s covers the events that are present\n",
			options->trace, name);
	else if (!err.code && gaps.lossy)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: events are missing, so %s may be wrong (see `lttng-mm info`)\n",
			options->trace,
			listing->name ? "the map around them" : "lines around them");
	name_fitting(options, &err);
	if (!err.code && gaps.left_out)
		fprintf(stderr,
			"lttng-mm: note: %" PRIu64
			" call%s of the recorder's own processes %s left out (--include-recorder)\n",
			gaps.left_out, mm_plural_s(gaps.left_out),
			mm_plural(gaps.left_out, "is", "are"));
	return command_end(&err, MM_EXIT_OK);
}

/*
 * Finds packets without checksums whose events break a rule of `verify`. The report omits these
 * packets. Returns 0, or -1 with @err set.
 */
static int find_suspects(struct report_options *options, struct mm_suspects *suspects,
			 struct mm_error *err)
{
	const char *path;

	for (int j = 0; j < 2 && (path = path_of(options, j)); j++)
		if (!is_stored(options, path) &&
		    mm_trace_suspects(path, &options->source, suspects, err))
			return -1;
	options->source.suspects = suspects;
	return 0;
}

/*
 * Adds to a report of page references how much memory the processes need. For this, a separate
 * analysis reads the trace again. Decoding the trace twice takes little time in comparison with the
 * analysis. Does nothing for a live session, which can be read only once. Returns 0, or -1 with
 * @err set.
 */
static int add_needs(const struct report_options *options, const char *path,
		     struct mm_report *report, struct mm_error *err)
{
	bool is_shown = !options->table;

	for (size_t i = 0; i < options->given_count; i++)
		is_shown &= strcmp(options->given[i].option->name, "first-touch") != 0;
	if (options->analysis != mm_analysis_find("page-ref") || !is_shown ||
	    mm_source_is_live(path))
		return 0;
	return mrc_add_needs(path, &options->source, options->report, report, err);
}

/* Runs the analysis on @path. The report warns if the files do not match their certificate. */
static struct mm_report *report_trace(const struct report_options *options, const char *path,
				      struct mm_error *err)
{
	struct mm_report *report =
		mm_trace_report(options->analysis, path, &options->source, options->report, err);

	if (!report || !add_needs(options, path, report, err))
		return report;
	mm_report_destroy(report);
	return NULL;
}

static struct mm_report *make_comparison(const struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis;
	struct mm_compare_side sides[2] = { { .path = options->trace },
					    { .path = options->newer } };
	struct mm_report *reports[2] = { NULL }, *report = NULL;
	bool any_stored = false;

	for (int i = 0; i < 2; i++) {
		if (mm_source_is_live(sides[i].path)) {
			mm_error_set(err, MM_EXIT_BAD_INPUT,
				     "report %s: --compare: %s: a live session; name two snapshots",
				     analysis->name, sides[i].path);
			return NULL;
		}
		sides[i].stored = is_stored(options, sides[i].path);
		any_stored |= sides[i].stored;
	}
	if (mm_compare_is_of_one_boot(analysis, any_stored) &&
	    mm_compare_check_boots(analysis, sides[0].path, sides[1].path, &options->source, err))
		return NULL;
	for (int i = 0; i < 2 && !err->code; i++)
		if (sides[i].stored)
			sides[i].report = reports[i] =
				mm_report_read(sides[i].path, analysis->schema, err);
	if (!err->code)
		mm_compare_check_selections(analysis, sides, options->report, &options->source,
					    err);
	for (int i = 0; i < 2 && !err->code; i++)
		if (!sides[i].stored)
			sides[i].report = reports[i] = report_trace(options, sides[i].path, err);
	/* With --all and without --top, the text form has all rows. */
	if (!err->code && reports[0] && reports[1])
		report = mm_analysis_compare(
			analysis, sides, options->report->by_top ? options->report->top : UINT_MAX,
			err);
	for (int i = 0; i < 2; i++)
		mm_report_destroy(reports[i]);
	return report;
}

static struct mm_report *make_report(const struct report_options *options, struct mm_error *err)
{
	return options->compare ? make_comparison(options, err)
				: report_trace(options, options->trace, err);
}

struct report_output {
	const struct report_options *options;
	const struct mm_report *report;
	unsigned int width;
};

static int print_first(FILE *out, const struct report_output *output)
{
	const struct report_options *options = output->options;
	const char *command = output->report->next_command;
	char *selection = report_options_selection(options, command ? command : "");
	int ret = -1;

	if (selection)
		ret = mm_render_first(out, output->report, output->width, selection,
				      options->trace);
	else
		errno = ENOMEM;
	free(selection);
	return ret;
}

static int print(FILE *out, void *user)
{
	const struct report_output *output = user;
	const struct report_options *options = output->options;

	if (options->json)
		return mm_render_json(out, output->report);
	if (options->table)
		return mm_render_named_table(out, output->report, output->width, options->table,
					     options->report->by_top ? options->report->top
								     : SIZE_MAX);
	return options->all ? mm_render_text(out, output->report, output->width)
			    : print_first(out, output);
}

/* Returns the only shown table, or NULL if none or several are shown. */
static const struct mm_table_def *find_shown(const struct report_options *options,
					     const struct mm_report *report)
{
	const struct mm_table_def *first = report->answer_count ? report->first_table : NULL;

	if (options->json || options->all)
		return NULL;
	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];

		if (table->row_count && (options->table ? !strcmp(table->def->name, options->table)
							: table->def == first))
			return table->def;
	}
	return NULL;
}

/* If --sort does not apply to the shown table, names tables to which --sort applies. */
static void note_unsorted(const struct report_options *options, const struct mm_report *report)
{
	const struct mm_table_def *shown = find_shown(options, report);
	const char *key = NULL;
	char names[512];
	size_t length;

	if (shown && options->sort)
		key = mm_report_find_unsorted(report, options->sort, shown, &length, names,
					      sizeof(names));
	if (key)
		fprintf(stderr,
			"lttng-mm: note: report %s: --sort: the table %s has no column '%.*s'; tables with this column (for --table): %s\n",
			options->analysis->name, shown->name, (int)length, key,
			*names ? names : "none with rows");
}

/* Prints the report, then problems of the trace. Returns the exit status. */
static int show(const struct report_options *options, const struct mm_report *report)
{
	struct mm_error err = MM_ERROR_INIT;
	struct report_output output = {
		.options = options,
		.report = report,
		.width = options->wide ? MM_WIDTH_ALL : mm_render_width(stdout),
	};

	if (options->all && !options->json ? pager_print(print, &output) : print(stdout, &output)) {
		command_output_failed(&err);
		return command_end(&err, MM_EXIT_FAILED);
	}
	if (report->damaged || options->require_complete || options->sort)
		fflush(stdout);
	note_unsorted(options, report);
	if (report->damaged)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the report covers the readable part (see `lttng-mm verify`)",
			report->newer_damaged ? options->newer : options->trace);
	else if (report->incomplete && options->require_complete)
		mm_error_set(&err, MM_EXIT_INCOMPLETE, "trace: %s: %s; %s",
			     report->newer_incomplete ? options->newer : options->trace,
			     mm_report_what_lost(report), mm_report_remedy(report));
	else if (options->require_complete)
		return require_complete(options, report);
	return command_end(&err, MM_EXIT_OK);
}

/* If babeltrace2 refused a trace, sets @err to the reason that `verify` finds. */
static void require_unread(const struct report_options *options, struct mm_error *err)
{
	const char *path;

	for (int i = 0; i < 2 && (path = path_of(options, i)); i++)
		if (!is_stored(options, path))
			ctf_verify_unread(path, options->source.jobs, err);
}

static int run(struct report_options *options)
{
	const struct mm_listing *listing = NULL;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_suspects suspects = { NULL };
	struct mm_report *report;
	int status;

	command_lock_trace(options->trace);
	if (options->newer)
		command_lock_trace(options->newer);
	if (mm_source_is_live(options->trace))
		let_stop(&options->source);
	if (options->analysis->listing)
		listing = options->analysis->listing(options->report);
	if (find_suspects(options, &suspects, &err))
		return command_end(&err, MM_EXIT_FAILED);
	if (listing) {
		status = list(options, listing);
		mm_suspects_release(&suspects);
		return status;
	}
	report = make_report(options, &err);
	if (!report && options->require_complete && options->source.reader == MM_READER_BABELTRACE2)
		require_unread(options, &err);
	mm_suspects_release(&suspects);
	if (!report && !options->newer)
		name_fitting(options, &err);
	if (!report)
		return command_end(&err, MM_EXIT_FAILED);
	if (options->sort && mm_report_sort(report, options->sort)) {
		mm_report_destroy(report);
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return command_end(&err, MM_EXIT_FAILED);
	}
	status = show(options, report);
	mm_report_destroy(report);
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options;
	struct mm_error err = MM_ERROR_INIT;
	int status;

	status = report_options_parse(&options, argc, argv, &err)
			 ? command_end(&err, MM_EXIT_FAILED)
			 : run(&options);
	report_options_release(&options);
	return status;
}
