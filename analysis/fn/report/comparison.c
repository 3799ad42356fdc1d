// SPDX-License-Identifier: LGPL-2.1-only
/* Rules for comparing two reports of function calls. */
#include "analysis/fn/report/schema.h"

static const struct mm_compared_column function_columns[] = {
	{ "self_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "calls", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "errors", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "total_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "mean_ns", MM_LESS_IS_BETTER, MM_STEADY, "calls", 4 },
	{ "p50_ns", MM_LESS_IS_BETTER, MM_STEADY, "calls", 4 },
	{ "p90_ns", MM_LESS_IS_BETTER, MM_STEADY, "calls", 20 },
	{ "p99_ns", MM_LESS_IS_BETTER, MM_STEADY, "calls", 200 },
	{ "max_ns", MM_LESS_IS_BETTER, MM_MAXIMUM, "calls", 0 },
	{ 0 },
};

static const struct mm_compared_column error_columns[] = {
	{ "calls", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_table tables[] = {
	{ &fn_table_functions, "fn.function", { "function" }, { NULL }, function_columns },
	{ &fn_table_errors, "fn.error", { "function", "error" }, { NULL }, error_columns },
	{ &fn_table_by, "fn.value", { "value" }, { NULL }, function_columns },
	{ NULL, NULL, { NULL }, { NULL }, NULL },
};

static const char *const repeated[] = {
	"fn.calls", "fn.errors", "fn.latency_ns", "fn.total_ns", "fn.self_ns", NULL,
};

static const struct mm_headline headlines[] = {
	{ "All functions took", "fn.self_ns", NULL },
	{ "Calls numbered", "fn.calls", NULL },
	{ "Failures numbered", "fn.failures", NULL },
	{ NULL, NULL, NULL },
};

static const char *const lowered[] = {
	"fn.calls",
	"fn.errors",
	NULL,
};

static const char *const coarse[] = {
	"fn.latency_ns",   "fn.function.p50_ns", "fn.function.p90_ns", "fn.function.p99_ns",
	"fn.value.p50_ns", "fn.value.p90_ns",	 "fn.value.p99_ns",    NULL,
};

const struct mm_compared fn_compared = { tables, repeated, headlines, lowered, coarse };
