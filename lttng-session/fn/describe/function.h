/* SPDX-License-Identifier: LGPL-2.1-only */
/* A function whose calls are to be recorded: a SPEC, and what the kernel's types say of it. */
#ifndef LTTNG_MM_FN_DESCRIBE_FUNCTION_H
#define LTTNG_MM_FN_DESCRIBE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/field.h"

/*
 * Calls per second, unless --max-rate says otherwise, after which a function is no longer recorded:
 * recording them would take a third of a CPU.
 */
#define FN_MAX_RATE 1000000

/* What is requested of all functions that are added at once. Members may be NULL, 0 or false. */
struct fn_add_options {
	const char *as;	       /* NAME, of one function */
	const char *inside;    /* only during a call of this function */
	int64_t slower_ns;     /* only calls that took at least that */
	unsigned int max_rate; /* calls per second; 0: no limit */
	bool caller, errors, raw;
	bool calls; /* only fn_NAME_call will be recorded; it is not part of the function */
};

struct fn_function {
	char name[LTTNG_MM_FN_NAME_MAX]; /* NAME */
	char symbol[LTTNG_MM_FN_NAME_MAX];
	char module[FN_MODULE_MAX];	 /* empty: the kernel */
	char spec[LTTNG_MM_FN_SPEC_MAX]; /* the SPEC, and the options other than --as */
	size_t count;
	struct fn_field fields[LTTNG_MM_FN_FIELDS];
	bool has_result;
	struct fn_field result;
	char inside[LTTNG_MM_FN_NAME_MAX]; /* empty: always */
	unsigned int flags;		   /* of struct lttng_mm_fn_function */
	unsigned int max_rate;
	uint64_t slower_ns, error_mask;
	/* What is not recorded although the SPEC selects nothing, as a sentence; empty: nothing. */
	char note[256];
};

/*
 * Fills in @function, which @spec names and which is in @module. @btf are the types of the module;
 * if they are those of the kernel instead, or NULL, the SPEC must say what each value is. Returns
 * 0, or -1 with @err set.
 */
int fn_function_make(const struct fn_spec *spec, const struct fn_btf *btf, const char *symbol,
		     const char *module, const struct fn_add_options *options,
		     struct fn_function *function, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_FUNCTION_H */
