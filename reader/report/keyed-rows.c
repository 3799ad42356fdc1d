// SPDX-License-Identifier: LGPL-2.1-only
/* Identifies the rows of tables by their key columns. */
#include "reader/report/keyed-rows.h"

#include <stdlib.h>
#include <string.h>

#include "reader/report/kworkers.h"
#include "util/hash.h"

/* Maximum length of the name of a kworker pool. */
#define POOL_TEXT 72

void mm_pool_keys_release(struct mm_pool_keys *pools)
{
	for (size_t i = 0; i < pools->count; i++) {
		mm_cell_release(pools->all[i]);
		free(pools->all[i]);
	}
	free(pools->all);
	*pools = (struct mm_pool_keys){ NULL };
}

/* The indexes of the key columns of a compared table. */
struct key_columns {
	const struct mm_compared_table *compared;
	int keys[MM_COMPARED_KEYS], other_keys[MM_COMPARED_KEYS]; /* -1: none */
};

int mm_table_def_column(const struct mm_table_def *def, const char *key)
{
	for (int c = 0; key && def->columns[c].key; c++)
		if (!strcmp(def->columns[c].key, key))
			return c;
	return -1;
}

static struct key_columns find_columns(const struct mm_compared_table *compared)
{
	struct key_columns columns = { .compared = compared };

	for (int k = 0; k < MM_COMPARED_KEYS; k++) {
		columns.keys[k] = mm_table_def_column(compared->table, compared->keys[k]);
		columns.other_keys[k] =
			mm_table_def_column(compared->table, compared->other_keys[k]);
		if (!compared->other_keys[0])
			columns.other_keys[k] = -1;
	}
	return columns;
}

/*
 * Returns the key for @cell. If the cell is the name of a kworker, the key is the name of its pool,
 * because the name of a kworker contains its number and last work item. @pools owns new cells.
 * Returns NULL when out of memory.
 */
static const struct mm_cell *key_of(struct mm_pool_keys *pools, const struct mm_cell *cell)
{
	struct mm_cell *key, **grown;
	char pool[POOL_TEXT];

	if (cell->kind != MM_CELL_STRING || !mm_kworker_pool(cell->s, pool, sizeof(pool)))
		return cell;
	key = calloc(1, sizeof(*key));
	grown = mm_array_grow(pools->all, pools->count, &pools->room, sizeof(*grown));
	if (grown)
		pools->all = grown;
	if (!key || !grown) {
		free(key);
		return NULL;
	}
	grown[pools->count++] = key;
	mm_cell_set_s(key, pool);
	return key->kind == MM_CELL_FAILED ? NULL : key;
}

/* Returns 0, or -1 when out of memory. */
static int set_keys(struct mm_pool_keys *pools, struct mm_keyed_row *row,
		    const int columns[MM_COMPARED_KEYS])
{
	static const struct mm_cell none;

	for (int k = 0; k < MM_COMPARED_KEYS; k++) {
		row->keys[k] = columns[k] < 0 ? &none : key_of(pools, &row->cells[columns[k]]);
		if (!row->keys[k])
			return -1;
	}
	return 0;
}

static bool has_keys(const struct mm_keyed_row *row)
{
	for (int k = 0; k < MM_COMPARED_KEYS; k++)
		if (row->keys[k]->kind != MM_CELL_EMPTY)
			return true;
	return false;
}

/* Sets the keys of a row. Returns 0, or -1 when out of memory. */
static int identify(struct mm_pool_keys *pools, struct mm_keyed_row *row,
		    const struct key_columns *columns)
{
	if (set_keys(pools, row, columns->keys))
		return -1;
	row->by_other = !has_keys(row) && columns->compared->other_keys[0];
	return row->by_other ? set_keys(pools, row, columns->other_keys) : 0;
}

int mm_keyed_rows_collect(struct mm_keyed_rows *rows, const struct mm_report *report,
			  const struct mm_compared_table *compared, int side,
			  struct mm_pool_keys *pools)
{
	const struct key_columns columns = find_columns(compared);

	for (size_t t = 0; t < report->table_count; t++) {
		const struct mm_table *table = report->tables[t];
		struct mm_keyed_row *grown;

		if (table->def != compared->table || !table->row_count)
			continue;
		grown = reallocarray(rows->all, rows->count + table->row_count, sizeof(*grown));
		if (!grown)
			return -1;
		rows->all = grown;
		for (size_t r = 0; r < table->row_count; r++) {
			struct mm_keyed_row *row = &rows->all[rows->count++];

			*row = (struct mm_keyed_row){
				.cells = &table->cells[r * table->column_count],
				.side = side,
			};
			if (identify(pools, row, &columns))
				return -1;
		}
	}
	return 0;
}

static int compare_cells(const struct mm_cell *x, const struct mm_cell *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == MM_CELL_STRING)
		return strcmp(x->s, y->s);
	if (x->kind == MM_CELL_EMPTY)
		return 0;
	return (x->u > y->u) - (x->u < y->u);
}

int mm_keyed_rows_compare(const struct mm_keyed_row *x, const struct mm_keyed_row *y)
{
	int diff = x->by_other - y->by_other;

	for (int k = 0; k < MM_COMPARED_KEYS && !diff; k++)
		diff = compare_cells(x->keys[k], y->keys[k]);
	return diff;
}

static int compare_rows(const void *a, const void *b)
{
	const struct mm_keyed_row *x = a, *y = b;
	int diff = mm_keyed_rows_compare(x, y);

	return diff ? diff : x->side - y->side;
}

void mm_keyed_rows_sort(struct mm_keyed_rows *rows)
{
	if (rows->count)
		qsort(rows->all, rows->count, sizeof(*rows->all), compare_rows);
}

static bool is_integer(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_UNSIGNED || cell->kind == MM_CELL_SIGNED;
}

/*
 * Adds the integer @from to the integer @sum. A negative number has the kind MM_CELL_SIGNED.
 * Returns false if the sum overflows.
 */
static bool add_integers(struct mm_cell *sum, const struct mm_cell *from)
{
	__int128 all = sum->kind == MM_CELL_SIGNED ? sum->i : (__int128)sum->u;

	all += from->kind == MM_CELL_SIGNED ? from->i : (__int128)from->u;
	if (all > UINT64_MAX || all < INT64_MIN)
		return false;
	sum->kind = all < 0 ? MM_CELL_SIGNED : MM_CELL_UNSIGNED;
	sum->u = (uint64_t)all;
	return true;
}

/*
 * Adds @from to @sum. The sum becomes unknown if one of them is unknown, if it overflows, or if one
 * is a lower and the other an upper bound.
 */
static void add_up(struct mm_cell *sum, const struct mm_cell *from)
{
	if (sum->kind == MM_CELL_REAL && from->kind == MM_CELL_REAL)
		sum->r += from->r;
	else if (!is_integer(sum) || !is_integer(from) || !add_integers(sum, from))
		sum->kind = MM_CELL_EMPTY;
	sum->least |= from->least;
	sum->most |= from->most;
	if (sum->least && sum->most)
		*sum = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

/* Returns one side's figure in a column: the sum of the rows from @first to before @end. */
struct mm_figure mm_keyed_figure(const struct mm_keyed_row *first, const struct mm_keyed_row *end,
				 int column, int samples, enum mm_scaling scaling)
{
	bool is_additive = scaling == MM_SUM || scaling == MM_UNSCALED;
	struct mm_figure figure = { .present = first < end };

	if (first == end)
		return figure;
	figure.cell = first->cells[column];
	if (samples >= 0 && first->cells[samples].kind == MM_CELL_UNSIGNED) {
		figure.has_samples = true;
		figure.samples = first->cells[samples].u;
	}
	for (const struct mm_keyed_row *row = first + 1; row < end; row++)
		add_up(&figure.cell, &row->cells[column]);
	if (end - first > 1 && !is_additive)
		figure = (struct mm_figure){ .present = true };
	/* The row owns the strings, so the copy must not own them. */
	figure.cell.s = figure.cell.shown = NULL;
	return figure;
}
