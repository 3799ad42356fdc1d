// SPDX-License-Identifier: LGPL-2.1-only
/*
 * JSON form of a report. Sample:
 *   { "format": 1, "analysis": "dax", "conclusions": ["12 of 68 ..."], "complete": true,
 *     "metrics": [ { "name": "dax.fault.count", "labels": "kind=\"pmd\",...", "unit": "faults",
 *                    "value": 56 } ],
 *     "tables": { "files": [ { "path": "/mnt/a", "ino": 12, "pmd_faults": 3 } ] } }
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/render.h"
#include "util/escape.h"

static json_t *string_value(const char *s)
{
	char *utf8 = mm_escape_to_utf8(s, strlen(s));
	json_t *value = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return value;
}

/* @object with one more member; NULL, and @object is gone, when out of memory. */
static json_t *with(json_t *object, const char *name, json_t *value)
{
	if (!json_object_set_new(object, name, value))
		return object;
	json_decref(object);
	return NULL;
}

/* The same of an array and an element. */
static json_t *with_element(json_t *array, json_t *value)
{
	if (!json_array_append_new(array, value))
		return array;
	json_decref(array);
	return NULL;
}

static json_t *list_value(const struct mm_cell *cell)
{
	json_t *list = json_array();
	const char *s = cell->s;

	for (uint64_t i = 0; i < cell->u; i++, s += strlen(s) + 1)
		list = with_element(list, string_value(s));
	return list;
}

static json_t *cell_value(const struct mm_cell *cell)
{
	switch (cell->kind) {
	case MM_CELL_UNSIGNED:
		return json_integer((json_int_t)cell->u);
	case MM_CELL_REAL:
		return json_real(cell->r);
	case MM_CELL_STRING:
		return string_value(cell->s);
	case MM_CELL_LIST:
		return list_value(cell);
	default:
		return json_null();
	}
}

static json_t *table_value(const struct mm_table *table)
{
	json_t *rows = json_array();

	for (size_t r = 0; r < table->row_count; r++) {
		json_t *row = json_object();

		for (size_t c = 0; c < table->column_count; c++)
			row = with(row, table->columns[c].name,
				   cell_value(&table->cells[r * table->column_count + c]));
		rows = with_element(rows, row);
	}
	return rows;
}

static json_t *metric_value(const struct mm_metric *metric)
{
	double value = metric->value;
	json_t *object = json_object();

	object = with(object, "name", json_string(metric->name));
	object = with(object, "labels", string_value(metric->labels));
	object = with(object, "unit", json_string(metric->unit));
	/* Counts and nanoseconds stay whole numbers. */
	return with(object, "value",
		    isnan(value)				  ? json_null()
		    : value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
								  : json_real(value));
}

int mm_render_json(FILE *out, const struct mm_report *report)
{
	json_t *root = json_object(), *conclusions = json_array();
	json_t *metrics = json_array(), *tables = json_object();
	int ret;

	for (size_t i = 0; i < report->conclusion_count; i++)
		conclusions = with_element(conclusions, string_value(report->conclusions[i]));
	for (size_t i = 0; i < report->metric_count; i++)
		metrics = with_element(metrics, metric_value(&report->metrics[i]));
	for (size_t i = 0; i < report->table_count; i++)
		tables = with(tables, report->tables[i]->name, table_value(report->tables[i]));
	root = with(root, "format", json_integer(1));
	root = with(root, "analysis", json_string(report->analysis));
	root = with(root, "complete", json_boolean(!report->incomplete));
	root = with(root, "conclusions", conclusions);
	root = with(root, "metrics", metrics);
	root = with(root, "tables", tables);
	if (!root) {
		errno = ENOMEM;
		return -1;
	}
	ret = json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(root);
	if (fputc('\n', out) == EOF)
		ret = -1;
	return ret;
}
