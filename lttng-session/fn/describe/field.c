// SPDX-License-Identifier: LGPL-2.1-only
/* Derives a field from the place of its value and from the type in the SPEC. */
#include "lttng-session/fn/describe/field.h"

#include <string.h>

#include "lttng-session/fn/describe/members.h"

static void start(const struct fn_btf *btf, unsigned int source, struct fn_field *field)
{
	*field = (struct fn_field){ .btf = btf };
	field->wire.source = (unsigned char)source;
	field->wire.labels = LTTNG_MM_FN_NONE;
}

static void set_number(const struct fn_value *value, struct fn_field *field)
{
	field->wire.kind = value->kind;
	field->wire.bytes = value->bytes;
	field->wire.mask_bits = value->mask_bits;
	field->wire.bits = value->bits;
	field->labels = value->labels;
}

void fn_field_of_value(const struct fn_btf *btf, const struct fn_value *value, unsigned int source,
		       struct fn_field *field)
{
	start(btf, source, field);
	set_number(value, field);
}

struct field_ctx {
	const struct fn_spec *spec;
	const struct fn_place *place;
	const struct fn_type *type;
	unsigned int column;
	struct mm_error *err;
};

static struct fn_value number_of(unsigned char kind, unsigned int bits)
{
	return (struct fn_value){
		.kind = kind,
		.bytes = (unsigned char)(fn_field_bits(bits) / 8),
		.mask_bits = (unsigned char)bits,
		.bits = fn_field_bits(bits),
	};
}

/*
 * Gives @value the labels of the enumeration in the SPEC. If @value has no width yet, also copies
 * the enumeration's width and sign. If both have the same width, also copies the sign.
 */
static int find_enumeration(const struct fn_spec *spec, const struct fn_btf *btf,
			    const struct fn_type *type, struct fn_value *value,
			    struct mm_error *err)
{
	struct fn_named_type name = { .tag = FN_TAG_ENUM };
	uint32_t id, plain_id;
	const struct btf_type *plain;

	memcpy(name.name, type->name, sizeof(name.name));
	id = btf ? fn_btf_find(btf, &name) : 0;
	plain = id ? fn_btf_plain(btf, id, &plain_id) : NULL;
	if (!plain)
		return fn_spec_refuse(spec, type->column, err, "there is no enum %s%s", type->name,
				      btf ? "" : ": the kernel has no BTF");
	if (!value->mask_bits)
		*value = fn_value_of(btf, id);
	else if (plain->size * 8 == value->mask_bits)
		value->kind = btf_kflag(plain) ? LTTNG_MM_FN_SIGNED : LTTNG_MM_FN_UNSIGNED;
	else if (value->kind != LTTNG_MM_FN_SIGNED)
		value->kind = LTTNG_MM_FN_UNSIGNED;
	value->labels = plain_id;
	if (value->reason)
		return fn_spec_refuse(spec, type->column, err, "%s", fn_reason_text(value->reason));
	return 0;
}

static unsigned char kind_of(enum fn_type_kind kind)
{
	switch (kind) {
	case FN_TYPE_SIGNED:
		return LTTNG_MM_FN_SIGNED;
	case FN_TYPE_HEX:
		return LTTNG_MM_FN_HEX;
	case FN_TYPE_POINTER:
		return LTTNG_MM_FN_POINTER;
	default:
		return LTTNG_MM_FN_UNSIGNED;
	}
}

/* Gives @value the type in the SPEC. Refuses a type that is wider than the value. */
static int give_type(const struct field_ctx *ctx, struct fn_value *value)
{
	const struct fn_type *type = ctx->type;
	unsigned int has = value->mask_bits, bits = type->bits;

	switch (type->kind) {
	case FN_TYPE_OWN:
		return 0;
	case FN_TYPE_ENUM:
		if (value->is_structure || value->kind == LTTNG_MM_FN_POINTER)
			break;
		return find_enumeration(ctx->spec, ctx->place->btf, type, value, ctx->err);
	case FN_TYPE_POINTER:
		if (has != 64)
			break;
		*value = number_of(LTTNG_MM_FN_POINTER, 64);
		return 0;
	case FN_TYPE_BOOL:
		if (has != 1 && has != 8)
			break;
		*value = number_of(LTTNG_MM_FN_UNSIGNED, has);
		return 0;
	default:
		/* A type may be wider than the value only if the value is a bit field. */
		if (bits > has && !ctx->place->field_bits)
			break;
		/*
		 * Refuse the low bits of a 64-bit value: it may be an address, and its low bits
		 * would reveal the KASLR offset.
		 */
		if (has == 64 && bits < 64)
			break;
		*value = number_of(kind_of(type->kind), bits < has ? bits : has);
		value->bits = (unsigned char)bits;
		return 0;
	}
	return fn_spec_refuse(ctx->spec, type->column, ctx->err,
			      "the value has %u bit%s%s, so it cannot have this type", has,
			      has == 1 ? "" : "s",
			      value->is_structure		   ? ", is a structure"
			      : value->kind == LTTNG_MM_FN_POINTER ? ", is a pointer"
								   : "");
}

/* Returns the value at @place with the type that BTF states. */
static struct fn_value own_value(const struct fn_place *place)
{
	struct fn_value value;

	if (place->pointers)
		return number_of(LTTNG_MM_FN_POINTER, 64);
	value = fn_value_named(place->btf, place->type, place->name ? place->name : "");
	if (value.reason || !place->field_bits)
		return value;
	if (place->field_bits > value.mask_bits)
		return (struct fn_value){ .reason = FN_UNKNOWN_TYPE };
	value.mask_bits = (unsigned char)place->field_bits;
	value.bits = fn_field_bits(place->field_bits);
	return value;
}

static int refuse_value(const struct field_ctx *ctx, enum fn_reason reason)
{
	const struct btf_type *plain = fn_btf_plain(ctx->place->btf, ctx->place->type, NULL);

	if (plain && btf_is_composite(plain) && plain->size > 8)
		return fn_spec_refuse(ctx->spec, ctx->column, ctx->err,
				      "the value is a structure of %u bytes; name a member of it",
				      plain->size);
	if (plain && btf_is_array(plain))
		return fn_spec_refuse(
			ctx->spec, ctx->column, ctx->err,
			"the value is an array; name an element, as in [0], or add :string or :bytes");
	return fn_spec_refuse(ctx->spec, ctx->column, ctx->err, "%s", fn_reason_text(reason));
}

static void set_steps(const struct fn_place *place, struct fn_field *field)
{
	field->wire.steps = (unsigned char)place->steps;
	for (unsigned int i = 0; i < place->steps; i++)
		field->wire.offset[i] = (int)place->offset[i];
}

/*
 * A number in a union can share its register with an address. The number would then reveal a part
 * of the address. Therefore, the field loads all eight bytes of the register, and the kernel module
 * checks whether they are an address.
 */
static void set_check(const struct fn_place *place, struct fn_field *field)
{
	if (!place->structure || place->steps || field->wire.mask_bits == 64)
		return;
	if (fn_members_may_be_address(place->btf, place->structure, place->eightbyte))
		field->wire.bytes = 8;
	else if (field->wire.bytes == 8)
		field->wire.flags |= LTTNG_MM_FN_RAW;
}

/* Sets which bytes the field loads, and where in these bytes the number is. */
static int set_place(const struct field_ctx *ctx, const struct fn_value *value,
		     const struct fn_value *own, struct fn_field *field)
{
	const struct fn_place *place = ctx->place;
	unsigned int shift = place->steps ? place->field_bit : place->bit;

	set_number(value, field);
	set_steps(place, field);
	/* From memory, load only the bytes that contain the bit field. */
	if (place->field_bits || (!place->steps && shift))
		field->wire.bytes = fn_field_bits(shift + value->mask_bits) / 8;
	field->wire.shift = (unsigned char)shift;
	if (shift + value->mask_bits > 64)
		return fn_spec_refuse(ctx->spec, ctx->column, ctx->err,
				      "the bit field spans more than eight bytes");
	if (place->steps && own->is_structure && own->mask_bits != 8 * own->bytes)
		return refuse_value(ctx, FN_ODD_SIZE);
	set_check(place, field);
	return 0;
}

static bool is_char(const struct fn_btf *btf, uint32_t type)
{
	const struct btf_type *plain = fn_btf_plain(btf, type, NULL);

	return plain && btf_is_int(plain) && !strcmp(fn_btf_name(btf, plain), "char");
}

/*
 * Can a pointer to this type point to text? It can if the type is void or has a size of one byte.
 */
static bool may_be_text(const struct fn_btf *btf, uint32_t type)
{
	uint32_t id;
	const struct btf_type *plain = fn_btf_plain(btf, type, &id);

	return plain && (!id || (btf_is_int(plain) && plain->size == 1));
}

static void set_text(const struct fn_type *type, struct fn_field *field)
{
	field->wire.kind = type->kind == FN_TYPE_BYTES	       ? LTTNG_MM_FN_BYTES
			   : type->kind == FN_TYPE_USER_STRING ? LTTNG_MM_FN_USER_STRING
							       : LTTNG_MM_FN_STRING;
	field->wire.max = type->max;
}

/*
 * Fills in the field for an array of characters. The last step of the place computes the array's
 * address.
 */
static int set_array(const struct field_ctx *ctx, const struct btf_type *array,
		     struct fn_field *field)
{
	uint32_t count = btf_array(array)->nelems;

	if (ctx->type->kind == FN_TYPE_USER_STRING)
		return fn_spec_refuse(ctx->spec, ctx->type->column, ctx->err,
				      "an array in kernel memory is not a ustring; use string");
	if (!ctx->place->steps || count == 1)
		return fn_spec_refuse(ctx->spec, ctx->column, ctx->err,
				      "the value is too short to be a string");
	set_text(ctx->type, field);
	set_steps(ctx->place, field);
	field->wire.flags |= LTTNG_MM_FN_IN_PLACE;
	if (count && count < field->wire.max)
		field->wire.max = count;
	return 0;
}

/* Can the value be the address of text? A 64-bit integer can be any address. */
static bool leads_to_text(const struct fn_place *place, const struct btf_type *plain)
{
	if (place->pointers)
		return place->pointers == 1 && may_be_text(place->btf, place->type);
	return plain && (!btf_is_ptr(plain) || may_be_text(place->btf, plain->type));
}

static int set_string(const struct field_ctx *ctx, struct fn_field *field)
{
	const struct fn_place *place = ctx->place;
	const struct btf_type *plain = fn_btf_plain(place->btf, place->type, NULL);
	const struct fn_value value = own_value(place);

	if (!place->pointers && plain && btf_is_array(plain)) {
		if (may_be_text(place->btf, btf_array(plain)->type))
			return set_array(ctx, plain, field);
	} else if (!value.reason && value.bits == 64 && !value.is_structure && !place->field_bits &&
		   leads_to_text(place, plain)) {
		set_text(ctx->type, field);
		set_steps(place, field);
		return 0;
	}
	return fn_spec_refuse(
		ctx->spec, ctx->type->column, ctx->err,
		"the value's type is not a pointer to text; if the value points to text, add a cast, as in (char *)x");
}

/* Fills in the field for the raw bytes of an array or structure, or of memory at an address. */
static int set_bytes(const struct field_ctx *ctx, struct fn_field *field)
{
	const struct fn_place *place = ctx->place;
	const struct btf_type *plain = fn_btf_plain(place->btf, place->type, NULL);
	const bool is_object =
		!place->pointers && plain && (btf_is_array(plain) || btf_is_composite(plain));
	const struct fn_value value = own_value(place);

	if (is_object && place->steps) {
		int64_t size = fn_btf_size(place->btf, place->type);

		set_text(ctx->type, field);
		set_steps(place, field);
		field->wire.flags |= LTTNG_MM_FN_IN_PLACE;
		/* Keep the maximum for a flexible array member, whose size is 0. */
		if (size > 0 && size < field->wire.max)
			field->wire.max = (unsigned int)size;
		return 0;
	}
	if (is_object || value.reason || value.bits != 64 || place->field_bits)
		return fn_spec_refuse(ctx->spec, ctx->type->column, ctx->err,
				      "the value is neither an address nor in memory");
	set_text(ctx->type, field);
	set_steps(place, field);
	return 0;
}

static bool is_text_type(const struct fn_type *type)
{
	return type->kind == FN_TYPE_STRING || type->kind == FN_TYPE_USER_STRING;
}

int fn_field_of_place(const struct fn_spec *spec, const struct fn_place *place,
		      const struct fn_type *type, unsigned int column, struct fn_field *field,
		      struct mm_error *err)
{
	static const struct fn_type text = { .kind = FN_TYPE_STRING, .max = FN_TEXT_DEFAULT };
	const struct btf_type *plain = fn_btf_plain(place->btf, place->type, NULL);
	struct field_ctx ctx = { spec, place, type, column, err };
	struct fn_value own, value;

	start(place->btf, place->source, field);
	/* Record an array of char as a string, unless the SPEC states another type. */
	if (type->kind == FN_TYPE_OWN && !place->pointers && plain && btf_is_array(plain) &&
	    is_char(place->btf, btf_array(plain)->type))
		ctx.type = &text;
	if (is_text_type(ctx.type))
		return set_string(&ctx, field);
	if (type->kind == FN_TYPE_BYTES)
		return set_bytes(&ctx, field);
	own = value = own_value(place);
	if (own.reason)
		return refuse_value(&ctx, own.reason);
	if (give_type(&ctx, &value))
		return -1;
	return set_place(&ctx, &value, &own, field);
}

int fn_field_by_hand(const struct fn_spec *spec, const struct fn_btf *btf, unsigned int source,
		     const struct fn_type *type, struct fn_field *field, struct mm_error *err)
{
	struct fn_value value = { .mask_bits = 0 };

	start(btf, source, field);
	if (is_text_type(type) || type->kind == FN_TYPE_BYTES) {
		set_text(type, field);
		return 0;
	}
	if (type->kind == FN_TYPE_ENUM) {
		if (find_enumeration(spec, btf, type, &value, err))
			return -1;
	} else {
		value = number_of(kind_of(type->kind), type->bits);
	}
	set_number(&value, field);
	return 0;
}
