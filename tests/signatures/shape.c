// SPDX-License-Identifier: LGPL-2.1-only
/* Describes types of BTF and of DWARF. */
#include "tests/signatures/shape.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "instrumentation/wire/fn.h"

/* Maximum number of typedefs, qualifiers and pointers of a type. */
#define CHAIN_MAX 64

static void append(struct type_shape *shape, const char *word, const char *name)
{
	size_t at = strlen(shape->text);

	snprintf(shape->text + at, sizeof(shape->text) - at, "%s%s%s", word,
		 *word && *name ? " " : "", name);
}

static void name_btf(const struct fn_btf *btf, uint32_t id, const struct btf_type *type,
		     struct type_shape *shape)
{
	const char *name = fn_btf_name(btf, type);

	if (!id)
		append(shape, "void", "");
	else if (btf_is_struct(type) || (btf_is_fwd(type) && !btf_kflag(type)))
		append(shape, "struct", name);
	else if (btf_is_union(type) || btf_is_fwd(type))
		append(shape, "union", name);
	else if (btf_is_any_enum(type))
		append(shape, "enum", name);
	else if (btf_is_func_proto(type))
		append(shape, "function", "");
	else if (btf_is_array(type))
		append(shape, "array", "");
	else
		append(shape, "", name);
}

static enum shape_kind kind_of_value(const struct fn_value *value)
{
	if (value->is_structure)
		return SHAPE_STRUCTURE;
	if (value->kind == LTTNG_MM_FN_POINTER)
		return SHAPE_POINTER;
	if (value->kind == LTTNG_MM_FN_SIGNED)
		return SHAPE_SIGNED;
	return value->kind == LTTNG_MM_FN_UNSIGNED || value->kind == LTTNG_MM_FN_HEX
		       ? SHAPE_UNSIGNED
		       : SHAPE_OTHER;
}

void shape_of_btf(const struct fn_btf *btf, uint32_t type, const struct fn_value *value,
		  struct type_shape *shape)
{
	const struct btf_type *plain;
	uint32_t id = type;

	*shape = (struct type_shape){ .kind = SHAPE_OTHER };
	if (value) {
		shape->kind = kind_of_value(value);
		shape->bytes = value->mask_bits / 8;
	}
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		plain = fn_btf_plain(btf, type, &id);
		if (!plain || !btf_is_ptr(plain))
			break;
		append(shape, "*", "");
		type = plain->type;
	}
	if (plain)
		name_btf(btf, id, plain, shape);
}

/* Follows typedefs and qualifiers from the type of @die. Returns false if the type is `void`. */
static bool plain_dwarf(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, type))
			return false;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			*die = *type;
			break;
		default:
			return true;
		}
	}
	return false;
}

static const char *name_of(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return name ? name : "";
}

static void name_dwarf(Dwarf_Die *type, struct type_shape *shape)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		append(shape, "struct", name_of(type));
		break;
	case DW_TAG_union_type:
		append(shape, "union", name_of(type));
		break;
	case DW_TAG_enumeration_type:
		append(shape, "enum", name_of(type));
		break;
	case DW_TAG_subroutine_type:
		append(shape, "function", "");
		break;
	case DW_TAG_array_type:
		append(shape, "array", "");
		break;
	default:
		append(shape, "", name_of(type));
	}
}

static enum shape_kind kind_of_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	if (!dwarf_attr(type, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding))
		return SHAPE_OTHER;
	switch (encoding) {
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return SHAPE_UNSIGNED;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return SHAPE_SIGNED;
	default:
		return SHAPE_OTHER;
	}
}

static enum shape_kind kind_of_dwarf(Dwarf_Die *type)
{
	Dwarf_Die die = *type, plain;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		return kind_of_encoding(type);
	case DW_TAG_pointer_type:
		return SHAPE_POINTER;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return SHAPE_STRUCTURE;
	case DW_TAG_enumeration_type:
		/* Use the enumeration's underlying integer. */
		return plain_dwarf(&die, &plain) ? kind_of_encoding(&plain)
						 : kind_of_encoding(type);
	default:
		return SHAPE_OTHER;
	}
}

void shape_of_dwarf(Dwarf_Die *die, struct type_shape *shape)
{
	Dwarf_Die from = *die, type;
	Dwarf_Word bytes;

	*shape = (struct type_shape){ .kind = SHAPE_VOID };
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		if (!plain_dwarf(&from, &type)) {
			append(shape, "void", "");
			return;
		}
		if (!i) {
			shape->kind = kind_of_dwarf(&type);
			shape->bytes = dwarf_aggregate_size(&type, &bytes) ? 0 : bytes;
		}
		if (dwarf_tag(&type) != DW_TAG_pointer_type)
			break;
		append(shape, "*", "");
		from = type;
	}
	name_dwarf(&type, shape);
}
