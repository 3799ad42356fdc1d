/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two signatures of a function: the program derives one from the kernel's types, and the
 * test reads the other one from debug information.
 */
#ifndef LTTNG_MM_TESTS_SIGNATURES_COMPARE_H
#define LTTNG_MM_TESTS_SIGNATURES_COMPARE_H

#include "lttng-session/fn/describe/signature.h"
#include "tests/signatures/image.h"

/* The place where `fn` reads an argument, compared with the place in debug information. */
enum outcome {
	OUTCOME_REGISTER, /* the same register */
	OUTCOME_STACK,	  /* the same place on the stack */
	/*
	 * The types are equal, but debug information gives no place. The place then follows from
	 * the calling convention, because a compiler that changes the arguments of a function also
	 * changes its name.
	 */
	OUTCOME_NONE,  /* the function does not use the argument */
	OUTCOME_LATER, /* the argument has no location at the entry */
	OUTCOME_FRAME, /* the function first stores the argument in its frame */
	OUTCOME_BARE,  /* the code of the function has no debug information */
	OUTCOME_DIFFERS,
	OUTCOMES,
};

struct signature_comparison {
	bool lists_all; /* also prints arguments without information */
	uint64_t functions, arguments, available, results;
	uint64_t bare, unknown, differing_functions, differing_results;
	uint64_t differing_names, implicit; /* numbers of functions */
	uint64_t by_outcome[OUTCOMES];
};

/* Compares the function @signature at @address in @image. Prints each difference. */
void compare_function(struct signature_comparison *comparison, const struct image *image,
		      const struct fn_signature *signature, uint64_t address);

/* Prints the counts. */
void compare_print(const struct signature_comparison *comparison);

#endif /* LTTNG_MM_TESTS_SIGNATURES_COMPARE_H */
