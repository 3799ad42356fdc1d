/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Types as text that is the same for BTF and for DWARF: without typedefs and qualifiers, as in
 *
 *   "long unsigned int", "**struct folio", "enum fault_flag", "*function", "*void"
 */
#ifndef LTTNG_MM_TESTS_SIGNATURES_SHAPE_H
#define LTTNG_MM_TESTS_SIGNATURES_SHAPE_H

#include <elfutils/libdw.h>

#include "lttng-session/fn/describe/value.h"

#define SHAPE_MAX 160

/* The shape of a type, and how a value of it is passed. */
struct type_shape {
	char text[SHAPE_MAX];
	enum shape_kind {
		SHAPE_VOID,
		SHAPE_UNSIGNED,
		SHAPE_SIGNED,
		SHAPE_POINTER,
		SHAPE_STRUCTURE,
		SHAPE_OTHER,
	} kind;
	uint64_t bytes;
};

/* What the program does with a type of the kernel, @value, in the same terms. */
void shape_of_btf(const struct fn_btf *btf, uint32_t type, const struct fn_value *value,
		  struct type_shape *shape);

/* The type of @die, which has an attribute DW_AT_type or stands for nothing. */
void shape_of_dwarf(Dwarf_Die *die, struct type_shape *shape);

#endif /* LTTNG_MM_TESTS_SIGNATURES_SHAPE_H */
