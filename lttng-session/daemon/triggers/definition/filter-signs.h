/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rewrites filters for LTTng, which compares all numbers as signed 64-bit ones. For it,
 * 0xfffffffffffffff4 is -12, and less than 1.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "util/error.h"

/* Which numbers an operand can be. */
enum filter_sign {
	FILTER_NO_INTEGER, /* a string, a floating-point number */
	FILTER_SIGNED,	   /* may be negative */
	FILTER_SMALL,	   /* from 0 to 2^bits - 1, with at most 63 bits */
	FILTER_LARGE,	   /* from 0 to 2^64 - 1 */
};

struct filter_type {
	enum filter_sign sign;
	unsigned int bits; /* of FILTER_SMALL */
	/* FILTER_LARGE, or made of it, as `len & 1`: its complement is FILTER_LARGE. */
	bool is_wide;
};

/* Returns the type of the field @name, of its elements if it is an array. */
typedef struct filter_type filter_type_of(const struct filter_token *name, void *user);

/*
 * Writes to @rewritten the filter that matches with signed comparisons where the numbers of @text,
 * a filter without labels, match. `len > 5` becomes `( len > 5 || len < 0 )` if len is
 * FILTER_LARGE. Values are compared as they print: an unsigned field is never -1.
 *
 * Returns 0, or -1 with @err set: the filter has no equivalent, or always or never matches because
 * of the sign, which is hardly what its author meant.
 */
int filter_rewrite_signs(const char *text, filter_type_of *type_of, void *user, char *rewritten,
			 size_t size, struct mm_error *err);

/*
 * Can filter_rewrite_signs() have made @rewritten of @resolved? Its tokens must be those of
 * @resolved, or what comparisons are rewritten with.
 */
bool filter_is_rewritten_from(const char *rewritten, const char *resolved);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FILTER_SIGNS_H */
