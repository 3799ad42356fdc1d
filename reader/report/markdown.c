// SPDX-License-Identifier: LGPL-2.1-only
/* Prints schemas as the tables of doc/metrics.md. */
#include <stdlib.h>
#include <string.h>

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

static void print_metrics(FILE *out, const struct mm_report_schema *schema)
{
	fputs("\n| metric | labels | kind | unit | direction | scaling | meaning |\n|---|---|---|---|---|---|---|\n",
	      out);
	for (const struct mm_metric_def *def = schema->metrics; def->name; def++) {
		fprintf(out, "| `%s` | ", def->name);
		print_labels(out, def->labels);
		fprintf(out, " | %s | %s | %s | %s | %s |\n", mm_value_word(def->kind), def->unit,
			mm_direction_word(def->direction), mm_scaling_word(def->scaling),
			def->meaning);
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
	fprintf(out, "\n## Report %s\n", schema->name);
	if (schema->metrics)
		print_metrics(out, schema);
	if (schema->series)
		print_series(out, schema);
	for (size_t i = 0; schema->tables && schema->tables[i]; i++)
		if (print_table(out, schema->tables[i]))
			return -1;
	return ferror(out) ? -1 : 0;
}

int mm_render_coverage_schema(FILE *out)
{
	fputs("\n## Coverage\n", out);
	print_columns(out, mm_coverage_columns);
	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		if (print_table(out, &mm_coverage_tables[i]))
			return -1;
	return ferror(out) ? -1 : 0;
}
