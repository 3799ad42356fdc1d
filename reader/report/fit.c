// SPDX-License-Identifier: LGPL-2.1-only
/* Fits a table to a terminal: drops the least important columns, and shortens keys. */
#include "reader/report/fit.h"

#include <string.h>

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* A continuation byte of UTF-8 needs no column. */
unsigned int mm_fit_width(const char *text)
{
	unsigned int width = 0;

	for (; *text; text++)
		width += !is_continuation(*text);
	return width;
}

/* Is the first word of @text a unit? Lines do not break between a number and its unit. */
static bool is_unit(const char *text)
{
	static const char *const units[] = { "%", "B", "KiB", "MiB", "GiB", "TiB",
					     "h", "m", "s",   "ms",  "us",  "ns" };
	size_t length = strcspn(text, " ,;:.)");

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == length && !strncmp(text, units[i], length))
			return true;
	return false;
}

/*
 * Returns the length of the first line of @text. A line may break before a space, or after a `|`
 * between flags. Chooses the last possible break within @width columns. If these columns have no
 * break, chooses the first break after them.
 */
static size_t line_length(const char *text, unsigned int width)
{
	size_t fits = 0;
	unsigned int taken = 0;

	for (size_t i = 0; text[i]; i++) {
		taken += !is_continuation(text[i]);
		if (text[i + 1] && text[i + 1] != ' ' && text[i] != '|')
			continue;
		if (text[i] >= '0' && text[i] <= '9' && text[i + 1] && is_unit(&text[i + 2]))
			continue;
		if (taken > width)
			return fits ? fits : i + 1;
		fits = i + 1;
	}
	return fits;
}

void mm_fit_print(FILE *out, const char *text, unsigned int width, unsigned int indent)
{
	for (;;) {
		size_t length = line_length(text, width);

		fprintf(out, "%.*s\n", (int)length, text);
		text += length;
		text += *text == ' ';
		if (!*text)
			return;
		fprintf(out, "%*s", (int)indent, "");
	}
}

/* Returns the byte offset of character number @column. */
static size_t byte_of(const char *text, unsigned int column)
{
	size_t at = 0;

	while (text[at] && (column || is_continuation(text[at]))) {
		at++;
		column -= !is_continuation(text[at]);
	}
	return at;
}

void mm_fit_shorten(char *text, unsigned int width)
{
	static const char gap[] = "...";
	unsigned int all = mm_fit_width(text), kept, head;
	size_t from, to;

	if (all <= width)
		return;
	if (width < 5) {
		text[byte_of(text, width)] = '\0';
		return;
	}
	kept = width - 3;
	head = (kept + 1) / 2;
	to = byte_of(text, head);
	from = byte_of(text, all - (kept - head));
	memmove(text + to + 3, text + from, strlen(text + from) + 1);
	memcpy(text + to, gap, 3);
}

void mm_fit_cut(char *text, unsigned int width)
{
	if (mm_fit_width(text) <= width)
		return;
	text[byte_of(text, width < 5 ? width : width - 3)] = '\0';
	if (width >= 5)
		strcat(text, "...");
}

/*
 * Returns the width of a row. With @kept, columns have the width `kept`; otherwise they have the
 * width `natural`.
 */
static unsigned int sum_of(const struct mm_fit *columns, size_t count, bool kept)
{
	unsigned int sum = MM_FIT_INDENT, gap = 0;

	for (size_t i = 0; i < count; i++) {
		if (!columns[i].shown || columns[i].dropped)
			continue;
		sum += gap + (kept ? columns[i].kept : columns[i].natural);
		gap = MM_FIT_GAP;
	}
	return sum;
}

/*
 * Returns the column with the highest priority number. If several columns have it, returns the last
 * of these. NULL: all columns have priority 0.
 */
static struct mm_fit *least_important(struct mm_fit *columns, size_t count)
{
	struct mm_fit *least = NULL;

	for (size_t i = 0; i < count; i++)
		if (columns[i].shown && !columns[i].dropped && columns[i].priority &&
		    (!least || columns[i].priority >= least->priority))
			least = &columns[i];
	return least;
}

/*
 * Columns are shortened in two rounds: to their `kept` width, then to their `narrowest` width.
 * Returns the column's minimum width in this round. @last is true in the second round.
 */
static unsigned int floor_of(const struct mm_fit *column, bool last)
{
	return last ? column->narrowest : column->kept;
}

/* Returns the widest column that can still become narrower, or NULL. */
static struct mm_fit *widest(struct mm_fit *columns, size_t count, bool last)
{
	struct mm_fit *most = NULL;

	for (size_t i = 0; i < count; i++)
		if (columns[i].shown && !columns[i].dropped &&
		    columns[i].width > floor_of(&columns[i], last) &&
		    (!most || columns[i].width > most->width))
			most = &columns[i];
	return most;
}

/*
 * Narrows columns until a row fits in @width columns of the terminal. @taken: the current width of
 * a row. Returns the new width.
 */
static unsigned int shorten(struct mm_fit *columns, size_t count, unsigned int taken,
			    unsigned int width, bool last)
{
	struct mm_fit *column;

	while (taken > width && (column = widest(columns, count, last))) {
		unsigned int less = column->width - floor_of(column, last);

		/*
		 * Narrow the widest column by 1 at a time. A column that is wider than 200 is first
		 * narrowed to 200 in one step, to save time.
		 */
		if (column->width <= 200)
			less = 1;
		else if (less > column->width - 200)
			less = column->width - 200;
		if (less > taken - width)
			less = taken - width;
		column->width -= less;
		taken -= less;
	}
	return taken;
}

void mm_fit(struct mm_fit *columns, size_t count, unsigned int width)
{
	struct mm_fit *column;
	unsigned int taken;

	for (size_t i = 0; i < count; i++) {
		columns[i].width = columns[i].natural;
		columns[i].dropped = false;
	}
	if (!width)
		return;
	while (sum_of(columns, count, true) > width && (column = least_important(columns, count)))
		column->dropped = true;
	taken = sum_of(columns, count, false);
	for (int last = 0; last < 2; last++)
		taken = shorten(columns, count, taken, width, last);
}
