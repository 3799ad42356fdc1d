// SPDX-License-Identifier: LGPL-2.1-only
/* Finds what a report says about the cause of a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/check.h"
#include "util/escape.h"
#include "util/text.h"

/* Columns that name a cause, wherever a table has them. */
static const char *const telling[] = {
	"why", "remedy", "path", "call_site", "function", "process"
};
#define TELLING (sizeof(telling) / sizeof(telling[0]))

/* Adds a sentence, with characters that are safe for a terminal. */
static int add(char ***causes, size_t *count, const char *sentence)
{
	char *safe = mm_escape_message_copy(sentence);
	int ret = safe ? mm_strings_add(causes, count, safe) : -1;

	free(safe);
	return ret;
}

/* Adds the telling columns of a row that the label @key = @text identifies. */
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

/* Searches all tables for the first rows with the label. */
static int add_rows(const struct mm_report *report, const char *key, const char *text,
		    bool told[TELLING], char ***causes, size_t *count)
{
	for (size_t t = 0; t < report->table_count; t++) {
		const struct mm_table *table = report->tables[t];
		const int column = mm_table_column(table, key);

		for (size_t r = 0; column >= 0 && r < table->row_count; r++) {
			const struct mm_cell *cell =
				&table->cells[r * table->column_count + (size_t)column];

			if (cell->kind != MM_CELL_STRING || strcmp(cell->s, text) != 0)
				continue;
			if (add_row(table, r, key, told, causes, count))
				return -1;
			break;
		}
	}
	return 0;
}

int regress_causes(const struct mm_report *report, const struct regress_value *value,
		   char ***causes, size_t *count)
{
	bool told[TELLING] = { false };

	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		if (*value->texts[k] &&
		    add_rows(report, value->keys[k], value->texts[k], told, causes, count))
			return -1;
	for (size_t i = 0; i < report->answer_count; i++)
		if (add(causes, count, report->answer[i]))
			return -1;
	return 0;
}
