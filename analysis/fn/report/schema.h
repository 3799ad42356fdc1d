/* SPDX-License-Identifier: LGPL-2.1-only */
/* Metrics and tables of the report of function calls. */
#ifndef LTTNG_MM_FN_REPORT_SCHEMA_H
#define LTTNG_MM_FN_REPORT_SCHEMA_H

#include "reader/report/schema.h"

extern const struct mm_report_schema fn_schema;
extern const struct mm_compared fn_compared;

extern const struct mm_table_def fn_table_functions;
extern const struct mm_table_def fn_table_errors;
extern const struct mm_table_def fn_table_by;
extern const struct mm_table_def fn_table_slowest;
extern const struct mm_table_def fn_table_outcomes;
extern const struct mm_table_def fn_table_added;

/* Columns that two tables share. Each table defines where they start (..._TIMES). */
enum fn_times_column {
	FN_TIMES_MEAN_NS,
	FN_TIMES_P50_NS,
	FN_TIMES_P90_NS,
	FN_TIMES_P99_NS,
	FN_TIMES_MAX_NS,
	FN_TIMES_TOTAL_NS,
	FN_TIMES_SELF_NS,
};

enum fn_functions_column {
	FN_FUNCTIONS_FUNCTION,
	FN_FUNCTIONS_CALLS,
	FN_FUNCTIONS_ERRORS,
	FN_FUNCTIONS_ERROR_PERCENT,
	FN_FUNCTIONS_TIMES, /* first column of enum fn_times_column */
};
enum fn_errors_column {
	FN_ERRORS_FUNCTION,
	FN_ERRORS_ERROR,
	FN_ERRORS_CALLS,
	FN_ERRORS_PERCENT,
};

enum fn_by_column {
	FN_BY_VALUE,
	FN_BY_CALLS,
	FN_BY_ERRORS,
	FN_BY_TIMES, /* first column of enum fn_times_column */
};

enum fn_slowest_column {
	FN_SLOWEST_START_NS,
	FN_SLOWEST_DURATION_NS,
	FN_SLOWEST_SELF_NS,
	FN_SLOWEST_TID,
	FN_SLOWEST_COMM,
	FN_SLOWEST_CPU,
	FN_SLOWEST_FUNCTION,
	FN_SLOWEST_ARGUMENTS,
	FN_SLOWEST_RESULT,
	FN_SLOWEST_CALLER,
	FN_SLOWEST_CALL,
	FN_SLOWEST_PID,
};

enum fn_incomplete_column {
	FN_INCOMPLETE_FUNCTION,
	FN_INCOMPLETE_CALLS,
	FN_INCOMPLETE_NOT_ENDED,
	FN_INCOMPLETE_BEFORE_TRACE,
	FN_INCOMPLETE_EXIT_WITHOUT_ENTRY,
	FN_INCOMPLETE_ENTRY_WITHOUT_EXIT,
	FN_INCOMPLETE_THREAD_ENDED,
	FN_INCOMPLETE_UNDETERMINED,
	FN_INCOMPLETE_TOO_DEEP,
	FN_INCOMPLETE_STOPPED,
	FN_INCOMPLETE_UNCERTAIN,
	FN_INCOMPLETE_UNUSED_RECORDS,
};

enum fn_added_column {
	FN_ADDED_FUNCTION,
	FN_ADDED_STATE,
	FN_ADDED_HOOK,
	FN_ADDED_CALLS,
	FN_ADDED_MISSES,
};

#endif /* LTTNG_MM_FN_REPORT_SCHEMA_H */
