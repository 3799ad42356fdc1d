/* SPDX-License-Identifier: LGPL-2.1-only */
/* An event field that records one value, laid out for the request to the kernel module. */
#ifndef LTTNG_MM_FN_DESCRIBE_FIELD_H
#define LTTNG_MM_FN_DESCRIBE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/field-name.h"
#include "lttng-session/fn/describe/place.h"

struct fn_field {
	/* the field in the request; fn_request_build() adds its name and labels */
	struct lttng_mm_fn_field wire;
	char name[FN_FIELD_NAME_MAX];
	const struct fn_btf *btf; /* the BTF that contains @labels */
	uint32_t labels;	  /* BTF id of an enumeration with labels; 0: none */
};

/* Does the field record a string or bytes? */
static inline bool fn_field_is_text(const struct fn_field *field)
{
	return field->wire.kind == LTTNG_MM_FN_STRING ||
	       field->wire.kind == LTTNG_MM_FN_USER_STRING || field->wire.kind == LTTNG_MM_FN_BYTES;
}

/*
 * Fills in @field, except its name. The field records the number @value, which is in the register
 * or stack slot @source.
 */
void fn_field_of_value(const struct fn_btf *btf, const struct fn_value *value, unsigned int source,
		       struct fn_field *field);

/*
 * Fills in @field, except its name, to record the value at @place. @type is the type that the SPEC
 * states. @column is the column of the expression, for messages. Returns 0, or -1 with @err set.
 */
int fn_field_of_place(const struct fn_spec *spec, const struct fn_place *place,
		      const struct fn_type *type, unsigned int column, struct fn_field *field,
		      struct mm_error *err);

/*
 * Fills in @field, except its name, for a value that BTF does not describe. @source is its register
 * or stack slot, and @type its type. Looks up enumerations in @btf, which may be NULL. Returns 0,
 * or -1 with @err set.
 */
int fn_field_by_hand(const struct fn_spec *spec, const struct fn_btf *btf, unsigned int source,
		     const struct fn_type *type, struct fn_field *field, struct mm_error *err);

#endif /* LTTNG_MM_FN_DESCRIBE_FIELD_H */
