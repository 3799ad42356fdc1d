/* SPDX-License-Identifier: LGPL-2.1-only */
/* Where the value of an expression is: which pointers lead to it, and of which type it is. */
#ifndef LTTNG_MM_FN_DESCRIBE_PLACE_H
#define LTTNG_MM_FN_DESCRIBE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/signature.h"
#include "lttng-session/fn/describe/spec.h"

/*
 * The value starts as the register or stack slot @source. Each step adds an offset and loads eight
 * bytes from there, but the last one, which is what the expression names, has not loaded yet.
 */
struct fn_place {
	const struct fn_btf *btf;
	unsigned int source;
	uint32_t type;
	const char
		*name; /* of the argument, or of the last member; elements have that of the array */
	unsigned int
		pointers; /* the value is a pointer to @type, by so many levels, after a cast */
	/* If the argument is a structure: its type, and the sources of its two words. */
	uint32_t structure;
	const unsigned char *words; /* NULL: it is none */
	unsigned int word;	    /* that has the value, if there are no steps */
	unsigned int steps;	    /* 0: the value is a part of the source */
	int64_t offset[LTTNG_MM_FN_STEPS];
	unsigned int bit;	 /* of the source where the value starts, if there are no steps */
	unsigned int field_bits; /* of a bit field; 0: it is none */
	unsigned int field_bit;	 /* of a bit field: its first bit, below 8, if there are steps */
};

/*
 * Follows the members, elements and casts of @item from the value that @place is set to. Returns 0,
 * or -1 with @err set.
 */
int fn_place_follow(const struct fn_spec *spec, const struct fn_spec_item *item,
		    struct fn_place *place, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_PLACE_H */
