/* SPDX-License-Identifier: LGPL-2.1-only */
/* A kernel function to record: its SPEC resolved with the types in BTF. */
#ifndef LTTNG_MM_FN_DESCRIBE_FUNCTION_H
#define LTTNG_MM_FN_DESCRIBE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/fn/describe/field.h"

/*
 * Default of --max-rate. A function with more calls per second is disabled: recording so many takes
 * a third of a CPU.
 */
#define FN_MAX_RATE 1000000

/* Options that apply to all functions of one command. Members may be NULL, 0 or false. */
struct fn_add_options {
	const char *as;	       /* NAME of a single function */
	const char *inside;    /* record only during calls of this function */
	int64_t slower_ns;     /* record only calls that took at least this long */
	unsigned int max_rate; /* calls per second; 0: no limit */
	bool caller, errors, raw;
	bool calls; /* only fn_NAME_call will be recorded; the function stays the same */
};

struct fn_function {
	char name[LTTNG_MM_FN_NAME_MAX]; /* NAME in the events fn_NAME_entry and so on */
	char symbol[LTTNG_MM_FN_NAME_MAX];
	char module[FN_MODULE_MAX];	 /* empty: the kernel */
	char spec[LTTNG_MM_FN_SPEC_MAX]; /* the SPEC, and the options other than --as */
	size_t count;
	struct fn_field fields[LTTNG_MM_FN_FIELDS];
	bool has_result;
	struct fn_field result;
	char inside[LTTNG_MM_FN_NAME_MAX]; /* record only during its calls; empty: always */
	unsigned int flags;		   /* flags of struct lttng_mm_fn_function */
	unsigned int max_rate;
	uint64_t slower_ns, error_mask;
	/* If the SPEC selects no arguments, names arguments that are not recorded. May be empty. */
	char note[256];
};

/*
 * Fills in @function for the function @symbol of @module, which @spec names. @btf: the BTF of the
 * module. If the module has none, pass the kernel's BTF or NULL; the SPEC must then state the type
 * of each value. Returns 0, or -1 with @err set.
 */
int fn_function_make(const struct fn_spec *spec, const struct fn_btf *btf, const char *symbol,
		     const char *module, const struct fn_add_options *options,
		     struct fn_function *function, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_FUNCTION_H */
