/* SPDX-License-Identifier: LGPL-2.1-only */
/* The field that records a value, as the kernel module takes it. */
#ifndef LTTNG_MM_FN_DESCRIBE_FIELD_H
#define LTTNG_MM_FN_DESCRIBE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/field-name.h"
#include "lttng-session/fn/describe/place.h"

struct fn_field {
	/* Its name and labels are set when the request is built. */
	struct lttng_mm_fn_field wire;
	char name[FN_FIELD_NAME_MAX];
	const struct fn_btf *btf; /* that has @labels */
	uint32_t labels;	  /* the type that is an enumeration; 0: none */
};

/* Is it a string, or bytes? */
static inline bool fn_field_is_text(const struct fn_field *field)
{
	return field->wire.kind == LTTNG_MM_FN_STRING ||
	       field->wire.kind == LTTNG_MM_FN_USER_STRING || field->wire.kind == LTTNG_MM_FN_BYTES;
}

/* Sets all but the name to a number that is in a register or on the stack. */
void fn_field_of_value(const struct fn_btf *btf, const struct fn_value *value, unsigned int source,
		       struct fn_field *field);

/*
 * Sets all but the name to the value at @place, as the type @type that the SPEC gives. @column is
 * that of the expression. Returns 0, or -1 with @err set.
 */
int fn_field_of_place(const struct fn_spec *spec, const struct fn_place *place,
		      const struct fn_type *type, unsigned int column, struct fn_field *field,
		      struct mm_error *err);

/*
 * The same without a description of the source: the type alone says what it is. @btf is searched
 * for enumerations; NULL: there is none.
 */
int fn_field_by_hand(const struct fn_spec *spec, const struct fn_btf *btf, unsigned int source,
		     const struct fn_type *type, struct fn_field *field, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_FIELD_H */
