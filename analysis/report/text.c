// SPDX-License-Identifier: LGPL-2.1-only
/* Text form of a report: conclusions, tables with aligned columns, losses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/render.h"
#include "util/escape.h"
#include "util/text.h"

/* A number with its unit. */
#define NUMBER_MAX 64
/* Rows of one table on a terminal; JSON has all. */
#define ROWS_MAX 25

static void format_ns(char *text, size_t size, double ns)
{
	if (ns < 1e3)
		snprintf(text, size, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(text, size, "%.1f us", ns / 1e3);
	else if (ns < 1e9)
		snprintf(text, size, "%.1f ms", ns / 1e6);
	else
		snprintf(text, size, "%.2f s", ns / 1e9);
}

static void format_bytes(char *text, size_t size, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

static void format_number(char *text, size_t size, const struct mm_cell *cell, enum mm_unit unit)
{
	double number = cell->kind == MM_CELL_REAL ? cell->r : (double)cell->u;

	if (cell->kind == MM_CELL_LIST)
		snprintf(text, size, "%" PRIu64 " names", cell->u);
	else if (cell->kind == MM_CELL_EMPTY)
		snprintf(text, size, "-");
	else if (unit == MM_UNIT_NS)
		format_ns(text, size, number);
	else if (unit == MM_UNIT_BYTES)
		format_bytes(text, size, number);
	else if (unit == MM_UNIT_HEX)
		snprintf(text, size, "0x%" PRIx64, cell->u);
	else if (cell->kind == MM_CELL_REAL)
		snprintf(text, size, "%.2f", cell->r);
	else
		snprintf(text, size, "%" PRIu64, cell->u);
}

/* The cell in @text, which grows as it must: paths have thousands of bytes. NULL: out of memory. */
static const char *format_cell(struct mm_text *text, const struct mm_cell *cell, enum mm_unit unit)
{
	static const char least[] = ">= ";
	const char *string = cell->shown		    ? cell->shown
			     : cell->kind == MM_CELL_STRING ? cell->s
							    : NULL;
	size_t size = NUMBER_MAX;
	char *to;

	if (string)
		size = mm_escape_terminal(NULL, 0, string, strlen(string)) + 1;
	to = mm_text_reserve(text, sizeof(least) + size);
	if (!to)
		return NULL;
	if (cell->least)
		to = stpcpy(to, least);
	if (string)
		mm_escape_terminal(to, size, string, strlen(string));
	else
		format_number(to, size, cell, unit);
	return text->data;
}

/* Columns on a terminal: UTF-8 continuation bytes take none. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void print_padded(FILE *out, const char *text, int width, bool right, bool last)
{
	int pad = width - width_of(text);

	if (right)
		fprintf(out, "%*s", pad > 0 ? pad : 0, "");
	fputs(text, out);
	if (!right && !last)
		fprintf(out, "%*s", pad > 0 ? pad : 0, "");
	fputs(last ? "\n" : "  ", out);
}

/* How wide each column of the first @rows rows is. Returns 0, or -1: out of memory. */
static int measure(const struct mm_table *table, size_t rows, int *widths, struct mm_text *text)
{
	for (size_t c = 0; c < table->column_count; c++) {
		if (!table->columns[c].title)
			continue;
		widths[c] = width_of(table->columns[c].title);
		for (size_t r = 0; r < rows; r++) {
			const char *cell =
				format_cell(text, &table->cells[r * table->column_count + c],
					    table->columns[c].unit);

			if (!cell)
				return -1;
			if (width_of(cell) > widths[c])
				widths[c] = width_of(cell);
		}
	}
	return 0;
}

/* One row; @cells NULL: the titles. Returns 0, or -1: out of memory. */
static int print_row(FILE *out, const struct mm_table *table, const struct mm_cell *cells,
		     const int *widths, struct mm_text *text)
{
	size_t last = 0;

	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].title)
			last = c;
	fputs("  ", out);
	for (size_t c = 0; c <= last; c++) {
		const struct mm_column *column = &table->columns[c];
		const char *cell = cells && column->title
					   ? format_cell(text, &cells[c], column->unit)
					   : column->title;

		if (!column->title)
			continue;
		if (!cell)
			return -1;
		print_padded(out, cell, widths[c], column->unit != MM_UNIT_NONE, c == last);
	}
	return 0;
}

/* Returns 0, or -1: out of memory. */
static int print_table(FILE *out, const struct mm_table *table)
{
	size_t columns = table->column_count;
	size_t most = table->text_rows ? table->text_rows : ROWS_MAX;
	size_t rows = table->row_count < most ? table->row_count : most;
	int *widths = calloc(columns, sizeof(*widths)), ret;
	struct mm_text text = { 0 };

	ret = widths ? measure(table, rows, widths, &text) : -1;
	if (!ret) {
		fprintf(out, "\n%s\n", table->title);
		ret = print_row(out, table, NULL, widths, &text);
	}
	for (size_t r = 0; r < rows && !ret; r++)
		ret = print_row(out, table, &table->cells[r * columns], widths, &text);
	if (!ret && rows < table->row_count)
		fprintf(out, "  ... and %zu more; --json has them all\n", table->row_count - rows);
	if (!ret && table->note)
		fprintf(out, "  (%s)\n", table->note);
	free(text.data);
	free(widths);
	return ret;
}

static double metric(const struct mm_report *report, const char *name, const char *labels)
{
	for (size_t i = 0; i < report->metric_count; i++)
		if (!strcmp(report->metrics[i].name, name) &&
		    !strcmp(report->metrics[i].labels, labels))
			return report->metrics[i].value;
	return 0;
}

static bool has_metric(const struct mm_report *report, const char *name)
{
	for (size_t i = 0; i < report->metric_count; i++)
		if (!strcmp(report->metrics[i].name, name))
			return true;
	return false;
}

static void print_losses(FILE *out, const struct mm_report *report)
{
	bool heading = false;

	fprintf(out,
		"\nLost: %.0f events discarded, %.0f packets lost, %.0f packets truncated, %.0f packets damaged",
		metric(report, "trace.events_discarded", ""),
		metric(report, "trace.packets_lost", ""),
		metric(report, "trace.packets_truncated", ""),
		metric(report, "trace.packets_damaged", ""));
	if (metric(report, "trace.packets_uncounted", "") > 0)
		fprintf(out, ", %.0f packets without a count of discarded events",
			metric(report, "trace.packets_uncounted", ""));
	if (metric(report, "trace.streams_missing", "") > 0)
		fprintf(out, ", %.0f streams missing", metric(report, "trace.streams_missing", ""));
	if (has_metric(report, "trace.events"))
		fprintf(out, "; trace has %.0f events", metric(report, "trace.events", ""));
	fputc('\n', out);
	if (report->unverifiable)
		fprintf(out, "Streams: not verifiable: %s.\n", report->unverifiable);
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct mm_metric *m = &report->metrics[i];
		const char *what = strstr(m->labels, "what=\"");

		if (!strstr(m->name, ".pairing") || !what)
			continue;
		fputs(heading ? ", " : "Pairing: ", out);
		heading = true;
		for (what += 6; *what && *what != '"'; what++)
			fputc(*what == '_' ? ' ' : *what, out);
		fprintf(out, " %.0f", m->value);
	}
	if (heading)
		fputc('\n', out);
}

int mm_render_text(FILE *out, const struct mm_report *report)
{
	int ret = 0;

	for (size_t i = 0; i < report->conclusion_count; i++) {
		mm_escape_print(out, report->conclusions[i]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < report->table_count && !ret; i++)
		if (report->tables[i]->title && report->tables[i]->row_count)
			ret = print_table(out, report->tables[i]);
	if (ret)
		return -1;
	print_losses(out, report);
	return ferror(out) ? -1 : 0;
}
