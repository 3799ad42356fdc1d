// SPDX-License-Identifier: LGPL-2.1-only
/* Shows functions that were stopped because they exceeded their maximum rate. */
#include "cli/status/status-functions.h"

#include <inttypes.h>

#include "util/escape.h"
#include "util/time.h"

#define SHOWN 5

static void print_function(FILE *out, const json_t *function)
{
	const char *name = json_string_value(json_object_get(function, "name"));
	char text[MM_TIME_TEXT];

	mm_time_format_local(text, sizeof(text), MM_TIME_DATE,
			     json_integer_value(json_object_get(function, "since")));
	fprintf(out, "function ");
	mm_escape_print(out, name ? name : "?");
	fprintf(out,
		": called more often than its maximum rate, so it has not been recorded since %s; add it again with `lttng-mm fn add`\n",
		text);
}

void status_print_functions(FILE *out, const json_t *stopped)
{
	const json_t *functions = json_object_get(stopped, "functions"), *function;
	const json_int_t more = json_integer_value(json_object_get(stopped, "count")) - SHOWN;
	size_t i;

	json_array_foreach(functions, i, function)
	{
		if (i < SHOWN)
			print_function(out, function);
	}
	if (more > 0)
		fprintf(out,
			"functions: %" PRId64
			" more function%s no longer recorded for this reason; `lttng-mm fn list` lists all\n",
			(int64_t)more, more == 1 ? " is" : "s are");
}

void status_add_functions(json_t *json, const json_t *stopped)
{
	const json_t *functions = json_object_get(stopped, "functions");
	const json_t *count = json_object_get(stopped, "count");

	json_object_set_new(json, "stopped_functions",
			    functions ? json_deep_copy(functions) : json_null());
	json_object_set_new(json, "stopped_function_count",
			    count ? json_deep_copy(count) : json_null());
}
