// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the reports of runs. */
#include "regress/runs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/mrc/mrc.h"
#include "analysis/run/select.h"
#include "analysis/run/trace-report.h"
#include "reader/open/open.h"
#include "reader/report/read.h"
#include "reader/report/render.h"
#include "util/hash.h"
#include "util/json-file.h"

static int no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory");
}

/* Appends a run without reports. Returns NULL with @err set on failure. */
static struct regress_run *append(struct regress_runs *runs, const char *path, struct mm_error *err)
{
	struct regress_run *all = mm_array_grow(runs->all, runs->count, &runs->room, sizeof(*all));
	char *copy = strdup(path);

	if (all)
		runs->all = all;
	if (!all || !copy) {
		free(copy);
		no_memory(err);
		return NULL;
	}
	all[runs->count] = (struct regress_run){ .path = copy };
	return &all[runs->count++];
}

/* Reads a stored report of any analysis. Returns 0, or -1 with @err set. */
static int read_stored(struct regress_run *run, const char *path, struct mm_error *err)
{
	const char *name;
	char why[256];
	json_t *json;
	int number;

	if (mm_json_load(path, &json, why, sizeof(why)))
		return no_memory(err);
	if (!json)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: not a report that can be read: %s; give a folder with a trace, or what `lttng-mm report ANALYSIS --json` printed",
			path, *why ? why : "not a file");
	name = json_string_value(json_object_get(json, "analysis"));
	number = name ? regress_schema_find(name) : -1;
	if (number < 0)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			name ? "%s: a report of '%.64s', which has no metrics to check; give what `lttng-mm report ANALYSIS --json` printed"
			     : "%s: JSON, but not a report; give what `lttng-mm report ANALYSIS --json` printed",
			path, name);
	else if (run->reports[number])
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "%s: the run has two reports of %s; remove one of them", path, name);
	else
		run->reports[number] =
			mm_report_from_json(json, path, regress_schema_at((size_t)number), err);
	json_decref(json);
	return err->code ? -1 : 0;
}

/* Reads a stored report, which must describe the whole trace. */
static int read_file(struct regress_run *run, const char *path, struct mm_error *err)
{
	const struct mm_report *report;

	if (read_stored(run, path, err))
		return -1;
	report = regress_run_report(run);
	if (!report->selection && !report->windowed)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"%s: the report was made with %s, so it covers only a part of the trace; make it again with `lttng-mm report %s --json`",
		path, report->selection ? report->selection : "a time range", report->schema->name);
}

/* A trace from which reports are made. */
struct trace {
	const char *path;
	const struct mm_source_options *options;
	int32_t pid; /* 0: all processes */
	struct mm_pids descendants;
};

/* Makes the report of one analysis with default options. */
static int run_analysis(struct regress_run *run, size_t number, const struct trace *trace,
			struct mm_error *err)
{
	const struct mm_analysis *analysis = mm_analysis_at(number);
	const struct mm_analysis *page_ref = mm_analysis_find("page-ref");
	struct mm_report_options *values = mm_options_create(analysis->options);
	int ret = 0;

	if (!values)
		return no_memory(err);
	/* Page references were recorded only for the process and its descendants. */
	if (trace->pid && analysis != page_ref && mm_option_find(analysis->options, "pid")) {
		values->by_pid = true;
		values->pid = (unsigned int)trace->pid;
		values->descendants = &trace->descendants;
	}
	run->reports[number] = mm_trace_report(analysis, trace->path, trace->options, values, err);
	if (run->reports[number] && analysis == page_ref)
		ret = mrc_add_needs(trace->path, trace->options, values, run->reports[number], err);
	free(values);
	return run->reports[number] ? ret : -1;
}

static int run_mrc(struct regress_run *run, size_t number, const struct trace *trace,
		   struct mm_error *err)
{
	const struct mrc_settings settings = {
		.policies[MRC_LRU] = true,
		.limit = MRC_RATE_DEFAULT,
		.sample = 1,
	};

	run->reports[number] = mrc_report(trace->path, trace->options, &settings, err);
	return run->reports[number] ? 0 : -1;
}

/* Returns true if report @number is wanted and the trace declares events for it. */
static bool is_to_make(const struct mm_source *source, size_t number,
		       const bool wanted[REGRESS_SCHEMAS_MAX])
{
	const struct mm_analysis *analysis = mm_analysis_at(number);

	if (wanted && !wanted[number])
		return false;
	/*
	 * Some reports need no particular events. Make such a report only if the caller requests
	 * it.
	 */
	if (!analysis || !analysis->required)
		return wanted;
	return mm_source_declares_prefix(source, analysis->required) ||
	       mm_source_orphan_count(source);
}

static int read_trace(struct regress_run *run, const char *path, int32_t pid,
		      const bool wanted[REGRESS_SCHEMAS_MAX], const struct mm_source_options *given,
		      struct mm_error *err)
{
	struct mm_source_options options = *given;
	struct trace trace = { .path = path, .options = &options, .pid = pid };
	struct mm_suspects suspects = { NULL };
	struct mm_source *source;
	int ret;

	if (mm_source_is_live(path))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: a live session, which can be read only once; take a snapshot, or record to a folder",
			path);
	source = mm_source_open(path, &options, err);
	if (!source)
		return -1;
	ret = mm_source_identify(source, err) ||
			      mm_trace_suspects(path, &options, &suspects, err) ||
			      (pid &&
			       mm_select_descendants(path, &options, pid, &trace.descendants, err))
		      ? -1
		      : 0;
	options.suspects = &suspects;
	for (size_t i = 0; regress_schema_at(i) && !ret; i++)
		if (is_to_make(source, i, wanted))
			ret = mm_analysis_at(i) ? run_analysis(run, i, &trace, err)
						: run_mrc(run, i, &trace, err);
	free(trace.descendants.all);
	mm_suspects_release(&suspects);
	mm_source_destroy(source);
	if (!ret && !regress_run_report(run))
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the trace has none of the events that are needed; record them with `lttng-mm record`",
			path);
	return ret;
}

int regress_run_make(struct regress_run *run, const char *path, int32_t pid,
		     const struct mm_source_options *options, struct mm_error *err)
{
	return read_trace(run, path, pid, NULL, options, err);
}

static bool is_file(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Reads run.json and the reports beside it. */
static int read_run(struct regress_runs *runs, const char *folder, struct mm_error *err)
{
	struct regress_run *run = append(runs, folder, err);
	char path[PATH_MAX], name[64], why[256];

	if (!run)
		return -1;
	snprintf(path, sizeof(path), "%s/" REGRESS_RUN_FILE, folder);
	if (mm_json_load(path, &run->facts, why, sizeof(why)))
		return no_memory(err);
	if (!json_is_object(run->facts))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "%s: not readable: %s; make the run again with `lttng-mm run`",
				    path, run->facts ? "not an object" : why);
	for (size_t i = 0; regress_schema_at(i); i++) {
		snprintf(name, sizeof(name), "%s.json", regress_schema_at(i)->name);
		if (!is_file(folder, name))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
		    read_stored(run, path, err))
			return -1;
	}
	if (regress_run_report(run))
		return 0;
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "%s: the run has no reports; make it again with `lttng-mm run`",
			    folder);
}

/* Reads DIR/run-1, DIR/run-2, ... Sets *@any if DIR/run-1 exists. */
static int read_folder(struct regress_runs *runs, const char *folder, bool *any,
		       struct mm_error *err)
{
	for (unsigned int i = 1;; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/" REGRESS_RUN_PREFIX "%u", folder, i) >=
			    (int)sizeof(path) ||
		    !is_file(path, REGRESS_RUN_FILE))
			return 0;
		*any = true;
		if (read_run(runs, path, err))
			return -1;
	}
}

int regress_runs_add(struct regress_runs *runs, const char *path,
		     const bool wanted[REGRESS_SCHEMAS_MAX],
		     const struct mm_source_options *options, struct mm_error *err)
{
	struct regress_run *run;
	bool any = false;

	if (is_file(path, REGRESS_RUN_FILE))
		return read_run(runs, path, err);
	if (read_folder(runs, path, &any, err) || any)
		return any && !err->code ? 0 : -1;
	run = append(runs, path, err);
	if (!run)
		return -1;
	run->is_file = mm_report_is_stored(path);
	return run->is_file ? read_file(run, path, err)
			    : read_trace(run, path, 0, wanted, options, err);
}

void regress_run_release(struct regress_run *run)
{
	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX; i++)
		mm_report_destroy(run->reports[i]);
	json_decref(run->facts);
	free(run->path);
	*run = (struct regress_run){ NULL };
}

void regress_runs_release(struct regress_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		regress_run_release(&runs->all[i]);
	free(runs->all);
	*runs = (struct regress_runs){ NULL };
}

const struct mm_report *regress_run_report(const struct regress_run *run)
{
	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX; i++)
		if (run->reports[i])
			return run->reports[i];
	return NULL;
}

bool regress_run_is_doubtful(const struct regress_run *run, char why[REGRESS_WHY])
{
	const char *fault = json_string_value(json_object_get(run->facts, "inconclusive"));

	*why = '\0';
	if (fault)
		snprintf(why, REGRESS_WHY, "%s", fault);
	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX && !*why; i++) {
		const struct mm_report *report = run->reports[i];
		const struct mm_cell *complete;

		if (!report)
			continue;
		complete = &report->coverage[MM_COVERAGE_COMPLETE];
		if (report->incomplete)
			snprintf(why, REGRESS_WHY, "%s", mm_report_what_lost(report));
		else if (complete->kind != MM_CELL_BOOLEAN)
			snprintf(why, REGRESS_WHY, "nothing shows that the trace is complete");
		else if (!complete->u)
			snprintf(why, REGRESS_WHY, "the trace is not complete");
		else if (report->damaged)
			snprintf(why, REGRESS_WHY, "the trace is damaged");
	}
	return *why;
}
