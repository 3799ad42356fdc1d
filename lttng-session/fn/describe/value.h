/* SPDX-License-Identifier: LGPL-2.1-only */
/* How a value of a type is recorded, and why it is not. */
#ifndef LTTNG_MM_FN_DESCRIBE_VALUE_H
#define LTTNG_MM_FN_DESCRIBE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"

enum fn_reason {
	FN_AVAILABLE,
	FN_TWO_REGISTERS, /* in memory, or a result */
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

/* "it is a floating-point number" */
const char *fn_reason_text(enum fn_reason reason);

/* A number. Of what is not available, only the reason is set. */
struct fn_value {
	enum fn_reason reason;
	unsigned char kind;	 /* enum lttng_mm_fn_kind */
	unsigned char bytes;	 /* 1, 2, 4 or 8; 16 of structures in two registers */
	unsigned char mask_bits; /* of the value */
	unsigned char bits;	 /* of the field */
	bool is_bool, is_structure;
	bool by_member;	 /* a structure whose members are recorded: @bytes of an argument */
	uint32_t labels; /* the type that is an enumeration; 0: none */
};

/* The smallest number of bits that a field of @bits can have. */
unsigned char fn_field_bits(unsigned int bits);

/*
 * The value of a type, in a register or in memory: integers, enumerations, pointers, and structures
 * of up to 8 bytes.
 */
struct fn_value fn_value_of(const struct fn_btf *btf, uint32_t type);

/*
 * The same of what has a name, as an argument or a member: an unsigned integer of 64 bits that is
 * an address or a page number, by its typedef or its name, is hexadecimal.
 */
struct fn_value fn_value_named(const struct fn_btf *btf, uint32_t type, const char *name);

#endif /* LTTNG_MM_FN_DESCRIBE_VALUE_H */
