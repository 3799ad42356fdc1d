// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm fn list: lists the added functions, and counts recordable functions (--available). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/fn/fn-options.h"
#include "cli/fn/fn-print.h"
#include "lttng-session/fn/describe/available.h"
#include "lttng-session/fn/device.h"
#include "util/escape.h"
#include "util/json-file.h"

/* Width of the table if the output is not a terminal, and widths of the table's columns. */
#define WIDTH 100
#define NUMBER_WIDTH 10
#define STATE_WIDTH 7
/*
 * If a NAME is longer than NAME_WIDTH, the column FUNCTION becomes narrower, but not below
 * LEAST_WIDTH.
 */
#define NAME_WIDTH 28
#define LEAST_WIDTH 8

/* Returns the word in the column STATE, such as "stopped". */
static const char *state_name(const struct lttng_mm_fn_state *state)
{
	if (state->state & LTTNG_MM_FN_STATE_FAILED)
		return "failed";
	if (state->state & LTTNG_MM_FN_STATE_STOPPED)
		return "stopped";
	if (state->state & LTTNG_MM_FN_STATE_ABSENT)
		return "absent";
	return state->state & LTTNG_MM_FN_STATE_HOOKED ? "hooked" : "idle";
}

static int add_json(const struct lttng_mm_fn_state *state, void *user)
{
	json_t *json =
		json_pack("{s:s,s:s,s:s,s:o,s:s,s:I,s:I,s:I}", "name", state->name, "function",
			  state->symbol, "module", state->module, "spec", mm_json_text(state->spec),
			  "state", state_name(state), "calls", (json_int_t)state->hits, "misses",
			  (json_int_t)state->misses, "misses_group", (json_int_t)state->group);

	if (json && state->error)
		json_object_set_new(json, "error", json_string(strerror(abs(state->error))));
	if (json && state->stopped_ns)
		json_object_set_new(json, "stopped_ns",
				    json_integer((json_int_t)state->stopped_ns));
	return json_array_append_new(user, json) ? -1 : 0;
}

/* Returns the width of the column @title: its longest text, but at most @most. */
static size_t widest(const json_t *list, const char *key, const char *title, size_t most)
{
	size_t width = strlen(title), i;
	const json_t *one;

	json_array_foreach(list, i, one)
	{
		size_t length = json_string_length(json_object_get(one, key));

		width = length > width ? length : width;
	}
	return width < most ? width : most;
}

static size_t output_width(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : WIDTH;
}

/* Prints @text in @width columns. A truncated text ends with an asterisk. */
static void print_cell(const char *text, size_t width, bool is_last)
{
	char shown[LTTNG_MM_FN_SPEC_MAX];

	mm_escape_terminal(shown, sizeof(shown), text, strlen(text));
	if (strlen(shown) > width && width)
		strcpy(shown + width - 1, "*");
	if (is_last)
		printf("%s\n", shown);
	else
		printf("%-*s ", (int)width, shown);
}

static const char *text_of(const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text ? text : "";
}

static void print_table(const json_t *list)
{
	/* Never truncate a name, because `fn remove` needs it. */
	size_t names = widest(list, "name", "NAME", SIZE_MAX), width = output_width(), used, i;
	size_t more = names > NAME_WIDTH ? names - NAME_WIDTH : 0;
	size_t functions =
		widest(list, "function", "FUNCTION",
		       more < NAME_WIDTH - LEAST_WIDTH ? NAME_WIDTH - more : LEAST_WIDTH);
	const json_t *one;

	used = names + functions + STATE_WIDTH + (size_t)2 * NUMBER_WIDTH + 5;
	width = width > used + LEAST_WIDTH ? width - used : LEAST_WIDTH;
	printf("%-*s %-*s %*s %*s %-*s %s\n", (int)names, "NAME", (int)functions, "FUNCTION",
	       NUMBER_WIDTH, "CALLS", NUMBER_WIDTH, "MISSES", STATE_WIDTH, "STATE", "SPEC");
	json_array_foreach(list, i, one)
	{
		print_cell(text_of(one, "name"), names, false);
		print_cell(text_of(one, "function"), functions, false);
		printf("%*" JSON_INTEGER_FORMAT " %*" JSON_INTEGER_FORMAT " %-*s ", NUMBER_WIDTH,
		       json_integer_value(json_object_get(one, "calls")), NUMBER_WIDTH,
		       json_integer_value(json_object_get(one, "misses")), STATE_WIDTH,
		       text_of(one, "state"));
		print_cell(text_of(one, "spec"), width, true);
	}
}

/* Explains the states that need the user's attention. */
static void print_remarks(const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *name = text_of(one, "name"), *state = text_of(one, "state");

		if (!strcmp(state, "stopped"))
			printf("%s: called more often than its maximum rate, so it is no longer recorded; add it again\n",
			       name);
		else if (!strcmp(state, "failed"))
			printf("%s: the kernel refused the hook: %s\n", name,
			       text_of(one, "error"));
		else if (!strcmp(state, "absent"))
			printf("%s: the module %s is not loaded\n", name, text_of(one, "module"));
	}
}

void fn_print_list(const struct fn_command *command, struct mm_error *err)
{
	int device = fn_device_open(false, err);
	json_t *list;

	if (device < 0 && err->code)
		return;
	list = json_array();
	/* Without the kernel module, the list is empty. */
	if (device >= 0 && fn_device_each(device, add_json, list, err) < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	if (device >= 0)
		close(device);
	if (!err->code && command->json) {
		fn_print_json(json_incref(list), err);
	} else if (!err->code && !json_array_size(list)) {
		printf("no function has been added; add one with `lttng-mm fn add`\n");
	} else if (!err->code) {
		print_table(list);
		print_remarks(list);
	}
	json_decref(list);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_reasons(const char *what, uint64_t all, const uint64_t *by_reason)
{
	printf("%s: %" PRIu64 "; available: %" PRIu64 " (%.2f %%)\n", what, all,
	       by_reason[FN_AVAILABLE], percent(by_reason[FN_AVAILABLE], all));
	for (int reason = FN_AVAILABLE + 1; reason < FN_REASONS; reason++)
		if (by_reason[reason])
			printf("  %10" PRIu64 "  %s\n", by_reason[reason],
			       fn_reason_text((enum fn_reason)reason));
}

static json_t *reasons_json(uint64_t all, const uint64_t *by_reason)
{
	json_t *reasons = json_object();

	for (int reason = FN_AVAILABLE + 1; reason < FN_REASONS; reason++)
		if (by_reason[reason])
			json_object_set_new(reasons, fn_reason_text((enum fn_reason)reason),
					    json_integer((json_int_t)by_reason[reason]));
	return json_pack("{s:I,s:I,s:f,s:o}", "count", (json_int_t)all, "available",
			 (json_int_t)by_reason[FN_AVAILABLE], "percent",
			 percent(by_reason[FN_AVAILABLE], all), "unavailable", reasons);
}

void fn_print_available(const struct fn_command *command, struct mm_error *err)
{
	struct fn_available counts;

	if (fn_available_count(command->btf, &counts, err))
		return;
	if (command->json) {
		fn_print_json(json_pack("{s:o,s:I,s:o,s:o}", "traceable_functions",
					command->btf ? json_null()
						     : json_integer((json_int_t)counts.traceable),
					"described_functions", (json_int_t)counts.described,
					"arguments",
					reasons_json(counts.arguments, counts.by_reason), "results",
					reasons_json(counts.results, counts.result_reasons)),
			      err);
		return;
	}
	if (command->btf)
		printf("functions in %s: %" PRIu64 "\n", command->btf, counts.described);
	else
		printf("functions that can be traced: %" PRIu64 "; in BTF: %" PRIu64 " (%.2f %%)\n",
		       counts.traceable, counts.described,
		       percent(counts.described, counts.traceable));
	print_reasons("arguments", counts.arguments, counts.by_reason);
	print_reasons("results", counts.results, counts.result_reasons);
}
