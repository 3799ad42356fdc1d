// SPDX-License-Identifier: LGPL-2.1-only
/* Follows the members, elements and casts of an expression through BTF. */
#include "lttng-session/fn/describe/place.h"

#include <string.h>

#include "util/plural.h"

/* Limits of the search in anonymous structures: levels of nesting, and visited members in total. */
#define NESTING_MAX 16
#define MEMBERS_MAX 65536

struct follow_ctx {
	const struct fn_spec *spec;
	struct fn_place *place;
	struct mm_error *err;
};

static const char *kind_of(const struct btf_type *type)
{
	if (!type)
		return "of an unknown type";
	switch (btf_kind(type)) {
	case BTF_KIND_UNKN:
		return "void";
	case BTF_KIND_PTR:
		return "a pointer";
	case BTF_KIND_ARRAY:
		return "an array";
	case BTF_KIND_STRUCT:
		return "a structure";
	case BTF_KIND_UNION:
		return "a union";
	case BTF_KIND_FWD:
		return "a structure whose members are unknown";
	case BTF_KIND_FUNC_PROTO:
		return "a function";
	case BTF_KIND_FLOAT:
		return "a floating-point number";
	default:
		return "a number";
	}
}

static const struct btf_type *plain_of(const struct follow_ctx *ctx)
{
	return fn_btf_plain(ctx->place->btf, ctx->place->type, NULL);
}

static bool is_pointer(const struct follow_ctx *ctx)
{
	const struct btf_type *type = plain_of(ctx);

	return ctx->place->pointers || (type && btf_is_ptr(type));
}

static bool is_array(const struct follow_ctx *ctx)
{
	const struct btf_type *type = plain_of(ctx);

	return !ctx->place->pointers && type && btf_is_array(type);
}

static bool is_structure(const struct follow_ctx *ctx)
{
	const struct btf_type *type = plain_of(ctx);

	return !ctx->place->pointers && type && btf_is_composite(type);
}

/* Describes the kind of the current value for messages. */
static const char *kind_here(const struct follow_ctx *ctx)
{
	return ctx->place->pointers ? "a pointer" : kind_of(plain_of(ctx));
}

/*
 * Moves from a pointer type to the type that it points to, or from an array type to its element
 * type.
 */
static void go_to_target(const struct follow_ctx *ctx)
{
	const struct btf_type *type = plain_of(ctx);
	struct fn_place *place = ctx->place;

	if (place->pointers)
		place->pointers--;
	else
		place->type = btf_is_ptr(type) ? type->type : btf_array(type)->type;
}

struct member_location {
	uint32_t type;
	uint64_t bit;
	uint32_t field_bits;
};

/*
 * Detects a bit field in a structure without BTF's kind_flag: its integer type has fewer bits than
 * its size.
 */
static void check_old_bit_field(const struct fn_btf *btf, struct member_location *found)
{
	const struct btf_type *type = fn_btf_plain(btf, found->type, NULL);

	if (found->field_bits || !type || !btf_is_int(type) || btf_int_bits(type) == 8 * type->size)
		return;
	found->field_bits = btf_int_bits(type);
	found->bit += btf_int_offset(type);
}

/*
 * Searches for the member @name in @type, and in the anonymous structures and unions within @type.
 */
static bool find_member(const struct fn_btf *btf, const struct btf_type *type, const char *name,
			unsigned int depth, unsigned int *visited, struct member_location *found)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];
		const char *named = fn_btf_string(btf, member->name_off);
		const struct btf_type *inner;
		uint64_t bit = btf_member_bit_offset(type, i);

		if (++*visited > MEMBERS_MAX)
			return false;
		if (*named && !strcmp(named, name)) {
			*found = (struct member_location){ member->type, bit,
							   btf_member_bitfield_size(type, i) };
			check_old_bit_field(btf, found);
			return true;
		}
		inner = *named ? NULL : fn_btf_plain(btf, member->type, NULL);
		if (inner && btf_is_composite(inner) && depth < NESTING_MAX &&
		    find_member(btf, inner, name, depth + 1, visited, found)) {
			found->bit += bit;
			return true;
		}
	}
	return false;
}

static int check_offset(const struct follow_ctx *ctx, unsigned int column)
{
	const struct fn_place *place = ctx->place;
	int64_t offset = place->steps ? place->offset[place->steps - 1] : 0;

	if (offset > LTTNG_MM_FN_OFFSET_MAX || offset < -LTTNG_MM_FN_OFFSET_MAX)
		return fn_spec_refuse(ctx->spec, column, ctx->err,
				      "the value is more than %d MiB away from the pointer",
				      LTTNG_MM_FN_OFFSET_MAX >> 20);
	return 0;
}

/*
 * For a structure in registers, sets @source to the register of the eightbyte that contains the
 * value.
 */
static void go_to_eightbyte(struct fn_place *place)
{
	if (place->steps || !place->eightbytes)
		return;
	place->eightbyte = place->bit / 64;
	place->source = place->eightbytes[place->eightbyte];
	place->bit %= 64;
	place->eightbytes = NULL;
}

/* Adds a step that follows the current value, which must be a pointer. */
static int step(const struct follow_ctx *ctx, unsigned int column)
{
	struct fn_place *place = ctx->place;

	if (place->steps == LTTNG_MM_FN_STEPS)
		return fn_spec_refuse(ctx->spec, column, ctx->err,
				      "the expression follows more than %d pointers",
				      LTTNG_MM_FN_STEPS);
	/* Pointers start at bit 0 of the register, so a value at a higher bit is not a pointer. */
	go_to_eightbyte(place);
	if (place->bit || place->field_bits)
		return fn_spec_refuse(ctx->spec, column, ctx->err, "the value is not a pointer");
	place->offset[place->steps++] = 0;
	return 0;
}

/* Returns the highest bit number at which a member or element of the argument can start. */
static uint64_t last_bit(const struct fn_place *place)
{
	int64_t size = place->eightbytes ? fn_btf_size(place->btf, place->structure) : 8;

	return size > 0 && size <= 16 ? 8 * (uint64_t)size - 1 : 63;
}

static int go_to_bit(const struct follow_ctx *ctx, const struct fn_access *access,
		     const struct member_location *found)
{
	struct fn_place *place = ctx->place;

	place->type = found->type;
	place->field_bits = found->field_bits;
	place->field_bit = 0;
	if (place->steps) {
		place->offset[place->steps - 1] += (int64_t)(found->bit / 8);
		place->field_bit = found->bit % 8;
		return check_offset(ctx, access->column);
	}
	if (place->bit + found->bit > last_bit(place))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "the value is beyond the end of the argument");
	place->bit += (unsigned int)found->bit;
	return 0;
}

static int follow_arrow(const struct follow_ctx *ctx, const struct fn_access *access)
{
	if (!is_pointer(ctx) && !is_array(ctx))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "'%s': the expression before '->' is %s, not a pointer%s",
				      access->name, kind_here(ctx),
				      is_structure(ctx) ? "; use '.'" : "");
	if (is_pointer(ctx) && step(ctx, access->column))
		return -1;
	go_to_target(ctx);
	return 0;
}

static int follow_member(const struct follow_ctx *ctx, const struct fn_access *access)
{
	struct fn_place *place = ctx->place;
	const struct btf_type *type;
	unsigned int visited = 0;
	struct member_location found;

	if (access->kind == FN_ARROW && follow_arrow(ctx, access))
		return -1;
	if (access->kind == FN_MEMBER && is_pointer(ctx))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "'%s': the expression before '.' is a pointer; use '->'",
				      access->name);
	if (!is_structure(ctx))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "'%s' is not a member: the expression before it is %s%s",
				      access->name, access->kind == FN_ARROW ? "a pointer to " : "",
				      kind_here(ctx));
	type = plain_of(ctx);
	if (!find_member(place->btf, type, access->name, 0, &visited, &found))
		return fn_spec_refuse(
			ctx->spec, access->column, ctx->err, "%s %s has no member '%s'",
			btf_is_union(type) ? "union" : "struct",
			type->name_off ? fn_btf_name(place->btf, type) : "(without a name)",
			access->name);
	place->name = access->name;
	return go_to_bit(ctx, access, &found);
}

static int follow_element(const struct follow_ctx *ctx, const struct fn_access *access)
{
	struct fn_place *place = ctx->place;
	uint32_t count;
	int64_t size;

	if (!is_pointer(ctx) && !is_array(ctx))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "only an array or a pointer has elements; this is %s",
				      kind_here(ctx));
	/* A flexible array member has 0 elements in BTF, so this does not check its index. */
	count = is_array(ctx) ? btf_array(plain_of(ctx))->nelems : 0;
	if (count && access->index >= count)
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "the array has %u element%s", count, mm_plural_s(count));
	if (is_pointer(ctx) && step(ctx, access->column))
		return -1;
	go_to_target(ctx);
	place->name = NULL;
	size = place->pointers ? 8 : fn_btf_size(place->btf, place->type);
	if (size < 0 || (access->index && size > LTTNG_MM_FN_OFFSET_MAX))
		return fn_spec_refuse(ctx->spec, access->column, ctx->err,
				      "the size of an element is unknown");
	return go_to_bit(ctx, access,
			 &(const struct member_location){ place->type,
							  8 * (uint64_t)size * access->index, 0 });
}

static int follow_cast(const struct follow_ctx *ctx, const struct fn_access *access)
{
	static const char *const tags[] = { "", "struct ", "union ", "enum " };
	struct fn_place *place = ctx->place;
	const struct fn_named_type *name = &access->type;
	bool is_void = name->tag == FN_TAG_NONE && !strcmp(name->name, "void");
	uint32_t to = is_void ? 0 : fn_btf_find(place->btf, name);
	struct fn_value value = fn_value_of(place->btf, place->type);

	if (!to && !is_void)
		return fn_spec_refuse(ctx->spec, name->column, ctx->err, "there is no type %s%s",
				      tags[name->tag], name->name);
	if (!place->pointers &&
	    (value.reason || value.bits != 64 || value.is_structure || place->field_bits))
		return fn_spec_refuse(
			ctx->spec, access->column, ctx->err,
			"only a pointer or a 64-bit integer can be cast to a pointer");
	place->type = to;
	place->pointers = name->pointers;
	return 0;
}

int fn_place_follow(const struct fn_spec *spec, const struct fn_spec_item *item,
		    struct fn_place *place, struct mm_error *err)
{
	const struct follow_ctx ctx = { spec, place, err };
	int ret = 0;

	for (size_t i = 0; i < item->count && !ret; i++) {
		const struct fn_access *access = &item->accesses[i];

		if (access->kind == FN_CAST)
			ret = follow_cast(&ctx, access);
		else if (access->kind == FN_ELEMENT)
			ret = follow_element(&ctx, access);
		else
			ret = follow_member(&ctx, access);
	}
	if (!ret)
		go_to_eightbyte(place);
	return ret;
}
