// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the bytes of the request that adds functions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/request.h"
#include "tests/tap.h"
#include "tests/unit/fn-btf.h"

/* The parts of a request, in order. */
struct request_parts {
	const struct lttng_mm_fn_function *functions;
	const struct lttng_mm_fn_field *fields;
	const struct lttng_mm_fn_labels *enumerations;
	const struct lttng_mm_fn_label *labels;
	const char *strings;
};

static struct request_parts parts_of(const struct fn_device_request *request)
{
	struct request_parts parts;

	parts.functions = request->bytes;
	parts.fields = (const void *)(parts.functions + request->add.functions);
	parts.enumerations = (const void *)(parts.fields + request->add.fields);
	parts.labels = (const void *)(parts.enumerations + request->add.enumerations);
	parts.strings = (const void *)(parts.labels + request->add.labels);
	return parts;
}

static void make(const struct fn_btf *btf, const char *text, const char *module,
		 const struct fn_add_options *options, struct fn_function *function)
{
	struct mm_error err = MM_ERROR_INIT;
	struct fn_spec *spec = fn_spec_parse(text, &err);

	snprintf(((struct fn_btf *)btf)->module, FN_MODULE_MAX, "%s", module);
	if (!spec || fn_function_make(spec, btf, spec->function, module, options, function, &err))
		tap_bail("%s", err.message);
	fn_spec_destroy(spec);
}

/* Returns a string of the request, after checking its offset. */
static const char *string_of(const struct fn_device_request *request, unsigned int offset)
{
	if (offset == LTTNG_MM_FN_NONE)
		return "(none)";
	return offset < request->add.string_bytes ? parts_of(request).strings + offset
						  : "(outside)";
}

static void test_sizes(const struct fn_device_request *request)
{
	const struct request_parts parts = parts_of(request);
	const struct lttng_mm_fn_add *add = &request->add;
	size_t size = add->functions * sizeof(*parts.functions) +
		      add->fields * sizeof(*parts.fields) +
		      add->enumerations * sizeof(*parts.enumerations) +
		      add->labels * sizeof(*parts.labels) + add->string_bytes;

	tap(add->functions == 4 && add->fields == 10 && add->enumerations == 2 && add->labels == 37,
	    "%u functions, %u fields, %u enumerations, %u labels", add->functions, add->fields,
	    add->enumerations, add->labels);
	tap(request->size == size && add->at == (uintptr_t)request->bytes,
	    "all parts follow each other, %zu bytes", request->size);
	tap(!parts.strings[add->string_bytes - 1], "the last string is terminated");
	tap(parts.functions[3].name == parts.functions[3].spec &&
		    parts.fields[2].name == parts.fields[5].name,
	    "a string occurs once");
	tap(!add->error && !add->function && !add->field, "nothing is wrong yet");
}

static void test_functions(const struct fn_device_request *request)
{
	static const struct {
		const char *name, *symbol, *module, *spec, *inside;
		unsigned int first, count, result, flags, max_rate;
		unsigned long long slower_ns, error_mask;
	} expected[] = {
		{ "open", "open", "(none)", "open(flags:enum color, text:string[9])", "(none)", 0,
		  2, 2, 0, FN_MAX_RATE, 0, 0 },
		{ "other", "fault", "mod",
		  "fault(a, a->ino) --caller --inside=open --slower=5ns --errors --max-rate=0",
		  "open", 3, 2, 5, LTTNG_MM_FN_CALLER | LTTNG_MM_FN_ERRORS, 0, 5, 0x803 },
		{ "nothing", "nothing", "(none)", "nothing", "(none)", 6, 3, LTTNG_MM_FN_NONE, 0,
		  FN_MAX_RATE, 0, 0 },
		{ "again", "again", "(none)", "again", "(none)", 9, 0, 9, 0, FN_MAX_RATE, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct lttng_mm_fn_function *is = &parts_of(request).functions[i];

		tap(!strcmp(string_of(request, is->name), expected[i].name) &&
			    !strcmp(string_of(request, is->symbol), expected[i].symbol) &&
			    !strcmp(string_of(request, is->module), expected[i].module) &&
			    !strcmp(string_of(request, is->spec), expected[i].spec) &&
			    !strcmp(string_of(request, is->inside), expected[i].inside),
		    "the strings of %s: %s", expected[i].name, string_of(request, is->spec));
		tap(is->first == expected[i].first && is->count == expected[i].count &&
			    is->result == expected[i].result,
		    "... its fields: %u from %u, result %d", is->count, is->first, (int)is->result);
		tap(is->flags == expected[i].flags && is->max_rate == expected[i].max_rate &&
			    is->slower_ns == expected[i].slower_ns &&
			    is->error_mask == expected[i].error_mask,
		    "... its options");
	}
}

static void test_fields(const struct fn_device_request *request)
{
	static const struct {
		const char *name;
		struct lttng_mm_fn_field field;
	} expected[] = {
		{ "flags",
		  { .labels = 0,
		    .kind = LTTNG_MM_FN_SIGNED,
		    .source = 0,
		    .bytes = 4,
		    .mask_bits = 32,
		    .bits = 32 } },
		{ "text",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_STRING,
		    .source = 1,
		    .max = 9 } },
		/* This field has the same enumeration as the field "flags". */
		{ "ret",
		  { .labels = 0,
		    .kind = LTTNG_MM_FN_SIGNED,
		    .source = LTTNG_MM_FN_RESULT,
		    .bytes = 4,
		    .mask_bits = 32,
		    .bits = 32 } },
		{ "a",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_POINTER,
		    .source = 0,
		    .bytes = 8,
		    .mask_bits = 64,
		    .bits = 64 } },
		{ "a_ino",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = 0,
		    .bytes = 8,
		    .mask_bits = 64,
		    .bits = 64,
		    .steps = 1 } },
		{ "ret",
		  { .labels = 1,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = LTTNG_MM_FN_RESULT,
		    .bytes = 4,
		    .mask_bits = 32,
		    .bits = 32 } },
		/* The elements of an array in a structure. */
		{ "three_bytes",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = 0,
		    .bytes = 1,
		    .shift = 0,
		    .mask_bits = 8,
		    .bits = 8 } },
		{ "three_bytes_1",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = 0,
		    .bytes = 2,
		    .shift = 8,
		    .mask_bits = 8,
		    .bits = 8 } },
		{ "three_bytes_2",
		  { .labels = LTTNG_MM_FN_NONE,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = 0,
		    .bytes = 4,
		    .shift = 16,
		    .mask_bits = 8,
		    .bits = 8 } },
		/* This field has the same enumeration as a field of the other function. */
		{ "ret",
		  { .labels = 1,
		    .kind = LTTNG_MM_FN_UNSIGNED,
		    .source = LTTNG_MM_FN_RESULT,
		    .bytes = 4,
		    .mask_bits = 32,
		    .bits = 32 } },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct lttng_mm_fn_field is = parts_of(request).fields[i];
		const char *name = string_of(request, is.name);

		is.name = 0;
		tap(!strcmp(name, expected[i].name) && !memcmp(&is, &expected[i].field, sizeof(is)),
		    "field %zu: %s", i, name);
	}
}

static void test_labels(const struct fn_device_request *request)
{
	static const struct {
		long long value;
		const char *name;
	} expected[] = {
		{ -1, "NONE" }, { 0, "RED" },	       { 1, "GREEN" },		 { 2, "BLUE" },
		{ 3, "GRAY" },	{ 1, "VM_FAULT_OOM" }, { 2, "VM_FAULT_SIGBUS" }, { 4, "bit2" },
	};
	const struct request_parts parts = parts_of(request);
	bool same = true;

	tap(parts.enumerations[0].first == 0 && parts.enumerations[0].count == 5 &&
		    parts.enumerations[0].is_signed == 1 && !parts.enumerations[0].reserved,
	    "the first enumeration");
	tap(parts.enumerations[1].first == 5 && parts.enumerations[1].count == 32 &&
		    !parts.enumerations[1].is_signed,
	    "the second enumeration");
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		same &= parts.labels[i].value == expected[i].value &&
			!strcmp(string_of(request, parts.labels[i].name), expected[i].name) &&
			!parts.labels[i].reserved;
	tap(same, "their labels");
}

/* Tests the maximum number of functions, each with a string field. */
static void test_many(const struct fn_btf *btf)
{
	struct fn_function *functions = calloc(LTTNG_MM_FN_FUNCTIONS, sizeof(*functions));
	static const struct fn_add_options options = { .max_rate = 1 };
	struct mm_error err = MM_ERROR_INIT;
	struct fn_device_request request;

	for (size_t i = 0; functions && i < LTTNG_MM_FN_FUNCTIONS; i++) {
		if (i)
			functions[i] = functions[0];
		else
			make(btf, "fault(a)", "", &options, &functions[0]);
		snprintf(functions[i].name, sizeof(functions[i].name), "fault_%zu", i);
	}
	if (!functions || fn_request_build(functions, LTTNG_MM_FN_FUNCTIONS, &request, &err))
		tap_bail("%s", err.message);
	tap(request.add.functions == LTTNG_MM_FN_FUNCTIONS && request.add.enumerations == 1 &&
		    request.add.labels == 32 && request.size < LTTNG_MM_FN_REQUEST_BYTES,
	    "%u functions in %zu bytes", request.add.functions, request.size);
	fn_request_release(&request);
	/* The request must also have room for a SPEC of the largest size for each function. */
	for (size_t i = 0; i < LTTNG_MM_FN_FUNCTIONS; i++)
		snprintf(functions[i].spec, sizeof(functions[i].spec), "%0*zu",
			 LTTNG_MM_FN_SPEC_MAX - 1, i);
	tap(!fn_request_build(functions, LTTNG_MM_FN_FUNCTIONS, &request, &err),
	    "... with SPECs of the largest size in %zu bytes", request.size);
	fn_request_release(&request);
	free(functions);
}

int main(void)
{
	static const struct fn_add_options plain = { .max_rate = FN_MAX_RATE };
	static const struct fn_add_options all = {
		.as = "other", .inside = "open", .slower_ns = 5, .caller = true, .errors = true
	};
	static struct fn_function functions[4];
	struct mm_error err = MM_ERROR_INIT;
	struct fn_device_request request;
	struct fn_types *types;

	fn_make_types();
	fn_add_function("open", fn_ids.color, fn_ids.color, "flags", fn_ids.const_char_ptr, "text",
			-1);
	fn_add_function("fault", fn_ids.fault_t, fn_ids.inode_ptr, "a", -1);
	fn_add_function("nothing", 0, fn_ids.three, "three", -1);
	fn_add_function("again", fn_ids.fault_t, -1);
	types = fn_types_adopt(fn_btf_made);
	if (!types)
		tap_bail("out of memory");
	make(fn_types_kernel(types), "open(flags:enum color, text:string[9])", "", &plain,
	     &functions[0]);
	make(fn_types_kernel(types), "fault(a, a->ino)", "mod", &all, &functions[1]);
	make(fn_types_kernel(types), "nothing", "", &plain, &functions[2]);
	make(fn_types_kernel(types), "again", "", &plain, &functions[3]);
	if (fn_request_build(functions, 4, &request, &err))
		tap_bail("%s", err.message);
	test_sizes(&request);
	test_functions(&request);
	test_fields(&request);
	test_labels(&request);
	fn_request_release(&request);
	test_many(fn_types_kernel(types));
	fn_types_close(types);
	return tap_status();
}
