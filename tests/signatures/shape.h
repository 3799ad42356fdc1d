/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Describes types as text, which is the same for BTF and for DWARF. The text contains no typedefs
 * and no qualifiers, as in
 *
 *   "long unsigned int", "**struct folio", "enum fault_flag", "*function", "*void"
 */
#ifndef LTTNG_MM_TESTS_SIGNATURES_SHAPE_H
#define LTTNG_MM_TESTS_SIGNATURES_SHAPE_H

#include <elfutils/libdw.h>

#include "lttng-session/fn/describe/value.h"

#define SHAPE_MAX 160

/* The text of a type, and the class and size of its values. */
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

/* Describes the kernel type that the program reads as @value. */
void shape_of_btf(const struct fn_btf *btf, uint32_t type, const struct fn_value *value,
		  struct type_shape *shape);

/* Describes the type in DW_AT_type of @die, or `void` if the attribute is missing. */
void shape_of_dwarf(Dwarf_Die *die, struct type_shape *shape);

#endif /* LTTNG_MM_TESTS_SIGNATURES_SHAPE_H */
