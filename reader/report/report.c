// SPDX-License-Identifier: LGPL-2.1-only
/* Stores a report's sentences, metrics, tables and time series. */
#include "reader/report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Functions return these in place of a table, metric, series or cell that could not be created. */
static struct mm_table no_table;
static struct mm_metric no_metric;
static struct mm_series no_series;
static struct mm_cell no_cell;

static struct mm_table *table_create(const struct mm_table_def *def)
{
	struct mm_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->def = def;
	while (def->columns[table->column_count].key)
		table->column_count++;
	return table;
}

struct mm_report *mm_report_create(const struct mm_report_schema *schema)
{
	struct mm_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->schema = schema;
	for (int i = 0; i < MM_COVERAGE_TABLES; i++) {
		report->coverage_tables[i] = table_create(&mm_coverage_tables[i]);
		if (!report->coverage_tables[i]) {
			mm_report_destroy(report);
			return NULL;
		}
	}
	return report;
}

void mm_cell_release(struct mm_cell *cell)
{
	free(cell->s);
	free(cell->shown);
}

static void table_destroy(struct mm_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		mm_cell_release(&table->cells[i]);
	free(table->order);
	free(table->cells);
	for (size_t i = 0; i < table->heading_count; i++)
		free(table->headings[i].text);
	free(table->headings);
	free(table);
}

static void labels_release(char *const labels[MM_LABELS_MAX])
{
	for (int i = 0; i < MM_LABELS_MAX; i++)
		free(labels[i]);
}

static void series_destroy(struct mm_series *series)
{
	labels_release(series->labels);
	for (size_t i = 0; i < series->count; i++)
		mm_cell_release(&series->values[i]);
	free(series->times_ns);
	free(series->values);
	free(series);
}

void mm_report_destroy(struct mm_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->metric_count; i++) {
		labels_release(report->metrics[i]->labels);
		mm_cell_release(&report->metrics[i]->value);
		free(report->metrics[i]);
	}
	for (size_t i = 0; i < report->table_count; i++)
		table_destroy(report->tables[i]);
	for (size_t i = 0; i < report->series_count; i++)
		series_destroy(report->series[i]);
	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		table_destroy(report->coverage_tables[i]);
	for (int i = 0; i < MM_COVERAGE_COUNT; i++)
		mm_cell_release(&report->coverage[i]);
	mm_strings_release(report->answer, report->answer_count);
	free(report->next_purpose);
	free(report->next_command);
	free(report->name);
	free(report->selection);
	mm_strings_release(report->findings, report->finding_count);
	mm_strings_release(report->warnings, report->warning_count);
	mm_strings_release(report->remarks, report->remark_count);
	mm_strings_release(report->notes, report->note_count);
	free(report->metrics);
	free(report->tables);
	free(report->series);
	free(report);
}

/*
 * Makes room for one more element. The room doubles when the count reaches a power of two. Returns
 * NULL when out of memory.
 */
static void *grow(void *all, size_t count, size_t size)
{
	if (count & (count - 1))
		return all;
	return reallocarray(all, count ? 2 * count : 1, size);
}

static void add_sentence(struct mm_report *report, char ***sentences, size_t *count,
			 const char *fmt, va_list args)
{
	char **grown = grow(*sentences, *count, sizeof(*grown));

	if (!grown) {
		report->failed = true;
		return;
	}
	*sentences = grown;
	if (vasprintf(&grown[*count], fmt, args) < 0)
		report->failed = true;
	else
		++*count;
}

void mm_report_answer(struct mm_report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_sentence(report, &report->answer, &report->answer_count, fmt, args);
	va_end(args);
}

void mm_report_answer_before(struct mm_report *report, struct mm_report *from, size_t kept)
{
	const size_t count = from->answer_count + report->answer_count;
	char **all = malloc((count + 1) * sizeof(*all));

	if (!all) {
		report->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		all[i] = i < kept			 ? report->answer[i]
			 : i < kept + from->answer_count ? from->answer[i - kept]
							 : report->answer[i - from->answer_count];
	free(report->answer);
	report->answer = all;
	report->answer_count = count;
	from->answer_count = 0;
}

void mm_report_first_table(struct mm_report *report, const struct mm_table_def *table,
			   unsigned int rows)
{
	report->first_table = table;
	report->first_rows = rows;
}

void mm_report_next(struct mm_report *report, const char *purpose, const char *fmt, ...)
{
	va_list args;

	free(report->next_purpose);
	free(report->next_command);
	report->next_purpose = strdup(purpose);
	va_start(args, fmt);
	if (vasprintf(&report->next_command, fmt, args) < 0)
		report->next_command = NULL;
	va_end(args);
	report->failed |= !report->next_purpose || !report->next_command;
}

static void set_text(struct mm_report *report, char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	report->failed |= !*to;
}

void mm_report_set_name(struct mm_report *report, const char *name)
{
	set_text(report, &report->name, name);
}

void mm_report_set_selection(struct mm_report *report, const char *selection)
{
	set_text(report, &report->selection, selection);
}

void mm_report_finding(struct mm_report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_sentence(report, &report->findings, &report->finding_count, fmt, args);
	va_end(args);
}

void mm_report_warn(struct mm_report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_sentence(report, &report->warnings, &report->warning_count, fmt, args);
	va_end(args);
}

void mm_report_remark(struct mm_report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_sentence(report, &report->remarks, &report->remark_count, fmt, args);
	va_end(args);
}

void mm_report_remark_unknown(struct mm_report *report, const char *what)
{
	mm_report_remark(
		report,
		"The figures include %s of threads whose process is unknown, possibly the recorder's.",
		what);
}

void mm_report_note(struct mm_report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_sentence(report, &report->notes, &report->note_count, fmt, args);
	va_end(args);
}

static void undeclared(struct mm_report *report, const char *name)
{
	if (!report->undeclared)
		report->undeclared = name;
}

/*
 * Copies the label values in @args, one per key in @keys. Returns false if their number is wrong.
 */
static bool copy_labels(struct mm_report *report, const char *const *keys, va_list args,
			char *labels[MM_LABELS_MAX])
{
	const char *value;
	size_t count = 0;

	while ((value = va_arg(args, const char *))) {
		if (count >= MM_LABELS_MAX || !keys[count])
			return false;
		labels[count] = strdup(value);
		report->failed |= !labels[count];
		count++;
	}
	return count == MM_LABELS_MAX || !keys[count];
}

struct mm_metric *mm_report_metric(struct mm_report *report, const char *name, ...)
{
	const struct mm_metric_def *def = mm_schema_metric(report->schema, name);
	struct mm_metric **grown, *metric;
	va_list args;

	if (!def) {
		undeclared(report, name);
		return &no_metric;
	}
	/*
	 * Allocate metrics one by one, because callers keep pointers to several metrics before they
	 * set values.
	 */
	metric = calloc(1, sizeof(*metric));
	grown = grow(report->metrics, report->metric_count, sizeof(*grown));
	if (grown)
		report->metrics = grown;
	if (!metric || !grown) {
		free(metric);
		report->failed = true;
		return &no_metric;
	}
	report->metrics[report->metric_count++] = metric;
	metric->def = def;
	va_start(args, name);
	if (!copy_labels(report, def->labels, args, metric->labels))
		undeclared(report, name);
	va_end(args);
	return metric;
}

void mm_metric_set_samples(struct mm_metric *metric, uint64_t samples)
{
	metric->has_samples = true;
	metric->samples = samples;
}

struct mm_table *mm_report_table(struct mm_report *report, const struct mm_table_def *def)
{
	struct mm_table **grown = grow(report->tables, report->table_count, sizeof(*grown));
	struct mm_table *table = table_create(def);

	if (grown)
		report->tables = grown;
	if (mm_schema_table(report->schema, def->name) != def)
		undeclared(report, def->name);
	if (!table || !grown) {
		report->failed = true;
		table_destroy(table);
		return &no_table;
	}
	return grown[report->table_count++] = table;
}

struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table)
{
	struct mm_cell *cells;

	if (table == &no_table)
		return NULL;
	/* The room doubles, because a table may have a row for each call site. */
	cells = grow(table->cells, table->row_count, table->column_count * sizeof(*cells));
	if (!cells) {
		report->failed = true;
		return NULL;
	}
	table->cells = cells;
	cells += table->row_count++ * table->column_count;
	memset(cells, 0, table->column_count * sizeof(*cells));
	return cells;
}

void mm_table_heading(struct mm_report *report, struct mm_table *table, const char *text)
{
	struct mm_heading *grown, *heading;

	if (table == &no_table)
		return;
	grown = grow(table->headings, table->heading_count, sizeof(*grown));
	if (grown)
		table->headings = grown;
	heading = grown ? &grown[table->heading_count] : NULL;
	if (heading)
		*heading = (struct mm_heading){ table->row_count, strdup(text) };
	if (heading && heading->text)
		table->heading_count++;
	else
		report->failed = true;
}

struct mm_series *mm_report_series(struct mm_report *report, const char *name, ...)
{
	const struct mm_series_def *def = mm_schema_series(report->schema, name);
	struct mm_series *series = calloc(1, sizeof(*series));
	struct mm_series **grown = grow(report->series, report->series_count, sizeof(*grown));
	va_list args;

	if (grown)
		report->series = grown;
	if (!def)
		undeclared(report, name);
	if (!def || !series || !grown) {
		report->failed |= !series || !grown;
		free(series);
		return &no_series;
	}
	series->def = def;
	va_start(args, name);
	if (!copy_labels(report, def->labels, args, series->labels))
		undeclared(report, name);
	va_end(args);
	return grown[report->series_count++] = series;
}

struct mm_cell *mm_series_add(struct mm_report *report, struct mm_series *series, uint64_t time_ns)
{
	uint64_t *times;
	struct mm_cell *values;

	if (series == &no_series)
		return &no_cell;
	times = grow(series->times_ns, series->count, sizeof(*times));
	if (times)
		series->times_ns = times;
	values = grow(series->values, series->count, sizeof(*values));
	if (values)
		series->values = values;
	if (!times || !values) {
		report->failed = true;
		return &no_cell;
	}
	times[series->count] = time_ns;
	memset(&values[series->count], 0, sizeof(*values));
	return &values[series->count++];
}

void mm_cell_set_u(struct mm_cell *cell, uint64_t value)
{
	cell->kind = MM_CELL_UNSIGNED;
	cell->u = value;
}

void mm_cell_set_i(struct mm_cell *cell, int64_t value)
{
	cell->kind = value < 0 ? MM_CELL_SIGNED : MM_CELL_UNSIGNED;
	cell->i = value;
}

void mm_cell_set_least(struct mm_cell *cell, uint64_t value)
{
	mm_cell_set_u(cell, value);
	cell->least = true;
}

void mm_cell_set_r(struct mm_cell *cell, double value)
{
	cell->kind = MM_CELL_REAL;
	cell->r = value;
}

void mm_cell_set_b(struct mm_cell *cell, bool value)
{
	cell->kind = MM_CELL_BOOLEAN;
	cell->u = value;
}

void mm_cell_set_s(struct mm_cell *cell, const char *value)
{
	if (!value)
		return;
	free(cell->s);
	cell->s = strdup(value);
	cell->kind = cell->s ? MM_CELL_STRING : MM_CELL_FAILED;
}

void mm_cell_set_list(struct mm_cell *cell, const char *const *values, size_t count)
{
	size_t size = 1;
	char *to;

	for (size_t i = 0; i < count; i++)
		size += strlen(values[i]) + 1;
	free(cell->s);
	cell->s = to = malloc(size);
	cell->kind = to ? MM_CELL_LIST : MM_CELL_FAILED;
	cell->u = count;
	for (size_t i = 0; i < count && to; i++)
		to = stpcpy(to, values[i]) + 1;
}

void mm_cell_set_shown(struct mm_cell *cell, const char *text)
{
	free(cell->shown);
	cell->shown = strdup(text);
	if (!cell->shown)
		cell->kind = MM_CELL_FAILED;
}

static bool table_failed(const struct mm_table *table)
{
	for (size_t i = 0; i < table->row_count * table->column_count; i++)
		if (table->cells[i].kind == MM_CELL_FAILED)
			return true;
	return false;
}

bool mm_report_failed(const struct mm_report *report)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (table_failed(report->tables[i]))
			return true;
	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		if (table_failed(report->coverage_tables[i]))
			return true;
	for (int i = 0; i < MM_COVERAGE_COUNT; i++)
		if (report->coverage[i].kind == MM_CELL_FAILED)
			return true;
	return report->failed;
}
