// SPDX-License-Identifier: LGPL-2.1-only
/* Runs an analysis on a trace and makes its report. */
#include "analysis/run/analysis.h"

#include <string.h>

#include "analysis/run/coverage.h"
#include "analysis/run/open.h"
#include "analysis/run/parts.h"
#include "analysis/run/passes.h"
#include "analysis/run/window.h"

static bool declares_prefix(const struct mm_source *source, const char *prefix)
{
	for (size_t i = 0; i < source->event_name_count; i++)
		if (!strncmp(source->event_names[i], prefix, strlen(prefix)))
			return true;
	return false;
}

struct mm_report *mm_analysis_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_sysinfo *sysinfo,
				     const struct mm_report_options *options, struct mm_error *err)
{
	struct mm_report *report;

	if (analysis->required && !declares_prefix(source, analysis->required)) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: no %s* events in it; record them with `lttng-mm record %s`",
			source->path, analysis->required, analysis->name);
		return NULL;
	}
	if (analysis->finish && analysis->finish(state, source, sysinfo, err))
		return NULL;
	report = mm_report_create(analysis->schema);
	if (report)
		mm_window_conclude(analysis, state, source, report);
	/* The coverage first: rates are of its time range. */
	if (report)
		mm_coverage_fill(source, sysinfo, report);
	if (report && analysis->fill(state, options, report))
		report->failed = true;
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

struct mm_report *mm_analysis_run(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_error *err)
{
	bool single = mm_source_is_live(path);
	struct mm_passes passes = { NULL };
	struct mm_sysinfo *sysinfo;
	struct mm_source *source;
	struct mm_report *report = NULL;
	void *state;

	if ((single && mm_passes_check_single(analysis, path, err)) ||
	    mm_parts_run(analysis, path, source_options, options, MM_PARTS_BYTES_MIN, &source,
			 &state, NULL, err))
		return NULL;
	sysinfo = mm_sysinfo_load(source);
	if (!sysinfo)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	else if ((single || !mm_passes_run(analysis, state, source, &passes, err)) &&
		 !mm_window_history(analysis, state, source, err))
		report = mm_analysis_report(analysis, state, source, sysinfo, options, err);
	if (report && single)
		mm_passes_note(analysis, report);
	analysis->destroy(state);
	mm_passes_release(&passes);
	mm_sysinfo_destroy(sysinfo);
	mm_source_destroy(source);
	return report;
}
