// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Short text forms of a report: the first screen, and single tables. Sample of a first screen:
 *   Complete: nothing was lost; trace has 17 events.
 *   Recorded: 2026-11-23T01:24:51Z to 01:25:33Z (42.06 s), 2 CPUs, host a
 *
 *   249 of 472 accesses to huge pages fell back to small ones, which took 3.2 ms.
 *
 *   Largest files
 *     file       fallbacks
 *     /mnt/a           240
 *     ... and 3 more; `--table files` shows all
 *
 *   To see each fallback: lttng-mm report why --dax /tmp/snapshot-1
 *   More: --all shows everything, --table NAME one table: causes, files
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/fit.h"
#include "reader/report/render.h"
#include "util/escape.h"
#include "util/nearest.h"
#include "util/text.h"

/* Prints each line of @text as a paragraph, wrapped to @width columns; 0: not wrapped. */
static void print_wrapped(FILE *out, char *text, unsigned int width)
{
	char *end;

	for (char *line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		mm_fit_print(out, line, width ? width : UINT_MAX, 0);
	}
}

/*
 * Prints @command. If it ends with the word TRACE, replaces this word by @selection (may be NULL)
 * and @trace.
 */
static void print_command(FILE *out, const char *command, const char *selection, const char *trace)
{
	static const char word[] = " TRACE";
	const size_t length = strlen(command), last = sizeof(word) - 1;
	char *quoted = NULL;
	size_t size;
	FILE *buffer;

	if (!trace || length < last || strcmp(command + length - last, word)) {
		mm_escape_message_print(out, command);
		return;
	}
	fwrite(command, 1, length - last, out);
	if (selection)
		mm_escape_message_print(out, selection);
	buffer = open_memstream(&quoted, &size);
	if (buffer)
		mm_escape_print_argument(buffer, *trace == '-' ? " ./" : " ", trace);
	if (buffer && !fclose(buffer))
		mm_escape_message_print(out, quoted);
	free(quoted);
}

/*
 * Lists the names of tables that have rows, each name once. Stops when @width columns are full (0:
 * never stops).
 */
static void print_names(FILE *out, const struct mm_report *report, size_t width)
{
	static const char rest[] = ", ...";
	const char *before = "";
	size_t used = 0;

	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];
		size_t first = 0;

		while (report->tables[first]->def != table->def)
			first++;
		if (first < i || !table->def->title || !table->row_count)
			continue;
		used += strlen(before) + strlen(table->def->name);
		if (width && used + strlen(rest) > width) {
			fputs(rest, out);
			return;
		}
		fprintf(out, "%s%s", before, table->def->name);
		before = ", ";
	}
}

static void print_answer(FILE *out, const struct mm_report *report)
{
	for (size_t i = 0; i < report->answer_count; i++) {
		mm_escape_message_print(out, report->answer[i]);
		fputc('\n', out);
	}
}

/*
 * Prints the command that the report suggests. Never wraps the command, because users copy it, and
 * a wrapped path or pattern would be a different word.
 */
static void print_next(FILE *out, const struct mm_report *report, const char *selection,
		       const char *trace)
{
	if (!report->next_command)
		return;
	mm_escape_message_print(out, report->next_purpose);
	fputs(": ", out);
	print_command(out, report->next_command, selection, trace);
	fputc('\n', out);
}

static void print_more(FILE *out, const struct mm_report *report, size_t width)
{
	static const char more[] = "More: --all shows everything, --table NAME one table: ";
	const size_t least = 24;
	bool any = false;

	for (size_t i = 0; i < report->table_count; i++)
		any |= report->tables[i]->def->title && report->tables[i]->row_count;
	if (!any) {
		fputs("More: --all shows everything\n", out);
		return;
	}
	fputs(more, out);
	print_names(out, report,
		    width && width < sizeof(more) + least ? least
		    : width				  ? width - (sizeof(more) - 1)
							  : 0);
	fputc('\n', out);
}

/* Wraps the output of @print to @width columns. Returns 0, or -1 when out of memory. */
static int print_part(FILE *out, void (*print)(FILE *out, const struct mm_report *report),
		      const struct mm_report *report, unsigned int width)
{
	char *text = NULL;
	size_t length;
	FILE *buffer = open_memstream(&text, &length);
	int ret = -1;

	if (buffer) {
		print(buffer, report);
		ret = fclose(buffer) ? -1 : 0;
	}
	if (!ret)
		print_wrapped(out, text, width);
	free(text);
	return ret;
}

static const struct mm_table *find_first_table(const struct mm_report *report)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->def == report->first_table && report->tables[i]->row_count)
			return report->tables[i];
	return NULL;
}

struct screen {
	size_t rows; /* number of rows of the table */
	bool brief;  /* each row takes one line */
	unsigned int width;
	const char *selection, *trace; /* parts of the next command */
};

/* Prints a first screen. Returns 0, or -1 when out of memory. */
static int print_screen(FILE *out, const struct mm_report *report, const struct screen *screen)
{
	const struct mm_table *table = find_first_table(report);
	const unsigned int width = screen->width;
	char more[128];

	if (print_part(out, mm_render_brief_header, report, width))
		return -1;
	fputc('\n', out);
	if (print_part(out, print_answer, report, width))
		return -1;
	if (table && screen->rows) {
		snprintf(more, sizeof(more), "`--table %s` shows all", table->def->name);
		if (mm_render_table(out, table, screen->rows, width, screen->brief, more))
			return -1;
	}
	fputc('\n', out);
	print_next(out, report, screen->selection, screen->trace);
	print_more(out, report, width);
	return 0;
}

/* Returns the first screen as a string to be released with free(). NULL: out of memory. */
static char *make_screen(const struct mm_report *report, const struct screen *screen)
{
	char *text = NULL;
	size_t length;
	FILE *buffer = open_memstream(&text, &length);
	int ret = buffer ? print_screen(buffer, report, screen) : -1;

	if (buffer && fclose(buffer))
		ret = -1;
	if (!ret)
		return text;
	free(text);
	return NULL;
}

/* Returns how many lines of a terminal @text needs. @width: columns; 0: lines do not wrap. */
static size_t count_lines(const char *text, unsigned int width)
{
	size_t lines = 0;
	unsigned int column = 0;

	for (; *text; text++) {
		if (*text == '\n') {
			lines++;
			column = 0;
			continue;
		}
		/* A continuation byte of UTF-8 needs no column. */
		if (((unsigned char)*text & 0xc0) == 0x80)
			continue;
		lines += width && column && column % width == 0;
		column++;
	}
	return lines;
}

int mm_render_first(FILE *out, const struct mm_report *report, unsigned int width,
		    const char *selection, const char *trace)
{
	const struct mm_table *table = find_first_table(report);
	struct screen screen = { report->first_rows, false, width, selection, trace };
	char *text;

	if (!report->answer_count)
		return mm_render_text(out, report, width);
	/*
	 * If rows are left out, shorten long texts, too: the command at the end of the screen shows
	 * everything.
	 */
	screen.brief = table && table->row_count > screen.rows;
	text = make_screen(report, &screen);
	/*
	 * Remove rows until the screen fits. If sentences are long, there may be no room for the
	 * table, or only for one of its rows, which alone says little.
	 */
	while (text && screen.rows && count_lines(text, width) > MM_FIRST_LINES) {
		free(text);
		if (screen.brief)
			screen.rows -= screen.rows == 2 ? 2 : 1;
		screen.brief = true;
		text = make_screen(report, &screen);
	}
	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	fputs(text, out);
	free(text);
	return ferror(out) ? -1 : 0;
}

static int print_named(FILE *out, struct mm_table *const *tables, size_t count, const char *name,
		       unsigned int width, size_t rows, bool *any)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		if (!tables[i]->def->title || !tables[i]->row_count ||
		    strcmp(tables[i]->def->name, name) != 0)
			continue;
		*any = true;
		ret = mm_render_table(out, tables[i], rows, width, false, "omit --top to see all");
	}
	return ret;
}

int mm_render_named_table(FILE *out, const struct mm_report *report, unsigned int width,
			  const char *name, size_t rows)
{
	bool any = false;

	if (print_part(out, mm_render_brief_header, report, width) ||
	    print_named(out, report->tables, report->table_count, name, width, rows, &any) ||
	    print_named(out, report->coverage_tables, MM_COVERAGE_TABLES, name, width, rows, &any))
		return -1;
	if (!any)
		fprintf(out, "\nThe table %s has no rows in this report.\n", name);
	return ferror(out) ? -1 : 0;
}

/* Returns table @i among the tables with a text form, or NULL after the last one. */
static const struct mm_table_def *text_table(const struct mm_report_schema *schema, size_t i)
{
	const struct mm_table_def *def;

	for (size_t t = 0; (def = mm_schema_table_at(schema, t)); t++)
		if (def->title && !i--)
			return def;
	for (size_t t = 0; t < MM_COVERAGE_TABLES; t++)
		if (mm_coverage_tables[t].title && !i--)
			return &mm_coverage_tables[t];
	return NULL;
}

int mm_render_check_table(const struct mm_report_schema *schema, const char *name,
			  struct mm_error *err)
{
	const struct mm_table_def *def;
	struct mm_nearest nearest = { .wanted = name };
	char names[1024] = "", hint[MM_NEAREST_TEXT];

	for (size_t i = 0; (def = text_table(schema, i)); i++) {
		if (!strcmp(def->name, name))
			return 0;
		mm_words_add(names, sizeof(names), def->name);
		mm_nearest_offer(&nearest, def->name);
	}
	for (size_t t = 0; (def = mm_schema_table_at(schema, t)); t++)
		if (!strcmp(def->name, name))
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"report %s: --table: '%s' is only in the JSON form; use --json",
				schema->name, name);
	mm_nearest_hint(&nearest, hint, sizeof(hint));
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "report %s: --table: '%s' is not a table of the text form%s%svalid: %s",
			    schema->name, name, hint, *hint ? " " : "; ", names);
}
