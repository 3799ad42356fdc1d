// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes a report as JSON. Sample:
 *   { "format": 1, "analysis": "dax", "selection": "--pid=7",
 *     "coverage": { "complete": true, "cpus": 2, ... },
 *     "answer": ["12 of 68 ..."], "findings": ["Slowest ..."], "notes": [],
 *     "metrics": [ { "name": "dax.fault.count", "labels": { "kind": "pmd", ... },
 *                    "unit": "faults", "direction": "neutral", "kind": "integer",
 *                    "samples": null, "value": 56, "at_least": true } ],
 *     "tables": { "files": [ { "path": "/mnt/a", "ino": 12, "pmd_faults": 3,
 *                              "at_least": ["pmd_faults"] } ] },
 *     "columns": { "files": { "ino": { "unit": "", "kind": "integer" } } },
 *     "series": [ { "name": "slab.live_bytes", "labels": {}, "unit": "bytes", ...,
 *                   "times_ns": [0, 1000], "values": [64, 128] } ] }
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/render.h"
#include "reader/report/words.h"
#include "util/escape.h"

static json_t *string_value(const char *s)
{
	char *utf8 = mm_escape_to_utf8(s, strlen(s));
	json_t *value = utf8 ? json_string(utf8) : NULL;

	free(utf8);
	return value;
}

/* Adds a member and returns @object. When out of memory, frees @object and returns NULL. */
static json_t *with(json_t *object, const char *name, json_t *value)
{
	if (!json_object_set_new(object, name, value))
		return object;
	json_decref(object);
	return NULL;
}

/* Appends an element and returns @array. When out of memory, frees @array and returns NULL. */
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

/* JSON libraries do not support integers above 2^63 - 1, so these become strings. */
static json_t *integer_value(uint64_t value)
{
	char text[32];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_string(text);
}

static json_t *cell_value(const struct mm_cell *cell)
{
	switch (cell->kind) {
	case MM_CELL_UNSIGNED:
		return integer_value(cell->u);
	case MM_CELL_SIGNED:
		return json_integer(cell->i);
	case MM_CELL_REAL:
		return isfinite(cell->r) ? json_real(cell->r) : json_null();
	case MM_CELL_BOOLEAN:
		return json_boolean(cell->u);
	case MM_CELL_STRING:
		return string_value(cell->s);
	case MM_CELL_LIST:
		return list_value(cell);
	default:
		return json_null();
	}
}

/* Adds the list of columns with bounds, unless the list is empty. Takes ownership of @bounds. */
static json_t *with_bounds(json_t *row, const char *name, json_t *bounds)
{
	if (!bounds || json_array_size(bounds))
		return with(row, name, bounds);
	json_decref(bounds);
	return row;
}

/* Converts a row. If some of its values are bounds, the row also lists their columns. */
static json_t *row_value(const struct mm_column *columns, const struct mm_cell *cells)
{
	json_t *row = json_object(), *least = json_array(), *most = json_array();

	for (size_t c = 0; columns[c].key; c++) {
		row = with(row, columns[c].key, cell_value(&cells[c]));
		if (cells[c].least)
			least = with_element(least, json_string(columns[c].key));
		if (cells[c].most)
			most = with_element(most, json_string(columns[c].key));
	}
	return with_bounds(with_bounds(row, MM_JSON_LEAST, least), MM_JSON_MOST, most);
}

static json_t *table_value(const struct mm_table *table)
{
	json_t *rows = json_array();

	for (size_t r = 0; r < table->row_count; r++)
		rows = with_element(rows, row_value(table->def->columns,
						    &table->cells[r * table->column_count]));
	return rows;
}

static json_t *columns_value(const struct mm_table *table)
{
	json_t *columns = json_object();

	for (const struct mm_column *column = table->def->columns; column->key; column++) {
		json_t *object = with(json_object(), "unit", json_string(column->unit));

		object = with(object, "kind", json_string(mm_value_word(column->kind)));
		columns = with(columns, column->key, object);
	}
	return columns;
}

static json_t *labels_value(const char *const *keys, char *const *values)
{
	json_t *labels = json_object();

	for (size_t i = 0; keys[i]; i++)
		labels = with(labels, keys[i], values[i] ? string_value(values[i]) : json_null());
	return labels;
}

static json_t *metric_value(const struct mm_metric *metric)
{
	const struct mm_metric_def *def = metric->def;
	json_t *object = with(json_object(), "name", json_string(def->name));

	object = with(object, "labels", labels_value(def->labels, metric->labels));
	object = with(object, "unit", json_string(def->unit));
	object = with(object, "direction", json_string(mm_direction_word(def->direction)));
	object = with(object, "kind", json_string(mm_value_word(def->kind)));
	object = with(object, "samples",
		      metric->has_samples ? integer_value(metric->samples) : json_null());
	object = with(object, "value", cell_value(&metric->value));
	if (metric->value.least)
		object = with(object, MM_JSON_LEAST, json_true());
	return metric->value.most ? with(object, MM_JSON_MOST, json_true()) : object;
}

static json_t *series_value(const struct mm_series *series)
{
	const struct mm_series_def *def = series->def;
	json_t *object = with(json_object(), "name", json_string(def->name));
	json_t *times = json_array(), *values = json_array();

	for (size_t i = 0; i < series->count; i++) {
		times = with_element(times, integer_value(series->times_ns[i]));
		values = with_element(values, cell_value(&series->values[i]));
	}
	object = with(object, "labels", labels_value(def->labels, series->labels));
	object = with(object, "unit", json_string(def->unit));
	object = with(object, "direction", json_string(mm_direction_word(def->direction)));
	object = with(object, "kind", json_string(mm_value_word(def->kind)));
	object = with(object, "times_ns", times);
	return with(object, "values", values);
}

static json_t *coverage_value(const struct mm_report *report)
{
	json_t *coverage = row_value(mm_coverage_columns, report->coverage);

	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		coverage = with(coverage, mm_coverage_tables[i].name,
				table_value(report->coverage_tables[i]));
	return coverage;
}

static json_t *with_sentences(json_t *array, char *const *sentences, size_t count)
{
	for (size_t i = 0; i < count; i++)
		array = with_element(array, string_value(sentences[i]));
	return array;
}

static json_t *report_value(const struct mm_report *report)
{
	json_t *metrics = json_array(), *tables = json_object(), *columns = json_object();
	json_t *series = json_array(), *findings = json_array(), *notes = json_array();
	json_t *answer = with_sentences(json_array(), report->answer, report->answer_count);
	json_t *root = with(json_object(), "format", json_integer(1));

	for (size_t i = 0; i < report->metric_count; i++)
		metrics = with_element(metrics, metric_value(report->metrics[i]));
	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];

		tables = with(tables, table->def->name, table_value(table));
		columns = with(columns, table->def->name, columns_value(table));
	}
	for (size_t i = 0; i < report->series_count; i++)
		series = with_element(series, series_value(report->series[i]));
	root = with(root, "analysis",
		    json_string(report->name ? report->name : report->schema->name));
	root = with(root, "selection",
		    report->selection ? string_value(report->selection) : json_null());
	if (report->windowed)
		root = with(root, MM_JSON_WINDOWED, json_true());
	root = with(root, "coverage", coverage_value(report));
	findings = with_sentences(findings, report->findings, report->finding_count);
	notes = with_sentences(notes, report->warnings, report->warning_count);
	notes = with_sentences(notes, report->remarks, report->remark_count);
	notes = with_sentences(notes, report->notes, report->note_count);
	root = with(root, "answer", answer);
	root = with(root, "findings", findings);
	root = with(root, "notes", notes);
	root = with(root, "metrics", metrics);
	root = with(root, "tables", tables);
	root = with(root, "columns", columns);
	return with(root, "series", series);
}

int mm_render_json(FILE *out, const struct mm_report *report)
{
	json_t *root = report_value(report);
	int ret;

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
