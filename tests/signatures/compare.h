/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares what the program takes from the kernel's types with debug information. */
#ifndef LTTNG_MM_TESTS_SIGNATURES_COMPARE_H
#define LTTNG_MM_TESTS_SIGNATURES_COMPARE_H

#include "lttng-session/fn/describe/signature.h"
#include "tests/signatures/image.h"

/* What debug information says of an available argument. */
enum outcome {
	OUTCOME_REGISTER, /* it is in the same register */
	OUTCOME_STACK,	  /* it is at the same place on the stack */
	/*
	 * Its type is the same, but nothing is said of its place. It is where the calling
	 * convention has it: a function whose arguments the compiler changed has another name.
	 */
	OUTCOME_NONE,  /* the function does not use it */
	OUTCOME_LATER, /* it has no location at the entry */
	OUTCOME_FRAME, /* the function stores it in its frame first */
	OUTCOME_BARE,  /* the code of the function has no debug information */
	OUTCOME_DIFFERS,
	OUTCOMES,
};

struct signature_comparison {
	bool lists_all; /* prints what debug information does not say, too */
	uint64_t functions, arguments, available, results;
	uint64_t bare, unknown, differing_functions, differing_results;
	uint64_t differing_names, implicit; /* of functions */
	uint64_t by_outcome[OUTCOMES];
};

/* Compares the function @signature, which @image has at @address. Prints each difference. */
void compare_function(struct signature_comparison *comparison, const struct image *image,
		      const struct fn_signature *signature, uint64_t address);

/* Prints the counts. */
void compare_print(const struct signature_comparison *comparison);

#endif /* LTTNG_MM_TESTS_SIGNATURES_COMPARE_H */
