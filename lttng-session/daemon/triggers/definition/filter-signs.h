/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rewrites filters for LTTng. Its bytecode compares all numbers as signed 64-bit numbers. An
 * unsigned error code 0xfffffffffffffff4 would be -12, and less than 1.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "util/error.h"

/* The range of an operand. */
enum filter_sign {
	FILTER_NO_INTEGER, /* a string or a floating-point number */
	FILTER_SIGNED,	   /* may be negative */
	FILTER_SMALL,	   /* from 0 to 2^bits - 1, with at most 63 bits */
	FILTER_LARGE,	   /* from 0 to 2^64 - 1 */
};

struct filter_type {
	enum filter_sign sign;
	unsigned int bits; /* for FILTER_SMALL */
	/*
	 * The operand has 64 unsigned bits, so its complement is FILTER_LARGE. Example: `len & 1`.
	 */
	bool is_wide;
};

/* Returns the type of the field @name, or of its elements if it is an array. */
typedef struct filter_type filter_type_of(const struct filter_token *name, void *user);

/*
 * Rewrites @text, a filter without labels, because LTTng compares unsigned values as signed ones.
 * `len > 5` becomes `( len > 5 || len < 0 )` if len is FILTER_LARGE. Values are compared as they
 * are printed, so an unsigned field is never -1.
 *
 * Returns 0, or -1 with @err set if there is no equivalent filter. Also fails if a comparison
 * always or never matches because of the sign, because the user hardly intends this.
 */
int filter_rewrite_signs(const char *text, filter_type_of *type_of, void *user, char *rewritten,
			 size_t size, struct mm_error *err);

/*
 * Can @rewritten be the result of filter_rewrite_signs() for @resolved? Checks that @rewritten
 * contains only tokens of @resolved and tokens that rewriting adds.
 */
bool filter_is_rewritten_from(const char *rewritten, const char *resolved);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H */
