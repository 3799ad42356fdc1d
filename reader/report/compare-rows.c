// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs rows of two reports' tables by their key columns. */
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/kworkers.h"
#include "util/hash.h"

void mm_comparison_add(struct mm_comparison *comparison, const struct mm_pair *pair)
{
	struct mm_pair judged = *pair, *grown;

	mm_pair_judge(comparison, &judged);
	comparison->counts[!pair->name][judged.verdict]++;
	comparison->unscaled += judged.doubt == MM_DOUBT_DURATION;
	if (judged.verdict == MM_CHANGE_SAME ||
	    (pair->figures[0].cell.kind == MM_CELL_EMPTY &&
	     pair->figures[1].cell.kind == MM_CELL_EMPTY && judged.verdict == MM_CHANGE_UNKNOWN))
		return;
	if (comparison->pair_count == comparison->pair_room) {
		size_t room = comparison->pair_room ? 2 * comparison->pair_room : 64;

		grown = reallocarray(comparison->pairs, room, sizeof(*grown));
		if (!grown) {
			comparison->report->failed = true;
			return;
		}
		comparison->pairs = grown;
		comparison->pair_room = room;
	}
	comparison->pairs[comparison->pair_count++] = judged;
}

/* A row of one side. @keys: the cells that identify it; empty where a column is missing. */
struct keyed_row {
	const struct mm_cell *cells, *keys[MM_COMPARED_KEYS];
	bool by_other; /* @keys are cells of the columns mm_compared_table.other_keys */
	int side;
};

struct keyed_rows {
	struct keyed_row *all;
	size_t count;
};

/* The numbers of the key columns of a compared table. */
struct key_columns {
	const struct mm_compared_table *compared;
	int keys[MM_COMPARED_KEYS], other_keys[MM_COMPARED_KEYS]; /* -1: none */
};

static int column_of(const struct mm_table_def *def, const char *key)
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
		columns.keys[k] = column_of(compared->table, compared->keys[k]);
		columns.other_keys[k] = column_of(compared->table, compared->other_keys[k]);
		if (!compared->other_keys[0])
			columns.other_keys[k] = -1;
	}
	return columns;
}

/*
 * Returns the key for the cell @cell. A kworker's name contains its number and last work item, so
 * the name of its pool replaces it. @comparison owns new cells.
 */
static const struct mm_cell *key_of(struct mm_comparison *comparison, const struct mm_cell *cell)
{
	struct mm_cell *key, **grown;
	char pool[MM_PAIR_TEXT];

	if (cell->kind != MM_CELL_STRING || !mm_kworker_pool(cell->s, pool, sizeof(pool)))
		return cell;
	key = calloc(1, sizeof(*key));
	grown = mm_array_grow(comparison->pool_keys, comparison->pool_key_count,
			      &comparison->pool_key_room, sizeof(*grown));
	if (grown)
		comparison->pool_keys = grown;
	if (!key || !grown) {
		comparison->report->failed = true;
		free(key);
		return cell;
	}
	grown[comparison->pool_key_count++] = key;
	mm_cell_set_s(key, pool);
	comparison->report->failed |= key->kind == MM_CELL_FAILED;
	return key;
}

static void set_keys(struct mm_comparison *comparison, struct keyed_row *row,
		     const int columns[MM_COMPARED_KEYS])
{
	static const struct mm_cell none;

	for (int k = 0; k < MM_COMPARED_KEYS; k++)
		row->keys[k] = columns[k] < 0 ? &none : key_of(comparison, &row->cells[columns[k]]);
}

static bool has_keys(const struct keyed_row *row)
{
	for (int k = 0; k < MM_COMPARED_KEYS; k++)
		if (row->keys[k]->kind != MM_CELL_EMPTY)
			return true;
	return false;
}

/* Collects the rows of a compared table, with keys. Returns 0, or -1 when out of memory. */
static int collect(struct mm_comparison *comparison, struct keyed_rows *rows, int side,
		   const struct key_columns *columns)
{
	const struct mm_report *report = comparison->sides[side].report;

	for (size_t t = 0; t < report->table_count; t++) {
		const struct mm_table *table = report->tables[t];
		struct keyed_row *grown;

		if (table->def != columns->compared->table || !table->row_count)
			continue;
		grown = reallocarray(rows->all, rows->count + table->row_count, sizeof(*grown));
		if (!grown)
			return -1;
		rows->all = grown;
		for (size_t r = 0; r < table->row_count; r++) {
			struct keyed_row *row = &rows->all[rows->count++];

			*row = (struct keyed_row){ .cells = &table->cells[r * table->column_count],
						   .side = side };
			set_keys(comparison, row, columns->keys);
			row->by_other = !has_keys(row) && columns->compared->other_keys[0];
			if (row->by_other)
				set_keys(comparison, row, columns->other_keys);
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

static int compare_keys(const struct keyed_row *x, const struct keyed_row *y)
{
	int diff = x->by_other - y->by_other;

	for (int k = 0; k < MM_COMPARED_KEYS && !diff; k++)
		diff = compare_cells(x->keys[k], y->keys[k]);
	return diff;
}

static int compare_rows(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;
	int diff = compare_keys(x, y);

	return diff ? diff : x->side - y->side;
}

static bool is_integer(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_UNSIGNED || cell->kind == MM_CELL_SIGNED;
}

/*
 * Adds the integer @from to the integer @sum; negative numbers are MM_CELL_SIGNED. Returns false if
 * the sum overflows.
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

/* Adds @from to @sum. The sum becomes unknown if one of them is unknown or it overflows. */
static void add_up(struct mm_cell *sum, const struct mm_cell *from)
{
	if (sum->kind == MM_CELL_REAL && from->kind == MM_CELL_REAL)
		sum->r += from->r;
	else if (!is_integer(sum) || !is_integer(from) || !add_integers(sum, from))
		sum->kind = MM_CELL_EMPTY;
	sum->least |= from->least;
}

/* Returns one side's figure in a column: the sum of the rows @first to @end. */
static struct mm_figure figure_of(const struct keyed_row *first, const struct keyed_row *end,
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
	for (const struct keyed_row *row = first + 1; row < end; row++)
		add_up(&figure.cell, &row->cells[column]);
	if (end - first > 1 && !is_additive)
		figure = (struct mm_figure){ .present = true };
	/* The row owns the strings, so the copy must not. */
	figure.cell.s = figure.cell.shown = NULL;
	return figure;
}

static bool is_nonzero(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_REAL ? cell->r != 0 : is_integer(cell) && cell->u;
}

/* Adds the figures of rows with one key. Rows before @split are from OLD, the others from NEW. */
static void add_rows(struct mm_comparison *comparison, const struct key_columns *columns,
		     const struct keyed_row *first, const struct keyed_row *split,
		     const struct keyed_row *end)
{
	const struct mm_compared_table *compared = columns->compared;
	struct mm_pair pair = {
		.table = compared->table,
		.labels = first->by_other ? compared->other_keys : compared->keys,
	}, one_sided = { .column = NULL };

	for (int k = 0; k < MM_COMPARED_KEYS; k++)
		pair.cells[k] = first->keys[k];
	for (const struct mm_compared_column *column = compared->columns; column->key; column++) {
		int number = column_of(compared->table, column->key);
		int samples = column_of(compared->table, column->samples);
		const struct mm_column *def;

		if (number < 0)
			continue;
		def = &compared->table->columns[number];
		pair.column = column->key;
		pair.kind = def->kind;
		pair.unit = def->unit;
		pair.direction = column->direction;
		pair.scaling = column->scaling;
		pair.samples_min = column->samples_min;
		pair.figures[0] = figure_of(first, split, number, samples, column->scaling);
		pair.figures[1] = figure_of(split, end, number, samples, column->scaling);
		if (first < split && split < end) {
			mm_comparison_add(comparison, &pair);
			continue;
		}
		/* Only one side has the row: list its first figure that is not 0. */
		if (!one_sided.column)
			one_sided = pair;
		if (is_nonzero(&pair.figures[first == split].cell)) {
			one_sided = pair;
			break;
		}
	}
	if (one_sided.column)
		mm_comparison_add(comparison, &one_sided);
}

static void compare_table(struct mm_comparison *comparison,
			  const struct mm_compared_table *compared)
{
	const struct key_columns columns = find_columns(compared);
	struct keyed_rows rows = { NULL };
	const struct keyed_row *end;

	for (int i = 0; i < MM_SIDES; i++)
		if (collect(comparison, &rows, i, &columns)) {
			comparison->report->failed = true;
			free(rows.all);
			return;
		}
	if (!rows.count) {
		free(rows.all);
		return;
	}
	qsort(rows.all, rows.count, sizeof(*rows.all), compare_rows);
	end = rows.all + rows.count;
	for (const struct keyed_row *first = rows.all, *next; first < end; first = next) {
		const struct keyed_row *split = first;

		for (next = first; next < end && !compare_keys(first, next); next++)
			if (!next->side)
				split = next + 1;
		add_rows(comparison, &columns, first, split, next);
	}
	free(rows.all);
}

void mm_compare_rows(struct mm_comparison *comparison)
{
	const struct mm_report_schema *schema = comparison->sides[0].report->schema;
	const struct mm_compared_table *table = schema->compared ? schema->compared->tables : NULL;

	for (; table && table->table; table++)
		compare_table(comparison, table);
}
