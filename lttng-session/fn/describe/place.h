/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Describes where the kernel module finds the value of an expression such as `vma->vm_mm->pgd`: the
 * pointers to follow, and the type of the value.
 */
#ifndef LTTNG_MM_FN_DESCRIBE_PLACE_H
#define LTTNG_MM_FN_DESCRIBE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/signature.h"
#include "lttng-session/fn/describe/spec.h"

/*
 * A value's place. Evaluation starts with the content of the register or stack slot @source. Each
 * step adds an offset to the current value, and loads eight bytes from the resulting address. The
 * last step only adds its offset; the result is the address of the value.
 */
struct fn_place {
	const struct fn_btf *btf;
	unsigned int source;
	uint32_t type;
	const char *name;      /* name of the argument or of the last member; NULL for an element */
	unsigned int pointers; /* the type of the value is @type with this number of asterisks */
	/* if the argument is a structure: the BTF id of its type */
	uint32_t structure;
	/* if the argument is a structure: the sources of its two eightbytes; else NULL */
	const unsigned char *eightbytes;
	/* if there are no steps: index of the eightbyte that contains the value */
	unsigned int eightbyte;
	unsigned int steps; /* number of steps; 0: the value is in the source itself */
	int64_t offset[LTTNG_MM_FN_STEPS];
	unsigned int bit;	 /* if there are no steps: first bit of the value in the source */
	unsigned int field_bits; /* width of a bit field; 0: not a bit field */
	unsigned int field_bit;	 /* if there are steps: first bit of a bit field, below 8 */
};

/*
 * Moves @place from an argument to the value that the accesses of @item select. Returns 0, or -1
 * with @err set.
 */
int fn_place_follow(const struct fn_spec *spec, const struct fn_spec_item *item,
		    struct fn_place *place, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_PLACE_H */
