// SPDX-License-Identifier: LGPL-2.1-only
/*
 * JSON form of a report. Sample:
 *   { "format": 1, "analysis": "dax", "conclusions": ["12 of 68 ..."], "complete": true,
 *     "metrics": [ { "name": "dax.fault.count", "labels": "kind=\"pmd\",...", "unit": "faults",
 *                    "value": 56 } ],
 *     "tables": { "files": [ { "path": "/mnt/a", "ino": 12, "pmd_faults": 3 } ] } }
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/escape.h"
#include "analysis/render/render.h"

static json_t *string_value(const char *s)
{
	char *utf8 = mm_escape_to_utf8(s, strlen(s));
	json_t *value = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return value;
}

static json_t *list_value(const struct mm_cell *cell)
{
	json_t *list = json_array();
	const char *s = cell->s;

	for (uint64_t i = 0; i < cell->u; i++, s += strlen(s) + 1)
		json_array_append_new(list, string_value(s));
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
			json_object_set_new(row, table->columns[c].name,
					    cell_value(&table->cells[r * table->column_count + c]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *metric_value(const struct mm_metric *metric)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(metric->name));
	json_object_set_new(object, "labels", string_value(metric->labels));
	json_object_set_new(object, "unit", json_string(metric->unit));
	/* Counts and nanoseconds stay whole numbers. */
	json_object_set_new(object, "value", isnan(metric->value) ? json_null() :
			    metric->value == floor(metric->value) && fabs(metric->value) < 9e15 ?
				    json_integer((json_int_t)metric->value) :
				    json_real(metric->value));
	return object;
}

int mm_render_json(FILE *out, const struct mm_report *report)
{
	json_t *root = json_object(), *conclusions = json_array();
	json_t *metrics = json_array(), *tables = json_object();
	int ret;

	for (size_t i = 0; i < report->conclusion_count; i++)
		json_array_append_new(conclusions, string_value(report->conclusions[i]));
	for (size_t i = 0; i < report->metric_count; i++)
		json_array_append_new(metrics, metric_value(&report->metrics[i]));
	for (size_t i = 0; i < report->table_count; i++)
		json_object_set_new(tables, report->tables[i]->name,
				    table_value(report->tables[i]));
	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "analysis", json_string(report->analysis));
	json_object_set_new(root, "complete", json_boolean(!report->incomplete));
	json_object_set_new(root, "conclusions", conclusions);
	json_object_set_new(root, "metrics", metrics);
	json_object_set_new(root, "tables", tables);
	ret = json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(root);
	if (fputc('\n', out) == EOF)
		ret = -1;
	return ret;
}
