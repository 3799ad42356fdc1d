/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decides how values of a BTF type are recorded as numbers, or why they cannot be recorded. */
#ifndef LTTNG_MM_FN_DESCRIBE_VALUE_H
#define LTTNG_MM_FN_DESCRIBE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"

/* Reasons why a value cannot be recorded; fn_reason_text() explains them. */
enum fn_reason {
	FN_AVAILABLE,
	/* a structure in two registers; if it is an argument, its members may still be recorded */
	FN_TWO_REGISTERS,
	FN_PAIR_ON_STACK,
	FN_WIDE_INTEGER,
	FN_ON_STACK,
	FN_PLACE_UNKNOWN,
	FN_FLOAT,
	FN_VECTOR,
	FN_EMPTY,
	FN_ODD_SIZE,
	FN_HIDDEN_POINTER,
	FN_BEYOND,
	FN_NO_ROOM,
	FN_UNKNOWN_TYPE,
	FN_REASONS,
};

/* Returns the reason as a clause, such as "it is a floating-point number". */
const char *fn_reason_text(enum fn_reason reason);

/*
 * Describes a number in a register or in memory. If @reason is not FN_AVAILABLE, only @reason is
 * set.
 */
struct fn_value {
	enum fn_reason reason;
	unsigned char kind; /* a value of enum lttng_mm_fn_kind */
	/* size of the number, 1, 2, 4 or 8; or 16 for a structure in two registers */
	unsigned char bytes;
	unsigned char mask_bits; /* number of bits of the value */
	unsigned char bits;	 /* number of bits of the event field */
	bool is_bool, is_structure;
	bool by_member;	 /* the value is a structure whose members are recorded */
	uint32_t labels; /* BTF id of the enumeration with labels; 0: none */
};

/* Returns the smallest width of a field that has room for @bits: 8, 16, 32 or 64. */
unsigned char fn_field_bits(unsigned int bits);

/*
 * Describes a value of the type, which must be an integer, an enumeration, a pointer or a structure
 * of up to 8 bytes.
 */
struct fn_value fn_value_of(const struct fn_btf *btf, uint32_t type);

/*
 * Like fn_value_of(), for an argument or member called @name. Marks an unsigned 64-bit integer as
 * hexadecimal if its typedef or name suggests an address or a page number.
 */
struct fn_value fn_value_named(const struct fn_btf *btf, uint32_t type, const char *name);

#endif /* LTTNG_MM_FN_DESCRIBE_VALUE_H */
