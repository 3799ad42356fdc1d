// SPDX-License-Identifier: LGPL-2.1-only
/* Visits the members of structures that are passed by value. */
#include "lttng-session/fn/describe/members.h"

#include <stdio.h>
#include <string.h>

/*
 * Limits for a structure of up to 16 bytes. A structure with deeper nesting or longer arrays is
 * refused.
 */
#define NESTING_MAX 16
#define ELEMENTS_MAX 16

struct member_walk {
	const struct fn_btf *btf;
	struct fn_spec_item *item;
	int (*take)(void *user, const struct fn_spec_item *item);
	void *user;
};

bool fn_is_structure(const struct fn_btf *btf, uint32_t type)
{
	const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

	return plain && btf_is_composite(plain);
}

/*
 * Does @type, which starts at bit @bit of the structure, have a pointer in eightbyte @number? A
 * 64-bit integer may contain an address, so it counts as a pointer, unless @pointers_only.
 */
static bool has_address(const struct fn_btf *btf, uint32_t type, uint64_t bit, unsigned int number,
			bool pointers_only, unsigned int depth)
{
	const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

	if (!plain || depth > NESTING_MAX)
		return true;
	if (btf_is_ptr(plain))
		return bit / 64 == number;
	if (btf_is_composite(plain)) {
		for (uint32_t i = 0; i < btf_vlen(plain); i++)
			if (!(btf_member_bitfield_size(plain, i) % 64) &&
			    has_address(btf, btf_members(plain)[i].type,
					bit + btf_member_bit_offset(plain, i), number,
					pointers_only, depth + 1))
				return true;
		return false;
	}
	if (btf_is_array(plain)) {
		int64_t size = fn_btf_size(btf, btf_array(plain)->type);

		for (uint32_t i = 0; size > 0 && i < btf_array(plain)->nelems && i < ELEMENTS_MAX;
		     i++)
			if (has_address(btf, btf_array(plain)->type, bit + 8 * (uint64_t)size * i,
					number, pointers_only, depth + 1))
				return true;
		return false;
	}
	/*
	 * Exclude bit fields. In BTF without kind_flag, a bit field is an integer with fewer bits
	 * than its size.
	 */
	return !pointers_only && plain->size >= 8 &&
	       (!btf_is_int(plain) || btf_int_bits(plain) >= 64) && bit / 64 <= number &&
	       number < (bit + 8 * (uint64_t)plain->size) / 64;
}

bool fn_members_may_be_address(const struct fn_btf *btf, uint32_t type, unsigned int number)
{
	return has_address(btf, type, 0, number, false, 0);
}

/* Returns the index of the union's alternative that is recorded. */
static uint32_t choose(const struct fn_btf *btf, const struct btf_type *either)
{
	uint32_t chosen = 0;
	int64_t most = -1;
	bool pointer = false;

	for (uint32_t i = 0; i < btf_vlen(either); i++) {
		uint32_t type = btf_members(either)[i].type;
		int64_t size = fn_btf_size(btf, type);
		bool has = has_address(btf, type, 0, 0, true, 0) ||
			   has_address(btf, type, 0, 1, true, 0);

		if (size > most || (size == most && has && !pointer)) {
			chosen = i;
			most = size;
			pointer = has;
		}
	}
	return chosen;
}

static int walk(const struct member_walk *all, uint32_t type, unsigned int depth);

/* Visits a member. The name of an anonymous member is not a part of the expression. */
static int walk_member(const struct member_walk *all, const struct btf_type *of, uint32_t number,
		       unsigned int depth)
{
	const struct btf_member *member = &btf_members(of)[number];
	const char *name = fn_btf_string(all->btf, member->name_off);
	struct fn_spec_item *item = all->item;
	struct fn_access *access;
	int ret;

	if (!*name)
		return fn_is_structure(all->btf, member->type) ? walk(all, member->type, depth + 1)
							       : 0;
	if (item->count == FN_ACCESSES_MAX || strlen(name) >= FN_WORD_MAX)
		return FN_UNKNOWN_TYPE;
	access = &item->accesses[item->count++];
	access->kind = FN_MEMBER;
	access->column = item->column;
	access->index = 0;
	snprintf(access->name, sizeof(access->name), "%s", name);
	ret = walk(all, member->type, depth + 1);
	item->count--;
	return ret;
}

static int walk_elements(const struct member_walk *all, const struct btf_array *array,
			 unsigned int depth)
{
	const int64_t size = fn_btf_size(all->btf, array->type);
	struct fn_spec_item *item = all->item;
	int ret = 0;

	if (!size)
		return 0;
	if (size < 0 || array->nelems > ELEMENTS_MAX || item->count == FN_ACCESSES_MAX)
		return FN_UNKNOWN_TYPE;
	for (uint32_t i = 0; i < array->nelems && !ret; i++) {
		struct fn_access *access = &item->accesses[item->count++];

		access->kind = FN_ELEMENT;
		access->column = item->column;
		access->index = i;
		*access->name = '\0';
		ret = walk(all, array->type, depth + 1);
		item->count--;
	}
	return ret;
}

static int walk(const struct member_walk *all, uint32_t type, unsigned int depth)
{
	const struct btf_type *plain = fn_btf_plain(all->btf, type, NULL);
	int ret = 0;

	if (!plain || depth > NESTING_MAX)
		return FN_UNKNOWN_TYPE;
	if (btf_is_array(plain))
		return walk_elements(all, btf_array(plain), depth);
	if (!btf_is_composite(plain)) {
		struct fn_value value = fn_value_of(all->btf, type);

		return value.reason ? (int)value.reason : all->take(all->user, all->item);
	}
	if (btf_is_union(plain) && btf_vlen(plain))
		return walk_member(all, plain, choose(all->btf, plain), depth);
	for (uint32_t i = 0; i < btf_vlen(plain) && !ret; i++)
		ret = walk_member(all, plain, i, depth);
	return ret;
}

int fn_members_each(const struct fn_btf *btf, uint32_t type, struct fn_spec_item *item,
		    int (*take)(void *user, const struct fn_spec_item *item), void *user)
{
	const struct member_walk all = { .btf = btf, .item = item, .take = take, .user = user };

	return walk(&all, type, 0);
}

static int count(void *user, const struct fn_spec_item *item)
{
	(void)item;
	++*(unsigned int *)user;
	return 0;
}

enum fn_reason fn_members_reason(const struct fn_btf *btf, uint32_t type)
{
	struct fn_spec_item item = { .count = 0 };
	unsigned int members = 0;
	int reason = fn_members_each(btf, type, &item, count, &members);

	return reason ? (enum fn_reason)reason : members ? FN_AVAILABLE : FN_UNKNOWN_TYPE;
}
