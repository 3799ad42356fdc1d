// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm fn signature: prints the prototypes of functions, and which values can be recorded. */
#include <stdlib.h>
#include <string.h>

#include "cli/fn/fn-options.h"
#include "cli/fn/fn-print.h"
#include "lttng-session/fn/describe/declare.h"
#include "util/escape.h"
#include "util/json-file.h"
#include "util/nearest.h"

#define TEXT_MAX 1024

void fn_value_text(const struct fn_btf *btf, const struct fn_value *value, char *text, size_t size)
{
	const struct btf_type *labels =
		value->labels ? btf__type_by_id(btf->btf, value->labels) : NULL;
	const char *name = labels ? fn_btf_name(btf, labels) : "";

	if (value->is_bool)
		snprintf(text, size, "boolean, %u bits", value->bits);
	else if (value->by_member)
		snprintf(text, size, "structure of %u bytes, by member", value->mask_bits / 8);
	else if (value->is_structure)
		snprintf(text, size, "structure of %u bytes, hexadecimal, %u bits",
			 value->mask_bits / 8, value->bits);
	else if (labels && btf_is_any_enum(labels))
		snprintf(text, size, "%s%s%s, %u bits", fn_kind_name(value->kind),
			 *name ? " with the labels of enum " : " with labels", name, value->bits);
	else
		snprintf(text, size, "%s, %u bits", fn_kind_name(value->kind), value->bits);
}

static const char *place_of(const struct fn_argument *argument, char *text, size_t size)
{
	static const char *const registers[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };
	const unsigned int source = argument->source, second = argument->eightbytes[1];

	if (source >= FN_REGISTERS)
		snprintf(text, size, "stack+%u", 8 * (source - FN_REGISTERS));
	else if (argument->value.bytes > 8 && second > source && second < FN_REGISTERS)
		snprintf(text, size, "%s, %s", registers[source], registers[second]);
	else
		snprintf(text, size, "%s", registers[source]);
	return text;
}

static json_t *value_json(const struct fn_btf *btf, uint32_t type, const struct fn_value *value)
{
	char text[TEXT_MAX];
	json_t *json;

	fn_declare(btf, type, "", text, sizeof(text));
	json = json_pack("{s:o,s:b}", "type", mm_json_text(text), "available", !value->reason);
	if (value->reason) {
		json_object_set_new(json, "reason", json_string(fn_reason_text(value->reason)));
		return json;
	}
	json_object_set_new(json, "kind", json_string(fn_kind_name(value->kind)));
	json_object_set_new(json, "bits", json_integer(value->bits));
	return json;
}

static json_t *signature_json(const struct fn_signature *signature)
{
	json_t *arguments = json_array(), *json;
	char text[8 * TEXT_MAX], place[32];

	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];

		json = value_json(signature->btf, argument->type, &argument->value);
		json_object_set_new(json, "name", mm_json_text(argument->name));
		json_object_set_new(json, "number", json_integer((json_int_t)i + 1));
		if (!argument->value.reason)
			json_object_set_new(json, "place",
					    json_string(place_of(argument, place, sizeof(place))));
		json_array_append_new(arguments, json);
	}
	fn_declare_function(signature, text, sizeof(text));
	return json_pack("{s:o,s:s,s:o,s:b,s:o,s:o}", "function", mm_json_text(signature->name),
			 "module", signature->btf->module, "declaration", mm_json_text(text),
			 "variadic", signature->is_variadic, "arguments", arguments, "result",
			 signature->result_type ? value_json(signature->btf, signature->result_type,
							     &signature->result)
						: json_null());
}

static void print_value(const struct fn_btf *btf, const struct fn_value *value)
{
	char text[TEXT_MAX];

	if (value->reason) {
		printf("not available: %s\n", fn_reason_text(value->reason));
		return;
	}
	fn_value_text(btf, value, text, sizeof(text));
	mm_escape_print(stdout, text);
	putchar('\n');
}

static void print_signature(const struct fn_signature *signature)
{
	char text[8 * TEXT_MAX], place[32];

	fn_declare_function(signature, text, sizeof(text));
	mm_escape_print(stdout, text);
	printf("%s%s\n", *signature->btf->module ? "  in the module " : "", signature->btf->module);
	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];

		fn_declare(signature->btf, argument->type, argument->name, text, sizeof(text));
		printf("  %zu  ", i + 1);
		mm_escape_print(stdout, text);
		printf("  (%s)  ",
		       argument->value.reason ? "-" : place_of(argument, place, sizeof(place)));
		print_value(signature->btf, &argument->value);
	}
	if (signature->is_variadic)
		printf("  further arguments are not available\n");
	if (!signature->result_type)
		return;
	fn_declare(signature->btf, signature->result_type, "", text, sizeof(text));
	printf("  ret  ");
	mm_escape_print(stdout, text);
	printf("  ");
	print_value(signature->btf, &signature->result);
}

/*
 * Returns the BTF that contains the function. If @spec names a module, this is the module's BTF.
 * Otherwise, it is the kernel's BTF or the BTF of the module that has the function.
 */
static const struct fn_btf *types_of(struct fn_types *types, const struct fn_spec *spec,
				     struct fn_symbols *symbols)
{
	const struct fn_btf *kernel = fn_types_kernel(types);
	const struct fn_symbol *symbol = NULL;

	if (*spec->module)
		return fn_types_of(types, spec->module);
	if (fn_btf_function(kernel, spec->function) || !symbols)
		return kernel;
	fn_symbols_find(symbols, NULL, spec->function, &symbol);
	return symbol ? fn_types_of(types, symbol->module) : kernel;
}

/* Reports that the function is not in BTF, and why. */
static void refuse_name(const struct fn_spec *spec, const struct fn_btf *btf,
			const struct fn_symbols *symbols, const char *text, struct mm_error *err)
{
	const char *module = *spec->module ? spec->module : NULL;
	const struct fn_symbol *symbol;
	char hint[MM_NEAREST_TEXT];

	if (symbols && fn_symbols_find(symbols, module, spec->function, &symbol) == FN_NO_SYMBOL)
		mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: %s: the kernel has no such function%s",
			     text,
			     fn_symbols_hint(symbols, module, spec->function, hint, sizeof(hint)));
	else if (symbols)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: %s: the function exists, but is not in BTF; give the types to record it: `lttng-mm fn add '%s(a:u32) : s32'`",
			text, spec->function);
	else
		mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: %s: there is no such function in BTF%s",
			     text, btf ? fn_btf_hint(btf, spec->function, hint, sizeof(hint)) : "");
}

static int describe(struct fn_types *types, const char *text, struct fn_symbols *symbols,
		    struct fn_signature *signature, struct mm_error *err)
{
	struct fn_spec *spec = fn_spec_parse(text, err);
	const struct fn_btf *btf;
	uint32_t id = 0;
	int ret = -1;

	if (!spec)
		return -1;
	btf = types_of(types, spec, symbols);
	id = btf ? fn_btf_function(btf, spec->function) : 0;
	if (spec->is_pattern || spec->selects)
		mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: %s: give the name of one function", text);
	else if (!id)
		refuse_name(spec, btf, symbols, text, err);
	else if (fn_signature_read(btf, id, signature))
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "fn: %s: the function has more than %d arguments", text,
			     FN_SIGNATURE_MAX);
	else
		ret = 0;
	fn_spec_destroy(spec);
	return ret;
}

void fn_print_signatures(const struct fn_command *command, struct mm_error *err)
{
	struct fn_types *types = fn_types_open(command->btf, err);
	struct fn_symbols *symbols = types && !command->btf ? fn_symbols_read(NULL) : NULL;
	json_t *all = command->json ? json_array() : NULL;
	struct fn_signature signature;

	for (size_t i = 0; types && i < command->count && !err->code; i++) {
		if (describe(types, command->names[i], symbols, &signature, err))
			break;
		if (command->json)
			json_array_append_new(all, signature_json(&signature));
		else
			print_signature(&signature);
	}
	if (command->json && !err->code)
		fn_print_json(json_incref(all), err);
	json_decref(all);
	fn_symbols_destroy(symbols);
	fn_types_close(types);
}
