// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm fn: events of the calls of kernel functions. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fn-options.h"
#include "lttng-session/fn/device.h"
#include "util/json-file.h"
#include "util/text.h"

void fn_print_json(json_t *json, struct mm_error *err)
{
	if (!json) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return;
	}
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(json);
}

const char *fn_kind_name(unsigned int kind)
{
	static const char *const names[LTTNG_MM_FN_KINDS] = {
		[LTTNG_MM_FN_UNSIGNED] = "unsigned", [LTTNG_MM_FN_SIGNED] = "signed",
		[LTTNG_MM_FN_HEX] = "hexadecimal",   [LTTNG_MM_FN_POINTER] = "pointer",
		[LTTNG_MM_FN_STRING] = "string",     [LTTNG_MM_FN_USER_STRING] = "user string",
	};

	return names[kind];
}

/* Is a function that is to be added there already? */
enum presence {
	MISSING,
	PRESENT,
	STOPPED, /* it was called too often; adding it again starts it again */
};

struct adding {
	struct fn_set set;
	enum presence *presence; /* of each function of the set */
	struct mm_error *err;
};

/* A function that is there is not added again; one with another SPEC is refused. */
static int compare(const struct lttng_mm_fn_state *state, void *user)
{
	struct adding *adding = user;

	for (size_t i = 0; i < adding->set.count; i++) {
		const struct fn_function *function = &adding->set.functions[i];

		if (strcmp(function->name, state->name) != 0)
			continue;
		if (strcmp(function->spec, state->spec) != 0 ||
		    strcmp(function->module, state->module) != 0)
			return mm_error_set(
				adding->err, MM_EXIT_BAD_INPUT,
				"fn: %s: it has been added as '%s'; remove it with `lttng-mm fn remove %s`, or give this one another name with --as",
				function->spec, state->spec, state->name);
		adding->presence[i] = state->state & LTTNG_MM_FN_STATE_STOPPED ? STOPPED : PRESENT;
	}
	return 0;
}

/* A kernel that keeps few bytes of a call has no fn_NAME_call for many arguments. */
static int note_call(const struct lttng_mm_fn_state *state, void *user)
{
	struct adding *adding = user;
	struct fn_set *set = &adding->set;
	char *note;
	int ret = 0;

	for (size_t i = 0; i < set->count && !ret; i++) {
		if (strcmp(set->functions[i].name, state->name) != 0 ||
		    !(state->state & LTTNG_MM_FN_STATE_NO_CALL))
			continue;
		if (asprintf(
			    &note,
			    "fn: %s: there is no fn_%s_call: this kernel cannot keep so many bytes during a call; select fewer values",
			    state->name, state->name) < 0)
			return mm_error_set(adding->err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		ret = mm_strings_add(&set->notes, &set->note_count, note);
		free(note);
	}
	return ret ? mm_error_set(adding->err, MM_EXIT_ENVIRONMENT, "fn: out of memory") : 0;
}

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

static bool existed(const struct adding *adding, size_t i)
{
	return adding->presence && adding->presence[i] == PRESENT;
}

static void print_added_json(const struct adding *adding, struct mm_error *err)
{
	json_t *functions = json_array(), *notes = json_array();

	for (size_t i = 0; i < adding->set.count; i++)
		json_array_append_new(functions,
				      function_json(&adding->set.functions[i], existed(adding, i)));
	for (size_t i = 0; i < adding->set.note_count; i++)
		json_array_append_new(notes, mm_json_text(adding->set.notes[i]));
	fn_print_json(json_pack("{s:o,s:o}", "functions", functions, "notes", notes), err);
}

static void print_function(const struct fn_function *function)
{
	printf("%s(", function->name);
	for (size_t i = 0; i < function->count; i++)
		printf("%s%s", i ? ", " : "", function->fields[i].name);
	printf(")%s\n", function->has_result ? " : ret" : "");
}

static void print_added(const struct adding *adding, bool dry_run)
{
	size_t there = 0;

	for (size_t i = 0; i < adding->set.note_count; i++)
		fprintf(stderr, "lttng-mm: %s\n", adding->set.notes[i]);
	for (size_t i = 0; i < adding->set.count; i++) {
		const struct fn_function *function = &adding->set.functions[i];

		there += existed(adding, i);
		if (dry_run)
			print_function(function);
		else if (existed(adding, i))
			printf("%s: already added\n", function->name);
		else
			printf("%s: added; its events are fn_%s_*\n", function->name,
			       function->name);
	}
	if (there && there < adding->set.count)
		printf("%zu added, %zu already there\n", adding->set.count - there, there);
}

/* Only those that are not there. */
static int send(struct adding *adding, int device)
{
	struct fn_function *missing;
	size_t count = 0;
	int ret = 0;

	if (fn_device_each(device, compare, adding, adding->err))
		return -1;
	missing = calloc(adding->set.count + 1, sizeof(*missing));
	if (!missing)
		return mm_error_set(adding->err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	for (size_t i = 0; i < adding->set.count && ret >= 0; i++) {
		if (adding->presence[i] == STOPPED)
			ret = fn_device_remove(device, adding->set.functions[i].name, adding->err);
		if (adding->presence[i] != PRESENT)
			missing[count++] = adding->set.functions[i];
	}
	if (ret >= 0)
		ret = fn_device_add(device, missing, count, adding->err);
	free(missing);
	return ret ? ret : fn_device_each(device, note_call, adding, adding->err);
}

static void add(const struct fn_command *command, struct mm_error *err)
{
	struct adding adding = { .err = err };
	int device = -1, ret;

	/* What is wrong by itself is refused first. */
	if (fn_set_check(command->names, command->count, &command->set, err))
		return;
	if (!command->set.dry_run) {
		device = fn_device_open(true, err);
		if (device < 0)
			return;
	}
	ret = fn_set_make(command->names, command->count, &command->set, &adding.set, err);
	if (!ret) {
		adding.presence = calloc(adding.set.count + 1, sizeof(*adding.presence));
		if (!adding.presence)
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	}
	if (!ret && device >= 0)
		ret = send(&adding, device);
	if (!ret && command->json)
		print_added_json(&adding, err);
	else if (!ret)
		print_added(&adding, command->set.dry_run);
	free(adding.presence);
	fn_set_release(&adding.set);
	if (device >= 0)
		close(device);
}

/* All are removed that are there. */
static void remove_all(const struct fn_command *command, struct mm_error *err)
{
	int device = fn_device_open(false, err);
	json_t *removed;

	if (device < 0) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"fn: %s: no function of this name has been added; `lttng-mm fn list` lists them",
			command->names[0]);
		return;
	}
	removed = json_array();
	for (size_t i = 0; i < command->count; i++) {
		const char *name = command->names[i];
		int ret = fn_device_remove(device, name, err);

		if (ret > 0)
			mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"fn: %s: no function of this name has been added; `lttng-mm fn list` lists them",
				name);
		if (ret)
			continue;
		json_array_append_new(removed, mm_json_text(name));
		if (!command->json)
			printf("%s: removed\n", name);
	}
	if (command->json)
		fn_print_json(json_pack("{s:O}", "removed", removed), err);
	json_decref(removed);
	close(device);
}

int cmd_fn(int argc, char **argv)
{
	struct fn_command command = {
		.set = { .function = { .max_rate = FN_MAX_RATE }, .max = FN_MATCHES_MAX },
	};
	struct mm_error err = MM_ERROR_INIT;

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
