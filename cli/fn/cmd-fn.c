// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm fn: adds, lists and removes events of kernel functions. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/fn/fn-options.h"
#include "cli/fn/fn-print.h"
#include "cli/fn/needed-functions.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/fn/history.h"
#include "util/json-file.h"
#include "util/text.h"

static json_t *field_json(const struct fn_field *field, const char *name)
{
	json_t *json = json_pack("{s:s,s:s}", "name", name, "kind", fn_kind_name(field->wire.kind));

	if (fn_field_is_text(field))
		json_object_set_new(json, "bytes", json_integer(field->wire.max));
	else
		json_object_set_new(json, "bits", json_integer(field->wire.bits));
	return json;
}

static json_t *function_json(const struct fn_function *function, bool exists)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < function->count; i++)
		json_array_append_new(fields,
				      field_json(&function->fields[i], function->fields[i].name));
	return json_pack("{s:s,s:s,s:s,s:o,s:b,s:o,s:o}", "name", function->name, "function",
			 function->symbol, "module", function->module, "spec",
			 mm_json_text(function->spec), "existed", exists, "arguments", fields,
			 "result",
			 function->has_result ? field_json(&function->result, "ret") : json_null());
}

static bool existed(const struct fn_added *added, size_t i)
{
	return added->presence[i] == FN_PRESENT;
}

static void print_added_json(const struct fn_added *added, struct mm_error *err)
{
	json_t *functions = json_array(), *notes = json_array();

	for (size_t i = 0; i < added->set.count; i++)
		json_array_append_new(functions,
				      function_json(&added->set.functions[i], existed(added, i)));
	for (size_t i = 0; i < added->set.note_count; i++)
		json_array_append_new(notes, mm_json_text(added->set.notes[i]));
	fn_print_json(json_pack("{s:o,s:o}", "functions", functions, "notes", notes), err);
}

static void print_function(const struct fn_function *function)
{
	printf("%s(", function->name);
	for (size_t i = 0; i < function->count; i++)
		printf("%s%s", i ? ", " : "", function->fields[i].name);
	printf(")%s\n", function->has_result ? " : ret" : "");
}

void fn_print_added(const struct fn_added *added, bool dry_run)
{
	size_t there = 0;

	for (size_t i = 0; i < added->set.note_count; i++)
		fprintf(stderr, "lttng-mm: %s\n", added->set.notes[i]);
	for (size_t i = 0; i < added->set.count; i++) {
		const struct fn_function *function = &added->set.functions[i];

		there += existed(added, i);
		if (dry_run)
			print_function(function);
		else if (existed(added, i))
			printf("%s: already added\n", function->name);
		else
			printf("%s: added; its events are fn_%s_*\n", function->name,
			       function->name);
	}
	if (there && there < added->set.count)
		printf("%zu added, %zu already added before\n", added->set.count - there, there);
}

int fn_command_add(const char *const *specs, size_t count, const struct fn_set_options *options,
		   struct fn_guard *guard, struct fn_added *added, struct mm_error *err)
{
	if (fn_set_check(specs, count, options, err))
		return -1;
	if (fn_set_reveals(specs, count, options) && !options->dry_run && !geteuid() &&
	    recorder_reveal_functions(err))
		return -1;
	return guard ? fn_guard_add(guard, specs, count, options, added, err)
		     : fn_add(specs, count, options, added, err);
}

static void add(const struct fn_command *command, struct mm_error *err)
{
	struct fn_added added;

	if (fn_command_add(command->names, command->count, &command->set, NULL, &added, err))
		return;
	if (command->json)
		print_added_json(&added, err);
	else
		fn_print_added(&added, command->set.dry_run);
	fn_added_release(&added);
}

/* Removes the named functions. Continues if a function does not exist. */
static void remove_all(const struct fn_command *command, struct mm_error *err)
{
	int device = fn_device_open(false, err);
	const char **names;
	size_t count = 0;
	json_t *removed;

	if (device < 0) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: %s: no function of this name has been added; `lttng-mm fn list` lists them",
			command->names[0]);
		return;
	}
	removed = json_array();
	names = calloc(command->count + 1, sizeof(*names));
	if (!names)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (size_t i = 0; names && i < command->count; i++) {
		const char *name = command->names[i];
		int ret = fn_device_remove(device, name, err);

		if (ret > 0)
			mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"fn: %s: no function of this name has been added; `lttng-mm fn list` lists them",
				name);
		if (ret)
			continue;
		names[count++] = name;
		json_array_append_new(removed, mm_json_text(name));
		if (!command->json)
			printf("%s: removed\n", name);
	}
	fn_history_remove(names, count);
	if (count)
		needed_functions_note(names, count);
	free(names);
	if (command->json)
		fn_print_json(json_pack("{s:O}", "removed", removed), err);
	json_decref(removed);
	close(device);
}

int cmd_fn(int argc, char **argv)
{
	struct fn_command command = { .names = NULL };
	struct mm_error err = MM_ERROR_INIT;

	fn_set_options_init(&command.set);
	command_parse(&fn_parser, argc, argv, &command);
	switch (command.action) {
	case FN_ADD:
		add(&command, &err);
		break;
	case FN_LIST:
		if (command.available)
			fn_print_available(&command, &err);
		else
			fn_print_list(&command, &err);
		break;
	case FN_REMOVE:
		remove_all(&command, &err);
		break;
	case FN_SIGNATURE:
		fn_print_signatures(&command, &err);
		break;
	}
	free(command.names);
	return command_end(&err, MM_EXIT_OK);
}
