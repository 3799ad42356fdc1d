// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the counts that dax-workload expects with `lttng-mm report dax --json`, file by file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* A column of the report's table of files, and the one or two counters that add up to it. */
static const struct {
	const char *column, *counter, *and_counter;
} columns[] = {
	{ "pmd_faults", "pmd", NULL },
	{ "pmd_mapped", "pmd_mapped", NULL },
	{ "pmd_fallbacks", "pmd_fallback", NULL },
	{ "pte_faults", "pte", NULL },
	{ "write_protect", "pte_mkwrite", NULL },
	{ "sync", "pmd_needdsync", "pte_needdsync" },
	{ "sigbus", "pmd_sigbus", "pte_sigbus" },
	{ "copied", "pte_cow", NULL },
	{ "finish_sync", "sync_insert", NULL },
	{ "pmd_load_hole", "pmd_hole", NULL },
	{ "load_hole", "pte_hole", NULL },
	{ "writeback_ranges", "writeback_range", NULL },
	{ "writeback_pages", "writeback_pages", NULL },
};

static uint64_t number(const json_t *object, const char *key)
{
	return key ? (uint64_t)json_integer_value(json_object_get(object, key)) : 0;
}

static bool same_file(const json_t *row, uint64_t major, uint64_t minor, uint64_t ino)
{
	return number(row, "major") == major && number(row, "minor") == minor &&
	       number(row, "ino") == ino;
}

static const json_t *find_file(const json_t *files, uint64_t major, uint64_t minor, uint64_t ino)
{
	const json_t *row;
	size_t index;

	json_array_foreach(files, index, row) if (same_file(row, major, minor, ino)) return row;
	return NULL;
}

/* Returns the row for a file and a cause, or NULL if the report has none. */
static const json_t *find_cause(const json_t *rows, uint64_t major, uint64_t minor, uint64_t ino,
				const char *cause)
{
	const json_t *row;
	size_t index;

	json_array_foreach(rows, index, row)
	{
		const char *name = json_string_value(json_object_get(row, "cause"));

		if (name && !strcmp(name, cause) && same_file(row, major, minor, ino))
			return row;
	}
	return NULL;
}

static bool is_among(const json_t *names, const char *wanted)
{
	const json_t *name;
	size_t index;

	json_array_foreach(names, index,
			   name) if (!strcmp(json_string_value(name), wanted)) return true;
	return false;
}

/*
 * The report must have the expected first failed checks with their counts, and no other failed
 * checks.
 */
static void check_causes(const json_t *scenario, const json_t *rows, uint64_t major, uint64_t minor)
{
	const char *name = json_string_value(json_object_get(scenario, "name"));
	const json_t *causes = json_object_get(scenario, "causes"), *row;
	const json_t *also = json_object_get(scenario, "also"), *other;
	uint64_t ino = number(scenario, "ino");
	const char *cause;
	json_t *count;
	size_t index;

	json_object_foreach((json_t *)causes, cause, count)
	{
		row = find_cause(rows, major, minor, ino, cause);
		tap_compare(name, cause, (uint64_t)json_integer_value(count),
			    number(row, "first_failed"));
	}
	json_array_foreach(rows, index, row)
	{
		cause = json_string_value(json_object_get(row, "cause"));
		if (!cause || !same_file(row, major, minor, ino) || json_object_get(causes, cause))
			continue;
		tap_compare(name, cause, 0, number(row, "first_failed"));
		if (!is_among(also, cause) && number(row, "all_failed"))
			tap_differ("%s: the report states that %s failed too", name, cause);
	}
	json_array_foreach(also, index, other)
	{
		cause = json_string_value(other);
		if (number(find_cause(rows, major, minor, ino, cause), "all_failed"))
			continue;
		tap_differ("%s: the report does not state that %s failed too", name, cause);
	}
}

static void check_scenario(const json_t *scenario, const json_t *tables, uint64_t major,
			   uint64_t minor)
{
	const char *name = json_string_value(json_object_get(scenario, "name"));
	const json_t *counts = json_object_get(scenario, "counts");
	const json_t *causes = json_object_get(tables, "file-causes");
	uint64_t ino = number(scenario, "ino");
	const json_t *file = find_file(json_object_get(tables, "files"), major, minor, ino);
	const json_t *undetermined = find_cause(causes, major, minor, ino, "undetermined");

	tap_compare(name, "undetermined", 0, number(undetermined, "first_failed"));
	if (!file) {
		tap_differ("%s: the report has no such file", name);
		return;
	}
	if (!json_is_true(json_object_get(scenario, "exact"))) {
		printf("# %s: %" PRIu64 " huge-page faults, %" PRIu64 " retries\n", name,
		       number(file, "pmd_faults"), number(file, "retries"));
		return;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		tap_compare(name, columns[i].column,
			    number(counts, columns[i].counter) +
				    number(counts, columns[i].and_counter),
			    number(file, columns[i].column));
	check_causes(scenario, causes, major, minor);
}

int main(int argc, char **argv)
{
	json_t *expect, *report, *scenarios, *scenario;
	json_error_t error;
	size_t index;
	int status;

	if (argc != 3) {
		fputs("Usage: check-dax-report EXPECT.json REPORT.json\n", stderr);
		return 2;
	}
	expect = json_load_file(argv[1], 0, &error);
	report = expect ? json_load_file(argv[2], 0, &error) : NULL;
	if (!report) {
		fprintf(stderr, "%s: line %d: %s\n", argv[expect ? 2 : 1], error.line, error.text);
		json_decref(expect);
		return 2;
	}
	scenarios = json_object_get(expect, "scenarios");
	json_array_foreach(scenarios, index, scenario)
		check_scenario(scenario, json_object_get(report, "tables"), number(expect, "major"),
			       number(expect, "minor"));
	if (!json_is_true(json_object_get(json_object_get(report, "coverage"), "complete")))
		tap_differ("the report is marked incomplete");
	status = tap_verdict("scenarios", json_array_size(scenarios));
	json_decref(expect);
	json_decref(report);
	return status;
}
