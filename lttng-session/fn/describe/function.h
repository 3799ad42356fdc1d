/* SPDX-License-Identifier: LGPL-2.1-only */
/* A kernel function to record, with the fields that its SPEC and the types in BTF define. */
#ifndef LTTNG_MM_FN_DESCRIBE_FUNCTION_H
#define LTTNG_MM_FN_DESCRIBE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/field.h"

/*
 * Default of --max-rate, in calls per second. The module stops recording a function that exceeds
 * the rate. Recording calls at this rate takes a third of a CPU.
 */
#define FN_MAX_RATE 1000000

/*
 * Options that apply to all functions of one command. A member that is NULL, 0 or false is not set.
 */
struct fn_add_options {
	const char *as;	       /* the NAME of --as, for a single function */
	const char *inside;    /* record only during calls of this function */
	int64_t slower_ns;     /* record only calls that took at least this long */
	unsigned int max_rate; /* maximum number of calls per second; 0: no limit */
	bool caller, errors, raw;
	/* only the event fn_NAME_call will be recorded; this does not change the added function */
	bool calls;
};

struct fn_function {
	/* NAME in the events fn_NAME_entry, fn_NAME_exit and fn_NAME_call */
	char name[LTTNG_MM_FN_NAME_MAX];
	char symbol[LTTNG_MM_FN_NAME_MAX];
	char module[FN_MODULE_MAX];	 /* module that contains the function; empty: the kernel */
	char spec[LTTNG_MM_FN_SPEC_MAX]; /* the SPEC, and the options other than --as */
	size_t count;
	struct fn_field fields[LTTNG_MM_FN_FIELDS];
	bool has_result;
	struct fn_field result;
	/* record only during calls of this function; empty: always */
	char inside[LTTNG_MM_FN_NAME_MAX];
	unsigned int flags; /* flags of struct lttng_mm_fn_function */
	unsigned int max_rate;
	uint64_t slower_ns, error_mask;
	/* notes for the user, such as why an argument is not recorded; may be empty */
	char note[256];
};

/*
 * Fills in @function for the function @symbol of @module. @spec is its SPEC, and @btf the module's
 * BTF. If the module has no BTF, pass the kernel's BTF or NULL; the SPEC must then state the type
 * of each value. Returns 0, or -1 with @err set.
 */
int fn_function_make(const struct fn_spec *spec, const struct fn_btf *btf, const char *symbol,
		     const char *module, const struct fn_add_options *options,
		     struct fn_function *function, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_FUNCTION_H */
