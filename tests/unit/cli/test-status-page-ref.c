// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how `lttng-mm status` describes the sample of pages that is recorded. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/status/status-page-ref.h"
#include "tests/tap.h"

#define STATE(limit, sample, lowest, overhead)                                                 \
	"{\"page_ref\": {\"session\": \"s\", \"targets\": \"uid 7\", \"interval_ms\": 500, "   \
	"\"max_overhead\": " limit ", \"held\": true, \"since_ns\": 0, \"lacking\": \"\", "    \
	"\"problem\": null, \"counters\": {\"sample\": " sample ", \"sample_lowest\": " lowest \
	", \"overhead\": " overhead ", \"passes\": 1, \"marked\": 2, \"restored\": 3, "        \
	"\"unmarked\": 4}}}"

static const struct {
	const char *name, *status, *line;
} cases[] = {
	{ "no limit", STATE("0", "16777216", "16777216", "0"), "  all pages are recorded\n" },
	{ "a limit, nothing measured yet", STATE("500", "16777216", "16777216", "0"),
	  "  overhead at most 5 % of the processor time of the processes, all pages are recorded\n" },
	{ "a sample", STATE("500", "2097152", "2097152", "312"),
	  "  overhead at most 5 % of the processor time of the processes, 3.12 % most recently; a sample of 12.5 % of the pages is recorded\n" },
	{ "a sample that was smaller", STATE("50", "16777216", "65536", "20"),
	  "  overhead at most 0.5 % of the processor time of the processes, 0.2 % most recently; all pages are recorded, at times only 0.391 %\n" },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *status = json_loads(cases[i].status, 0, NULL);
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		if (!out || !status)
			tap_bail("out of memory, or not JSON: %s", cases[i].status);
		status_print_page_ref(out, status);
		fclose(out);
		tap(strstr(text, cases[i].line) != NULL, "%s", cases[i].name);
		if (!strstr(text, cases[i].line))
			printf("# expected: %s# found: %s", cases[i].line, text);
		free(text);
		json_decref(status);
	}
	return tap_status();
}
