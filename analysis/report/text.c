// SPDX-License-Identifier: LGPL-2.1-only
/* Text form of a report: conclusions, tables with aligned columns, losses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/render.h"
#include "util/escape.h"

#define CELL_MAX 2048
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

static void format_cell(char *text, size_t size, const struct mm_cell *cell, enum mm_unit unit)
{
	double number = cell->kind == MM_CELL_REAL ? cell->r : (double)cell->u;

	text[0] = '\0';
	if (cell->least) {
		snprintf(text, size, ">= ");
		text += 3;
		size -= 3;
	}
	if (cell->shown)
		mm_escape_terminal(text, size, cell->shown, strlen(cell->shown));
	else if (cell->kind == MM_CELL_STRING)
		mm_escape_terminal(text, size, cell->s, strlen(cell->s));
	else if (cell->kind == MM_CELL_LIST)
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

static void print_table(FILE *out, const struct mm_table *table)
{
	size_t columns = table->column_count, last = 0;
	size_t most = table->text_rows ? table->text_rows : ROWS_MAX;
	size_t rows = table->row_count < most ? table->row_count : most;
	int *widths = calloc(columns, sizeof(*widths));
	char text[CELL_MAX];

	if (!widths)
		return;
	for (size_t c = 0; c < columns; c++) {
		if (!table->columns[c].title)
			continue;
		last = c;
		widths[c] = width_of(table->columns[c].title);
		for (size_t r = 0; r < rows; r++) {
			format_cell(text, sizeof(text), &table->cells[r * columns + c],
				    table->columns[c].unit);
			if (width_of(text) > widths[c])
				widths[c] = width_of(text);
		}
	}
	fprintf(out, "\n%s\n", table->title);
	for (size_t r = 0; r <= rows; r++) {
		fputs("  ", out);
		for (size_t c = 0; c < columns; c++) {
			const struct mm_column *column = &table->columns[c];

			if (!column->title)
				continue;
			if (!r)
				snprintf(text, sizeof(text), "%s", column->title);
			else
				format_cell(text, sizeof(text),
					    &table->cells[(r - 1) * columns + c], column->unit);
			print_padded(out, text, widths[c], column->unit != MM_UNIT_NONE, c == last);
		}
	}
	if (rows < table->row_count)
		fprintf(out, "  ... and %zu more; --json has them all\n", table->row_count - rows);
	if (table->note)
		fprintf(out, "  (%s)\n", table->note);
	free(widths);
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
	char text[CELL_MAX];

	for (size_t i = 0; i < report->conclusion_count; i++) {
		mm_escape_terminal(text, sizeof(text), report->conclusions[i],
				   strlen(report->conclusions[i]));
		fprintf(out, "%s\n", text);
	}
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->title && report->tables[i]->row_count)
			print_table(out, report->tables[i]);
	print_losses(out, report);
	return ferror(out) ? -1 : 0;
}
