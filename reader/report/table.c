// SPDX-License-Identifier: LGPL-2.1-only
/* Finds columns by key. Sorts and filters the rows of a table. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reader/report/report.h"

int mm_table_column(const struct mm_table *table, const char *key)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (!strcmp(table->def->columns[c].key, key))
			return (int)c;
	return -1;
}

void mm_table_limit(struct mm_table *table, unsigned int rows)
{
	table->text_rows = rows;
	table->hidden |= !rows;
}

struct sort_order {
	const struct mm_cell *cells;
	size_t columns, column;
	bool descending;
};

static double number(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_REAL     ? cell->r
	       : cell->kind == MM_CELL_SIGNED ? (double)cell->i
					      : (double)cell->u;
}

#define HEX_DIGITS "0123456789abcdefABCDEF"

static size_t hex_length(const char *text)
{
	return strspn(text, HEX_DIGITS);
}

/*
 * Compares texts like version numbers: digits count as numbers. If the first difference is in a
 * hexadecimal number after 0x, such as a call site's offset, this number decides.
 */
static int compare_texts(const char *x, const char *y)
{
	size_t at = 0, start, left, right;
	int order;

	while (x[at] && x[at] == y[at])
		at++;
	start = at;
	while (start && x[start - 1] && strchr(HEX_DIGITS, x[start - 1]))
		start--;
	if (start < 2 || x[start - 2] != '0' || x[start - 1] != 'x')
		return strverscmp(x, y);
	x += start - 2;
	y += start - 2;
	left = 2 + strspn(x + 2, "0");
	right = 2 + strspn(y + 2, "0");
	if (hex_length(x + left) != hex_length(y + right))
		return hex_length(x + left) < hex_length(y + right) ? -1 : 1;
	order = strncasecmp(x + left, y + right, hex_length(x + left));
	return order ? order : strverscmp(x, y);
}

static int compare_values(const struct mm_cell *x, const struct mm_cell *y)
{
	if (x->kind == MM_CELL_STRING && y->kind == MM_CELL_STRING)
		return compare_texts(x->s, y->s);
	if (x->kind == MM_CELL_UNSIGNED && y->kind == MM_CELL_UNSIGNED)
		return (x->u > y->u) - (x->u < y->u);
	return (number(x) > number(y)) - (number(x) < number(y));
}

/* Is the cell empty, or hidden in the text form? (A p99 of few samples is hidden.) */
static bool is_unknown(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_EMPTY || (cell->shown && !strcmp(cell->shown, "-"));
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct sort_order *order = user;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct mm_cell *left = &order->cells[x * order->columns + order->column];
	const struct mm_cell *right = &order->cells[y * order->columns + order->column];
	int diff;

	if (is_unknown(left) != is_unknown(right))
		return is_unknown(left) ? 1 : -1;
	diff = is_unknown(left) ? 0 : compare_values(left, right);
	if (diff)
		return order->descending ? -diff : diff;
	return (x > y) - (x < y);
}

int mm_table_sort(struct mm_table *table, size_t column, bool descending)
{
	size_t columns = table->column_count, count = table->row_count;
	struct sort_order order = { table->cells, columns, column, descending };
	struct mm_cell *sorted = calloc(count + 1, columns * sizeof(*sorted));
	size_t *rows = calloc(count + 1, sizeof(*rows));

	if (!sorted || !rows) {
		free(sorted);
		free(rows);
		return -1;
	}
	for (size_t r = 0; r < count; r++)
		rows[r] = r;
	qsort_r(rows, count, sizeof(*rows), compare_rows, &order);
	for (size_t r = 0; r < count; r++)
		memcpy(&sorted[r * columns], &table->cells[rows[r] * columns],
		       columns * sizeof(*sorted));
	if (count)
		memcpy(table->cells, sorted, count * columns * sizeof(*sorted));
	table->sorted = column + 1;
	free(sorted);
	free(rows);
	return 0;
}

size_t mm_table_filter(struct mm_table *table,
		       bool (*keep)(const struct mm_cell *row, const void *user), const void *user)
{
	size_t columns = table->column_count, kept = 0;

	for (size_t r = 0; r < table->row_count; r++) {
		struct mm_cell *row = &table->cells[r * columns];

		if (keep(row, user)) {
			memmove(&table->cells[kept++ * columns], row, columns * sizeof(*row));
			continue;
		}
		for (size_t c = 0; c < columns; c++)
			mm_cell_release(&row[c]);
	}
	/* Do not shrink the array, because grow() relies on its room. */
	table->row_count = kept;
	return kept;
}
