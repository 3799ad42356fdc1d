// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs rows of two reports' tables by their key columns. */
#include <stdlib.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/keyed-rows.h"

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

static bool is_nonzero(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_REAL					? cell->r != 0
	       : cell->kind == MM_CELL_UNSIGNED || cell->kind == MM_CELL_SIGNED ? cell->u
										: false;
}

/*
 * Adds the figures of rows with equal keys. Rows before @split are from OLD, the others from NEW.
 */
static void add_rows(struct mm_comparison *comparison, const struct mm_compared_table *compared,
		     const struct mm_keyed_row *first, const struct mm_keyed_row *split,
		     const struct mm_keyed_row *end)
{
	struct mm_pair pair = {
		.table = compared->table,
		.labels = first->by_other ? compared->other_keys : compared->keys,
	}, one_sided = { .column = NULL };

	for (int k = 0; k < MM_COMPARED_KEYS; k++)
		pair.cells[k] = first->keys[k];
	for (const struct mm_compared_column *column = compared->columns; column->key; column++) {
		int number = mm_table_def_column(compared->table, column->key);
		int samples = mm_table_def_column(compared->table, column->samples);
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
		pair.figures[0] = mm_keyed_figure(first, split, number, samples, column->scaling);
		pair.figures[1] = mm_keyed_figure(split, end, number, samples, column->scaling);
		if (first < split && split < end) {
			mm_comparison_add(comparison, &pair);
			continue;
		}
		/* Only one side has the row. List only the first figure that is not 0. */
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
	struct mm_keyed_rows rows = { NULL };
	const struct mm_keyed_row *end;

	for (int i = 0; i < MM_SIDES; i++)
		if (mm_keyed_rows_collect(&rows, comparison->sides[i].report, compared, i,
					  &comparison->pool_keys)) {
			comparison->report->failed = true;
			free(rows.all);
			return;
		}
	mm_keyed_rows_sort(&rows);
	/* If there are no rows, rows.all is NULL. */
	end = rows.count ? rows.all + rows.count : rows.all;
	for (const struct mm_keyed_row *first = rows.all, *next; first < end; first = next) {
		const struct mm_keyed_row *split = first;

		for (next = first; next < end && !mm_keyed_rows_compare(first, next); next++)
			if (!next->side)
				split = next + 1;
		add_rows(comparison, compared, first, split, next);
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
