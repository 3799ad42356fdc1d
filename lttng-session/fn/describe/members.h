/* SPDX-License-Identifier: LGPL-2.1-only */
/* Visits the members of a structure that is passed by value in one or two registers. */
#ifndef LTTNG_MM_FN_DESCRIBE_MEMBERS_H
#define LTTNG_MM_FN_DESCRIBE_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"
#include "lttng-session/fn/describe/value.h"

/* Is the type a structure or a union? */
bool fn_is_structure(const struct fn_btf *btf, uint32_t type);

/*
 * Calls @take for each number and pointer in the structure @type, including those in nested
 * structures and arrays. @item is the expression for the structure. @take gets @item with the
 * member or element appended. On return, @item is unchanged. Of the alternatives of a union, visits
 * only the largest one. If several are equally large, visits the first one that contains a pointer,
 * or else the first one. Stops when @take returns a value other than 0, and returns that value.
 * Returns an enum fn_reason if a member is not available, or 0.
 */
int fn_members_each(const struct fn_btf *btf, uint32_t type, struct fn_spec_item *item,
		    int (*take)(void *user, const struct fn_spec_item *item), void *user);

/* Returns the reason why the members of the structure cannot be recorded, or FN_AVAILABLE. */
enum fn_reason fn_members_reason(const struct fn_btf *btf, uint32_t type);

/*
 * Can eightbyte @number of the structure be an address? An eightbyte is the content of one
 * register. Returns true if the structure, or any alternative of a union in it, has a 64-bit member
 * there.
 */
bool fn_members_may_be_address(const struct fn_btf *btf, uint32_t type, unsigned int number);

#endif /* LTTNG_MM_FN_DESCRIBE_MEMBERS_H */
