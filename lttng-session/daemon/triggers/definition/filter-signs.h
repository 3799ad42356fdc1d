/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rewrites filters for LTTng, whose bytecode compares all numbers as signed 64-bit numbers. For
 * example, the unsigned error code 0xfffffffffffffff4 would be compared as -12, and be less than 1.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "util/error.h"

/* The range of values of an operand. */
enum filter_sign {
	FILTER_NO_INTEGER, /* a string or a floating-point number */
	FILTER_SIGNED,	   /* may be negative */
	FILTER_SMALL,	   /* from 0 to 2^bits - 1, with at most 63 bits */
	FILTER_LARGE,	   /* from 0 to 2^64 - 1 */
};

struct filter_type {
	enum filter_sign sign;
	unsigned int bits; /* number of bits, for FILTER_SMALL */
	/*
	 * LTTng computes the operand as an unsigned 64-bit number, so its complement (~) is
	 * FILTER_LARGE. Example: `len & 1`.
	 */
	bool is_wide;
};

/*
 * Returns the type of the field @name. If the field is an array, returns the type of its elements.
 */
typedef struct filter_type filter_type_of(const struct filter_token *name, void *user);

/*
 * Rewrites @text, a filter without labels, so that LTTng's signed comparisons give the right result
 * for unsigned values. If len is FILTER_LARGE, `len > 5` becomes `( len > 5 || len < 0 )`. Values
 * compare as they are printed: an unsigned field is printed without a sign, so it never equals -1.
 *
 * Returns 0, or -1 with @err set if there is no equivalent filter. Also fails if the sign makes a
 * comparison always true or always false: a user hardly wants such a comparison.
 */
int filter_rewrite_signs(const char *text, filter_type_of *type_of, void *user, char *rewritten,
			 size_t size, struct mm_error *err);

/*
 * Can @rewritten be a result of filter_rewrite_signs() for @resolved? Checks that @rewritten
 * contains only tokens of @resolved and tokens that filter_rewrite_signs() adds.
 */
bool filter_is_rewritten_from(const char *rewritten, const char *resolved);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H */
