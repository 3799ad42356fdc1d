/* SPDX-License-Identifier: LGPL-2.1-only */
/* Maps types to the numbers that record them, or to the reason why they cannot be recorded. */
#ifndef LTTNG_MM_FN_DESCRIBE_VALUE_H
#define LTTNG_MM_FN_DESCRIBE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"

/* Reasons why a value cannot be recorded; fn_reason_text() explains them. */
enum fn_reason {
	FN_AVAILABLE,
	FN_TWO_REGISTERS, /* the members of an argument may still be recorded */
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

/* Returns a clause such as "it is a floating-point number". */
const char *fn_reason_text(enum fn_reason reason);

/* A number in a register or in memory. If @reason is not FN_AVAILABLE, nothing else is set. */
struct fn_value {
	enum fn_reason reason;
	unsigned char kind;	 /* enum lttng_mm_fn_kind */
	unsigned char bytes;	 /* 1, 2, 4 or 8; 16: a structure in two registers */
	unsigned char mask_bits; /* width of the value */
	unsigned char bits;	 /* width of the field */
	bool is_bool, is_structure;
	bool by_member;	 /* the argument is a structure whose members are recorded */
	uint32_t labels; /* id of an enumeration; 0: none */
};

/* Returns the smallest field width for @bits: 8, 16, 32 or 64. */
unsigned char fn_field_bits(unsigned int bits);

/* Returns the value of an integer, enumeration, pointer, or structure of up to 8 bytes. */
struct fn_value fn_value_of(const struct fn_btf *btf, uint32_t type);

/*
 * Returns the value of an argument or member @name. An unsigned 64-bit integer is hexadecimal if
 * its typedef or name suggests an address or a page number.
 */
struct fn_value fn_value_named(const struct fn_btf *btf, uint32_t type, const char *name);

#endif /* LTTNG_MM_FN_DESCRIBE_VALUE_H */
