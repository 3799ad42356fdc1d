// SPDX-License-Identifier: LGPL-2.1-only
/* Runs an analysis on a trace and makes its report. */
#include "analysis/run/analysis.h"

#include <stdlib.h>

#include "analysis/registry/registry.h"
#include "analysis/run/parts.h"
#include "analysis/run/passes.h"
#include "analysis/run/window.h"
#include "reader/coverage/report/coverage-section.h"
#include "reader/open/open.h"
#include "reader/open/range.h"

static int finish(const struct mm_analysis *analysis, void *state, const struct mm_source *source,
		  const struct mm_sysinfo *sysinfo, struct mm_error *err)
{
	if (mm_analysis_require(analysis, source, err))
		return -1;
	return analysis->finish ? analysis->finish(state, source, sysinfo, err) : 0;
}

static void set_selection(const struct mm_analysis *analysis,
			  const struct mm_report_options *options, struct mm_report *report)
{
	char *selection = mm_options_selection(analysis->options, options);

	report->failed |= !selection;
	if (selection && *selection)
		mm_report_set_selection(report, selection);
	free(selection);
}

/* Makes the report of @state after finish(). Returns NULL with @err set on failure. */
static struct mm_report *make_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_sysinfo *sysinfo,
				     const struct mm_report_options *options, struct mm_error *err)
{
	struct mm_report *report = mm_report_create(analysis->schema);

	if (report)
		mm_window_conclude(analysis, state, source, report);
	/* Fill in the coverage first: fill() computes rates from the coverage's time range. */
	if (report)
		mm_coverage_fill(source, sysinfo, report);
	if (report && analysis->fill(state, options, report))
		report->failed = true;
	if (report)
		mm_coverage_conclude(source, report);
	if (report)
		set_selection(analysis, options, report);
	if (report && report->undeclared) {
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"report: %s: '%s' is not in the analysis's schema, or has other labels",
			analysis->name, report->undeclared);
		mm_report_destroy(report);
		return NULL;
	}
	if (!report || mm_report_failed(report)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		mm_report_destroy(report);
		return NULL;
	}
	return report;
}

struct mm_report *mm_analysis_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_sysinfo *sysinfo,
				     const struct mm_report_options *options, struct mm_error *err)
{
	return finish(analysis, state, source, sysinfo, err)
		       ? NULL
		       : make_report(analysis, state, source, sysinfo, options, err);
}

/*
 * Reads the trace again if mm_analysis.again() requests this. The second reading replaces *@state
 * and *@source. Returns 0, or -1 with @err set.
 */
static int read_again(const struct mm_analysis *analysis, void **state, struct mm_source **source,
		      const struct mm_sysinfo *sysinfo, const struct mm_report_options *options,
		      struct mm_error *err)
{
	struct mm_pass pass = { .request = analysis->request,
				.handler = { .event = analysis->event,
					     .lost = analysis->lost,
					     .bind = analysis->bind } };
	struct mm_source *again;
	void *next;

	if (!analysis->again || !mm_source_can_read_again(*source))
		return 0;
	if (analysis->again(*state, options, &next, err))
		return -1;
	if (!next)
		return 0;
	pass.state = pass.handler.user = next;
	again = mm_source_open(mm_source_path(*source), mm_source_options(*source), err);
	if (mm_pass_run(&pass, again, err) || mm_window_history(analysis, next, again, err) ||
	    finish(analysis, next, again, sysinfo, err)) {
		analysis->destroy(next);
		mm_source_destroy(again);
		return -1;
	}
	analysis->destroy(*state);
	mm_source_destroy(*source);
	*state = next;
	*source = again;
	return 0;
}

/* Fails if the trace ends before the time of option --@name. */
static int check_time(const char *path, const struct mm_source_options *options,
		      const struct mm_report_time *time, const char *name, struct mm_error *err)
{
	struct mm_source_options whole;
	struct mm_source *source;
	int ret;

	if (time->time.ns == INT64_MIN || mm_source_is_live(path))
		return 0;
	if (options)
		whole = *options;
	else
		mm_source_options_init(&whole);
	mm_source_options_select_all(&whole);
	source = mm_source_open(path, &whole, err);
	ret = source ? mm_range_check_since(source, &time->time, time->gmt, name, err) : -1;
	mm_source_destroy(source);
	return ret;
}

/* Fails if the trace ends before the time of any option. */
static int check_times(const struct mm_analysis *analysis, const char *path,
		       const struct mm_source_options *source_options,
		       const struct mm_report_options *options, struct mm_error *err)
{
	const struct mm_option *option = mm_options_table(analysis->options);

	for (; option->name; option++) {
		const struct mm_report_time *time =
			option->type == MM_OPTION_TIME ? mm_option_time(option, options) : NULL;

		if (time && check_time(path, source_options, time, option->name, err))
			return -1;
	}
	return 0;
}

struct mm_report *mm_analysis_run(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_source **read,
				  struct mm_error *err)
{
	bool single = mm_source_is_live(path);
	struct mm_passes passes = { NULL };
	struct mm_sysinfo *sysinfo;
	struct mm_source *source;
	struct mm_report *report = NULL;
	void *state;

	if (check_times(analysis, path, source_options, options, err))
		return NULL;
	if ((single && (mm_passes_check_single(analysis, path, err) ||
			mm_passes_check_again(analysis, path, options, err))) ||
	    mm_parts_run(analysis, path, source_options, options, MM_PARTS_BYTES_MIN, &source,
			 &state, &sysinfo, NULL, err))
		return NULL;
	if (!sysinfo)
		sysinfo = mm_sysinfo_load(source, mm_sysinfo_part_at);
	if (!sysinfo)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	else if ((single || !mm_passes_run(analysis, state, source, &passes, err)) &&
		 !mm_window_history(analysis, state, source, err) &&
		 !finish(analysis, state, source, sysinfo, err) &&
		 !read_again(analysis, &state, &source, sysinfo, options, err))
		report = make_report(analysis, state, source, sysinfo, options, err);
	if (report && single)
		mm_passes_note(analysis, report);
	analysis->destroy(state);
	mm_passes_release(&passes);
	mm_sysinfo_destroy(sysinfo);
	if (report && read)
		*read = source;
	else
		mm_source_destroy(source);
	return report;
}
