// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the report of function calls. */
#include "analysis/fn/report/report.h"
#include "analysis/fn/report/schema.h"

#define FUNCTION_MEANING "name of the function, as it was added"

const char *const fn_outcome_names[FN_OUTCOMES] = {
	[FN_NOT_ENDED] = "not_ended",	      [FN_BEFORE_TRACE] = "before_trace",
	[FN_NO_ENTRY] = "exit_without_entry", [FN_NO_EXIT] = "entry_without_exit",
	[FN_THREAD_ENDED] = "thread_ended",   [FN_UNDETERMINED] = "undetermined",
	[FN_TOO_DEEP] = "too_deep",	      [FN_STOPPED] = "stopped",
};

static const struct mm_metric_def metrics[] = {
	{ "fn.calls",
	  MM_COUNT("calls"),
	  MM_NEUTRAL,
	  "calls with entry and exit, or with a single record",
	  { "function", NULL },
	  NULL,
	  MM_SUM },
	{ "fn.errors",
	  MM_COUNT("calls"),
	  MM_LESS_IS_BETTER,
	  "calls whose result is an error: a negative number, an unsigned 64-bit number from -4095 to -1 (such as an error pointer), or an error bit of a vm_fault_t",
	  { "function", NULL },
	  NULL,
	  MM_SUM },
	{ "fn.failures",
	  MM_COUNT("failures"),
	  MM_LESS_IS_BETTER,
	  "failures: errors, but an error that functions pass on to their callers counts only once",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "fn.latency_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "quantile of the time from entry to exit (nearest rank, at most 1/128 too large); `q` of 1 is the maximum, which is exact; null without calls",
	  { "function", "q", NULL },
	  NULL,
	  MM_STEADY },
	{ "fn.total_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time in complete calls of the function; nested calls count once; null without calls",
	  { "function", NULL },
	  NULL,
	  MM_SUM },
	{ "fn.self_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "self time of complete calls: without recorded callees and interrupts; null without calls",
	  { "function", NULL },
	  NULL,
	  MM_SUM },
	{ "fn.outcomes",
	  MM_COUNT("calls"),
	  MM_NEUTRAL,
	  "calls that are not complete: `not_ended` (open at the end of the trace or of the time range), `before_trace` (called before its start), `exit_without_entry` and `entry_without_exit` (missing events cannot explain these), `thread_ended` (the thread exited in the call), `undetermined` (events may be missing in between), `too_deep` (nested in more than 512 calls), `stopped` (recording the function ended)",
	  { "what", NULL },
	  "Incomplete calls",
	  MM_UNSCALED },
	{ "fn.calls_uncertain",
	  MM_COUNT("calls"),
	  MM_NEUTRAL,
	  "complete calls that were paired although a stream is missing or ends early, so an exit may be missing",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "fn.recorder.calls",
	  MM_COUNT("calls"),
	  MM_NEUTRAL,
	  "complete calls of the recorder's own processes, which all other figures leave out; null if the recorder's processes are not known, or with --include-recorder",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "fn.recorder.self_ns",
	  MM_NS,
	  MM_NEUTRAL,
	  "self time of the calls in `fn.recorder.calls`",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "fn.losses",
	  MM_COUNT("losses"),
	  MM_NEUTRAL,
	  "losses in streams that can have events of functions: discarded events, lost or damaged packets, pauses, streams that start late, end early or are missing; no call is paired across a loss, unless a stream is missing or ends early (`fn.calls_uncertain`)",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "fn.missed_calls",
	  MM_COUNT("calls"),
	  MM_LESS_IS_BETTER,
	  "calls that the kernel missed since the functions were added, by the last state dump; functions that share a hook count once; null without a state dump",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "fn.stopped_functions",
	  MM_COUNT("functions"),
	  MM_LESS_IS_BETTER,
	  "functions that are no longer recorded because they were called more often than their maximum rate, by the last state dump; null without one",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ 0 },
};

#define SELF_MEANING "self time: without recorded callees and interrupts"
#define TOTAL_MEANING "time in complete calls; nested calls count once"

#define LATENCY_COLUMNS                                                              \
	{ "mean_ns", "mean", MM_REAL("ns"), MM_DROP(4), "mean from entry to exit" }, \
		{ "p50_ns", "p50", MM_NS, MM_KEEP, "median" },                       \
		{ "p90_ns", "p90", MM_NS, MM_DROP(5),                                \
		  "90th percentile; the text form shows it from 20 calls on" },      \
		{ "p99_ns", "p99", MM_NS, MM_DROP(2),                                \
		  "99th percentile; the text form shows it from 200 calls on" },     \
		{ "max_ns", "max", MM_NS, MM_KEEP, "maximum" },                      \
		{ "total_ns", "total", MM_NS, MM_DROP(1), TOTAL_MEANING },           \
	{                                                                            \
		"self_ns", "self", MM_NS, MM_KEEP, SELF_MEANING                      \
	}

static const struct mm_column function_columns[] = {
	[FN_FUNCTIONS_FUNCTION] = { "function", "function", MM_TEXT, MM_SHORTEN(0, 16),
				    FUNCTION_MEANING },
	[FN_FUNCTIONS_CALLS] = { "calls", "calls", MM_COUNT("calls"), MM_KEEP, "complete calls" },
	[FN_FUNCTIONS_ERRORS] = { "errors", "errors", MM_COUNT("calls"), MM_KEEP,
				  "complete calls whose result is an error" },
	[FN_FUNCTIONS_ERROR_PERCENT] = { "error_percent", "% errors", MM_REAL("percent"),
					 MM_DROP(3), "percentage of these calls" },
	LATENCY_COLUMNS,
	{ 0 },
};

const struct mm_table_def fn_table_functions = {
	"functions", "Functions, by self time: without recorded callees and interrupts",
	"Other times are from entry to exit. Quantiles are at most 1/128 too large; p90 requires 20 calls, p99 requires 200.",
	"each function that was called", function_columns
};

static const struct mm_column error_columns[] = {
	[FN_ERRORS_FUNCTION] = { "function", "function", MM_TEXT, MM_SHORTEN(0, 16),
				 FUNCTION_MEANING
				 "; null: the sum of all errors beyond the first 4,096" },
	[FN_ERRORS_ERROR] = { "error", "error", MM_TEXT, MM_KEEP,
			      "the result: an error number, error bits, a label" },
	[FN_ERRORS_CALLS] = { "calls", "calls", MM_COUNT("calls"), MM_KEEP,
			      "calls with this result" },
	[FN_ERRORS_PERCENT] = { "percent", "% of calls", MM_REAL("percent"), MM_KEEP,
				"percentage of the function's calls" },
	{ 0 },
};

const struct mm_table_def fn_table_errors = { "errors", "Errors, by number of calls", NULL,
					      "each error that a function returned",
					      error_columns };

static const struct mm_column by_columns[] = {
	[FN_BY_VALUE] = { "value", "value", MM_TEXT, MM_SHORTEN(0, 24),
			  "value of the argument; null: the sum of all values beyond the first 1,000" },
	[FN_BY_CALLS] = { "calls", "calls", MM_COUNT("calls"), MM_KEEP,
			  "complete calls with this value" },
	[FN_BY_ERRORS] = { "errors", "errors", MM_COUNT("calls"), MM_KEEP,
			   "complete calls whose result is an error" },
	LATENCY_COLUMNS,
	{ 0 },
};

const struct mm_table_def fn_table_by = { "by-value", "Values of the argument, by number of calls",
					  NULL, "each value of the argument that --by names",
					  by_columns };

static const struct mm_column slowest_columns[] = {
	[FN_SLOWEST_START_NS] = { "start_ns", "start", MM_NS, MM_DROP(3),
				  "time of the entry, in ns since the Epoch" },
	[FN_SLOWEST_DURATION_NS] = { "duration_ns", "duration", MM_NS, MM_KEEP,
				     "from entry to exit" },
	[FN_SLOWEST_SELF_NS] = { "self_ns", "self", MM_NS, MM_DROP(2),
				 "self time: without recorded callees and interrupts" },
	[FN_SLOWEST_TID] = { "tid", "tid", MM_NUMBER, MM_KEEP, "thread id" },
	[FN_SLOWEST_COMM] = { "comm", "thread", MM_TEXT, MM_DROP(1),
			      "name of the thread when the call started; null: not known" },
	[FN_SLOWEST_CPU] = { "cpu", "CPU", MM_NUMBER, MM_DROP(4), "CPU on which the call ended" },
	[FN_SLOWEST_FUNCTION] = { "function", NULL, MM_TEXT, MM_KEEP, FUNCTION_MEANING },
	[FN_SLOWEST_ARGUMENTS] = { "arguments", NULL, MM_TEXT, MM_KEEP,
				   "arguments of the call; `?` is a value that could not be read" },
	[FN_SLOWEST_RESULT] = { "result", NULL, MM_TEXT, MM_KEEP,
				"result of the call; null: the function returns nothing" },
	[FN_SLOWEST_CALLER] = { "caller", "caller", MM_TEXT, MM_DROP(5),
				"call site; null: the events do not state it" },
	[FN_SLOWEST_CALL] = { "call", "call", MM_TEXT, MM_WRAP(40),
			      "function, arguments and result" },
	[FN_SLOWEST_PID] = { "pid", NULL, MM_NUMBER, MM_KEEP,
			     "process of the thread; null: not known" },
	{ 0 },
};

const struct mm_table_def fn_table_slowest = { "slowest", "Slowest calls", NULL,
					       "each of the 100 slowest calls, the slowest first",
					       slowest_columns };

static const struct mm_column outcome_columns[] = {
	[FN_INCOMPLETE_FUNCTION] = { "function", "function", MM_TEXT, MM_SHORTEN(0, 16),
				     FUNCTION_MEANING },
	[FN_INCOMPLETE_CALLS] = { "calls", "complete", MM_COUNT("calls"), MM_KEEP,
				  "calls with entry and exit" },
	[FN_INCOMPLETE_NOT_ENDED] = { "not_ended", "not ended", MM_COUNT("calls"), MM_KEEP,
				      "calls still open at the end of the trace or of the time range" },
	[FN_INCOMPLETE_BEFORE_TRACE] = { "before_trace", "before trace", MM_COUNT("calls"), MM_KEEP,
					 "exits of calls from before the start of the trace or of the time range" },
	[FN_INCOMPLETE_EXIT_WITHOUT_ENTRY] = { "exit_without_entry", "no entry", MM_COUNT("calls"),
					       MM_KEEP,
					       "exits without an entry, which missing events cannot explain" },
	[FN_INCOMPLETE_ENTRY_WITHOUT_EXIT] = { "entry_without_exit", "no exit", MM_COUNT("calls"),
					       MM_KEEP,
					       "entries without an exit, which missing events cannot explain" },
	[FN_INCOMPLETE_THREAD_ENDED] = { "thread_ended", "thread ended", MM_COUNT("calls"),
					 MM_DROP(2), "calls in which the thread ended" },
	[FN_INCOMPLETE_UNDETERMINED] = { "undetermined", "undetermined", MM_COUNT("calls"), MM_KEEP,
					 "calls during which events may be missing" },
	[FN_INCOMPLETE_TOO_DEEP] = { "too_deep", "too deep", MM_COUNT("calls"), MM_DROP(3),
				     "calls nested in more than 512 others" },
	[FN_INCOMPLETE_STOPPED] = { "stopped", "stopped", MM_COUNT("calls"), MM_DROP(1),
				    "last entries of functions whose recording ended before the exit" },
	[FN_INCOMPLETE_UNCERTAIN] = { "uncertain", NULL, MM_COUNT("calls"), MM_KEEP,
				      "complete calls that were paired although a stream is missing or ends early" },
	[FN_INCOMPLETE_UNUSED_RECORDS] = { "unused_records", NULL, MM_COUNT("records"), MM_KEEP,
					   "whole-call records (fn_*_call) of calls that also have entry and exit events, which are counted instead" },
	{ 0 },
};

const struct mm_table_def fn_table_outcomes = {
	"outcomes", "Calls that are not complete",
	"not ended: still running at the end of the trace, or of the time range. undetermined: events may be missing in between.",
	"each function that was called", outcome_columns
};

static const struct mm_column added_columns[] = {
	[FN_ADDED_FUNCTION] = { "function", "function", MM_TEXT, MM_SHORTEN(0, 16),
				FUNCTION_MEANING },
	[FN_ADDED_STATE] = { "state", "state", MM_TEXT, MM_KEEP,
			     "`hooked`, `idle` (no session recorded the function), `stopped` (the function exceeded its maximum rate), `absent` (the function's module was not loaded)" },
	[FN_ADDED_HOOK] = { "hook", "hook", MM_NUMBER, MM_KEEP,
			    "number of the function's hook, which several functions may share; null: the function was never hooked" },
	[FN_ADDED_CALLS] = { "calls", "calls", MM_COUNT("calls"), MM_KEEP,
			     "calls since the function was added" },
	[FN_ADDED_MISSES] = { "misses", "missed", MM_COUNT("calls"), MM_KEEP,
			      "calls that the kernel missed, summed over all functions of the hook" },
	{ 0 },
};

const struct mm_table_def fn_table_added = {
	"added", "Added functions",
	"Counts by the last state dump, since each function was added. Functions of one hook share the count of missed calls.",
	"each added function, by the last state dump", added_columns
};

static const struct mm_table_def *const tables[] = {
	&fn_table_functions, &fn_table_errors, &fn_table_by, &fn_table_slowest,
	&fn_table_outcomes,  &fn_table_added,  NULL,
};

const struct mm_report_schema fn_schema = { "fn", metrics, tables, NULL, &fn_compared, NULL };
