// SPDX-License-Identifier: LGPL-2.1-only
/* Lays out functions, fields, enumerations, labels and strings. */
#include "lttng-session/fn/request.h"

#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/describe/labels.h"
#include "util/hash.h"
#include "util/text.h"

/* An enumeration that fields have in common. */
struct enumeration {
	const struct fn_btf *btf;
	uint32_t type;
	unsigned int bits;
	bool is_signed;
};

struct building {
	const struct fn_function *functions;
	size_t count;
	struct lttng_mm_fn_function *wire_functions;
	struct lttng_mm_fn_field *fields;
	size_t field_count;
	struct lttng_mm_fn_labels *enumerations;
	struct enumeration *keys; /* of each of @enumerations */
	size_t enumeration_count, enumeration_room, key_room;
	struct lttng_mm_fn_label *labels;
	size_t label_count, label_room;
	struct mm_text strings;
	/* Offsets of the strings so far, by their text. */
	struct mm_hash index;
	unsigned int *offsets;
	size_t offset_count, offset_room;
};

static bool same_string(const void *array, uint32_t number, const void *wanted)
{
	const struct building *building = array;

	return !strcmp(building->strings.data + building->offsets[number], wanted);
}

/* Sets @offset to that of the string, which occurs once. Returns -1 when out of memory. */
static int add_string(struct building *building, const char *string, unsigned int *offset)
{
	uint32_t key = mm_hash_of_string(&building->index, string);
	uint32_t number = mm_hash_find(&building->index, key, building, string, same_string);
	size_t length = strlen(string) + 1;
	unsigned int *offsets;
	char *to;

	if (number != MM_HASH_NONE) {
		*offset = building->offsets[number];
		return 0;
	}
	offsets = mm_array_grow(building->offsets, building->offset_count, &building->offset_room,
				sizeof(*offsets));
	if (!offsets)
		return -1;
	building->offsets = offsets;
	to = mm_text_reserve(&building->strings, length);
	if (!to || mm_hash_add(&building->index, key, (uint32_t)building->offset_count))
		return -1;
	*offset = (unsigned int)building->strings.length;
	offsets[building->offset_count++] = *offset;
	memcpy(to, string, length);
	building->strings.length += length;
	return 0;
}

/* The same; an empty string is none. */
static int add_optional(struct building *building, const char *string, unsigned int *offset)
{
	*offset = LTTNG_MM_FN_NONE;
	return *string ? add_string(building, string, offset) : 0;
}

static int add_label(struct building *building, const struct fn_label *label)
{
	struct lttng_mm_fn_label *labels = mm_array_grow(building->labels, building->label_count,
							 &building->label_room, sizeof(*labels));

	if (!labels)
		return -1;
	building->labels = labels;
	labels[building->label_count] = (struct lttng_mm_fn_label){ .value = label->value };
	return add_string(building, label->name, &labels[building->label_count++].name);
}

static int append_enumeration(struct building *building, const struct enumeration *key,
			      const struct fn_labels *labels)
{
	struct lttng_mm_fn_labels *enumerations =
		mm_array_grow(building->enumerations, building->enumeration_count,
			      &building->enumeration_room, sizeof(*enumerations));
	struct enumeration *keys;

	if (!enumerations)
		return -1;
	building->enumerations = enumerations;
	keys = mm_array_grow(building->keys, building->enumeration_count, &building->key_room,
			     sizeof(*keys));
	if (!keys)
		return -1;
	building->keys = keys;
	keys[building->enumeration_count] = *key;
	enumerations[building->enumeration_count++] = (struct lttng_mm_fn_labels){
		.first = (unsigned int)building->label_count,
		.count = (unsigned int)labels->count,
		.is_signed = key->is_signed,
	};
	for (size_t i = 0; i < labels->count; i++)
		if (add_label(building, &labels->labels[i]))
			return -1;
	return 0;
}

/* Fields of different functions often have the same one. */
static int add_enumeration(struct building *building, const struct fn_field *field,
			   unsigned int *number)
{
	const struct enumeration key = {
		.btf = field->btf,
		.type = field->labels,
		.bits = field->wire.mask_bits,
		.is_signed = field->wire.kind == LTTNG_MM_FN_SIGNED,
	};
	struct fn_labels labels;
	int ret;

	*number = LTTNG_MM_FN_NONE;
	for (size_t i = building->enumeration_count; i--;) {
		const struct enumeration *other = &building->keys[i];

		if (other->btf == key.btf && other->type == key.type && other->bits == key.bits &&
		    other->is_signed == key.is_signed) {
			*number = (unsigned int)i;
			return 0;
		}
	}
	if (fn_labels_read(key.btf, key.type, key.bits, key.is_signed, &labels))
		return -1;
	if (!labels.count)
		return 0;
	*number = (unsigned int)building->enumeration_count;
	ret = append_enumeration(building, &key, &labels);
	fn_labels_release(&labels);
	return ret;
}

static int add_field(struct building *building, const struct fn_field *field, const char *name)
{
	struct lttng_mm_fn_field *wire = &building->fields[building->field_count++];

	*wire = field->wire;
	wire->labels = LTTNG_MM_FN_NONE;
	if (add_string(building, name, &wire->name))
		return -1;
	return field->labels ? add_enumeration(building, field, &wire->labels) : 0;
}

static int add_function(struct building *building, size_t number)
{
	const struct fn_function *function = &building->functions[number];
	struct lttng_mm_fn_function *wire = &building->wire_functions[number];

	*wire = (struct lttng_mm_fn_function){
		.first = (unsigned int)building->field_count,
		.count = (unsigned int)function->count,
		.result = LTTNG_MM_FN_NONE,
		.flags = function->flags,
		.max_rate = function->max_rate,
		.slower_ns = function->slower_ns,
		.error_mask = function->error_mask,
	};
	if (add_string(building, function->name, &wire->name) ||
	    add_string(building, function->symbol, &wire->symbol) ||
	    add_optional(building, function->module, &wire->module) ||
	    add_string(building, function->spec, &wire->spec) ||
	    add_optional(building, function->inside, &wire->inside))
		return -1;
	for (size_t i = 0; i < function->count; i++)
		if (add_field(building, &function->fields[i], function->fields[i].name))
			return -1;
	if (!function->has_result)
		return 0;
	wire->result = (unsigned int)building->field_count;
	return add_field(building, &function->result, "ret");
}

static char *append(char *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

static int join(const struct building *building, struct fn_request *request)
{
	const size_t functions = building->count * sizeof(*building->wire_functions);
	const size_t fields = building->field_count * sizeof(*building->fields);
	const size_t enumerations = building->enumeration_count * sizeof(*building->enumerations);
	const size_t labels = building->label_count * sizeof(*building->labels);
	char *to;

	request->size = functions + fields + enumerations + labels + building->strings.length;
	request->bytes = to = malloc(request->size);
	if (!to)
		return -1;
	to = append(to, building->wire_functions, functions);
	to = append(to, building->fields, fields);
	to = append(to, building->enumerations, enumerations);
	to = append(to, building->labels, labels);
	append(to, building->strings.data, building->strings.length);
	request->add = (struct lttng_mm_fn_add){
		.at = (unsigned long long)(uintptr_t)request->bytes,
		.functions = (unsigned int)building->count,
		.fields = (unsigned int)building->field_count,
		.enumerations = (unsigned int)building->enumeration_count,
		.labels = (unsigned int)building->label_count,
		.string_bytes = (unsigned int)building->strings.length,
	};
	return 0;
}

static int build(struct building *building, struct fn_request *request)
{
	building->wire_functions = calloc(building->count, sizeof(*building->wire_functions));
	building->fields =
		calloc(building->count * (LTTNG_MM_FN_FIELDS + 1), sizeof(*building->fields));
	if (!building->wire_functions || !building->fields)
		return -1;
	for (size_t i = 0; i < building->count; i++)
		if (add_function(building, i))
			return -1;
	return join(building, request);
}

int fn_request_build(const struct fn_function *functions, size_t count, struct fn_request *request,
		     struct mm_error *err)
{
	struct building building = { .functions = functions, .count = count };
	int ret;

	*request = (struct fn_request){ .bytes = NULL };
	mm_hash_init(&building.index);
	ret = build(&building, request);
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	else if (request->size > LTTNG_MM_FN_REQUEST_BYTES)
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: the request has more than %d MiB; add fewer functions at once",
			LTTNG_MM_FN_REQUEST_BYTES >> 20);
	free(building.wire_functions);
	free(building.fields);
	free(building.enumerations);
	free(building.keys);
	free(building.labels);
	free(building.strings.data);
	free(building.offsets);
	mm_hash_release(&building.index);
	if (ret)
		fn_request_release(request);
	return ret;
}

void fn_request_release(struct fn_request *request)
{
	free(request->bytes);
	request->bytes = NULL;
}
