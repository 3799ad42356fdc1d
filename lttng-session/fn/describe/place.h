/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The place of an expression's value: pointers to follow, and a type. Example: `vma->vm_mm->pgd`.
 */
#ifndef LTTNG_MM_FN_DESCRIBE_PLACE_H
#define LTTNG_MM_FN_DESCRIBE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/signature.h"
#include "lttng-session/fn/describe/spec.h"

/*
 * The value starts as the register or stack slot @source. Each step adds an offset and loads eight
 * bytes from the sum. The last step only adds its offset: the sum is the value's address.
 */
struct fn_place {
	const struct fn_btf *btf;
	unsigned int source;
	uint32_t type;
	const char *name;      /* name of the argument or of the last member; NULL: an element */
	unsigned int pointers; /* after a cast to `@type ***`: the number of asterisks */
	/* If the argument is a structure: its type, and the sources of its two eightbytes. */
	uint32_t structure;
	const unsigned char *eightbytes; /* NULL: no structure */
	unsigned int eightbyte;		 /* without steps: number of the eightbyte with the value */
	unsigned int steps;		 /* 0: the value is part of the source itself */
	int64_t offset[LTTNG_MM_FN_STEPS];
	unsigned int bit;	 /* without steps: first bit of the value in the source */
	unsigned int field_bits; /* width of a bit field; 0: not a bit field */
	unsigned int field_bit;	 /* with steps: first bit of a bit field, below 8 */
};

/*
 * Moves @place from an argument along the members, elements and casts of @item. Returns 0, or -1
 * with @err set.
 */
int fn_place_follow(const struct fn_spec *spec, const struct fn_spec_item *item,
		    struct fn_place *place, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_PLACE_H */
