// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the text form of a report: header, findings, tables with aligned columns, notes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "reader/report/fit.h"
#include "reader/report/units.h"
#include "reader/report/render.h"
#include "util/escape.h"
#include "util/plural.h"
#include "util/text.h"

/* Maximum number of rows of a table. The JSON form has all rows. */
#define ROWS_MAX 25

/*
 * Writes the cell to @text, which grows as needed, because paths may have thousands of bytes.
 * Returns the text, or NULL when out of memory.
 */
static char *format_cell(struct mm_text *text, const struct mm_cell *cell,
			 const struct mm_column *column)
{
	static const char least[] = ">= ", most[] = "<= ";
	const char *string = cell->shown		    ? cell->shown
			     : cell->kind == MM_CELL_STRING ? cell->s
							    : NULL;
	size_t size = MM_NUMBER_TEXT;
	char *to;

	if (string)
		size = mm_escape_terminal(NULL, 0, string, strlen(string)) + 1;
	to = mm_text_reserve(text, sizeof(least) + size);
	if (!to)
		return NULL;
	if (cell->least || cell->most)
		to = stpcpy(to, cell->least ? least : most);
	if (string)
		mm_escape_terminal(to, size, string, strlen(string));
	else
		mm_render_number(to, size, cell, column->kind, column->unit);
	return text->data;
}

/*
 * Like format_cell(), for a column of the width @width. If the text does not fit, removes the
 * suffix that the text form adds to a name, such as a percentage. The caller then shortens the
 * name.
 */
static char *format_short_cell(struct mm_text *text, const struct mm_cell *cell,
			       const struct mm_column *column, unsigned int width)
{
	struct mm_cell plain = *cell;
	char *string = format_cell(text, cell, column);

	if (!string || mm_fit_width(string) <= width || !cell->shown ||
	    cell->kind != MM_CELL_STRING || strncmp(cell->shown, cell->s, strlen(cell->s)) != 0)
		return string;
	plain.shown = NULL;
	return format_cell(text, &plain, column);
}

static bool is_text(const struct mm_column *column)
{
	return column->kind == MM_VALUE_TEXT || column->kind == MM_VALUE_LIST;
}

static void print_padded(FILE *out, const char *text, unsigned int width, bool right, bool last)
{
	unsigned int taken = mm_fit_width(text);
	int pad = width > taken ? (int)(width - taken) : 0;

	if (right)
		fprintf(out, "%*s", pad, "");
	fputs(text, out);
	if (!right && !last)
		fprintf(out, "%*s", pad, "");
	fputs(last ? "\n" : "  ", out);
}

static bool is_empty(const struct mm_table *table, size_t rows, size_t column)
{
	for (size_t r = 0; r < rows; r++)
		if (table->cells[r * table->column_count + column].kind != MM_CELL_EMPTY)
			return false;
	return true;
}

/* Measures the columns of the first @rows rows. Returns 0, or -1 when out of memory. */
static int measure(const struct mm_table *table, size_t rows, struct mm_fit *fits,
		   struct mm_text *text)
{
	for (size_t c = 0; c < table->column_count; c++) {
		const struct mm_column *column = &table->def->columns[c];
		struct mm_fit *fit = &fits[c];
		unsigned int title;

		if (!column->title || (table->omits_empty && is_empty(table, rows, c)))
			continue;
		fit->shown = true;
		fit->priority = c + 1 == table->sorted ? 0 : column->priority;
		fit->natural = title = mm_fit_width(column->title);
		for (size_t r = 0; r < rows; r++) {
			const char *cell = format_cell(
				text, &table->cells[r * table->column_count + c], column);
			unsigned int width = cell ? mm_fit_width(cell) : 0;

			if (!cell)
				return -1;
			if (width > fit->natural)
				fit->natural = width;
		}
		fit->narrowest = fit->natural;
		if (column->width_min && column->width_min < fit->natural)
			fit->narrowest = column->width_min > title ? column->width_min : title;
		fit->kept = fit->narrowest;
		if (!column->priority && !column->wraps && fit->kept < MM_FIT_KEY)
			fit->kept = fit->natural < MM_FIT_KEY ? fit->natural : MM_FIT_KEY;
	}
	return 0;
}

/* Prints @text as an indented paragraph, wrapped to @width columns; 0: not wrapped. */
static void print_indented(FILE *out, const char *text, unsigned int width)
{
	fprintf(out, "%*s", MM_FIT_INDENT, "");
	mm_fit_print(out, text, width > MM_FIT_INDENT ? width - MM_FIT_INDENT : UINT_MAX,
		     MM_FIT_INDENT);
}

/* Prints the heading of row @row, if it has one. Returns 0, or -1 when out of memory. */
static int print_heading(FILE *out, const struct mm_table *table, size_t row, size_t *next,
			 unsigned int width, struct mm_text *text)
{
	const char *heading;
	size_t size;
	char *to;

	if (*next == table->heading_count || table->headings[*next].row != row)
		return 0;
	heading = table->headings[(*next)++].text;
	size = mm_escape_terminal(NULL, 0, heading, strlen(heading)) + 1;
	text->length = 0;
	to = mm_text_reserve(text, size);
	if (!to)
		return -1;
	mm_escape_terminal(to, size, heading, strlen(heading));
	fputc('\n', out);
	print_indented(out, to, width);
	return 0;
}

/*
 * Prints a row. If @cells is NULL, prints the titles. With @brief, truncates the last column
 * instead of wrapping it. Returns 0, or -1 when out of memory.
 */
static int print_row(FILE *out, const struct mm_table *table, const struct mm_cell *cells,
		     const struct mm_fit *fits, bool brief, struct mm_text *text)
{
	const struct mm_column *columns = table->def->columns;
	unsigned int indent = MM_FIT_INDENT;
	size_t last = 0;

	for (size_t c = 0; c < table->column_count; c++)
		if (fits[c].shown && !fits[c].dropped)
			last = c;
	fputs("  ", out);
	for (size_t c = 0; c <= last; c++) {
		char *cell;

		if (!fits[c].shown || fits[c].dropped)
			continue;
		if (!cells) {
			print_padded(out, columns[c].title, fits[c].width, !is_text(&columns[c]),
				     c == last);
			continue;
		}
		cell = columns[c].wraps
			       ? format_cell(text, &cells[c], &columns[c])
			       : format_short_cell(text, &cells[c], &columns[c], fits[c].width);
		if (!cell)
			return -1;
		if (c == last && columns[c].wraps && !brief) {
			mm_fit_print(out, cell, fits[c].width, indent);
			continue;
		}
		if (columns[c].wraps)
			mm_fit_cut(cell, fits[c].width);
		else
			mm_fit_shorten(cell, fits[c].width);
		print_padded(out, cell, fits[c].width, !is_text(&columns[c]), c == last);
		indent += fits[c].width + MM_FIT_GAP;
	}
	return 0;
}

/* Is a column with this title left out of the text form? */
static bool is_column_omitted(const struct mm_table *table, const struct mm_fit *fits,
			      const char *title, size_t length)
{
	bool found = false;

	for (size_t c = 0; c < table->column_count; c++) {
		const char *other = table->def->columns[c].title;

		if (!other || strlen(other) != length || strncmp(other, title, length) != 0)
			continue;
		if (fits[c].shown && !fits[c].dropped)
			return false;
		found = true;
	}
	return found;
}

/* Does this part of a note (such as "oldest, youngest: age at the end") explain omitted columns? */
static bool explains_omitted(const struct mm_table *table, const struct mm_fit *fits,
			     const char *part, size_t length)
{
	const char *end = memmem(part, length, ": ", 2);
	size_t title;

	for (const char *at = part; end && at < end; at += title + 2) {
		const char *comma = memmem(at, (size_t)(end - at), ", ", 2);

		title = (size_t)((comma ? comma : end) - at);
		if (!is_column_omitted(table, fits, at, title))
			return false;
	}
	return end;
}

/*
 * Prints the note of a table in parentheses. Leaves out parts (separated by "; ") that explain
 * omitted columns. Returns 0, or -1 when out of memory.
 */
static int print_note(FILE *out, const struct mm_table *table, const struct mm_fit *fits,
		      unsigned int width)
{
	const char *before = "(";
	char *line = NULL;
	size_t length, size;
	FILE *note = open_memstream(&line, &size);

	for (const char *part = table->def->note; note && part; part += length) {
		const char *end = strstr(part, "; ");

		length = end ? (size_t)(end - part) : strlen(part);
		if (!explains_omitted(table, fits, part, length)) {
			fprintf(note, "%s%.*s", before, (int)length, part);
			before = "; ";
		}
		if (!end)
			break;
		length += 2;
	}
	if (note && *before == ';')
		fputc(')', note);
	if (!note || fclose(note)) {
		free(line);
		return -1;
	}
	if (size)
		print_indented(out, line, width);
	free(line);
	return 0;
}

static bool is_any_dropped(const struct mm_table *table, const struct mm_fit *fits)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (fits[c].dropped)
			return true;
	return false;
}

/* Prints where the other rows are. For a brief table, also prints where the other columns are. */
static void print_rest(FILE *out, const struct mm_table *table, size_t rows,
		       const struct mm_fit *fits, bool brief, const char *more)
{
	fprintf(out, "  ... and %zu more; %s%s\n", table->row_count - rows, more,
		brief && is_any_dropped(table, fits) ? ", --wide all columns" : "");
}

/* Prints the names of the dropped columns. Returns 0, or -1 when out of memory. */
static int print_dropped(FILE *out, const struct mm_table *table, const struct mm_fit *fits,
			 unsigned int width)
{
	const char *before = "(not shown: ";
	char *line = NULL;
	size_t length;
	FILE *names = open_memstream(&line, &length);
	bool all = false;

	for (size_t c = 0; names && c < table->column_count; c++) {
		if (!fits[c].dropped)
			continue;
		fprintf(names, "%s%s", before, table->def->columns[c].title);
		before = ", ";
	}
	if (names && *before == ',')
		fputs("; --wide shows all columns)", names);
	if (names)
		all = !fclose(names);
	if (all && length)
		print_indented(out, line, width);
	free(line);
	return all ? 0 : -1;
}

static void print_title(FILE *out, const struct mm_table *table)
{
	const char *title = table->def->title, *order = NULL;

	if (table->order && *table->order) {
		order = strstr(title, ", by ");
		order = order ? order : strstr(title, ", most ");
		order = order ? order : title + strlen(title);
	}
	if (order)
		fprintf(out, "\n%.*s%s\n", (int)(order - title), title, table->order);
	else
		fprintf(out, "\n%s\n", title);
}

int mm_render_table(FILE *out, const struct mm_table *table, size_t rows, unsigned int width,
		    bool brief, const char *more)
{
	size_t columns = table->column_count;
	size_t heading = 0;
	struct mm_fit *fits = calloc(columns, sizeof(*fits));
	struct mm_text text = { 0 };
	int ret;

	if (rows > table->row_count)
		rows = table->row_count;
	ret = fits ? measure(table, rows, fits, &text) : -1;
	if (!ret) {
		mm_fit(fits, columns, width);
		print_title(out, table);
		ret = print_row(out, table, NULL, fits, brief, &text);
	}
	for (size_t r = 0; r < rows && !ret; r++) {
		ret = print_heading(out, table, r, &heading, width, &text);
		if (!ret)
			ret = print_row(out, table, &table->cells[r * columns], fits, brief, &text);
	}
	if (!ret && rows < table->row_count)
		print_rest(out, table, rows, fits, brief, more);
	if (!ret && table->def->note)
		ret = print_note(out, table, fits, width);
	if (!ret && (!brief || rows == table->row_count))
		ret = print_dropped(out, table, fits, width);
	free(text.data);
	free(fits);
	return ret;
}

static int print_tables(FILE *out, struct mm_table *const *tables, size_t count, unsigned int width)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		if (tables[i]->def->title && !tables[i]->hidden && tables[i]->row_count)
			ret = mm_render_table(out, tables[i],
					      tables[i]->text_rows ? tables[i]->text_rows
								   : ROWS_MAX,
					      width, false, "--json has them all");
	return ret;
}

/* Prints the lines of metrics (mm_metric_def.line): each value with its first label. */
static void print_lines(FILE *out, const struct mm_report *report)
{
	const char *line = NULL;

	for (size_t i = 0; i < report->metric_count; i++) {
		const struct mm_metric *metric = report->metrics[i];
		char number[MM_NUMBER_TEXT];

		if (!metric->def->line || !metric->labels[0])
			continue;
		fprintf(out, "%s%s%s", line == metric->def->line ? ", " : "\n",
			line == metric->def->line ? "" : metric->def->line,
			line == metric->def->line ? "" : ": ");
		line = metric->def->line;
		for (const char *c = metric->labels[0]; *c; c++)
			fputc(*c == '_' ? ' ' : *c, out);
		mm_render_number(number, sizeof(number), &metric->value, metric->def->kind,
				 metric->def->unit);
		fprintf(out, " %s", number);
	}
	if (line)
		fputc('\n', out);
}

unsigned int mm_render_width(FILE *out)
{
	struct winsize size;

	if (isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return MM_WIDTH_PIPED;
}

/* Prints an empty line, then @sentences, one on each line. */
static void print_sentences(FILE *out, char *const *sentences, size_t count)
{
	if (count)
		fputc('\n', out);
	for (size_t i = 0; i < count; i++) {
		mm_escape_message_print(out, sentences[i]);
		fputc('\n', out);
	}
}

int mm_render_text(FILE *out, const struct mm_report *report, unsigned int width)
{
	mm_render_header(out, report);
	print_sentences(out, report->answer, report->answer_count);
	print_sentences(out, report->findings, report->finding_count);
	if (print_tables(out, report->tables, report->table_count, width) ||
	    print_tables(out, report->coverage_tables, MM_COVERAGE_TABLES, width))
		return -1;
	print_lines(out, report);
	if (report->note_count)
		fputs("\nNotes\n", out);
	for (size_t i = 0; i < report->note_count; i++) {
		fputs("  ", out);
		mm_escape_message_print(out, report->notes[i]);
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}
