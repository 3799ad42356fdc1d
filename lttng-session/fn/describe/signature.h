/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Signatures of functions: where the calling convention of x86-64 (System V ABI, 3.2.3) places each
 * argument at the entry, and the result at the exit. What is not certain is not available.
 */
#ifndef LTTNG_MM_FN_DESCRIBE_SIGNATURE_H
#define LTTNG_MM_FN_DESCRIBE_SIGNATURE_H

#include "lttng-session/fn/describe/value.h"

#define FN_SIGNATURE_MAX 32
/* Those after them are on the stack. */
#define FN_REGISTERS 6

struct fn_argument {
	const char *name; /* empty: it has none */
	uint32_t type;
	/* 0 to 5: rdi, rsi, rdx, rcx, r8, r9; from 6: the eight bytes on the stack by number */
	unsigned int source;
	unsigned char words[2]; /* of a structure: the same for each of its eight bytes */
	struct fn_value value;
};

struct fn_signature {
	const struct fn_btf *btf;
	const char *name;
	uint32_t result_type; /* 0: void */
	struct fn_value result;
	bool is_variadic;
	size_t count;
	struct fn_argument arguments[FN_SIGNATURE_MAX];
};

/* @function is the id of the function. Returns -1 if it has too many arguments, or is none. */
int fn_signature_read(const struct fn_btf *btf, uint32_t function, struct fn_signature *signature);

/* Has the function an argument of the type? */
bool fn_signature_takes(const struct fn_signature *signature, const struct fn_named_type *type);

#endif /* LTTNG_MM_FN_DESCRIBE_SIGNATURE_H */
