/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads values from the output of `lttng-mm report slab --json`, for check-slab-truth.c. */
#ifndef LTTNG_MM_TESTS_KERNEL_SLAB_REPORT_H
#define LTTNG_MM_TESTS_KERNEL_SLAB_REPORT_H

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static json_t *load_report(const char *path)
{
	json_error_t error;
	json_t *report = json_load_file(path, 0, &error);

	if (!report)
		fprintf(stderr, "%s: %s\n", path, error.text);
	return report;
}

static const json_t *table(const json_t *report, const char *name)
{
	const json_t *rows = json_object_get(json_object_get(report, "tables"), name);

	if (!json_is_array(rows))
		tap_differ("the report has no table %s", name);
	return rows;
}

static uint64_t number(const json_t *row, const char *column)
{
	return (uint64_t)json_integer_value(json_object_get(row, column));
}

static const char *text(const json_t *row, const char *column)
{
	const char *value = json_string_value(json_object_get(row, column));

	return value ? value : "";
}

/*
 * Returns the metric @name whose label values contain @labels. The values are joined in order, each
 * followed by a comma.
 */
static uint64_t metric(const json_t *report, const char *name, const char *labels)
{
	const json_t *row;
	size_t index;

	json_array_foreach(json_object_get(report, "metrics"), index, row)
	{
		char values[256] = "";
		const char *key;
		json_t *value;

		json_object_foreach(json_object_get(row, "labels"), key, value)
			snprintf(values + strlen(values), sizeof(values) - strlen(values), "%s,",
				 json_string_value(value));
		if (!strcmp(text(row, "name"), name) && strstr(values, labels))
			return number(row, "value");
	}
	tap_differ("the report has no metric %s %s", name, labels);
	return 0;
}

/* Returns the number of objects and pages with the outcome @name. */
static uint64_t outcome(const json_t *report, const char *name)
{
	char objects[64], pages[64];

	snprintf(objects, sizeof(objects), "%s,objects", name);
	snprintf(pages, sizeof(pages), "%s,pages", name);
	return metric(report, "slab.outcomes", objects) + metric(report, "slab.outcomes", pages);
}

static uint64_t coverage(const json_t *report, const char *key)
{
	return number(json_object_get(report, "coverage"), key);
}

#endif /* LTTNG_MM_TESTS_KERNEL_SLAB_REPORT_H */
