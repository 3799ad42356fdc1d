/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The numbers that `fn list --available` shows: functions, arguments and results that can be
 * recorded.
 */
#ifndef LTTNG_MM_FN_DESCRIBE_AVAILABLE_H
#define LTTNG_MM_FN_DESCRIBE_AVAILABLE_H

#include "lttng-session/fn/describe/value.h"

struct fn_available {
	uint64_t traceable; /* number of functions that can be traced; 0 for a BTF file */
	/* number of functions in the BTF file, or of traceable functions that BTF describes */
	uint64_t described;
	uint64_t arguments; /* number of arguments of the described functions */
	/* number of arguments that cannot be recorded, by reason */
	uint64_t by_reason[FN_REASONS];
	uint64_t results, result_reasons[FN_REASONS];
};

/*
 * Counts the functions in @file, which contains BTF. If @file is NULL, counts the traceable
 * functions of the running kernel and its modules. Returns 0, or -1 with @err set.
 */
int fn_available_count(const char *file, struct fn_available *available, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_AVAILABLE_H */
