// SPDX-License-Identifier: LGPL-2.1-only
/* Writes the sentences and notes of the report of function calls. */
#include "analysis/fn/report/report.h"
#include "analysis/fn/report/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/fn/report/slow-call.h"
#include "reader/sysinfo/selection.h"
#include "util/duration.h"
#include "util/nearest.h"
#include "util/plural.h"
#include "util/time.h"

/* Number of rows of the table on the first screen. */
#define FIRST_ROWS 8

struct call_totals {
	uint64_t calls, errors, self_ns, unused, uncertain, outcomes[FN_OUTCOMES];
	/* @largest: the function with the most self time */
	uint32_t functions, unused_functions, largest;
};

static struct call_totals sum_up(const struct fn_results *results)
{
	struct call_totals totals = { .largest = MM_HASH_NONE };

	for (uint32_t i = 0; i < results->listed_count; i++) {
		uint32_t function = results->listed[i];
		const struct fn_account *account = &results->accounts->functions[function];
		const struct fn_counts *counts = &results->pairing->counts[function];

		totals.functions += account->durations.count > 0;
		totals.calls += account->durations.count;
		totals.errors += account->errors;
		totals.self_ns += account->self_ns;
		totals.unused += counts->unused;
		totals.uncertain += counts->uncertain;
		totals.unused_functions += counts->unused > 0;
		for (int k = 0; k < FN_OUTCOMES; k++)
			totals.outcomes[k] += counts->outcomes[k];
		if (account->durations.count &&
		    (totals.largest == MM_HASH_NONE ||
		     account->self_ns > results->accounts->functions[totals.largest].self_ns))
			totals.largest = function;
	}
	return totals;
}

static void answer_errors(const struct fn_results *results, const struct call_totals *totals,
			  struct mm_report *report)
{
	const struct fn_failures *failures = &results->accounts->failures;
	const struct fn_failure *most = fn_failures_most(failures);
	uint64_t count = fn_failures_sum(failures);
	char text[FN_TEXT_MAX], functions[2 * FN_TEXT_MAX], passed[128] = "";
	char which[80] = "";

	if (!most)
		return;
	fn_error_text(most->class, &most->error, text, sizeof(text));
	fn_failure_functions(failures, most, results->classes->names, functions, sizeof(functions));
	if (count < totals->errors)
		snprintf(
			passed, sizeof(passed),
			": %" PRIu64
			" failure%s, because an error that a function passes on to its caller counts once",
			count, mm_plural_s(count));
	if (most->count > 1)
		snprintf(which, sizeof(which),
			 "the most frequent failure (%" PRIu64 " of %" PRIu64 "): ", most->count,
			 count);
	else if (count > 1)
		snprintf(which, sizeof(which), "one of these: ");
	mm_report_answer(report,
			 "%" PRIu64 " of %" PRIu64
			 " call%s returned an error (%.1f %%)%s; %s%s returned %s.",
			 totals->errors, totals->calls, mm_plural_s(totals->calls),
			 100.0 * (double)totals->errors / (double)totals->calls, passed, which,
			 functions, text);
}

/* States which function has the most self time, and its share. */
static void answer_time(const struct fn_results *results, const struct call_totals *totals,
			struct mm_report *report)
{
	const struct fn_account *account;
	char self[MM_DURATION_TEXT], all[MM_DURATION_TEXT], hint[MM_NEAREST_TEXT];
	const char *name;

	if (fn_classes_match_none(results->classes, hint, sizeof(hint))) {
		mm_report_answer(report, "No function in the trace matches --function=%s%s",
				 results->classes->functions, hint);
		return;
	}
	if (totals->largest == MM_HASH_NONE) {
		mm_report_answer(report, "No call has both an entry and an exit.");
		return;
	}
	account = &results->accounts->functions[totals->largest];
	name = results->classes->names[totals->largest];
	mm_duration_format(self, sizeof(self), (int64_t)account->self_ns);
	mm_duration_format(all, sizeof(all), (int64_t)totals->self_ns);
	if (totals->functions == 1)
		mm_report_answer(report,
				 "The only function with complete calls is %s(): %s in %" PRIu64
				 " call%s.",
				 name, self, account->durations.count,
				 mm_plural_s(account->durations.count));
	else
		mm_report_answer(
			report,
			"The most expensive function is %s(): %s without recorded callees in %" PRIu64
			" call%s, %.1f %% of the %s in all recorded functions.",
			name, self, account->durations.count, mm_plural_s(account->durations.count),
			totals->self_ns ? 100.0 * (double)account->self_ns / (double)totals->self_ns
					: 0,
			all);
}

/*
 * Returns the slowest stored call of @function. If none of its calls is stored, returns the slowest
 * of all calls.
 */
static const struct fn_slow_call *find_example(const struct fn_accounts *accounts,
					       uint32_t function)
{
	const struct fn_slow_call *of_function = NULL, *of_all = NULL;

	for (size_t i = 0; i < accounts->slow_count; i++) {
		const struct fn_slow_call *call = &accounts->slowest[i];

		if (!of_all || fn_slow_call_compare(call, of_all) < 0)
			of_all = call;
		if (call->exit->function == function &&
		    (!of_function || fn_slow_call_compare(call, of_function) < 0))
			of_function = call;
	}
	return of_function ? of_function : of_all;
}

/* Describes the slowest call: its arguments, thread and time. */
static void answer_example(const struct fn_results *results, const struct call_totals *totals,
			   struct mm_report *report)
{
	const struct fn_slow_call *call = find_example(results->accounts, totals->largest);
	char text[FN_CALL_TEXT], took[MM_DURATION_TEXT], thread[FN_THREAD_TEXT], time[MM_TIME_TEXT];

	if (!call)
		return;
	fn_slow_call_text(results, call, text, sizeof(text));
	fn_slow_call_thread(results, call, thread, sizeof(thread));
	mm_duration_format(took, sizeof(took), (int64_t)call->duration_ns);
	mm_time_format(time, sizeof(time), call->start_ns, report->gmt);
	mm_report_answer(report, "The slowest call%s took %s: %s, by %s at %s.",
			 call->exit->function == totals->largest ? " of it" : " of all", took, text,
			 thread, time);
}

/* Can @name be used as a word in the shell without quotes? */
static bool is_word(const char *name)
{
	const size_t length = strlen(name);

	return length && length < 128 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
		       length;
}

static void answer_next(const struct fn_results *results, const struct call_totals *totals,
			const struct fn_option_values *options, struct mm_report *report)
{
	const char *name;

	mm_report_first_table(report,
			      options->by && results->accounts->by.found ? &fn_table_by
									 : &fn_table_functions,
			      FIRST_ROWS);
	if (totals->largest == MM_HASH_NONE)
		return;
	name = results->classes->names[totals->largest];
	if (is_word(name))
		mm_report_next(report, "To see why its slowest calls took so long",
			       "lttng-mm report why --function=%s TRACE", name);
	else
		mm_report_next(report, "To see why the slowest calls took so long",
			       "lttng-mm report why TRACE");
}

static void conclude_incomplete(const struct fn_results *results, const struct call_totals *totals,
				struct mm_report *report)
{
	const uint64_t *outcomes = totals->outcomes;
	uint64_t anomalies = outcomes[FN_NO_ENTRY] + outcomes[FN_NO_EXIT];

	if (anomalies)
		mm_report_answer(
			report,
			"%" PRIu64
			" %s an entry or an exit, and missing events cannot explain this; `lttng-mm verify` names %s.",
			anomalies, mm_plural(anomalies, "call lacks", "calls lack"),
			mm_plural(anomalies, "it", "them"));
	if (outcomes[FN_THREAD_ENDED])
		mm_report_finding(report,
				  "%" PRIu64 " call%s not return: %s thread%s exited in %s.",
				  outcomes[FN_THREAD_ENDED],
				  mm_plural(outcomes[FN_THREAD_ENDED], " did", "s did"),
				  mm_plural(outcomes[FN_THREAD_ENDED], "its", "their"),
				  mm_plural_s(outcomes[FN_THREAD_ENDED]),
				  mm_plural(outcomes[FN_THREAD_ENDED], "it", "them"));
	if (outcomes[FN_NOT_ENDED])
		mm_report_finding(report, "%" PRIu64 " call%s not ended at the end of the %s.",
				  outcomes[FN_NOT_ENDED],
				  mm_plural(outcomes[FN_NOT_ENDED], " had", "s had"),
				  results->pairing->windowed ? "time range" : "trace");
}

static const char *absent_streams(const struct fn_pairing *pairing)
{
	if (!pairing->has_ended)
		return "all events of a stream are missing";
	return pairing->has_missing ? "streams are missing or end early" : "a stream ends early";
}

static void note_limits(const struct fn_results *results, const struct call_totals *totals,
			const struct fn_option_values *options, struct mm_report *report)
{
	const struct fn_grouping *by = &results->accounts->by;
	uint64_t undetermined = totals->outcomes[FN_UNDETERMINED];

	if (undetermined)
		mm_report_note(
			report,
			"%" PRIu64
			" call%s not counted, because events may be missing between entry and exit.",
			undetermined, mm_plural(undetermined, " is", "s are"));
	if (totals->uncertain)
		mm_report_note(
			report,
			"%" PRIu64
			" call%s paired although %s: an exit may belong to another call if its thread ran on the CPU of such a stream in between.",
			totals->uncertain, mm_plural(totals->uncertain, " was", "s were"),
			absent_streams(results->pairing));
	if (totals->unused)
		mm_report_note(report,
			       "%" PRIu64 " record%s of whole calls (fn_*_call) of %" PRIu32
			       " function%s not used: the trace has their entries and exits, too.",
			       totals->unused, mm_plural_s(totals->unused),
			       totals->unused_functions,
			       mm_plural(totals->unused_functions, " are", "s are"));
	if (results->classes->too_many)
		mm_report_note(
			report,
			"The trace has more than %u functions: further functions are left out.",
			FN_FUNCTIONS_MAX);
	if (results->pairing->stacks.too_many)
		mm_report_note(
			report,
			"The trace has more than %u threads: calls of further threads are left out.",
			FN_THREADS_MAX);
	if (options->by && !by->found)
		mm_report_note(
			report,
			"--by=%s: no call of a function of that name has such an argument; write FUNCTION.ARGUMENT, FUNCTION.ret or FUNCTION.caller.",
			options->by);
}

/* Marks in @seen which notations the text of @call uses. */
static void look_at(const struct fn_slow_call *call, struct fn_text_remarks *seen)
{
	for (unsigned int i = 0; i < call->entry->count; i++) {
		const struct fn_value_form *form = &call->entry->arguments[i];

		fn_value_add_remarks(form, call->values->numbers[i], form->unread & call->unread,
				     seen);
	}
	if (call->exit->has_ret)
		fn_value_add_remarks(&call->exit->ret, call->ret, call->ret_unread, seen);
}

static void note_values(const struct fn_results *results, const struct fn_option_values *options,
			struct mm_report *report)
{
	const struct fn_grouping *by = &results->accounts->by;
	struct fn_text_remarks seen = { false, false };

	for (size_t i = 0; i < results->accounts->slow_count; i++)
		look_at(&results->accounts->slowest[i], &seen);
	for (size_t i = 1; options->by && i < by->count; i++)
		seen.unread |= !strcmp(by->all[i].text, "?");
	if (seen.unread)
		mm_report_note(report, "`?` is a value that could not be read.");
	if (seen.encoded)
		mm_report_note(report, "Pointers into the kernel are encoded: see doc/events.md.");
}

void fn_conclude(const struct fn_results *results, const struct fn_option_values *options,
		 struct mm_report *report)
{
	struct call_totals totals = sum_up(results);
	char thread[MM_THREAD_HINT] = "";

	if (options->report.by_pid)
		mm_thread_hint(results->threads, results->sysinfo, (int32_t)options->report.pid,
			       thread);
	answer_time(results, &totals, report);
	answer_example(results, &totals, report);
	answer_errors(results, &totals, report);
	answer_next(results, &totals, options, report);
	conclude_incomplete(results, &totals, report);
	if (options->function || options->report.by_pid)
		mm_report_remark(
			report,
			"Tables, findings and metrics are restricted to the calls that %s%s%s%s.",
			options->function ? "--function" : "",
			options->function && options->report.by_pid ? " and " : "",
			options->report.by_pid ? "--pid selects" : " selects", thread);
	note_limits(results, &totals, options, report);
	note_values(results, options, report);
}
