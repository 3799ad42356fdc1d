// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the metrics of two reports, and lists the differences. */
#include "reader/report/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/words.h"
#include "util/text.h"

/* Metrics with this label are quantiles. Quantile 1 is the maximum. */
static const char quantile[] = "q";

static int compare_metrics(const void *a, const void *b)
{
	const struct mm_metric *x = *(struct mm_metric *const *)a;
	const struct mm_metric *y = *(struct mm_metric *const *)b;
	int diff = strcmp(x->def->name, y->def->name);

	for (int i = 0; i < MM_LABELS_MAX && x->def->labels[i] && !diff; i++)
		diff = strcmp(x->labels[i], y->labels[i]);
	return diff;
}

/* Returns the metrics of a report in the order of names and labels; NULL: out of memory. */
static struct mm_metric **sort_metrics(const struct mm_report *report)
{
	struct mm_metric **sorted = calloc(report->metric_count + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	if (report->metric_count) {
		memcpy(sorted, report->metrics, report->metric_count * sizeof(*sorted));
		qsort(sorted, report->metric_count, sizeof(*sorted), compare_metrics);
	}
	return sorted;
}

/* Returns the metric's quantile, or -1 if the metric is not a quantile. */
static double quantile_of(const struct mm_metric *metric)
{
	for (int i = 0; i < MM_LABELS_MAX && metric->def->labels[i]; i++)
		if (!strcmp(metric->def->labels[i], quantile))
			return strtod(metric->labels[i], NULL);
	return -1;
}

/*
 * Sets how a quantile is compared. A maximum grows with the length of the recording. Any other
 * quantile is meaningful only if at least two observations exceed it.
 */
static void set_quantile(struct mm_pair *pair, double q)
{
	if (q >= 1)
		pair->scaling = MM_UNSCALED;
	else if (q >= 0)
		pair->samples_min = 2 / (1 - q) - 1e-6;
}

static void add_metrics(struct mm_comparison *comparison, const struct mm_metric *old,
			const struct mm_metric *new)
{
	const struct mm_metric *const both[MM_SIDES] = { old, new }, *any = new ? new : old;
	struct mm_pair pair = {
		.name = any->def->name,
		.kind = any->def->kind,
		.unit = any->def->unit,
		.direction = any->def->direction,
		.scaling = any->def->scaling,
		.labels = any->def->labels,
		.texts = any->labels,
	};

	set_quantile(&pair, quantile_of(any));
	for (int i = 0; i < MM_SIDES; i++) {
		/*
		 * A metric without labels may be missing from a report of another version. Its
		 * value is then unknown, not 0.
		 */
		pair.figures[i].present = both[i] || !any->def->labels[0];
		if (!both[i])
			continue;
		pair.figures[i].cell = both[i]->value;
		pair.figures[i].cell.s = pair.figures[i].cell.shown = NULL;
		pair.figures[i].has_samples = both[i]->has_samples;
		pair.figures[i].samples = both[i]->samples;
	}
	mm_comparison_add(comparison, &pair);
}

static void compare_all_metrics(struct mm_comparison *comparison)
{
	const struct mm_report *old = comparison->sides[0].report;
	const struct mm_report *new = comparison->sides[1].report;
	struct mm_metric **olds = sort_metrics(old), **news = sort_metrics(new);
	size_t i = 0, j = 0;

	comparison->report->failed |= !olds || !news;
	while (olds && news && (i < old->metric_count || j < new->metric_count)) {
		int diff = i == old->metric_count   ? 1
			   : j == new->metric_count ? -1
						    : compare_metrics(&olds[i], &news[j]);

		if (!mm_schema_repeats(new->schema, (diff <= 0 ? olds[i] : news[j])->def->name))
			add_metrics(comparison, diff <= 0 ? olds[i] : NULL,
				    diff >= 0 ? news[j] : NULL);
		i += diff <= 0;
		j += diff >= 0;
	}
	free(olds);
	free(news);
}

static int compare_texts(const char *x, const char *y)
{
	return x && y ? strcmp(x, y) : !!x - !!y;
}

/* Returns the rank of a figure's group: time sums, byte sums, counts, statistics. */
static int group_of(const struct mm_pair *pair)
{
	bool is_statistic = pair->scaling == MM_STEADY || pair->figures[0].has_samples ||
			    pair->figures[1].has_samples;

	return (is_statistic ? 3 : 0) + (!strcmp(pair->unit, MM_UNIT_NS)      ? 0
					 : !strcmp(pair->unit, MM_UNIT_BYTES) ? 1
									      : 2);
}

static int compare_labels(const struct mm_pair *x, const struct mm_pair *y)
{
	int diff = 0;

	for (int i = 0; i < MM_LABELS_MAX && x->labels[i] && y->labels[i] && !diff; i++) {
		char numbers[MM_SIDES][MM_PAIR_TEXT];

		diff = compare_texts(mm_pair_label(x, i, numbers[0]),
				     mm_pair_label(y, i, numbers[1]));
	}
	return diff;
}

/*
 * Sorts by verdict (worst first), then by group, then by absolute difference. Sample: an increase
 * by 5 ms precedes an increase from 5 us to 10 us.
 */
static int compare_pairs(const void *a, const void *b)
{
	const struct mm_pair *x = a, *y = b;
	int diff = (int)x->verdict - (int)y->verdict;

	if (!diff)
		diff = group_of(x) - group_of(y);
	if (!diff)
		diff = (x->size < y->size) - (x->size > y->size);
	if (!diff)
		diff = !x->name - !y->name;
	if (!diff)
		diff = compare_texts(x->name, y->name);
	if (!diff)
		diff = compare_texts(x->table ? x->table->name : NULL,
				     y->table ? y->table->name : NULL);
	if (!diff)
		diff = compare_texts(x->column, y->column);
	return diff ? diff : compare_labels(x, y);
}

/* Sets the cells of one side. The text form shows a scaled figure per second. */
static void set_figure(const struct mm_comparison *comparison, struct mm_cell *cells,
		       const struct mm_pair *pair, int side)
{
	const struct mm_figure *figure = &pair->figures[side];
	struct mm_cell *cell = &cells[side ? MM_DIFFERENCES_NEW : MM_DIFFERENCES_OLD];
	struct mm_cell *rate =
		&cells[side ? MM_DIFFERENCES_NEW_PER_SECOND : MM_DIFFERENCES_OLD_PER_SECOND];
	char text[MM_PAIR_TEXT];

	if (figure->has_samples)
		mm_cell_set_u(
			&cells[side ? MM_DIFFERENCES_NEW_SAMPLES : MM_DIFFERENCES_OLD_SAMPLES],
			figure->samples);
	if (figure->cell.kind == MM_CELL_EMPTY)
		return;
	*cell = figure->cell;
	if (pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison))
		mm_cell_set_r(rate, mm_pair_value(comparison, pair, side));
	mm_pair_text(comparison, pair, side, text);
	mm_cell_set_shown(cell, text);
}

/* In the text form, shows the numbers of observations of both sides in one column. */
static void show_samples(struct mm_cell *cells, const struct mm_pair *pair)
{
	char texts[MM_SIDES][24], both[64];

	for (int i = 0; i < MM_SIDES; i++)
		if (pair->figures[i].has_samples)
			snprintf(texts[i], sizeof(texts[i]), "%" PRIu64, pair->figures[i].samples);
		else
			strcpy(texts[i], "-");
	if (!pair->figures[0].has_samples && !pair->figures[1].has_samples)
		return;
	snprintf(both, sizeof(both), "%s, %s", texts[0], texts[1]);
	mm_cell_set_shown(&cells[MM_DIFFERENCES_OLD_SAMPLES], both);
}

static void set_change(const struct mm_comparison *comparison, struct mm_cell *cells,
		       const struct mm_pair *pair)
{
	struct mm_cell *percent = &cells[MM_DIFFERENCES_CHANGE_PERCENT];
	double old, new;
	char text[MM_PAIR_TEXT];

	if (pair->figures[0].cell.kind == MM_CELL_EMPTY ||
	    pair->figures[1].cell.kind == MM_CELL_EMPTY)
		return;
	old = mm_pair_value(comparison, pair, 0);
	new = mm_pair_value(comparison, pair, 1);
	mm_cell_set_r(&cells[MM_DIFFERENCES_CHANGE], new - old);
	if (old == 0)
		return;
	mm_cell_set_r(percent, (new - old) * 100 / fabs(old));
	if (mm_pair_percent(comparison, pair, text))
		mm_cell_set_shown(percent, text);
}

static void list_pair(const struct mm_comparison *comparison, struct mm_cell *cells,
		      const struct mm_pair *pair)
{
	mm_cell_set_s(&cells[MM_DIFFERENCES_VERDICT], mm_change_words[pair->verdict]);
	mm_pair_name(comparison->report, cells, pair);
	mm_cell_set_s(&cells[MM_DIFFERENCES_NAME], pair->name ? pair->name : pair->column);
	if (pair->table)
		mm_cell_set_s(&cells[MM_DIFFERENCES_TABLE], pair->table->name);
	mm_cell_set_s(&cells[MM_DIFFERENCES_UNIT], pair->unit);
	mm_cell_set_s(&cells[MM_DIFFERENCES_DIRECTION], mm_direction_word(pair->direction));
	mm_cell_set_s(&cells[MM_DIFFERENCES_SCALING], mm_scaling_word(pair->scaling));
	for (int i = 0; i < MM_SIDES; i++)
		set_figure(comparison, cells, pair, i);
	show_samples(cells, pair);
	set_change(comparison, cells, pair);
	mm_cell_set_s(&cells[MM_DIFFERENCES_REASON], mm_doubt_words[pair->doubt]);
}

static void list_differences(struct mm_comparison *comparison)
{
	struct mm_report *report = comparison->report;
	struct mm_table *table = mm_report_table(report, &mm_compare_differences);

	if (comparison->pair_count)
		qsort(comparison->pairs, comparison->pair_count, sizeof(*comparison->pairs),
		      compare_pairs);
	table->omits_empty = true;
	for (size_t i = 0; i < comparison->pair_count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (cells)
			list_pair(comparison, cells, &comparison->pairs[i]);
	}
}

void mm_report_compare(const struct mm_compare_side sides[MM_SIDES], struct mm_report *report)
{
	struct mm_comparison comparison = { .sides = sides, .report = report };

	mm_compare_sides(&comparison);
	compare_all_metrics(&comparison);
	mm_compare_rows(&comparison);
	mm_compare_conclude(&comparison);
	list_differences(&comparison);
	free(comparison.pairs);
	mm_pool_keys_release(&comparison.pool_keys);
	mm_strings_release(comparison.doubts, comparison.doubt_count);
}
