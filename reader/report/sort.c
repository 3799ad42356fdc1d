// SPDX-License-Identifier: LGPL-2.1-only
/* Sorts the tables of a report by keys of columns. */
#include "reader/report/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"
#include "util/text.h"

static bool is_word(const char *word, const char *text, size_t length)
{
	return !strncmp(word, text, length) && !word[length];
}

/*
 * Returns the column with this key. If there is none, returns the column with this title. Ignores
 * columns and tables that are only in the JSON form.
 */
static const struct mm_column *find_column(const struct mm_table_def *def, const char *key,
					   size_t length)
{
	const struct mm_column *titled = NULL;

	for (const struct mm_column *column = def->columns; column->key && def->title; column++) {
		if (!column->title)
			continue;
		if (is_word(column->key, key, length))
			return column;
		if (!titled && is_word(column->title, key, length))
			titled = column;
	}
	return titled;
}

static const struct mm_column *find_key(const struct mm_report_schema *schema, const char *key,
					size_t length)
{
	const struct mm_column *column = NULL;
	const struct mm_table_def *def;

	for (size_t i = 0; !column && (def = mm_schema_table_at(schema, i)); i++)
		column = find_column(def, key, length);
	return column;
}

static int append(struct mm_text *text, const char *string)
{
	size_t length = strlen(string);
	char *to = mm_text_reserve(text, length + 1);

	if (!to)
		return -1;
	memcpy(to, string, length + 1);
	text->length += length;
	return 0;
}

/* Appends the keys of all columns to @text, each key once. Returns 0, or -1 when out of memory. */
static int list_keys(const struct mm_report_schema *schema, struct mm_text *text)
{
	const struct mm_table_def *def;

	for (size_t i = 0; (def = mm_schema_table_at(schema, i)); i++)
		for (const struct mm_column *column = def->columns; column->key; column++)
			if (find_key(schema, column->key, strlen(column->key)) == column &&
			    (append(text, text->length ? ", " : "") || append(text, column->key)))
				return -1;
	return 0;
}

static void find_hint(const struct mm_report_schema *schema, const char *key, size_t length,
		      char *text, size_t size)
{
	char wanted[64];
	struct mm_nearest nearest = { .wanted = wanted };
	const struct mm_table_def *def;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)length, key);
	for (size_t i = 0; (def = mm_schema_table_at(schema, i)); i++)
		for (const struct mm_column *column = def->columns; column->key; column++)
			if (find_key(schema, column->key, strlen(column->key)))
				mm_nearest_offer(&nearest, column->key);
	mm_nearest_hint(&nearest, text, size);
}

int mm_report_check_sort(const struct mm_report_schema *schema, const char *keys,
			 struct mm_error *err)
{
	for (const char *key = keys;; key++) {
		char hint[MM_NEAREST_TEXT];
		size_t length;
		struct mm_text text = { 0 };

		key += *key == '-';
		length = strcspn(key, ",");
		if (!find_key(schema, key, length)) {
			find_hint(schema, key, length, hint, sizeof(hint));
			if (list_keys(schema, &text))
				mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
			else
				mm_error_set(
					err, MM_EXIT_BAD_INPUT,
					"report %s: --sort: '%.*s' is not the key of any column%s%svalid: %s",
					schema->name, (int)length, key, hint, *hint ? " " : "; ",
					text.data);
			free(text.data);
			return -1;
		}
		key += length;
		if (!*key)
			return 0;
	}
}

static int sort_table(struct mm_table *table, const char *key, size_t length)
{
	bool reversed = *key == '-';
	const struct mm_column *column = find_column(table->def, key + reversed, length - reversed);
	bool text = column && column->kind == MM_VALUE_TEXT;

	if (!column || table->grouped)
		return 0;
	return mm_table_sort(table, (size_t)(column - table->def->columns), text == reversed);
}

/* Writes the sort order into the table's title. Returns 0, or -1 when out of memory. */
static int note_order(struct mm_table *table, const char *keys)
{
	const char *before = ", by ";
	size_t size, length;
	FILE *out;

	if (table->grouped)
		return 0;
	free(table->order);
	out = open_memstream(&table->order, &size);
	if (!out)
		return -1;
	for (const char *key = keys; *key; key += length, key += *key == ',') {
		const bool reversed = *key == '-';
		const struct mm_column *column;

		length = strcspn(key, ",");
		column = find_column(table->def, key + reversed, length - reversed);
		if (!column)
			continue;
		fprintf(out, "%s%s%s", before, column->title, reversed ? " (reversed)" : "");
		before = ", then by ";
	}
	return fclose(out) ? -1 : 0;
}

int mm_report_sort(struct mm_report *report, const char *keys)
{
	const char *end = keys + strlen(keys);

	/* Sort by the most important key last, because the sort is stable. */
	while (end > keys) {
		const char *key = end;

		while (key > keys && key[-1] != ',')
			key--;
		for (size_t i = 0; i < report->table_count; i++)
			if (sort_table(report->tables[i], key, (size_t)(end - key)))
				return -1;
		end = key > keys ? key - 1 : keys;
	}
	for (size_t i = 0; i < report->table_count; i++)
		if (note_order(report->tables[i], keys))
			return -1;
	return 0;
}

/* Appends the names of tables that have rows and this column, each name once. */
static void add_tables(const struct mm_report *report, const char *key, size_t length, char *names,
		       size_t size)
{
	const struct mm_table_def *last = NULL;

	for (size_t i = 0; i < report->table_count; i++) {
		const struct mm_table *table = report->tables[i];

		if (table->def == last || !table->row_count || table->grouped ||
		    !find_column(table->def, key, length))
			continue;
		last = table->def;
		mm_words_add(names, size, last->name);
	}
}

const char *mm_report_find_unsorted(const struct mm_report *report, const char *keys,
				    const struct mm_table_def *shown, size_t *length, char *names,
				    size_t size)
{
	*names = '\0';
	for (const char *key = keys; *key; key += *length, key += *key == ',') {
		key += *key == '-';
		*length = strcspn(key, ",");
		if (find_column(shown, key, *length))
			continue;
		add_tables(report, key, *length, names, size);
		return key;
	}
	return NULL;
}
