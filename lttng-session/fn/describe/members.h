/* SPDX-License-Identifier: LGPL-2.1-only */
/* The members of a structure that is passed by value, in one or two registers. */
#ifndef LTTNG_MM_FN_DESCRIBE_MEMBERS_H
#define LTTNG_MM_FN_DESCRIBE_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/fn/describe/types.h"
#include "lttng-session/fn/describe/value.h"

/* Is the type a structure or a union? */
bool fn_is_structure(const struct fn_btf *btf, uint32_t type);

/*
 * Calls @take for each number and pointer in the structure @type, also for those in structures and
 * arrays in it: with the member's or element's name appended to @item, which is restored
 * afterwards. Of a union, only the alternative with the most bytes is taken: of several, one with a
 * pointer, or else the first. Returns what @take returned if that is not 0, a reason if a member is
 * not available, or 0.
 */
int fn_members_each(const struct fn_btf *btf, uint32_t type, struct fn_spec_item *item,
		    int (*take)(void *user, const struct fn_spec_item *item), void *user);

/* Why the structure cannot be recorded by member; FN_AVAILABLE: it can. */
enum fn_reason fn_members_reason(const struct fn_btf *btf, uint32_t type);

/*
 * Can the eight bytes @word of the structure be an address: is a member there of 64 bits, in any
 * alternative of a union?
 */
bool fn_members_may_be_address(const struct fn_btf *btf, uint32_t type, unsigned int word);

#endif /* LTTNG_MM_FN_DESCRIBE_MEMBERS_H */
