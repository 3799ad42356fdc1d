// SPDX-License-Identifier: LGPL-2.1-only
/* Prints schemas as the tables of doc/metrics.md. */
#include <stdlib.h>
#include <string.h>

#include "reader/report/catalogue.h"
#include "reader/report/fit.h"
#include "reader/report/render.h"
#include "reader/report/words.h"

static void print_labels(FILE *out, const char *const *labels)
{
	for (size_t i = 0; labels[i]; i++)
		fprintf(out, "%s`%s`", i ? ", " : "", labels[i]);
}

static void print_columns(FILE *out, const struct mm_column *columns)
{
	fputs("\n| key | kind | unit | meaning |\n|---|---|---|---|\n", out);
	for (const struct mm_column *column = columns; column->key; column++)
		fprintf(out, "| `%s` | %s | %s | %s |\n", column->key, mm_value_word(column->kind),
			column->unit, column->meaning);
}

/* Prints the title and the columns of a table. Returns 0, or -1 when out of memory. */
static int print_table(FILE *out, const struct mm_table_def *table)
{
	char *title;

	if (asprintf(&title, "Table `%s`: %s.", table->name, table->meaning) < 0)
		return -1;
	fputc('\n', out);
	mm_fit_print(out, title, MM_WIDTH_PIPED, 0);
	free(title);
	print_columns(out, table->columns);
	return 0;
}

/* Prints a table of the metrics; @title is the title of the first column. */
static void print_metrics(FILE *out, const struct mm_catalogue *catalogue, const char *title)
{
	if (!catalogue->count)
		return;
	fprintf(out,
		"\n| %s | labels | kind | unit | direction | scaling | meaning |\n|---|---|---|---|---|---|---|\n",
		title);
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct mm_catalogue_item *item = &catalogue->items[i];

		fprintf(out, "| `%s` | ", item->name);
		print_labels(out, item->labels);
		if (item->other_labels) {
			fputs(", or if these are empty ", out);
			print_labels(out, item->other_labels);
		}
		fprintf(out, " | %s | %s | %s | %s | %s |\n", mm_value_word(item->kind), item->unit,
			mm_direction_word(item->direction), mm_scaling_word(item->scaling),
			item->meaning);
	}
}

static void print_series(FILE *out, const struct mm_report_schema *schema)
{
	fputs("\n| time series | labels | kind | unit | direction | meaning |\n|---|---|---|---|---|---|\n",
	      out);
	for (const struct mm_series_def *def = schema->series; def->name; def++) {
		fprintf(out, "| `%s` | ", def->name);
		print_labels(out, def->labels);
		fprintf(out, " | %s | %s | %s | %s |\n", mm_value_word(def->kind), def->unit,
			mm_direction_word(def->direction), def->meaning);
	}
}

int mm_render_schema(FILE *out, const struct mm_report_schema *schema)
{
	struct mm_catalogue metrics = { NULL }, rows = { NULL };
	int ret = mm_catalogue_add_metrics(&metrics, schema) || mm_catalogue_add_rows(&rows, schema)
			  ? -1
			  : 0;

	fprintf(out, "\n## Report %s\n", schema->name);
	print_metrics(out, &metrics, "metric");
	print_metrics(out, &rows, "metric of a row");
	mm_catalogue_release(&metrics);
	mm_catalogue_release(&rows);
	if (schema->series)
		print_series(out, schema);
	for (size_t i = 0; schema->tables && schema->tables[i] && !ret; i++)
		ret = print_table(out, schema->tables[i]);
	return ret || ferror(out) ? -1 : 0;
}

int mm_render_coverage_schema(FILE *out)
{
	struct mm_catalogue metrics = { NULL };
	int ret = mm_catalogue_add_trace(&metrics);

	fputs("\n## Coverage\n", out);
	print_columns(out, mm_coverage_columns);
	print_metrics(out, &metrics, "metric");
	mm_catalogue_release(&metrics);
	for (int i = 0; i < MM_COVERAGE_TABLES && !ret; i++)
		ret = print_table(out, &mm_coverage_tables[i]);
	return ret || ferror(out) ? -1 : 0;
}
