// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the catalogue of metrics from the declarations of reports. */
#include "reader/report/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/keyed-rows.h"
#include "util/hash.h"

static const char *const no_labels[] = { NULL };

/* Appends an item with the name PREFIX.KEY, or PREFIX if @key is NULL. Returns NULL on failure. */
static struct mm_catalogue_item *add(struct mm_catalogue *catalogue, const char *prefix,
				     const char *key)
{
	struct mm_catalogue_item *items, *item;

	items = mm_array_grow(catalogue->items, catalogue->count, &catalogue->room, sizeof(*items));
	if (!items)
		return NULL;
	catalogue->items = items;
	item = &items[catalogue->count];
	*item = (struct mm_catalogue_item){ .labels = no_labels };
	if (asprintf(&item->name, "%s%s%s", prefix, key ? "." : "", key ? key : "") < 0)
		return NULL;
	catalogue->count++;
	return item;
}

int mm_catalogue_add_trace(struct mm_catalogue *catalogue)
{
	for (size_t i = 0; i < mm_coverage_metric_count; i++) {
		const struct mm_coverage_metric *metric = &mm_coverage_metrics[i];
		const struct mm_column *column = &mm_coverage_columns[metric->key];
		struct mm_catalogue_item *item = add(catalogue, "trace", column->key);

		if (!item)
			return -1;
		item->source = MM_ITEM_TRACE;
		item->kind = column->kind;
		item->unit = column->unit;
		item->direction = metric->direction;
		item->scaling = metric->scaling;
		item->meaning = column->meaning;
		item->key = metric->key;
	}
	return 0;
}

int mm_catalogue_add_metrics(struct mm_catalogue *catalogue, const struct mm_report_schema *schema)
{
	for (const struct mm_metric_def *def = schema->metrics; def && def->name; def++) {
		struct mm_catalogue_item *item = add(catalogue, def->name, NULL);

		if (!item)
			return -1;
		item->source = MM_ITEM_METRIC;
		item->schema = schema;
		item->labels = def->labels;
		item->kind = def->kind;
		item->unit = def->unit;
		item->direction = def->direction;
		item->scaling = def->scaling;
		item->meaning = def->meaning;
		item->is_coarse = mm_schema_is_coarse(schema, def->name);
		item->metric = def;
	}
	return 0;
}

static int add_row(struct mm_catalogue *catalogue, const struct mm_report_schema *schema,
		   const struct mm_compared_table *rows, const struct mm_compared_column *compared)
{
	const int number = mm_table_def_column(rows->table, compared->key);
	const struct mm_column *column = &rows->table->columns[number < 0 ? 0 : number];
	struct mm_catalogue_item *item = add(catalogue, rows->row, compared->key);

	if (!item)
		return -1;
	item->source = MM_ITEM_ROW;
	item->schema = schema;
	item->labels = rows->keys;
	item->other_labels = rows->other_keys[0] ? rows->other_keys : NULL;
	item->kind = column->kind;
	item->unit = column->unit;
	item->direction = compared->direction;
	item->scaling = compared->scaling;
	item->meaning = column->meaning;
	item->is_coarse = mm_schema_is_coarse(schema, item->name);
	item->rows = rows;
	item->column = compared;
	return 0;
}

int mm_catalogue_add_rows(struct mm_catalogue *catalogue, const struct mm_report_schema *schema)
{
	const struct mm_compared_table *rows = schema->compared ? schema->compared->tables : NULL;

	for (; rows && rows->table; rows++)
		for (const struct mm_compared_column *column = rows->columns; column->key; column++)
			if (add_row(catalogue, schema, rows, column))
				return -1;
	return 0;
}

void mm_catalogue_release(struct mm_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++)
		free(catalogue->items[i].name);
	free(catalogue->items);
	*catalogue = (struct mm_catalogue){ NULL };
}

const struct mm_catalogue_item *mm_catalogue_find(const struct mm_catalogue *catalogue,
						  const char *name)
{
	for (size_t i = 0; i < catalogue->count; i++)
		if (!strcmp(catalogue->items[i].name, name))
			return &catalogue->items[i];
	return NULL;
}
