// SPDX-License-Identifier: LGPL-2.1-only
/* Lays out a request: its functions, fields, enumerations, labels and strings. */
#include "lttng-session/fn/request.h"

#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/describe/labels.h"
#include "util/hash.h"
#include "util/text.h"

/* The key of an enumeration in the request. Fields with equal keys share the enumeration. */
struct enumeration {
	const struct fn_btf *btf;
	uint32_t type;
	unsigned int bits;
	bool is_signed;
};

struct request_builder {
	const struct fn_function *functions;
	size_t count;
	struct lttng_mm_fn_function *wire_functions;
	struct lttng_mm_fn_field *fields;
	size_t field_count;
	struct lttng_mm_fn_labels *enumerations;
	struct enumeration *keys; /* for each element of @enumerations: its key */
	size_t enumeration_count, enumeration_room, key_room;
	struct lttng_mm_fn_label *labels;
	size_t label_count, label_room;
	struct mm_text strings;
	/* maps a string to its offset in @strings */
	struct mm_hash index;
	unsigned int *offsets;
	size_t offset_count, offset_room;
};

static bool same_string(const void *array, uint32_t number, const void *wanted)
{
	const struct request_builder *builder = array;

	return !strcmp(builder->strings.data + builder->offsets[number], wanted);
}

/*
 * Adds a string, unless the request already contains it. Sets *@offset to the string's offset.
 * Returns 0, or -1 when out of memory.
 */
static int add_string(struct request_builder *builder, const char *string, unsigned int *offset)
{
	uint32_t key = mm_hash_of_string(&builder->index, string);
	uint32_t number = mm_hash_find(&builder->index, key, builder, string, same_string);
	size_t length = strlen(string) + 1;
	unsigned int *offsets;
	char *to;

	if (number != MM_HASH_NONE) {
		*offset = builder->offsets[number];
		return 0;
	}
	offsets = mm_array_grow(builder->offsets, builder->offset_count, &builder->offset_room,
				sizeof(*offsets));
	if (!offsets)
		return -1;
	builder->offsets = offsets;
	to = mm_text_reserve(&builder->strings, length);
	if (!to || mm_hash_add(&builder->index, key, (uint32_t)builder->offset_count))
		return -1;
	*offset = (unsigned int)builder->strings.length;
	offsets[builder->offset_count++] = *offset;
	memcpy(to, string, length);
	builder->strings.length += length;
	return 0;
}

/* Like add_string(), but sets *@offset to LTTNG_MM_FN_NONE if the string is empty. */
static int add_optional(struct request_builder *builder, const char *string, unsigned int *offset)
{
	*offset = LTTNG_MM_FN_NONE;
	return *string ? add_string(builder, string, offset) : 0;
}

static int add_label(struct request_builder *builder, const struct fn_enum_label *label)
{
	struct lttng_mm_fn_label *labels = mm_array_grow(builder->labels, builder->label_count,
							 &builder->label_room, sizeof(*labels));

	if (!labels)
		return -1;
	builder->labels = labels;
	labels[builder->label_count] = (struct lttng_mm_fn_label){ .value = label->value };
	return add_string(builder, label->name, &labels[builder->label_count++].name);
}

static int append_enumeration(struct request_builder *builder, const struct enumeration *key,
			      const struct fn_enum_labels *labels)
{
	struct lttng_mm_fn_labels *enumerations =
		mm_array_grow(builder->enumerations, builder->enumeration_count,
			      &builder->enumeration_room, sizeof(*enumerations));
	struct enumeration *keys;

	if (!enumerations)
		return -1;
	builder->enumerations = enumerations;
	keys = mm_array_grow(builder->keys, builder->enumeration_count, &builder->key_room,
			     sizeof(*keys));
	if (!keys)
		return -1;
	builder->keys = keys;
	keys[builder->enumeration_count] = *key;
	enumerations[builder->enumeration_count++] = (struct lttng_mm_fn_labels){
		.first = (unsigned int)builder->label_count,
		.count = (unsigned int)labels->count,
		.is_signed = key->is_signed,
	};
	for (size_t i = 0; i < labels->count; i++)
		if (add_label(builder, &labels->labels[i]))
			return -1;
	return 0;
}

static int add_enumeration(struct request_builder *builder, const struct fn_field *field,
			   unsigned int *number)
{
	const struct enumeration key = {
		.btf = field->btf,
		.type = field->labels,
		.bits = field->wire.mask_bits,
		.is_signed = field->wire.kind == LTTNG_MM_FN_SIGNED,
	};
	struct fn_enum_labels labels;
	int ret;

	*number = LTTNG_MM_FN_NONE;
	for (size_t i = builder->enumeration_count; i--;) {
		const struct enumeration *other = &builder->keys[i];

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
	*number = (unsigned int)builder->enumeration_count;
	ret = append_enumeration(builder, &key, &labels);
	fn_labels_release(&labels);
	return ret;
}

static int add_field(struct request_builder *builder, const struct fn_field *field,
		     const char *name)
{
	struct lttng_mm_fn_field *wire = &builder->fields[builder->field_count++];

	*wire = field->wire;
	wire->labels = LTTNG_MM_FN_NONE;
	if (add_string(builder, name, &wire->name))
		return -1;
	return field->labels ? add_enumeration(builder, field, &wire->labels) : 0;
}

static int add_function(struct request_builder *builder, size_t number)
{
	const struct fn_function *function = &builder->functions[number];
	struct lttng_mm_fn_function *wire = &builder->wire_functions[number];

	*wire = (struct lttng_mm_fn_function){
		.first = (unsigned int)builder->field_count,
		.count = (unsigned int)function->count,
		.result = LTTNG_MM_FN_NONE,
		.flags = function->flags,
		.max_rate = function->max_rate,
		.slower_ns = function->slower_ns,
		.error_mask = function->error_mask,
	};
	if (add_string(builder, function->name, &wire->name) ||
	    add_string(builder, function->symbol, &wire->symbol) ||
	    add_optional(builder, function->module, &wire->module) ||
	    add_string(builder, function->spec, &wire->spec) ||
	    add_optional(builder, function->inside, &wire->inside))
		return -1;
	for (size_t i = 0; i < function->count; i++)
		if (add_field(builder, &function->fields[i], function->fields[i].name))
			return -1;
	if (!function->has_result)
		return 0;
	wire->result = (unsigned int)builder->field_count;
	return add_field(builder, &function->result, "ret");
}

static char *append(char *to, const void *bytes, size_t size)
{
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

static int join(const struct request_builder *builder, struct fn_device_request *request)
{
	const size_t functions = builder->count * sizeof(*builder->wire_functions);
	const size_t fields = builder->field_count * sizeof(*builder->fields);
	const size_t enumerations = builder->enumeration_count * sizeof(*builder->enumerations);
	const size_t labels = builder->label_count * sizeof(*builder->labels);
	char *to;

	request->size = functions + fields + enumerations + labels + builder->strings.length;
	request->bytes = to = malloc(request->size);
	if (!to)
		return -1;
	to = append(to, builder->wire_functions, functions);
	to = append(to, builder->fields, fields);
	to = append(to, builder->enumerations, enumerations);
	to = append(to, builder->labels, labels);
	append(to, builder->strings.data, builder->strings.length);
	request->add = (struct lttng_mm_fn_add){
		.at = (unsigned long long)(uintptr_t)request->bytes,
		.functions = (unsigned int)builder->count,
		.fields = (unsigned int)builder->field_count,
		.enumerations = (unsigned int)builder->enumeration_count,
		.labels = (unsigned int)builder->label_count,
		.string_bytes = (unsigned int)builder->strings.length,
	};
	return 0;
}

static int build(struct request_builder *builder, struct fn_device_request *request)
{
	builder->wire_functions = calloc(builder->count, sizeof(*builder->wire_functions));
	builder->fields =
		calloc(builder->count * (LTTNG_MM_FN_FIELDS + 1), sizeof(*builder->fields));
	if (!builder->wire_functions || !builder->fields)
		return -1;
	for (size_t i = 0; i < builder->count; i++)
		if (add_function(builder, i))
			return -1;
	return join(builder, request);
}

int fn_request_build(const struct fn_function *functions, size_t count,
		     struct fn_device_request *request, struct mm_error *err)
{
	struct request_builder builder = { .functions = functions, .count = count };
	int ret;

	*request = (struct fn_device_request){ .bytes = NULL };
	mm_hash_init(&builder.index);
	ret = build(&builder, request);
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	else if (request->size > LTTNG_MM_FN_REQUEST_BYTES)
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: the request has more than %d MiB; add fewer functions at once",
			LTTNG_MM_FN_REQUEST_BYTES >> 20);
	free(builder.wire_functions);
	free(builder.fields);
	free(builder.enumerations);
	free(builder.keys);
	free(builder.labels);
	free(builder.strings.data);
	free(builder.offsets);
	mm_hash_release(&builder.index);
	if (ret)
		fn_request_release(request);
	return ret;
}

void fn_request_release(struct fn_device_request *request)
{
	free(request->bytes);
	request->bytes = NULL;
}
