// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a report in JSON. An accepted report is compared with itself and printed, and
 * reading the printed form must give the same report.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "reader/report/compare.h"
#include "reader/report/read.h"
#include "reader/report/render.h"
#include "tests/fuzz/fuzz.h"
#include "util/json-file.h"

/* Returns the report, or NULL if it is refused with a message. */
static struct mm_report *read_text(const char *text, size_t length)
{
	const struct mm_analysis *analysis = NULL;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report;
	const char *name;
	json_error_t error;
	json_t *json;

	if (mm_json_is_large(text, length) ||
	    mm_json_parse(text, length, JSON_ALLOW_NUL, &json, &error) || !json)
		return NULL;
	name = json_string_value(json_object_get(json, "analysis"));
	if (name)
		analysis = mm_analysis_find(name);
	report = mm_report_from_json(json, "FILE",
				     analysis ? analysis->schema : mm_analysis_at(0)->schema, &err);
	json_decref(json);
	if (!report && (err.code != MM_EXIT_BAD_INPUT || !*err.message))
		abort();
	return report;
}

static char *print_json(const struct mm_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out || mm_render_json(out, report) || fclose(out))
		abort();
	return text;
}

static void check_again(const struct mm_report *report)
{
	char *text = print_json(report), *again;
	struct mm_report *read = read_text(text, strlen(text));

	/* The written form may exceed the limit for reading. */
	if (read) {
		again = print_json(read);
		if (strcmp(text, again) != 0)
			abort();
		free(again);
	} else if (!mm_json_is_large(text, strlen(text))) {
		abort();
	}
	mm_report_destroy(read);
	free(text);
}

/* A comparison of a report with itself must find no difference. */
static void check_comparison(const struct mm_report *report)
{
	const struct mm_compare_side sides[MM_SIDES] = { { report, "OLD", true },
							 { report, "NEW", true } };
	struct mm_report *compared = mm_report_create(&mm_compare_schema);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!compared || !out)
		abort();
	mm_report_compare(sides, compared);
	if (mm_report_failed(compared) || compared->undeclared || !compared->answer_count ||
	    mm_render_first(out, compared, 100, "", "FILE") || mm_render_text(out, compared, 100) ||
	    mm_render_json(out, compared) || fclose(out))
		abort();
	mm_report_destroy(compared);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_report *report = read_text((const char *)data, size);

	if (!report)
		return 0;
	check_again(report);
	check_comparison(report);
	mm_report_destroy(report);
	return 0;
}
