/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts of functions, arguments and results that can be recorded: `fn list --available`. */
#ifndef LTTNG_MM_FN_DESCRIBE_AVAILABLE_H
#define LTTNG_MM_FN_DESCRIBE_AVAILABLE_H

#include "lttng-session/fn/describe/value.h"

struct fn_available {
	uint64_t traceable; /* functions that can be traced; 0 for a BTF file */
	uint64_t described; /* functions in BTF; without a BTF file, only the traceable ones */
	uint64_t arguments; /* arguments of the described functions */
	uint64_t by_reason[FN_REASONS]; /* per reason: number of unavailable arguments */
	uint64_t results, result_reasons[FN_REASONS];
};

/*
 * Counts the functions in @file, which contains BTF. NULL: the traceable functions of the running
 * kernel and its modules. Returns 0, or -1 with @err set.
 */
int fn_available_count(const char *file, struct fn_available *available, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_AVAILABLE_H */
