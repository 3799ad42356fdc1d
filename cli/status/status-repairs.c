// SPDX-License-Identifier: LGPL-2.1-only
/* Shows rescues and repairs, and for how long nothing was recorded. */
#include "cli/status/status-repairs.h"

#include <stdbool.h>

#include "lttng-session/recorder/repairs.h"
#include "util/escape.h"
#include "util/time.h"

#define SHOWN 5
#define NS_PER_S 1000000000

static void print_time(FILE *out, const json_t *ns)
{
	char text[MM_TIME_TEXT];

	if (!json_is_integer(ns)) {
		fprintf(out, "its start");
		return;
	}
	mm_time_format_digits(text, sizeof(text), json_integer_value(ns), 3, false);
	fputs(text, out);
}

static void print_text(FILE *out, const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	mm_escape_print(out, text ? text : "?");
}

static void print_repair(FILE *out, const json_t *repair)
{
	fprintf(out, "repaired: ");
	print_text(out, repair, "session");
	fprintf(out, ": ");
	print_text(out, repair, "what");
	fprintf(out, "; there are no events from ");
	print_time(out, json_object_get(repair, "from_ns"));
	fprintf(out, " to ");
	print_time(out, json_object_get(repair, "until_ns"));
	fputc('\n', out);
}

static void print_rescue(FILE *out, const json_t *rescue)
{
	const bool failed = json_object_get(rescue, "error");

	fprintf(out, "%s: ", failed ? "not rescued" : "rescued");
	print_text(out, rescue, "what");
	if (json_is_integer(json_object_get(rescue, "at_ns"))) {
		fprintf(out, ", ");
		print_time(out, json_object_get(rescue, "at_ns"));
	}
	fprintf(out, ": ");
	print_text(out, rescue, failed ? "error" : "path");
	fputc('\n', out);
}

static void print_last(FILE *out, const json_t *array, void (*print)(FILE *out, const json_t *one))
{
	const size_t count = json_array_size(array);

	for (size_t i = count > SHOWN ? count - SHOWN : 0; i < count; i++)
		print(out, json_array_get(array, i));
}

void status_print_repairs(FILE *out, const json_t *daemon)
{
	const json_t *supervisor = json_object_get(daemon, "supervisor");
	json_t *repairs = repairs_read();

	print_last(out, repairs, print_repair);
	json_decref(repairs);
	print_last(out, json_object_get(supervisor, "rescues"), print_rescue);
	if (json_is_string(json_object_get(supervisor, "problem"))) {
		fprintf(out, "problem: ");
		print_text(out, supervisor, "problem");
		fputc('\n', out);
	}
}

/* Returns the time @key of the last element of @array in seconds, or null if @array is empty. */
static json_t *last_s(const json_t *array, const char *key)
{
	const size_t count = json_array_size(array);
	const json_t *ns = count ? json_object_get(json_array_get(array, count - 1), key) : NULL;

	return json_is_integer(ns) ? json_integer(json_integer_value(ns) / NS_PER_S) : json_null();
}

static json_t *size_of(const json_t *array)
{
	return json_is_array(array) ? json_integer((json_int_t)json_array_size(array))
				    : json_null();
}

void status_add_repairs(json_t *json, const json_t *daemon)
{
	const json_t *supervisor = json_object_get(daemon, "supervisor");
	const json_t *rescues = json_object_get(supervisor, "rescues");
	const json_t *problem = json_object_get(supervisor, "problem");
	json_t *repairs = repairs_read();

	json_object_set_new(json, "repair_count", size_of(repairs));
	json_object_set_new(json, "last_repair", last_s(repairs, "until_ns"));
	json_object_set_new(json, "repairs", repairs);
	json_object_set_new(json, "rescue_count", size_of(rescues));
	json_object_set_new(json, "last_rescue", last_s(rescues, "at_ns"));
	json_object_set_new(json, "rescues", rescues ? json_deep_copy(rescues) : json_null());
	json_object_set_new(json, "problem_found",
			    problem ? json_boolean(json_is_string(problem)) : json_null());
	json_object_set_new(json, "problem", problem ? json_deep_copy(problem) : json_null());
}
