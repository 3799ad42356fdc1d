// SPDX-License-Identifier: LGPL-2.1-only
// Loads CTF 2's field classes.

#include <stdlib.h>
#include <string.h>

#include "reader/ctf/json/json.h"

struct class
{
	const char *type;
	enum ctf_kind kind;
	/* consists of a fixed number of bits, and has properties such as the byte order */
	bool fixed_length;
	struct ctf_json_property properties[9];
};

#define BITS                                                                \
	{ "length", true }, { "byte-order", true }, { "bit-order", false }, \
	{                                                                   \
		"alignment", false                                          \
	}
#define INTEGER                              \
	{ "preferred-display-base", false }, \
	{                                    \
		"mappings", false            \
	}

static const struct class classes[] = {
	{ "fixed-length-unsigned-integer",
	  CTF_UNSIGNED,
	  true,
	  { BITS, INTEGER, { "roles", false } } },
	{ "fixed-length-signed-integer", CTF_SIGNED, true, { BITS, INTEGER } },
	{ "null-terminated-string", CTF_STRING, false, { { "encoding", false } } },
	{ "structure",
	  CTF_STRUCT,
	  false,
	  { { "member-classes", false }, { "minimum-alignment", false } } },
	{ "static-length-array",
	  CTF_STATIC_ARRAY,
	  false,
	  { { "element-field-class", true }, { "length", true }, { "minimum-alignment", false } } },
	{ "dynamic-length-array",
	  CTF_DYNAMIC_ARRAY,
	  false,
	  { { "element-field-class", true },
	    { "length-field-location", true },
	    { "minimum-alignment", false } } },
	{ "static-length-string",
	  CTF_STATIC_STRING,
	  false,
	  { { "length", true }, { "encoding", false } } },
	{ "dynamic-length-string",
	  CTF_DYNAMIC_STRING,
	  false,
	  { { "length-field-location", true }, { "encoding", false } } },
	{ "static-length-blob",
	  CTF_STATIC_BLOB,
	  false,
	  { { "length", true }, { "media-type", false }, { "roles", false } } },
	{ "dynamic-length-blob",
	  CTF_DYNAMIC_BLOB,
	  false,
	  { { "length-field-location", true }, { "media-type", false } } },
	{ "variant",
	  CTF_VARIANT,
	  false,
	  { { "options", true }, { "selector-field-location", true } } },
	{ "optional",
	  CTF_OPTION,
	  false,
	  { { "field-class", true },
	    { "selector-field-location", true },
	    { "selector-field-ranges", false } } },
	{ "fixed-length-bit-array", CTF_BITMAP, true, { BITS } },
	{ "fixed-length-bit-map", CTF_BITMAP, true, { BITS, { "flags", true } } },
	{ "fixed-length-boolean", CTF_BOOL, true, { BITS } },
	{ "fixed-length-floating-point-number", CTF_FLOAT, true, { BITS } },
	{ "variable-length-unsigned-integer",
	  CTF_LEB_UNSIGNED,
	  false,
	  { INTEGER, { "roles", false } } },
	{ "variable-length-signed-integer", CTF_LEB_SIGNED, false, { INTEGER } },
};

static const struct {
	const char *name;
	enum ctf_role role;
} roles[] = {
	{ "data-stream-class-id", CTF_ROLE_STREAM_CLASS_ID },
	{ "data-stream-id", CTF_ROLE_STREAM_ID },
	{ "default-clock-timestamp", CTF_ROLE_TIME },
	{ "discarded-event-record-counter-snapshot", CTF_ROLE_DISCARDED },
	{ "event-record-class-id", CTF_ROLE_EVENT_CLASS_ID },
	{ "metadata-stream-uuid", CTF_ROLE_UUID },
	{ "packet-content-length", CTF_ROLE_CONTENT_SIZE },
	{ "packet-end-default-clock-timestamp", CTF_ROLE_PACKET_END_TIME },
	{ "packet-magic-number", CTF_ROLE_MAGIC },
	{ "packet-sequence-number", CTF_ROLE_PACKET_SEQ },
	{ "packet-total-length", CTF_ROLE_PACKET_SIZE },
};

static const struct class *find_class(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i].type, type))
			return &classes[i];
	return NULL;
}

/* Sets a role of @field. A UUID must be a BLOB; all other roles require a number. */
static int load_role(struct ctf_json *j, struct ctf_field *field, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(roles[i].name, name) != 0)
			continue;
		if ((roles[i].role == CTF_ROLE_UUID) != (field->kind == CTF_STATIC_BLOB))
			break;
		field->roles |= roles[i].role;
		return 0;
	}
	return ctf_json_fail(j, "the role `%.60s` is not valid for this field class", name);
}

static int load_roles(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	const json_t *list = json_object_get(value, "roles"), *item;
	size_t i;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return ctf_json_fail(j, "`roles` is not an array");
	json_array_foreach((json_t *)list, i, item)
	{
		if (!json_is_string(item))
			return ctf_json_fail(j, "a role that is not a string");
		if (load_role(j, field, json_string_value(item)))
			return -1;
	}
	return 0;
}

static int load_alignment(struct ctf_json *j, struct ctf_field *field, const json_t *value,
			  const char *name)
{
	uint64_t align = 1;

	if (ctf_json_unsigned(j, value, name, &align))
		return -1;
	if (!align || align & (align - 1) || align > UINT32_C(1) << 30)
		return ctf_json_fail(j, "`%s` is not a valid power of two", name);
	field->align = align;
	return 0;
}

static int load_bits(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	static const char *const byte_orders[] = { "little-endian", "big-endian", NULL };
	static const char *const bit_orders[] = { "first-to-last", "last-to-first", NULL };
	size_t byte_order = 0, bit_order;
	uint64_t length = 0;

	if (ctf_json_unsigned(j, value, "length", &length) ||
	    ctf_json_choice(j, value, "byte-order", byte_orders, &byte_order) ||
	    load_alignment(j, field, value, "alignment"))
		return -1;
	if (!length || length > 64)
		return ctf_json_fail(j, "`length` is not between 1 and 64 bits");
	field->size = length;
	bit_order = byte_order;
	if (ctf_json_choice(j, value, "bit-order", bit_orders, &bit_order))
		return -1;
	field->big_endian = byte_order;
	field->reversed_bits = bit_order != byte_order;
	return 0;
}

struct mapping_target {
	struct ctf_field *field;
	const char *label;
};

static int add_to_mapping(void *user, struct ctf_range range)
{
	const struct mapping_target *target = user;

	return ctf_field_add_mapping(target->field, target->label, range);
}

static int add_to_member(void *user, struct ctf_range range)
{
	return ctf_member_add_range(user, range);
}

static int add_to_option(void *user, struct ctf_range range)
{
	return ctf_field_add_range(user, range);
}

static int check_flags(struct ctf_json *j, const struct ctf_field *field)
{
	size_t i, k;

	for (i = 0; i < field->mapping_count; i++)
		for (k = 0; k < field->mappings[i].range_count; k++)
			if (field->mappings[i].ranges[k].upper.u >= field->size)
				return ctf_json_fail(j, "the flag `%.60s` is past the last bit",
						     field->mappings[i].label);
	if (!field->mapping_count)
		return ctf_json_fail(j, "`flags` is empty");
	return 0;
}

static int load_mappings(struct ctf_json *j, struct ctf_field *field, const json_t *value,
			 const char *name)
{
	const json_t *mappings = json_object_get(value, name), *ranges;
	struct mapping_target target = { .field = field };
	bool with_sign = field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED;

	if (!mappings)
		return 0;
	if (!json_is_object(mappings))
		return ctf_json_fail(j, "`%s` is not an object", name);
	json_object_foreach((json_t *)mappings, target.label,
			    ranges) if (ctf_json_ranges(j, ranges, target.label, with_sign,
							add_to_mapping, &target)) return -1;
	if (field->kind == CTF_BITMAP)
		return check_flags(j, field);
	field->is_enum = field->mapping_count > 0;
	return 0;
}

static int load_integer(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	uint64_t base = 10;

	if (ctf_json_unsigned(j, value, "preferred-display-base", &base))
		return -1;
	if (base != 2 && base != 8 && base != 10 && base != 16)
		return ctf_json_fail(j, "`preferred-display-base` is not 2, 8, 10 or 16");
	field->base = base;
	if (load_mappings(j, field, value, "mappings"))
		return -1;
	return load_roles(j, field, value);
}

static int load_encoding(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	static const char *const encodings[] = {
		[CTF_UTF8] = "utf-8",	    [CTF_UTF16LE] = "utf-16le", [CTF_UTF16BE] = "utf-16be",
		[CTF_UTF32LE] = "utf-32le", [CTF_UTF32BE] = "utf-32be", NULL,
	};
	size_t index = CTF_UTF8;

	if (ctf_json_choice(j, value, "encoding", encodings, &index))
		return -1;
	field->encoding = index;
	return 0;
}

/* Stores a field location in field->path until the whole scope is loaded. */
static int load_location(struct ctf_json *j, struct ctf_field *field, const json_t *value,
			 const char *name)
{
	static const struct ctf_json_property properties[] = { { "origin", false },
							       { "path", true },
							       {} };
	const json_t *location = json_object_get(value, name), *path, *item;
	size_t i;

	if (!location)
		return 0;
	if (ctf_json_check(j, location, name, properties))
		return -1;
	path = json_object_get(location, "path");
	if (!json_is_array(path) || !json_array_size(path) ||
	    !json_is_string(json_array_get(path, json_array_size(path) - 1)))
		return ctf_json_fail(j, "`path` is not an array that ends with a name");
	json_array_foreach((json_t *)path, i, item) if (
		!json_is_string(item) &&
		!json_is_null(
			item)) return ctf_json_fail(j,
						    "`path` has an element that is neither a name nor null");
	/* The path's length counts towards the limits. */
	if (ctf_json_charge(j, json_array_size(path)))
		return -1;
	field->path = json_dumps(location, JSON_COMPACT);
	return field->path ? 0 : ctf_json_no_memory(j);
}

static int load_member(struct ctf_json *j, struct ctf_field *structure, const json_t *value,
		       uint32_t depth)
{
	static const struct ctf_json_property properties[] = { { "name", true },
							       { "field-class", true },
							       {} };
	const char *outer = j->member, *name = NULL;
	struct ctf_field *field;

	if (ctf_json_check(j, value, "a member class", properties) ||
	    ctf_json_string(j, value, "name", &name))
		return -1;
	j->member = name;
	field = ctf_json_field(j, json_object_get(value, "field-class"), depth + 1);
	j->member = outer;
	if (!field)
		return -1;
	return ctf_field_add_member(structure, name, field) ? ctf_json_no_memory(j) : 0;
}

/*
 * Checks that a member's or option's name is unique. @names: the names so far. @name may be NULL.
 */
static int check_name(struct ctf_json *j, json_t *names, const char *name, const char *what)
{
	if (!name)
		return 0;
	if (json_object_get(names, name))
		return ctf_json_fail(j, "two %s have the name `%.60s`", what, name);
	return json_object_set_new_nocheck(names, name, json_null()) ? ctf_json_no_memory(j) : 0;
}

static int load_members(struct ctf_json *j, struct ctf_field *structure, const json_t *value,
			uint32_t depth)
{
	const json_t *list = json_object_get(value, "member-classes"), *item;
	json_t *names;
	int ret = 0;
	size_t i;

	if (!list)
		return 0;
	if (!json_is_array(list))
		return ctf_json_fail(j, "`member-classes` is not an array");
	names = json_object();
	if (!names)
		return ctf_json_no_memory(j);
	json_array_foreach((json_t *)list, i, item)
	{
		ret = load_member(j, structure, item, depth);
		if (!ret)
			ret = check_name(j, names, structure->members[i].name, "members");
		if (ret)
			break;
	}
	json_decref(names);
	return ret;
}

static int load_option(struct ctf_json *j, struct ctf_field *variant, const json_t *value,
		       uint32_t depth)
{
	static const struct ctf_json_property properties[] = {
		{ "name", false }, { "field-class", true }, { "selector-field-ranges", true }, {}
	};
	const char *name = NULL;
	struct ctf_field *field;

	if (ctf_json_check(j, value, "a variant's option", properties) ||
	    ctf_json_string(j, value, "name", &name))
		return -1;
	field = ctf_json_field(j, json_object_get(value, "field-class"), depth + 1);
	if (!field)
		return -1;
	if (ctf_field_add_member(variant, name, field))
		return ctf_json_no_memory(j);
	return ctf_json_ranges(j, json_object_get(value, "selector-field-ranges"),
			       "selector-field-ranges", true, add_to_member,
			       &variant->members[variant->member_count - 1]);
}

static int load_options(struct ctf_json *j, struct ctf_field *variant, const json_t *value,
			uint32_t depth)
{
	const json_t *list = json_object_get(value, "options"), *item;
	json_t *names;
	int ret = 0;
	size_t i;

	if (!json_is_array(list) || !json_array_size(list))
		return ctf_json_fail(j, "`options` is not a non-empty array");
	names = json_object();
	if (!names)
		return ctf_json_no_memory(j);
	json_array_foreach((json_t *)list, i, item)
	{
		ret = load_option(j, variant, item, depth);
		if (!ret)
			ret = check_name(j, names, variant->members[i].name, "options");
		if (ret)
			break;
	}
	json_decref(names);
	return ret ? ret : load_location(j, variant, value, "selector-field-location");
}

static int load_element(struct ctf_json *j, struct ctf_field *field, const json_t *value,
			const char *name, uint32_t depth)
{
	field->element = ctf_json_field(j, json_object_get(value, name), depth + 1);
	return field->element ? 0 : -1;
}

static int load_array(struct ctf_json *j, struct ctf_field *field, const json_t *value,
		      uint32_t depth)
{
	if (load_alignment(j, field, value, "minimum-alignment") ||
	    ctf_json_unsigned(j, value, "length", &field->length) ||
	    load_location(j, field, value, "length-field-location"))
		return -1;
	return load_element(j, field, value, "element-field-class", depth);
}

static int load_optional(struct ctf_json *j, struct ctf_field *field, const json_t *value,
			 uint32_t depth)
{
	const json_t *ranges = json_object_get(value, "selector-field-ranges");

	if (ranges &&
	    ctf_json_ranges(j, ranges, "selector-field-ranges", true, add_to_option, field))
		return -1;
	if (load_location(j, field, value, "selector-field-location"))
		return -1;
	return load_element(j, field, value, "field-class", depth);
}

static int load_string(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	if (ctf_json_unsigned(j, value, "length", &field->length) ||
	    load_location(j, field, value, "length-field-location"))
		return -1;
	return load_encoding(j, field, value);
}

static int load_blob(struct ctf_json *j, struct ctf_field *field, const json_t *value)
{
	if (ctf_json_unsigned(j, value, "length", &field->length) ||
	    load_location(j, field, value, "length-field-location") ||
	    ctf_json_copy(j, value, "media-type", &field->media_type))
		return -1;
	return load_roles(j, field, value);
}

static int load_properties(struct ctf_json *j, const struct class *class, struct ctf_field *field,
			   const json_t *value, uint32_t depth)
{
	if (class->fixed_length && load_bits(j, field, value))
		return -1;
	switch (class->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_LEB_UNSIGNED:
	case CTF_LEB_SIGNED:
		return load_integer(j, field, value);
	case CTF_BITMAP:
		return load_mappings(j, field, value, "flags");
	case CTF_FLOAT:
		if (field->size != 16 && field->size != 32 && field->size != 64)
			return ctf_json_fail(
				j, "a floating-point number whose length is not 16, 32 or 64 bits");
		return 0;
	case CTF_STRING:
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
		return load_string(j, field, value);
	case CTF_STATIC_BLOB:
	case CTF_DYNAMIC_BLOB:
		return load_blob(j, field, value);
	case CTF_STRUCT:
		if (load_alignment(j, field, value, "minimum-alignment"))
			return -1;
		return load_members(j, field, value, depth);
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		return load_array(j, field, value, depth);
	case CTF_VARIANT:
		return load_options(j, field, value, depth);
	case CTF_OPTION:
		return load_optional(j, field, value, depth);
	default:
		return 0;
	}
}

static struct ctf_field *copy_alias(struct ctf_json *j, const char *name, uint32_t depth)
{
	const json_t *index = json_object_get(j->alias_by_name, name);
	const struct ctf_json_alias *alias;
	struct ctf_field *copy;

	if (!index) {
		ctf_json_fail(j, "no field class alias `%.60s` before this", name);
		return NULL;
	}
	alias = &j->aliases[json_integer_value(index)];
	if (alias->depth + depth - 1 > CTF_DEPTH_MAX) {
		ctf_json_fail(j, "field classes nested deeper than %d levels", CTF_DEPTH_MAX);
		return NULL;
	}
	if (ctf_json_charge(j, alias->nodes))
		return NULL;
	copy = ctf_field_copy(alias->field);
	if (!copy)
		ctf_json_no_memory(j);
	return copy;
}

struct ctf_field *ctf_json_field(struct ctf_json *j, const json_t *value, uint32_t depth)
{
	const struct class *class;
	const char *type = NULL;
	struct ctf_field *field;

	if (json_is_string(value))
		return copy_alias(j, json_string_value(value), depth);
	if (!json_is_object(value)) {
		ctf_json_fail(j, "a field class is neither an object nor an alias's name");
		return NULL;
	}
	if (ctf_json_string(j, value, "type", &type))
		return NULL;
	class = type ? find_class(type) : NULL;
	if (!class) {
		ctf_json_fail(j, "`%.60s` is not a type of field class", type ? type : "");
		return NULL;
	}
	if (depth > CTF_DEPTH_MAX) {
		ctf_json_fail(j, "field classes nested deeper than %d levels", CTF_DEPTH_MAX);
		return NULL;
	}
	if (ctf_json_check(j, value, class->type, class->properties) || ctf_json_charge(j, 1))
		return NULL;
	field = ctf_field_create(class->kind);
	if (!field) {
		ctf_json_no_memory(j);
		return NULL;
	}
	if (load_properties(j, class, field, value, depth)) {
		ctf_field_destroy(field);
		return NULL;
	}
	return field;
}
