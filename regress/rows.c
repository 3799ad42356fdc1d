// SPDX-License-Identifier: LGPL-2.1-only
/* Collects values of table rows, and looks them up. */
#include "regress/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

bool regress_rows_may_cause(const struct mm_catalogue_item *item)
{
	static const char *const causes[] = { "call_site", "function", "path" };

	if (item->source != MM_ITEM_ROW || item->kind != MM_VALUE_INTEGER ||
	    (item->scaling != MM_SUM && item->scaling != MM_UNSCALED))
		return false;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (item->labels[0] && !strcmp(item->labels[0], causes[i]))
			return true;
	return false;
}

/* Returns the value as a whole number, 0 if it is not known. */
static uint64_t number_of(const struct regress_value *value)
{
	const struct mm_cell *cell = &value->figure.cell;
	const double number = cell->kind == MM_CELL_EMPTY ? 0 : regress_value_number(value);

	return number > 0 && number < 0x1p64 ? (uint64_t)number : 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct regress_value *const *x = a, *const *y = b;
	const uint64_t u = number_of(*x), v = number_of(*y);
	int diff = regress_values_compare(*x, *y);

	return diff ? diff : (u < v) - (u > v);
}

/* Sorts by column, the largest value first. */
static int compare_sizes(const void *a, const void *b)
{
	const struct regress_value *const *x = a, *const *y = b;
	const uint64_t u = number_of(*x), v = number_of(*y);

	if ((*x)->item != (*y)->item)
		return (*x)->item < (*y)->item ? -1 : 1;
	return u != v ? (u < v) - (u > v) : regress_values_compare(*x, *y);
}

static int copy_row(struct regress_values *rows, const struct regress_value *from)
{
	struct regress_value *row = regress_values_append(rows, from->item, from->keys);

	if (!row)
		return -1;
	for (size_t k = 0; row->keys[k]; k++) {
		row->texts[k] = strdup(from->texts[k]);
		if (!row->texts[k])
			return -1;
	}
	mm_cell_set_u(&row->figure.cell, number_of(from));
	return 0;
}

int regress_rows_collect(struct regress_values *rows, const struct regress_side *side)
{
	const struct regress_value **all;
	size_t room = 0, count = 0, kept = 0;
	int ret = 0;

	for (size_t run = 0; run < side->count; run++)
		room += side->values[run].count;
	all = calloc(room + 1, sizeof(*all));
	if (!all)
		return -1;
	for (size_t run = 0; run < side->count; run++)
		for (size_t i = 0; i < side->values[run].count; i++) {
			const struct regress_value *value = &side->values[run].all[i];

			/* Some rows have other labels, for example files without a path. */
			if (regress_rows_may_cause(value->item) && number_of(value) &&
			    !strcmp(value->keys[0], value->item->labels[0]))
				all[count++] = value;
		}
	/* The largest value of each row comes first: keep only this one. */
	qsort(all, count, sizeof(*all), compare_rows);
	for (size_t i = 0; i < count; i++)
		if (!kept || regress_values_compare(all[kept - 1], all[i]))
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), compare_sizes);
	for (size_t i = 0, of = 0; i < kept && !ret; i++) {
		of = i && all[i]->item == all[i - 1]->item ? of + 1 : 0;
		if (of < REGRESS_ROWS_MAX)
			ret = copy_row(rows, all[i]);
	}
	free(all);
	regress_values_sort(rows);
	return ret;
}

/* Does the row have the labels of @value? */
static bool is_row(const struct mm_table *table, size_t row, const struct regress_value *value)
{
	for (size_t k = 0; value->keys[k]; k++) {
		const int column = mm_table_column(table, value->keys[k]);
		const struct mm_cell *cell;
		char number[24];

		if (column < 0)
			return false;
		cell = &table->cells[row * table->column_count + (size_t)column];
		snprintf(number, sizeof(number), "%llu", (unsigned long long)cell->u);
		if (strcmp(value->texts[k], cell->kind == MM_CELL_STRING     ? cell->s
					    : cell->kind == MM_CELL_UNSIGNED ? number
									     : "") != 0)
			return false;
	}
	return true;
}

uint64_t regress_rows_value(const struct regress_values *rows, const struct mm_table *table,
			    size_t row, const char *column)
{
	uint64_t smallest = UINT64_MAX;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct regress_value *value = &rows->all[i];
		const struct mm_catalogue_item *item = value->item;

		if (item->rows->table != table->def || strcmp(item->column->key, column) != 0)
			continue;
		if (is_row(table, row, value))
			return number_of(value);
		count++;
		if (number_of(value) < smallest)
			smallest = number_of(value);
	}
	return count < REGRESS_ROWS_MAX ? 0 : smallest;
}
