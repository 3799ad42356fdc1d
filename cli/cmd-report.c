// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm report: runs an analysis on a trace and prints the report. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "analysis/inspect/certify.h"
#include "analysis/inspect/verify.h"
#include "analysis/registry/registry.h"
#include "analysis/report/render.h"
#include "analysis/report/sort.h"
#include "analysis/run/analysis.h"
#include "analysis/run/compare.h"
#include "analysis/run/listing.h"
#include "analysis/run/open.h"
#include "analysis/run/rules.h"
#include "analysis/trace/suspects.h"
#include "cli/command.h"
#include "cli/pager.h"
#include "cli/report-options.h"
#include "util/plural.h"

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

/* The report itself lost nothing: but are the traces what was recorded, and all of it? */
static int require_complete(const struct report_options *options)
{
	struct mm_error err = MM_ERROR_INIT;

	if (!certificate_require_whole(options->trace, &options->source, &err) &&
	    options->report.compare)
		certificate_require_whole(options->newer, &options->source, &err);
	return command_end(&err, MM_EXIT_OK);
}

/* Says first if the files differ from their certificate. */
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

/* What is printed as the trace is read, in place of a report. */
static int list(const struct report_options *options, const struct mm_listing *listing)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_listing_gaps gaps;

	if (options->json || options->report.sort || options->require_complete || options->table)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"report %s: a listing has no --json, --sort, --table or --require-complete; omit these",
			options->analysis->name);
	else
		warn(options, &err);
	if (!err.code &&
	    !mm_listing_run(options->analysis, listing, options->trace, &options->source,
			    &options->report, stdout, &gaps, &err) &&
	    (fflush(stdout) || ferror(stdout)))
		mm_error_set(&err, MM_EXIT_BAD_INPUT, "standard output: cannot be written: %s",
			     strerror(errno));
	else if (!err.code && gaps.damaged)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the listing has what can be read (see `lttng-mm verify`)",
			options->trace);
	else if (!err.code && gaps.truncated)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: a file ends early; the listing has what is there\n",
			options->trace);
	else if (!err.code && gaps.lossy)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: events are missing, and what is listed around them may be wrong (see `lttng-mm info`)\n",
			options->trace);
	if (!err.code && gaps.left_out)
		fprintf(stderr,
			"lttng-mm: note: %" PRIu64
			" call%s of the recorder's own processes %s left out (--include-recorder)\n",
			gaps.left_out, mm_plural_s(gaps.left_out),
			mm_plural(gaps.left_out, "is", "are"));
	return command_end(&err, MM_EXIT_OK);
}

/*
 * Finds the packets without checksums whose events break the rules that `verify` knows. The report
 * leaves them out.
 */
static int find_suspects(struct report_options *options, struct mm_suspects *suspects,
			 struct mm_error *err)
{
	const char *traces[] = { options->trace, options->report.compare ? options->newer : NULL };

	for (size_t i = 0; mm_rules_at(i); i++)
		for (int j = 0; j < 2; j++)
			if (traces[j] && mm_rules_suspects(mm_rules_at(i), traces[j],
							   &options->source, suspects, err))
				return -1;
	options->source.suspects = suspects;
	return 0;
}

/* Runs the analysis. The report says first if the files differ from their certificate. */
static struct mm_report *make_report(const struct report_options *options, struct mm_error *err)
{
	struct mm_source *sources[2] = { NULL };
	struct mm_report *report;

	if (options->report.compare)
		report = mm_analysis_compare(options->analysis, options->trace, options->newer,
					     &options->source, &options->report, sources, err);
	else
		report = mm_analysis_run(options->analysis, options->trace, &options->source,
					 &options->report, &sources[0], err);
	for (int i = 0; i < 2; i++) {
		if (report && sources[i] && certificate_warn(sources[i], report, err)) {
			mm_report_destroy(report);
			report = NULL;
		}
		mm_source_destroy(sources[i]);
	}
	return report;
}

/* A report in the form that the options name. */
struct output {
	const struct report_options *options;
	const struct mm_report *report;
	unsigned int width;
};

static int print_first(FILE *out, const struct output *output)
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
	const struct output *output = user;
	const struct report_options *options = output->options;

	if (options->json)
		return mm_render_json(out, output->report);
	if (options->table)
		return mm_render_named_table(out, output->report, output->width, options->table,
					     options->report.by_top ? options->report.top
								    : SIZE_MAX);
	return options->all ? mm_render_text(out, output->report, output->width)
			    : print_first(out, output);
}

/* Prints the report and then what is wrong with the trace. Returns the exit status. */
static int show(const struct report_options *options, const struct mm_report *report)
{
	struct mm_error err = MM_ERROR_INIT;
	struct output output = {
		.options = options,
		.report = report,
		.width = options->wide ? MM_WIDTH_ALL : mm_render_width(stdout),
	};

	if (options->all && !options->json ? pager_print(print, &output) : print(stdout, &output)) {
		mm_error_set(&err, errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
			     "standard output: cannot be written: %s", strerror(errno));
		return command_end(&err, MM_EXIT_FAILED);
	}
	if (report->damaged || options->require_complete)
		fflush(stdout);
	if (report->damaged)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the report covers what can be read (see `lttng-mm verify`)",
			report->newer_damaged ? options->newer : options->trace);
	else if (report->incomplete && options->require_complete)
		mm_error_set(&err, MM_EXIT_INCOMPLETE, "trace: %s: %s; %s",
			     report->newer_incomplete ? options->newer : options->trace,
			     mm_report_what_lost(report), mm_report_remedy(report));
	else if (options->require_complete)
		return require_complete(options);
	return command_end(&err, MM_EXIT_OK);
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
		listing = options->analysis->listing(&options->report);
	if (find_suspects(options, &suspects, &err))
		return command_end(&err, MM_EXIT_FAILED);
	if (listing) {
		status = list(options, listing);
		mm_suspects_release(&suspects);
		return status;
	}
	report = make_report(options, &err);
	if (!report && options->require_complete &&
	    options->source.reader == MM_READER_BABELTRACE2) {
		ctf_verify_unread(options->trace, options->source.jobs, &err);
		if (options->newer)
			ctf_verify_unread(options->newer, options->source.jobs, &err);
	}
	mm_suspects_release(&suspects);
	if (!report)
		return command_end(&err, MM_EXIT_FAILED);
	if (options->report.sort && mm_report_sort(report, options->report.sort)) {
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
