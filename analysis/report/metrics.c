// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps a report's metrics, tables and conclusions. */
#include "analysis/report/metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a table that could not be made points its caller. */
static struct mm_table no_table;

struct mm_report *mm_report_create(const char *analysis)
{
	struct mm_report *report = calloc(1, sizeof(*report));

	if (report)
		report->analysis = analysis;
	return report;
}

static void table_destroy(struct mm_table *table)
{
	for (size_t i = 0; i < table->row_count * table->column_count; i++) {
		free(table->cells[i].s);
		free(table->cells[i].shown);
	}
	free(table->cells);
	free(table);
}

void mm_report_destroy(struct mm_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->metric_count; i++) {
		free(report->metrics[i].name);
		free(report->metrics[i].labels);
	}
	for (size_t i = 0; i < report->table_count; i++)
		table_destroy(report->tables[i]);
	for (size_t i = 0; i < report->conclusion_count; i++)
		free(report->conclusions[i]);
	free(report->metrics);
	free(report->tables);
	free(report->conclusions);
	free(report);
}

static char *format(const char *fmt, va_list args)
{
	char *text = NULL;

	return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

void mm_report_metric(struct mm_report *report, const char *name, const char *unit, double value,
		      const char *fmt, ...)
{
	struct mm_metric *metric =
		realloc(report->metrics, (report->metric_count + 1) * sizeof(*metric));
	va_list args;

	if (!metric) {
		report->failed = true;
		return;
	}
	report->metrics = metric;
	metric += report->metric_count++;
	metric->name = strdup(name);
	metric->unit = unit;
	metric->value = value;
	va_start(args, fmt);
	metric->labels = fmt ? format(fmt, args) : strdup("");
	va_end(args);
	if (!metric->name || !metric->labels)
		report->failed = true;
}

void mm_report_conclude(struct mm_report *report, const char *fmt, ...)
{
	char **grown =
		realloc(report->conclusions, (report->conclusion_count + 1) * sizeof(*grown));
	va_list args;

	if (!grown) {
		report->failed = true;
		return;
	}
	report->conclusions = grown;
	va_start(args, fmt);
	grown[report->conclusion_count] = format(fmt, args);
	va_end(args);
	if (grown[report->conclusion_count])
		report->conclusion_count++;
	else
		report->failed = true;
}

struct mm_table *mm_report_table(struct mm_report *report, const char *name, const char *title,
				 const char *note, const struct mm_column *columns)
{
	struct mm_table *table = calloc(1, sizeof(*table));
	struct mm_table **grown =
		realloc(report->tables, (report->table_count + 1) * sizeof(*grown));

	if (grown)
		report->tables = grown;
	if (!table || !grown) {
		report->failed = true;
		free(table);
		return &no_table;
	}
	grown[report->table_count++] = table;
	table->name = name;
	table->title = title;
	table->note = note;
	table->columns = columns;
	while (columns[table->column_count].name)
		table->column_count++;
	return table;
}

struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table)
{
	size_t count = table->row_count;
	struct mm_cell *cells;

	if (table == &no_table)
		return NULL;
	/* There is room for the next power of two: tables may have a row for each call site. */
	if (!(count & (count - 1))) {
		cells = reallocarray(table->cells, count ? 2 * count : 1,
				     table->column_count * sizeof(*cells));
		if (!cells) {
			report->failed = true;
			return NULL;
		}
		table->cells = cells;
	}
	cells = table->cells + count * table->column_count;
	memset(cells, 0, table->column_count * sizeof(*cells));
	table->row_count++;
	return cells;
}

void mm_cell_set_u(struct mm_cell *cell, uint64_t value)
{
	cell->kind = MM_CELL_UNSIGNED;
	cell->u = value;
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

bool mm_report_failed(const struct mm_report *report)
{
	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];

		for (size_t j = 0; j < table->row_count * table->column_count; j++)
			if (table->cells[j].kind == MM_CELL_FAILED)
				return true;
	}
	return report->failed;
}
