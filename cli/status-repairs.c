// SPDX-License-Identifier: LGPL-2.1-only
/* Shows repairs, whose times are holes in what was recorded. */
#include "cli/status-repairs.h"

#include <time.h>

#include "lttng-session/recorder/repairs.h"
#include "util/escape.h"

#define SHOWN 5

static void print_time(FILE *out, const json_t *ns)
{
	const time_t seconds = (time_t)(json_integer_value(ns) / 1000000000);
	char text[64] = "?";
	struct tm local;

	if (!json_is_integer(ns)) {
		fprintf(out, "its start");
		return;
	}
	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	fprintf(out, "%s.%03d", text, (int)(json_integer_value(ns) / 1000000 % 1000));
}

void status_print_repairs(FILE *out)
{
	json_t *repairs = repairs_read();
	const size_t count = json_array_size(repairs);

	for (size_t i = count > SHOWN ? count - SHOWN : 0; i < count; i++) {
		const json_t *repair = json_array_get(repairs, i);
		const char *session = json_string_value(json_object_get(repair, "session"));
		const char *what = json_string_value(json_object_get(repair, "what"));

		fprintf(out, "repaired: ");
		mm_escape_print(out, session ? session : "?");
		fprintf(out, ": ");
		mm_escape_print(out, what ? what : "?");
		fprintf(out, "; nothing recorded, or kept, from ");
		print_time(out, json_object_get(repair, "from_ns"));
		fprintf(out, " to ");
		print_time(out, json_object_get(repair, "until_ns"));
		fputc('\n', out);
	}
	json_decref(repairs);
}
