/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Signatures of functions: which registers and stack slots contain the arguments at the entry and
 * the result at the exit. The rules are those of the System V psABI for x86-64, section 3.2.3
 * (Parameter Passing). A value whose place is not certain is not available.
 */
#ifndef LTTNG_MM_FN_DESCRIBE_SIGNATURE_H
#define LTTNG_MM_FN_DESCRIBE_SIGNATURE_H

#include "lttng-session/fn/describe/value.h"

#define FN_SIGNATURE_MAX 32
/* Number of registers for arguments of class INTEGER. Further arguments are on the stack. */
#define FN_REGISTERS 6

struct fn_argument {
	const char *name; /* name of the argument; may be empty */
	uint32_t type;
	/* 0 to 5: rdi, rsi, rdx, rcx, r8, r9; from 6 on: the eightbytes of the stack, in order */
	unsigned int source;
	unsigned char eightbytes[2]; /* for a structure: the sources of its two eightbytes */
	struct fn_value value;
};

struct fn_signature {
	const struct fn_btf *btf;
	const char *name;
	uint32_t result_type; /* BTF id of the result's type; 0: void */
	struct fn_value result;
	bool is_variadic;
	size_t count;
	struct fn_argument arguments[FN_SIGNATURE_MAX];
};

/*
 * Reads the signature of the function with the BTF id @function. Returns 0, or -1 if the id is not
 * a function or the function has more than FN_SIGNATURE_MAX arguments.
 */
int fn_signature_read(const struct fn_btf *btf, uint32_t function, struct fn_signature *signature);

/* Does the function have an argument of this type? */
bool fn_signature_takes(const struct fn_signature *signature, const struct fn_named_type *type);

#endif /* LTTNG_MM_FN_DESCRIBE_SIGNATURE_H */
