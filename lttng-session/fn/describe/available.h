/* SPDX-License-Identifier: LGPL-2.1-only */
/* How much of the kernel can be recorded: functions, and their arguments by reason. */
#ifndef LTTNG_MM_FN_DESCRIBE_AVAILABLE_H
#define LTTNG_MM_FN_DESCRIBE_AVAILABLE_H

#include "lttng-session/fn/describe/value.h"

struct fn_available {
	uint64_t traceable; /* functions that can be traced; 0: the file of a kernel is counted */
	uint64_t described; /* of them, those that the types describe */
	uint64_t arguments; /* of the described ones */
	uint64_t by_reason[FN_REASONS];
	uint64_t results, result_reasons[FN_REASONS];
};

/*
 * Counts the functions of the running kernel and its modules, or all that the types of @file
 * describe. Returns 0, or -1 with @err set.
 */
int fn_available_count(const char *file, struct fn_available *available, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_AVAILABLE_H */
