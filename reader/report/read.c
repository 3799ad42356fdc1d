// SPDX-License-Identifier: LGPL-2.1-only
/* Parses a report that json.c has written. */
#include "reader/report/read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/json-file.h"
#include "util/plural.h"

/* Value of "format". It must change if readers of the previous format would misread a report. */
#define FORMAT 1

struct report_parser {
	const char *path;
	struct mm_report *report;
	struct mm_error *err;
	/* number of metrics, tables and series that the schema does not declare */
	size_t undeclared;
};

/* Sets an error with the file and its fault. Returns -1. */
static int __attribute__((format(printf, 2, 3)))
refuse(const struct report_parser *parser, const char *fmt, ...)
{
	const char *analysis = parser->report->schema->name;
	char why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return mm_error_set(
		parser->err, MM_EXIT_BAD_INPUT,
		"report %s: %s: not a report that can be read: %s; give a folder with traces, or a file with the output of `lttng-mm report %s --json`",
		analysis, parser->path, why, analysis);
}

/* Returns the text, or NULL if @value is not a string or contains a NUL. */
static const char *text_of(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

/* Parses an integer above 2^63 - 1, which is stored as a string. */
static bool read_large(const char *text, uint64_t *number)
{
	char *end;

	if (!text || *text < '1' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number > INT64_MAX;
}

static bool read_list(const json_t *value, struct mm_cell *cell)
{
	size_t count = json_array_size(value);
	const char **texts = calloc(count + 1, sizeof(*texts));
	bool valid = json_is_array(value);

	for (size_t i = 0; texts && i < count && valid; i++) {
		texts[i] = text_of(json_array_get(value, i));
		valid = texts[i];
	}
	if (!texts)
		cell->kind = MM_CELL_FAILED;
	else if (valid)
		mm_cell_set_list(cell, texts, count);
	free(texts);
	return valid;
}

static bool read_number(const json_t *value, enum mm_value_kind kind, struct mm_cell *cell)
{
	uint64_t large;

	if (json_is_integer(value))
		mm_cell_set_i(cell, json_integer_value(value));
	else if (json_is_real(value) && kind == MM_VALUE_REAL)
		mm_cell_set_r(cell, json_real_value(value));
	else if (read_large(text_of(value), &large))
		mm_cell_set_u(cell, large);
	else
		return false;
	return true;
}

/*
 * Reads a value of @kind. If the value is null or missing, the cell stays empty. Returns false if
 * the type is wrong.
 */
static bool read_cell(const json_t *value, enum mm_value_kind kind, struct mm_cell *cell)
{
	if (!value || json_is_null(value))
		return true;
	switch (kind) {
	case MM_VALUE_BOOLEAN:
		mm_cell_set_b(cell, json_is_true(value));
		return json_is_boolean(value);
	case MM_VALUE_TEXT:
		mm_cell_set_s(cell, text_of(value));
		return text_of(value);
	case MM_VALUE_LIST:
		return read_list(value, cell);
	default:
		return read_number(value, kind, cell);
	}
}

/* Is @name an element of the array? */
static bool contains(const json_t *names, const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *element = text_of(json_array_get(names, i));

		if (element && !strcmp(element, name))
			return true;
	}
	return false;
}

static bool is_number(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_UNSIGNED || cell->kind == MM_CELL_SIGNED ||
	       cell->kind == MM_CELL_REAL;
}

/* Is @names either missing or an array of texts? */
static bool are_names(const json_t *names)
{
	if (!names || json_is_null(names))
		return true;
	for (size_t i = 0; i < json_array_size(names); i++)
		if (!text_of(json_array_get(names, i)))
			return false;
	return json_is_array(names);
}

/* Marks a number as a bound. If it is marked as both a lower and an upper bound, it is unknown. */
static void set_bound(struct mm_cell *cell, bool least, bool most)
{
	if (!is_number(cell))
		return;
	cell->least = least && !most;
	cell->most = most && !least;
	if (least && most)
		cell->kind = MM_CELL_EMPTY;
}

static int read_rows(struct report_parser *parser, const json_t *rows, struct mm_table *table)
{
	const struct mm_column *columns = table->def->columns;

	if (!json_is_array(rows))
		return refuse(parser, "the table %s is not an array", table->def->name);
	for (size_t r = 0; r < json_array_size(rows); r++) {
		const json_t *row = json_array_get(rows, r);
		const json_t *least = json_object_get(row, MM_JSON_LEAST);
		const json_t *most = json_object_get(row, MM_JSON_MOST);
		struct mm_cell *cells;

		if (!json_is_object(row))
			return refuse(parser, "row %zu of the table %s is not an object", r + 1,
				      table->def->name);
		if (!are_names(least) || !are_names(most))
			return refuse(
				parser,
				"row %zu of the table %s: `%s` is not an array of column names",
				r + 1, table->def->name,
				are_names(least) ? MM_JSON_MOST : MM_JSON_LEAST);
		cells = mm_table_row(parser->report, table);
		for (size_t c = 0; cells && columns[c].key; c++) {
			if (!read_cell(json_object_get(row, columns[c].key), columns[c].kind,
				       &cells[c]))
				return refuse(
					parser,
					"row %zu of the table %s: the value of %s has the wrong type",
					r + 1, table->def->name, columns[c].key);
			set_bound(&cells[c], contains(least, columns[c].key),
				  contains(most, columns[c].key));
		}
	}
	return 0;
}

static int read_tables(struct report_parser *parser, const json_t *tables)
{
	const char *name;
	json_t *rows;

	if (!json_is_object(tables))
		return refuse(parser, "the member `tables` is missing or not an object");
	json_object_foreach((json_t *)tables, name, rows)
	{
		const struct mm_table_def *def = mm_schema_table(parser->report->schema, name);

		parser->undeclared += !def;
		if (def && read_rows(parser, rows, mm_report_table(parser->report, def)))
			return -1;
	}
	return 0;
}

/*
 * Reads the values of the labels @keys into @values (initially NULL). Returns false if a label is
 * missing or not in @keys.
 */
static bool read_labels(const json_t *labels, const char *const *keys,
			const char *values[MM_LABELS_MAX])
{
	size_t count = 0;

	for (; count < MM_LABELS_MAX && keys[count]; count++) {
		values[count] = text_of(json_object_get(labels, keys[count]));
		if (!values[count])
			return false;
	}
	return json_is_object(labels) && json_object_size(labels) == count;
}

/* Refuses a metric or series if its unit differs from the schema. */
static int check_unit(const struct report_parser *parser, const json_t *object, const char *name,
		      const char *unit)
{
	const char *theirs = text_of(json_object_get(object, "unit"));

	if (theirs && !strcmp(theirs, unit))
		return 0;
	return refuse(parser, "the unit of %s is '%s', but '%s' in this version", name,
		      theirs ? theirs : "", unit);
}

/* Is @value missing or a Boolean? */
static bool is_flag(const json_t *value)
{
	return !value || json_is_null(value) || json_is_boolean(value);
}

static int read_metric(struct report_parser *parser, const json_t *object)
{
	const char *name = text_of(json_object_get(object, "name"));
	const json_t *samples = json_object_get(object, "samples");
	const json_t *least = json_object_get(object, MM_JSON_LEAST);
	const json_t *most = json_object_get(object, MM_JSON_MOST);
	const struct mm_metric_def *def;
	const char *labels[MM_LABELS_MAX] = { NULL };
	struct mm_metric *metric;
	struct mm_cell count = { 0 };

	if (!name)
		return refuse(parser, "a metric has no name");
	def = mm_schema_metric(parser->report->schema, name);
	if (!def) {
		parser->undeclared++;
		return 0;
	}
	if (check_unit(parser, object, name, def->unit))
		return -1;
	if (!read_labels(json_object_get(object, "labels"), def->labels, labels))
		return refuse(parser, "the labels of the metric %s differ from this version's",
			      name);
	if (!read_cell(samples, MM_VALUE_INTEGER, &count) || count.kind == MM_CELL_SIGNED)
		return refuse(parser, "the metric %s: `samples` is not a count", name);
	metric = mm_report_metric(parser->report, def->name, labels[0], labels[1], labels[2],
				  labels[3], NULL);
	if (count.kind == MM_CELL_UNSIGNED)
		mm_metric_set_samples(metric, count.u);
	if (!read_cell(json_object_get(object, "value"), def->kind, &metric->value))
		return refuse(parser, "the metric %s: `value` has the wrong type", name);
	if (!is_flag(least) || !is_flag(most))
		return refuse(parser, "the metric %s: `%s` is not true or false", name,
			      is_flag(least) ? MM_JSON_MOST : MM_JSON_LEAST);
	set_bound(&metric->value, json_is_true(least), json_is_true(most));
	return 0;
}

static int read_times(struct report_parser *parser, const json_t *object, struct mm_series *series)
{
	const json_t *times = json_object_get(object, "times_ns");
	const json_t *values = json_object_get(object, "values");

	for (size_t i = 0; i < json_array_size(times); i++) {
		struct mm_cell time = { 0 }, *cell;

		if (!read_cell(json_array_get(times, i), MM_VALUE_INTEGER, &time) ||
		    time.kind != MM_CELL_UNSIGNED)
			return refuse(parser,
				      "the series %s: an element of `times_ns` is not a time",
				      series->def->name);
		cell = mm_series_add(parser->report, series, time.u);
		if (!read_cell(json_array_get(values, i), series->def->kind, cell))
			return refuse(parser,
				      "the series %s: an element of `values` has the wrong type",
				      series->def->name);
	}
	if (json_is_array(times) && json_is_array(values) &&
	    json_array_size(times) == json_array_size(values))
		return 0;
	return refuse(parser, "the series %s: `values` and `times_ns` differ in length",
		      series->def->name);
}

static int read_series(struct report_parser *parser, const json_t *object)
{
	const char *name = text_of(json_object_get(object, "name"));
	const char *labels[MM_LABELS_MAX] = { NULL };
	const struct mm_series_def *def;

	if (!name)
		return refuse(parser, "a series has no name");
	def = mm_schema_series(parser->report->schema, name);
	if (!def) {
		parser->undeclared++;
		return 0;
	}
	if (check_unit(parser, object, name, def->unit))
		return -1;
	if (!read_labels(json_object_get(object, "labels"), def->labels, labels))
		return refuse(parser, "the labels of the series %s differ from this version's",
			      name);
	return read_times(parser, object,
			  mm_report_series(parser->report, def->name, labels[0], labels[1],
					   labels[2], labels[3], NULL));
}

static int read_each(struct report_parser *parser, const json_t *root, const char *key,
		     int (*read)(struct report_parser *parser, const json_t *object))
{
	const json_t *array = json_object_get(root, key);

	if (!json_is_array(array))
		return refuse(parser, "the member `%s` is missing or not an array", key);
	for (size_t i = 0; i < json_array_size(array); i++)
		if (read(parser, json_array_get(array, i)))
			return -1;
	return 0;
}

static int read_sentences(struct report_parser *parser, const json_t *root, const char *key,
			  void (*add)(struct mm_report *report, const char *fmt, ...))
{
	const json_t *array = json_object_get(root, key);

	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *text = text_of(json_array_get(array, i));

		if (!text)
			return refuse(parser,
				      "the member `%s` contains an element that is not a string",
				      key);
		add(parser->report, "%s", text);
	}
	return 0;
}

/* Does the coverage list anything that is missing or may be missing? */
static bool contradicts_complete(const struct mm_report *report)
{
	const struct mm_table *losses = report->coverage_tables[MM_COVERAGE_LOSSES];

	for (size_t r = 0; r < losses->row_count; r++)
		for (int c = MM_LOSSES_EVENTS_DISCARDED; c <= MM_LOSSES_PAUSES; c++)
			if (losses->cells[r * losses->column_count + (size_t)c].u)
				return true;
	return report->coverage_tables[MM_COVERAGE_MISSING]->row_count ||
	       report->coverage_tables[MM_COVERAGE_DAMAGE]->row_count ||
	       report->coverage[MM_COVERAGE_POSSIBLE_PAUSES].u;
}

/* Derives from the coverage those members of the report that the JSON form lacks. */
static void conclude_coverage(struct mm_report *report)
{
	static const enum mm_coverage_key losses[] = {
		MM_COVERAGE_EVENTS_DISCARDED,
		MM_COVERAGE_PACKETS_LOST,
		MM_COVERAGE_PACKETS_WITHOUT_COUNT,
		MM_COVERAGE_PACKETS_TRUNCATED,
		MM_COVERAGE_PACKETS_DAMAGED,
		MM_COVERAGE_STREAMS_MISSING,
		MM_COVERAGE_PAUSES,
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		report->incomplete |= report->coverage[losses[i]].u;
	/* If the report claims to be complete but lists losses, it is incomplete. */
	if (report->coverage[MM_COVERAGE_COMPLETE].kind == MM_CELL_BOOLEAN &&
	    report->coverage[MM_COVERAGE_COMPLETE].u)
		report->incomplete |= contradicts_complete(report);
	report->recorder_lost = report->coverage[MM_COVERAGE_EVENTS_DISCARDED].u ||
				report->coverage[MM_COVERAGE_PACKETS_LOST].u;
	report->state_lost = report->coverage[MM_COVERAGE_COMPLETE].kind == MM_CELL_BOOLEAN &&
			     !report->coverage[MM_COVERAGE_COMPLETE].u && !report->incomplete;
}

static int read_coverage(struct report_parser *parser, const json_t *coverage)
{
	struct mm_report *report = parser->report;

	if (!json_is_object(coverage))
		return refuse(parser, "the member `coverage` is missing or not an object");
	for (int i = 0; i < MM_COVERAGE_COUNT; i++) {
		const struct mm_column *column = &mm_coverage_columns[i];
		struct mm_cell *cell = &report->coverage[i];
		bool may_be_negative = i == MM_COVERAGE_START_NS || i == MM_COVERAGE_END_NS;

		if (!read_cell(json_object_get(coverage, column->key), column->kind, cell) ||
		    (cell->kind == MM_CELL_SIGNED && !may_be_negative))
			return refuse(parser, "the member `%s` of the coverage has the wrong type",
				      column->key);
	}
	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		if (read_rows(parser, json_object_get(coverage, mm_coverage_tables[i].name),
			      report->coverage_tables[i]))
			return -1;
	conclude_coverage(report);
	return 0;
}

static int check_kind(struct report_parser *parser, const json_t *root)
{
	const char *wanted = parser->report->schema->name;
	const char *analysis = text_of(json_object_get(root, "analysis"));
	const json_t *format = json_object_get(root, "format");

	if (!json_is_integer(format) || !analysis)
		return refuse(
			parser,
			"the file is JSON, but not a report: `format` or `analysis` is missing");
	if (json_integer_value(format) != FORMAT)
		return refuse(
			parser,
			"the report has format %" PRId64
			", but this version reads format %d; make the report again from the trace",
			(int64_t)json_integer_value(format), FORMAT);
	if (strcmp(analysis, wanted) != 0)
		return refuse(parser, "the file is a report of '%.64s', not of %s", analysis,
			      wanted);
	return 0;
}

static int read_selection(struct report_parser *parser, const json_t *selection)
{
	if (!selection || json_is_null(selection))
		return 0;
	if (!text_of(selection))
		return refuse(parser, "the member `selection` is not a string");
	mm_report_set_selection(parser->report, text_of(selection));
	return 0;
}

static int read_windowed(struct report_parser *parser, const json_t *windowed)
{
	if (windowed && !json_is_null(windowed) && !json_is_boolean(windowed))
		return refuse(parser, "the member `" MM_JSON_WINDOWED "` is not true or false");
	parser->report->windowed = json_is_true(windowed);
	return 0;
}

static int read_all(struct report_parser *parser, const json_t *root)
{
	struct mm_report *report = parser->report;

	if (check_kind(parser, root) ||
	    read_selection(parser, json_object_get(root, "selection")) ||
	    read_windowed(parser, json_object_get(root, MM_JSON_WINDOWED)) ||
	    read_coverage(parser, json_object_get(root, "coverage")) ||
	    read_sentences(parser, root, "answer", mm_report_answer) ||
	    read_sentences(parser, root, "findings", mm_report_finding) ||
	    read_sentences(parser, root, "notes", mm_report_remark) ||
	    read_each(parser, root, "metrics", read_metric) ||
	    read_tables(parser, json_object_get(root, "tables")) ||
	    read_each(parser, root, "series", read_series))
		return -1;
	if (parser->undeclared)
		mm_report_warn(
			report,
			"%s: %zu metric%s, tables or series of the report are not known to this version, and are left out.",
			parser->path, parser->undeclared, mm_plural_s(parser->undeclared));
	return 0;
}

struct mm_report *mm_report_from_json(const json_t *json, const char *path,
				      const struct mm_report_schema *schema, struct mm_error *err)
{
	struct report_parser parser = { .path = path, .err = err };

	parser.report = mm_report_create(schema);
	if (parser.report && !read_all(&parser, json) && !mm_report_failed(parser.report))
		return parser.report;
	/* mm_error_set() keeps the first error. */
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	mm_report_destroy(parser.report);
	return NULL;
}

struct mm_report *mm_report_read(const char *path, const struct mm_report_schema *schema,
				 struct mm_error *err)
{
	struct mm_report *report;
	char why[256];
	json_t *json;

	if (mm_json_load(path, &json, why, sizeof(why))) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return NULL;
	}
	if (!json) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: %s: not a report that can be read: %s; give a folder with traces, or a file with the output of `lttng-mm report %s --json`",
			schema->name, path, *why ? why : "the file was removed", schema->name);
		return NULL;
	}
	report = mm_report_from_json(json, path, schema, err);
	json_decref(json);
	return report;
}

bool mm_report_is_stored(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}
