// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm doctor: checks what recording needs on this machine, and suggests remedies. */
#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/common/command.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/doctor.h"
#include "util/error.h"
#include "util/escape.h"
#include "util/json-file.h"

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "print the findings as JSON", 0 },
	{ 0 },
};

static const struct argp parser = {
	.options = argp_options,
	.parser = command_parse_json,
	.doc = "Checks the kernel, modules, session daemon, permissions and DAX mounts."
	       "\vExit status: 0 everything that recording requires is available, 4 something is missing.\n\n"
	       "Examples:\n"
	       "  $ lttng-mm doctor\n",
};

static const char *const state_names[] = { "ok", "note", "missing" };

static void print_json(const struct doctor_result *results, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s,s:s,s:o,s:s}", "name", results[i].name,
						       "state", state_names[results[i].state],
						       "text", mm_json_text(results[i].text),
						       "remedy", results[i].remedy));
	json_dumpf(array, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(array);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_result results[DOCTOR_RESULTS_MAX];
	bool json = false;
	size_t count, missing = 0;

	command_parse(&parser, argc, argv, &json);
	count = doctor_run(results);
	for (size_t i = 0; i < count; i++)
		missing += results[i].state == DOCTOR_MISSING;
	if (json) {
		print_json(results, count);
	} else {
		for (size_t i = 0; i < count; i++) {
			printf("%-8s %-14s ", state_names[results[i].state], results[i].name);
			mm_escape_print(stdout, results[i].text);
			putchar('\n');
			if (results[i].remedy[0])
				printf("%24s-> %s\n", "", results[i].remedy);
		}
	}
	return missing ? MM_EXIT_ENVIRONMENT : MM_EXIT_OK;
}
