// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Formats names and figures of a comparison as text. Samples:
 *   Fallbacks took 6.5 ms/s, then 6.8 ms/s: similar.
 *   pmd, fallback, private-write: time (faults)
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/units.h"

static bool is_known(const struct mm_pair *pair, int side)
{
	return pair->figures[side].cell.kind != MM_CELL_EMPTY;
}

void mm_pair_text(const struct mm_comparison *comparison, const struct mm_pair *pair, int side,
		  char text[MM_PAIR_TEXT])
{
	bool scaled = pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison);
	struct mm_cell value = pair->figures[side].cell;

	if (scaled)
		value = (struct mm_cell){ .kind = MM_CELL_REAL,
					  .r = mm_pair_value(comparison, pair, side) };
	/*
	 * Small rates in bytes or ns differ only in their decimals (1.05 B/s, 1.29 B/s), so print
	 * decimals.
	 */
	if (scaled && mm_unit_is_measure(pair->unit) && value.r < 10)
		snprintf(text, MM_NUMBER_TEXT, "%.2f %s", value.r,
			 !strcmp(pair->unit, MM_UNIT_NS) ? "ns" : "B");
	else
		mm_render_number(text, MM_NUMBER_TEXT, &value, pair->kind,
				 scaled && !mm_unit_is_measure(pair->unit) ? "/s" : pair->unit);
	if (scaled)
		strcat(text, "/s");
}

/* Up to this count, a sentence states both the count and its rate: "12 (0.18/s)". */
#define SMALL_COUNT 99

static void write_stated(const struct mm_comparison *comparison, const struct mm_pair *pair,
			 int side, char text[2 * MM_PAIR_TEXT])
{
	const struct mm_cell *cell = &pair->figures[side].cell;
	char figure[MM_PAIR_TEXT];
	bool is_small = pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison) &&
			!mm_unit_is_measure(pair->unit) && cell->kind == MM_CELL_UNSIGNED &&
			cell->u <= SMALL_COUNT;

	mm_pair_text(comparison, pair, side, figure);
	if (is_small)
		snprintf(text, 2 * MM_PAIR_TEXT, "%s%" PRIu64 " (%s)",
			 cell->least ? "at least " : "", cell->u, figure);
	else
		snprintf(text, 2 * MM_PAIR_TEXT, "%s%s", cell->least ? "at least " : "", figure);
}

bool mm_pair_percent(const struct mm_comparison *comparison, const struct mm_pair *pair,
		     char text[MM_PAIR_TEXT])
{
	double old, percent;

	*text = '\0';
	if (!is_known(pair, 0) || !is_known(pair, 1))
		return false;
	old = mm_pair_value(comparison, pair, 0);
	if (old == 0)
		return false;
	percent = (mm_pair_value(comparison, pair, 1) - old) * 100 / fabs(old);
	snprintf(text, MM_PAIR_TEXT, fabs(percent) < 10 ? "%+.1f %%" : "%+.0f %%", percent);
	return true;
}

const char *mm_pair_label(const struct mm_pair *pair, int i, char number[MM_PAIR_TEXT])
{
	const struct mm_cell *cell = pair->cells[i];

	if (pair->texts)
		return pair->texts[i];
	if (cell->kind == MM_CELL_STRING)
		return cell->s;
	if (cell->kind == MM_CELL_EMPTY)
		return NULL;
	mm_render_number(number, MM_PAIR_TEXT, cell, MM_VALUE_INTEGER, "");
	return number;
}

/* Prints "dax.pmd_fallbacks" as "pmd fallbacks", and "dax.fallback_ns" as "fallback time". */
static void print_words(FILE *out, const char *name)
{
	size_t length = strlen(name);
	bool is_time = length > 3 && !strcmp(name + length - 3, "_ns");

	if (is_time)
		length -= 3;
	for (size_t i = 0; i < length; i++)
		fputc(name[i] == '_' || name[i] == '.' ? ' ' : name[i], out);
	if (is_time)
		fputs(" time", out);
}

/* Prints the metric in words. For a row, prints the column and the table. */
static void print_figure(FILE *out, const struct mm_pair *pair)
{
	const struct mm_column *column;
	const char *dot;

	if (pair->name) {
		dot = strchr(pair->name, '.');
		print_words(out, dot ? dot + 1 : pair->name);
		return;
	}
	for (column = pair->table->columns; strcmp(column->key, pair->column) != 0;)
		column++;
	if (column->title)
		fputs(column->title, out);
	else
		print_words(out, pair->column);
	fprintf(out, " (%s)", pair->table->name);
}

/*
 * Sets the name for the text form, with the labels before the figure: "pmd, mapped: time (faults)".
 */
static void show_name(struct mm_report *report, struct mm_cell *cell, const char *const *labels,
		      size_t count, const struct mm_pair *pair)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < count; i += 2) {
		/* A number alone would be unclear, so print the label's key before it: "cpu 1". */
		if (isdigit((unsigned char)labels[i + 1][0]))
			fprintf(out, "%s ", labels[i]);
		fprintf(out, "%s%s", labels[i + 1], i + 2 < count ? ", " : ": ");
	}
	if (out)
		print_figure(out, pair);
	if (!out || fclose(out))
		report->failed = true;
	else
		mm_cell_set_shown(cell, text);
	free(text);
}

void mm_pair_name(struct mm_report *report, struct mm_cell *cells, const struct mm_pair *pair)
{
	const char *list[2 * MM_LABELS_MAX], *before = "{";
	char numbers[MM_LABELS_MAX][MM_PAIR_TEXT], *text = NULL;
	size_t size, count = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		report->failed = true;
		return;
	}
	if (pair->table)
		fprintf(out, "%s.%s", pair->table->name, pair->column);
	else
		fputs(pair->name, out);
	for (int i = 0; i < MM_LABELS_MAX && pair->labels[i]; i++) {
		const char *value = mm_pair_label(pair, i, numbers[i]);

		/* The metric has no value for this label. */
		if (!value || !*value)
			continue;
		fprintf(out, "%s%s=\"%s\"", before, pair->labels[i], value);
		before = ",";
		list[count++] = pair->labels[i];
		list[count++] = value;
	}
	if (*before == ',')
		fputc('}', out);
	if (fclose(out))
		report->failed = true;
	else
		mm_cell_set_s(&cells[MM_DIFFERENCES_WHAT], text);
	free(text);
	show_name(report, &cells[MM_DIFFERENCES_WHAT], list, count, pair);
	mm_cell_set_list(&cells[MM_DIFFERENCES_LABELS], list, count);
}

static bool is_stated(const struct mm_metric *metric, const struct mm_headline *headline)
{
	return !strcmp(metric->def->name, headline->metric) &&
	       (!headline->label || !strcmp(metric->labels[0], headline->label));
}

/*
 * Returns the sum of a headline's metrics on one side. If one of the values is unknown, the sum is
 * unknown.
 */
static struct mm_figure add_up(const struct mm_report *report, const struct mm_headline *headline)
{
	struct mm_figure sum = { .present = true };
	bool any = false, known = true;

	for (size_t i = 0; i < report->metric_count; i++) {
		const struct mm_cell *cell = &report->metrics[i]->value;

		if (!is_stated(report->metrics[i], headline))
			continue;
		known &= cell->kind == MM_CELL_UNSIGNED &&
			 !__builtin_add_overflow(sum.cell.u, cell->u, &sum.cell.u);
		sum.cell.least |= cell->least;
		sum.cell.most |= cell->most;
		any = true;
	}
	known &= !(sum.cell.least && sum.cell.most);
	sum.cell.kind = any && known ? MM_CELL_UNSIGNED : MM_CELL_EMPTY;
	return sum;
}

static void state(struct mm_comparison *comparison, const struct mm_headline *headline,
		  const struct mm_pair *pair)
{
	char texts[MM_SIDES][2 * MM_PAIR_TEXT], percent[MM_PAIR_TEXT];
	bool has_percent = mm_pair_percent(comparison, pair, percent);
	const char *verdict =
		pair->verdict == MM_CHANGE_SAME		  ? "the same"
		: pair->verdict != MM_CHANGE_UNDETERMINED ? mm_change_words[pair->verdict]
		: pair->doubt == MM_DOUBT_DURATION ? "not comparable, because the lengths differ"
		: pair->doubt == MM_DOUBT_BOUND ? "undetermined, because one value is only a bound"
						: "undetermined";

	for (int i = 0; i < MM_SIDES; i++)
		write_stated(comparison, pair, i, texts[i]);
	if (pair->verdict > MM_CHANGE_BETTER)
		has_percent = false;
	/*
	 * If the sides overlap, "then" would be wrong, because NEW also contains events from OLD's
	 * time.
	 */
	mm_report_answer(comparison->report,
			 comparison->overlap_ns ? "%s %s in OLD, %s in NEW: %s%s%s."
						: "%s %s, then %s: %s%s%s.",
			 headline->phrase, texts[0], texts[1], verdict, has_percent ? ", " : "",
			 has_percent ? percent : "");
}

void mm_compare_headlines(struct mm_comparison *comparison)
{
	const struct mm_report_schema *schema = comparison->sides[0].report->schema;
	const struct mm_headline *headline = schema->compared ? schema->compared->headlines : NULL;

	for (; headline && headline->phrase; headline++) {
		const struct mm_metric_def *def = mm_schema_metric(schema, headline->metric);
		struct mm_pair pair = { .name = headline->metric };

		if (!def)
			continue;
		pair.kind = def->kind;
		pair.unit = def->unit;
		pair.direction = def->direction;
		pair.scaling = def->scaling;
		for (int i = 0; i < MM_SIDES; i++)
			pair.figures[i] = add_up(comparison->sides[i].report, headline);
		if (!is_known(&pair, 0) || !is_known(&pair, 1) ||
		    (!pair.figures[0].cell.u && !pair.figures[1].cell.u))
			continue;
		mm_pair_judge(comparison, &pair);
		state(comparison, headline, &pair);
	}
}
