// SPDX-License-Identifier: LGPL-2.1-only
/* Finds what a report says about the cause of a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "regress/check.h"
#include "regress/rows.h"
#include "util/escape.h"
#include "util/text.h"

/* Names of columns that hint at a cause, in any table. */
static const char *const telling[] = {
	"why", "remedy", "path", "call_site", "function", "process"
};
#define TELLING (sizeof(telling) / sizeof(telling[0]))

/* Adds a sentence, and escapes it for a terminal. */
static int add(char ***causes, size_t *count, const char *sentence)
{
	char *safe = mm_escape_message_copy(sentence);
	int ret = safe ? mm_strings_add(causes, count, safe) : -1;

	free(safe);
	return ret;
}

/* Adds the columns in @telling of one row, except column @key. @told: the columns added so far. */
static int add_row(const struct mm_table *table, size_t row, const char *key, bool told[TELLING],
		   char ***causes, size_t *count)
{
	for (size_t i = 0; i < TELLING; i++) {
		int column = mm_table_column(table, telling[i]);
		const struct mm_cell *cell;
		char *line;
		int ret;

		if (column < 0 || told[i] || !strcmp(telling[i], key))
			continue;
		cell = &table->cells[row * table->column_count + (size_t)column];
		if (cell->kind != MM_CELL_STRING || !*cell->s)
			continue;
		told[i] = true;
		if (asprintf(&line, "%s: %s", telling[i], cell->s) < 0)
			return -1;
		ret = add(causes, count, line);
		free(line);
		if (ret)
			return -1;
	}
	return 0;
}

/*
 * Returns the number of the row in which column @column is @text, or -1 if there is none, or more
 * than one.
 */
static ssize_t only_row(const struct mm_table *table, int column, const char *text)
{
	ssize_t found = -1;

	for (size_t r = 0; r < table->row_count; r++) {
		const struct mm_cell *cell =
			&table->cells[r * table->column_count + (size_t)column];

		if (cell->kind != MM_CELL_STRING || strcmp(cell->s, text) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = (ssize_t)r;
	}
	return found;
}

/*
 * Adds columns of the row with the label @key = @text in each table. If several rows have the
 * label, adds nothing: none of them is known to be the cause.
 */
static int add_rows(const struct mm_report *report, const char *key, const char *text,
		    bool told[TELLING], char ***causes, size_t *count)
{
	for (size_t t = 0; t < report->table_count; t++) {
		const struct mm_table *table = report->tables[t];
		const int column = mm_table_column(table, key);
		const ssize_t row = column < 0 ? -1 : only_row(table, column, text);

		if (row >= 0 && add_row(table, (size_t)row, key, told, causes, count))
			return -1;
	}
	return 0;
}

static bool is_label(const struct regress_value *value, const char *key)
{
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		if (!strcmp(value->keys[k], key))
			return true;
	return false;
}

/* Does the row have all labels of the metric? */
static bool has_labels(const struct mm_table *table, size_t row, const struct regress_value *value)
{
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++) {
		const int column = mm_table_column(table, value->keys[k]);
		const struct mm_cell *cell;

		if (column < 0)
			return false;
		cell = &table->cells[row * table->column_count + (size_t)column];
		if (cell->kind != MM_CELL_STRING || strcmp(cell->s, value->texts[k]) != 0)
			return false;
	}
	return true;
}

/*
 * Finds the row that contributes most to a metric by its value in @column. Considers the rows with
 * the metric's labels: the row with the largest value wins or, with @base, the row that grew most.
 * Returns the row's number, or -1 if there is none.
 */
static ssize_t largest_row(const struct mm_table *table, int column,
			   const struct regress_value *value, const struct regress_values *base)
{
	const char *key = table->def->columns[column].key;
	uint64_t largest = 0;
	ssize_t found = -1;

	for (size_t r = 0; r < table->row_count; r++) {
		const struct mm_cell *cell =
			&table->cells[r * table->column_count + (size_t)column];

		uint64_t before;

		if (cell->kind != MM_CELL_UNSIGNED || cell->u <= largest ||
		    !has_labels(table, r, value))
			continue;
		before = base ? regress_rows_value(base, table, r, key) : 0;
		if (cell->u <= before || cell->u - before <= largest)
			continue;
		largest = cell->u - before;
		found = (ssize_t)r;
	}
	return found;
}

/*
 * Returns the first column of @telling, from @first on, that names the rows of a table with counts
 * in @column, and is not a label of the metric; or -1.
 */
static int naming_column(const struct mm_table *table, int column,
			 const struct regress_value *value, size_t first)
{
	if (column < 0 || table->def->columns[column].kind != MM_VALUE_INTEGER)
		return -1;
	for (size_t i = first; i < TELLING; i++)
		if (mm_table_column(table, telling[i]) >= 0 && !is_label(value, telling[i]))
			return (int)i;
	return -1;
}

/* Does any row have the labels of the metric? */
static bool has_any(const struct mm_table *table, const struct regress_value *value)
{
	for (size_t r = 0; r < table->row_count; r++)
		if (has_labels(table, r, value))
			return true;
	return false;
}

/* Metrics without labels, and the columns of tables that show which rows contribute to them. */
static const struct contribution {
	const char *metric, *table, *column, *phrase;
	/* The metric counts rows: a row that was counted before, and grew, is not the cause. */
	bool counts_rows;
} contributions[] = {
	{ "slab.leaks.objects", "leaks", "live", "live objects", false },
	{ "slab.leaks.bytes", "leaks", "live_bytes", "live bytes", false },
	{ "slab.leaks.steady_call_sites", "leaks", "steady_bytes", "bytes of each quarter", true },
};

static const struct contribution *find_contribution(const struct regress_value *value)
{
	for (size_t i = 0; i < sizeof(contributions) / sizeof(contributions[0]); i++)
		if (!strcmp(contributions[i].metric, value->item->name))
			return &contributions[i];
	return NULL;
}

/*
 * Returns the column of @table whose rows contribute to the metric, or -1. Sets *@phrase to what
 * the column counts.
 */
static int contributing_column(const struct mm_table *table, const struct regress_value *value,
			       bool has_base, const char **phrase)
{
	const struct contribution *known = find_contribution(value);
	const char *dot = strrchr(value->item->name, '.');
	int column;

	if (known) {
		*phrase = known->phrase;
		return (has_base && known->counts_rows) || strcmp(known->table, table->def->name)
			       ? -1
			       : mm_table_column(table, known->column);
	}
	if (!dot || !value->keys[0])
		return -1;
	*phrase = dot + 1;
	column = mm_table_column(table, *phrase);
	return column >= 0 && has_any(table, value) ? column : -1;
}

/*
 * Returns the number of the first column of @telling that names the row, and is not a label of the
 * metric; or -1. Sets *@name to the name.
 */
static int row_name(const struct mm_table *table, ssize_t row, int column,
		    const struct regress_value *value, const char **name)
{
	const struct mm_cell *cells = &table->cells[(size_t)row * table->column_count];
	int named = naming_column(table, column, value, 0);

	for (; named >= 0; named = naming_column(table, column, value, (size_t)named + 1)) {
		const struct mm_cell *cell = &cells[mm_table_column(table, telling[named])];

		if (cell->kind == MM_CELL_STRING && *cell->s) {
			*name = cell->s;
			return named;
		}
	}
	return -1;
}

/*
 * Adds "most allocations: do_eventfd+0x34, 2000 objects" for a metric slab.allocations or, with
 * @base, "allocations grew most: do_eventfd+0x34, from 0 to 2000 objects", if any row grew. Marks the
 * column of the name, here call_site, in @told: a call site of another row would be misleading.
 */
static int add_largest(const struct mm_report *report, const struct regress_value *value,
		       const struct regress_values *base, bool told[TELLING], char ***causes,
		       size_t *count)
{
	for (size_t t = 0; t < report->table_count; t++) {
		const struct mm_table *table = report->tables[t];
		const char *phrase = NULL;
		const int column = contributing_column(table, value, base, &phrase);
		int named = naming_column(table, column, value, 0);
		struct mm_cell old = { .kind = MM_CELL_UNSIGNED };
		char number[MM_NUMBER_TEXT], before[MM_NUMBER_TEXT], *line;
		const char *name = NULL, *key;
		ssize_t row;
		int ret;

		if (named < 0)
			continue;
		row = largest_row(table, column, value, base);
		/* If no row grew, no row is the cause: name none. */
		if (row < 0 && base) {
			told[named] = true;
			return 0;
		}
		named = row < 0 ? -1 : row_name(table, row, column, value, &name);
		if (named < 0)
			continue;
		told[named] = true;
		key = table->def->columns[column].key;
		if (base)
			old.u = regress_rows_value(base, table, (size_t)row, key);
		mm_render_number(before, sizeof(before), &old, MM_VALUE_INTEGER,
				 table->def->columns[column].unit);
		mm_render_number(number, sizeof(number),
				 &table->cells[(size_t)row * table->column_count + (size_t)column],
				 MM_VALUE_INTEGER, table->def->columns[column].unit);
		if ((base ? asprintf(&line, "%s grew most: %s, from %s to %s", phrase, name, before,
				     number)
			  : asprintf(&line, "most %s: %s, %s", phrase, name, number)) < 0)
			return -1;
		ret = add(causes, count, line);
		free(line);
		return ret;
	}
	return 0;
}

int regress_causes(const struct mm_report *report, const struct regress_value *value,
		   const struct regress_values *base, char ***causes, size_t *count)
{
	bool told[TELLING] = { false };

	/* A base file of an earlier version has no rows. */
	if (add_largest(report, value, base && base->count ? base : NULL, told, causes, count))
		return -1;
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		if (*value->texts[k] &&
		    add_rows(report, value->keys[k], value->texts[k], told, causes, count))
			return -1;
	return 0;
}

int regress_answer(const struct mm_report *report, char ***causes, size_t *count)
{
	for (size_t i = 0; i < report->answer_count; i++)
		if (add(causes, count, report->answer[i]))
			return -1;
	return 0;
}
