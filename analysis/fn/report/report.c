// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the report of function calls. */
#include "analysis/fn/report/report.h"
#include "analysis/fn/report/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fn/report/slow-call.h"
#include "util/duration.h"
#include "util/glob.h"
#include "util/time.h"

#define QUANTILES 4
static const double quantiles[QUANTILES] = { 0.5, 0.9, 0.99, 1 };
static const char *const quantile_names[QUANTILES] = { "0.5", "0.9", "0.99", "1" };

static bool has_events(const struct fn_results *results, uint32_t function)
{
	const struct fn_counts *counts = &results->pairing->counts[function];
	uint64_t sum = results->accounts->functions[function].durations.count + counts->unused;

	for (int i = 0; i < FN_OUTCOMES; i++)
		sum += counts->outcomes[i];
	return sum;
}

static int by_name(const void *a, const void *b, void *names)
{
	char *const *all = names;

	return strcmp(all[*(const uint32_t *)a], all[*(const uint32_t *)b]);
}

int fn_report_list(struct fn_results *results)
{
	const struct fn_classes *classes = results->classes;

	results->listed = calloc(classes->function_count + 1, sizeof(*results->listed));
	if (!results->listed)
		return -1;
	for (uint32_t i = 0; i < classes->function_count; i++)
		if (mm_glob_match(classes->functions, classes->names[i]) && has_events(results, i))
			results->listed[results->listed_count++] = i;
	qsort_r(results->listed, results->listed_count, sizeof(*results->listed), by_name,
		classes->names);
	return 0;
}

/*
 * Minimum number of calls for each quantile in the text form. With fewer calls, the quantile would
 * show outliers.
 */
static const uint64_t quantile_calls[QUANTILES] = { 1, 20, 200, 1 };

static void fill_times(const struct fn_account *account, struct mm_cell *cells)
{
	const struct fn_durations *durations = &account->durations;
	uint64_t ns[QUANTILES];

	if (!durations->count)
		return;
	for (size_t i = 0; i < QUANTILES; i++)
		if (durations->count < quantile_calls[i])
			mm_cell_set_shown(&cells[FN_TIMES_P50_NS + i], "-");
	fn_durations_quantiles(durations, quantiles, ns, QUANTILES);
	mm_cell_set_r(&cells[FN_TIMES_MEAN_NS],
		      (double)durations->sum_ns / (double)durations->count);
	for (size_t i = 0; i < QUANTILES; i++)
		mm_cell_set_u(&cells[FN_TIMES_P50_NS + i], ns[i]);
	mm_cell_set_u(&cells[FN_TIMES_TOTAL_NS], account->total_ns);
	mm_cell_set_u(&cells[FN_TIMES_SELF_NS], account->self_ns);
}

/*
 * Reports a time. Without calls, the value is null, because 0 would mean that the calls took no
 * time.
 */
static void report_time(struct mm_report *report, const char *metric, const char *function,
			uint64_t calls, uint64_t ns)
{
	struct mm_metric *made = mm_report_metric(report, metric, function, NULL);

	if (calls)
		mm_cell_set_u(&made->value, ns);
}

static void fill_function(const char *name, const struct fn_account *account,
			  struct mm_table *table, struct mm_report *report)
{
	uint64_t ns[QUANTILES], count = account->durations.count;
	struct mm_cell *row = mm_table_row(report, table);

	if (!row)
		return;
	mm_cell_set_s(&row[FN_FUNCTIONS_FUNCTION], name);
	mm_cell_set_u(&row[FN_FUNCTIONS_CALLS], count);
	mm_cell_set_u(&row[FN_FUNCTIONS_ERRORS], account->errors);
	if (count)
		mm_cell_set_r(&row[FN_FUNCTIONS_ERROR_PERCENT],
			      100.0 * (double)account->errors / (double)count);
	fill_times(account, &row[FN_FUNCTIONS_TIMES]);
	mm_report_count(report, count, "fn.calls", name);
	mm_report_count(report, account->errors, "fn.errors", name);
	report_time(report, "fn.total_ns", name, count, account->total_ns);
	report_time(report, "fn.self_ns", name, count, account->self_ns);
	fn_durations_quantiles(&account->durations, quantiles, ns, QUANTILES);
	for (size_t i = 0; i < QUANTILES; i++) {
		struct mm_metric *metric =
			mm_report_metric(report, "fn.latency_ns", name, quantile_names[i], NULL);

		mm_metric_set_samples(metric, count);
		if (count)
			mm_cell_set_u(&metric->value, ns[i]);
	}
}

static void fill_functions(const struct fn_results *results, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_functions);

	for (uint32_t i = 0; i < results->listed_count; i++)
		fill_function(results->classes->names[results->listed[i]],
			      &results->accounts->functions[results->listed[i]], table, report);
	if (mm_table_sort(table, FN_FUNCTIONS_TIMES + FN_TIMES_SELF_NS, true))
		report->failed = true;
}

static void fill_errors(const struct fn_results *results, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_errors);
	const struct fn_accounts *accounts = results->accounts;

	for (size_t i = 0; i < accounts->error_count; i++) {
		const struct fn_error_count *error = &accounts->errors[i];
		struct mm_cell *row;
		char text[FN_TEXT_MAX];

		if (!error->count)
			continue;
		row = mm_table_row(report, table);
		if (!row)
			return;
		mm_cell_set_u(&row[FN_ERRORS_CALLS], error->count);
		if (!i)
			continue;
		fn_error_text(error->class, &error->error, text, sizeof(text));
		mm_cell_set_s(&row[FN_ERRORS_FUNCTION], results->classes->names[error->function]);
		mm_cell_set_s(&row[FN_ERRORS_ERROR], text);
		mm_cell_set_r(&row[FN_ERRORS_PERCENT],
			      100.0 * (double)error->count /
				      (double)accounts->functions[error->function].durations.count);
	}
	if (mm_table_sort(table, FN_ERRORS_CALLS, true))
		report->failed = true;
}

static void caller_name(const struct fn_results *results, uint64_t code, char *text, size_t size)
{
	if (!mm_call_sites_name(results->call_sites, (uint32_t)code, text, size))
		snprintf(text, size, "0x%" PRIx64, code);
}

static void fill_by(const struct fn_results *results, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_by);
	const struct fn_grouping *by = &results->accounts->by;
	bool callers = by->function && !strcmp(by->argument, "caller");

	for (size_t i = 0; i < by->count; i++) {
		const struct fn_value_group *value = &by->all[i];
		struct mm_cell *row;
		char name[256];

		if (!value->account.durations.count)
			continue;
		row = mm_table_row(report, table);
		if (!row)
			return;
		if (callers && value->text)
			caller_name(results, strtoull(value->text, NULL, 16), name, sizeof(name));
		mm_cell_set_s(&row[FN_BY_VALUE], callers && value->text ? name : value->text);
		mm_cell_set_u(&row[FN_BY_CALLS], value->account.durations.count);
		mm_cell_set_u(&row[FN_BY_ERRORS], value->account.errors);
		fill_times(&value->account, &row[FN_BY_TIMES]);
	}
	if (mm_table_sort(table, FN_BY_CALLS, true))
		report->failed = true;
}

static int by_duration(const void *a, const void *b)
{
	return fn_slow_call_compare(a, b);
}

static void fill_slow(const struct fn_results *results, const struct fn_slow_call *call,
		      struct mm_report *report, struct mm_cell *row)
{
	const char *name = results->classes->names[call->exit->function];
	const int32_t pid = fn_slow_call_pid(results, call);
	char arguments[FN_TEXT_MAX], result[FN_TEXT_MAX / 4], text[FN_CALL_TEXT];

	mm_time_format(text, sizeof(text), call->start_ns, report->gmt);
	mm_cell_set_u(&row[FN_SLOWEST_START_NS], (uint64_t)call->start_ns);
	mm_cell_set_shown(&row[FN_SLOWEST_START_NS], text);
	mm_cell_set_u(&row[FN_SLOWEST_DURATION_NS], call->duration_ns);
	mm_cell_set_u(&row[FN_SLOWEST_SELF_NS], call->self_ns);
	mm_cell_set_u(&row[FN_SLOWEST_TID], call->tid);
	mm_cell_set_s(&row[FN_SLOWEST_COMM], fn_slow_call_comm(results, call));
	if (call->cpu != MM_CPU_UNKNOWN)
		mm_cell_set_u(&row[FN_SLOWEST_CPU], call->cpu);
	mm_cell_set_s(&row[FN_SLOWEST_FUNCTION], name);
	fn_arguments_text(call->entry, call->values, call->unread, "", arguments,
			  sizeof(arguments));
	mm_cell_set_s(&row[FN_SLOWEST_ARGUMENTS], arguments);
	if (call->exit->has_ret) {
		fn_result_text(call->exit, call->ret, call->ret_unread, result, sizeof(result));
		mm_cell_set_s(&row[FN_SLOWEST_RESULT], result);
	}
	if (call->exit->has_caller) {
		caller_name(results, call->caller, text, sizeof(text));
		mm_cell_set_s(&row[FN_SLOWEST_CALLER], text);
	}
	fn_slow_call_text(results, call, text, sizeof(text));
	mm_cell_set_s(&row[FN_SLOWEST_CALL], text);
	if (pid >= 0)
		mm_cell_set_u(&row[FN_SLOWEST_PID], (uint64_t)pid);
}

static int fill_slowest(const struct fn_results *results, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_slowest);
	size_t count = results->accounts->slow_count;
	struct fn_slow_call *sorted = malloc((count + 1) * sizeof(*sorted));

	if (!sorted)
		return -1;
	memcpy(sorted, results->accounts->slowest, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_duration);
	for (size_t i = 0; i < count; i++) {
		struct mm_cell *row = mm_table_row(report, table);

		if (row)
			fill_slow(results, &sorted[i], report, row);
	}
	free(sorted);
	return 0;
}

static void fill_outcomes(const struct fn_results *results, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_outcomes);
	uint64_t sums[FN_OUTCOMES] = { 0 }, all = 0, uncertain = 0;

	for (uint32_t i = 0; i < results->listed_count; i++) {
		uint32_t function = results->listed[i];
		const struct fn_counts *counts = &results->pairing->counts[function];
		struct mm_cell *row = mm_table_row(report, table);

		if (!row)
			return;
		mm_cell_set_s(&row[FN_INCOMPLETE_FUNCTION], results->classes->names[function]);
		mm_cell_set_u(&row[FN_INCOMPLETE_CALLS],
			      results->accounts->functions[function].durations.count);
		for (int k = 0; k < FN_OUTCOMES; k++) {
			mm_cell_set_u(&row[mm_table_column(table, fn_outcome_names[k])],
				      counts->outcomes[k]);
			sums[k] += counts->outcomes[k];
			all += counts->outcomes[k];
		}
		mm_cell_set_u(&row[FN_INCOMPLETE_UNCERTAIN], counts->uncertain);
		mm_cell_set_u(&row[FN_INCOMPLETE_UNUSED_RECORDS], counts->unused);
		uncertain += counts->uncertain;
	}
	for (int k = 0; k < FN_OUTCOMES; k++)
		mm_report_count(report, sums[k], "fn.outcomes", fn_outcome_names[k]);
	mm_report_count(report, uncertain, "fn.calls_uncertain");
	table->hidden = !all;
}

static void fill_recorder(const struct fn_recorder_calls *recorder, struct mm_report *report)
{
	struct mm_metric *calls = mm_report_metric(report, "fn.recorder.calls", NULL);
	struct mm_metric *self = mm_report_metric(report, "fn.recorder.self_ns", NULL);
	char text[MM_DURATION_TEXT];

	if (!recorder->known)
		return;
	if (recorder->any_unknown)
		mm_report_remark_unknown(report, "calls");
	mm_cell_set_u(&calls->value, recorder->calls);
	mm_cell_set_u(&self->value, recorder->self_ns);
	if (!recorder->calls)
		return;
	mm_duration_format(text, sizeof(text), (int64_t)recorder->self_ns);
	mm_report_remark(
		report,
		"The recorder's own calls are left out of all figures (--include-recorder): %" PRIu64
		", %s without recorded callees.",
		recorder->calls, text);
}

int fn_report_fill(const struct fn_results *results, const struct fn_option_values *options,
		   struct mm_report *report)
{
	mm_report_count(report, results->pairing->losses, "fn.losses");
	fill_functions(results, report);
	fill_errors(results, report);
	mm_report_count(report, fn_failures_sum(&results->accounts->failures), "fn.failures");
	fill_by(results, report);
	if (fill_slowest(results, report))
		return -1;
	fill_outcomes(results, report);
	fn_conclude(results, options, report);
	if (fn_report_added(results, options->report.by_pid, report))
		return -1;
	fill_recorder(results->recorder, report);
	for (size_t i = 0; i < report->table_count; i++)
		mm_table_limit(report->tables[i], options->report.top);
	return 0;
}
