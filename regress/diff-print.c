// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints a comparison of two sets of runs. Sample:
 *   BASE: 10 runs, Linux 6.12.118, 2 CPUs.
 *   NEW: 5 runs, Linux 6.12.118, 2 CPUs.
 *   Of 113 metrics: 1 worse, 2 better, 42 not judged (time: 40, bound: 2), 68 the same.
 *
 *   Metrics, worst first
 *     verdict  metric                          base                 new      change
 *     worse    slab.allocations{of="kmalloc"}  1000 (990 to 1010)   1200     +20 %
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare.h"
#include "reader/report/render.h"
#include "reader/report/units.h"
#include "reader/report/words.h"
#include "regress/check.h"
#include "regress/diff.h"
#include "util/escape.h"
#include "util/json-file.h"
#include "util/plural.h"
#include "util/text.h"

/* Maximum number of rows that the text form shows without --all. */
#define ROWS_SHOWN 20
#define INEXACT_SHOWN 4

enum {
	COLUMN_VERDICT,
	COLUMN_METRIC,
	COLUMN_BASE,
	COLUMN_NEW,
	COLUMN_CHANGE,
	COLUMN_REASON,
	COLUMNS,
};

static const struct mm_column columns[] = {
	[COLUMN_VERDICT] = { "verdict", "verdict", MM_TEXT, MM_KEEP, "verdict" },
	[COLUMN_METRIC] = { "metric", "metric", MM_TEXT, MM_SHORTEN(0, 30), "metric" },
	[COLUMN_BASE] = { "base", "base", MM_TEXT, MM_KEEP, "median and range of BASE" },
	[COLUMN_NEW] = { "new", "new", MM_TEXT, MM_KEEP, "median and range of NEW" },
	[COLUMN_CHANGE] = { "change", "change", MM_TEXT, MM_KEEP, "change of the median" },
	[COLUMN_REASON] = { "reason", "reason", MM_TEXT, MM_DROP(1), "why it is not judged" },
	[COLUMNS] = { 0 },
};

static const struct mm_table_def metrics_table = {
	"metrics", "Metrics, worst first", "median of the runs, and the range if they differ",
	"each metric that differs", columns
};
static const struct mm_table_def rows_table = {
	"rows", "Rows of tables that appeared, grew, shrank or vanished",
	"rows do not affect the verdict: among many rows, some differ by chance",
	"each row that differs", columns
};
static const struct mm_table_def *const tables[] = { &metrics_table, &rows_table, NULL };
static const struct mm_report_schema schema = { "diff", NULL, tables, NULL, NULL, NULL };

static void number_text(char *text, size_t size, const struct regress_difference *difference,
			double number)
{
	const struct mm_catalogue_item *item = difference->value.item;
	struct mm_cell cell = { .kind = MM_CELL_REAL, .r = number };

	if (isnan(number)) {
		snprintf(text, size, "?");
		return;
	}
	if (item->kind == MM_VALUE_INTEGER && !difference->is_scaled && number == rint(number) &&
	    fabs(number) < 1e15) {
		cell = (struct mm_cell){ .kind = MM_CELL_SIGNED };
		cell.i = (int64_t)number;
	}
	mm_render_number(text, size, &cell, item->kind, item->unit);
	if (difference->is_scaled)
		snprintf(text + strlen(text), size - strlen(text), "/s");
}

/* Formats a side without exact values: "at least 5", "at most 5", or "?". */
static void bound_text(char *text, size_t size, const struct regress_difference *difference,
		       int side)
{
	const size_t count = difference->counts[side];
	char number[MM_NUMBER_TEXT];
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		const struct regress_bounds *bounds = &difference->bounds[side][i];
		const long double length = difference->is_scaled ? difference->lengths[side][i] : 1;

		least = fmin(least, (double)(bounds->low / length));
		most = fmax(most, (double)(bounds->high / length));
	}
	number_text(number, sizeof(number), difference,
		    isfinite(least)  ? least
		    : isfinite(most) ? most
				     : NAN);
	snprintf(text, size, "%s%s",
		 isfinite(least)  ? "at least "
		 : isfinite(most) ? "at most "
				  : "",
		 number);
}

/* Formats the median of a side, and the range if the values differ: "1000 (990 to 1010)". */
static void side_text(char *text, size_t size, const struct regress_diff *diff,
		      const struct regress_difference *difference, int side)
{
	const double *values = difference->values[side];
	double low = INFINITY, high = -INFINITY;
	char texts[3][MM_NUMBER_TEXT];

	for (size_t i = 0; i < diff->sides[side].count; i++)
		if (!isnan(values[i])) {
			low = fmin(low, values[i]);
			high = fmax(high, values[i]);
		}
	if (isnan(difference->medians[side])) {
		bound_text(text, size, difference, side);
		return;
	}
	number_text(texts[0], sizeof(texts[0]), difference, difference->medians[side]);
	if (low >= high) {
		snprintf(text, size, "%s", texts[0]);
		return;
	}
	number_text(texts[1], sizeof(texts[1]), difference, low);
	number_text(texts[2], sizeof(texts[2]), difference, high);
	snprintf(text, size, "%s (%s to %s)", texts[0], texts[1], texts[2]);
}

static void change_text(char *text, size_t size, double change)
{
	if (isnan(change) || isinf(change))
		snprintf(text, size, "%s", isnan(change) ? "" : "from 0");
	else
		snprintf(text, size, fabs(change) < 0.1 ? "%+.1f %%" : "%+.0f %%", 100 * change);
}

/* Returns what happened to a row. */
static const char *row_word(const struct regress_difference *row)
{
	if (row->medians[0] == 0)
		return "appeared";
	if (row->medians[1] == 0)
		return "vanished";
	return row->change > 0 ? "grew" : "shrank";
}

static void add_row(struct mm_report *report, struct mm_table *table,
		    const struct regress_diff *diff, const struct regress_difference *difference)
{
	const bool is_row = difference->value.item->source == MM_ITEM_ROW;
	struct mm_cell *cells = mm_table_row(report, table);
	char text[4 * MM_NUMBER_TEXT], *name = regress_value_name(&difference->value);

	if (!cells || !name) {
		report->failed = true;
		free(name);
		return;
	}
	mm_cell_set_s(&cells[COLUMN_VERDICT],
		      is_row ? row_word(difference) : regress_verdict_words[difference->verdict]);
	mm_cell_set_s(&cells[COLUMN_METRIC], name);
	/* The name is escaped already: tables would escape it again. */
	mm_cell_set_shown(&cells[COLUMN_METRIC], name);
	free(name);
	side_text(text, sizeof(text), diff, difference, REGRESS_BASE);
	mm_cell_set_s(&cells[COLUMN_BASE], text);
	side_text(text, sizeof(text), diff, difference, REGRESS_NEW);
	mm_cell_set_s(&cells[COLUMN_NEW], text);
	change_text(text, sizeof(text), difference->change);
	mm_cell_set_s(&cells[COLUMN_CHANGE], text);
	mm_cell_set_s(&cells[COLUMN_REASON], difference->reason);
}

/* Is the metric not judged because base is not exact? */
static bool is_inexact(const struct regress_difference *metric)
{
	return metric->verdict == REGRESS_SHOWN && metric->reason &&
	       (!strcmp(metric->reason, "bound") || !strcmp(metric->reason, "not known"));
}

/* Is a metric shown without --all? */
static bool is_interesting(const struct regress_difference *difference)
{
	const char *reason = difference->reason;

	if (difference->value.item->source == MM_ITEM_ROW || difference->is_beyond)
		return true;
	if (difference->verdict != REGRESS_UNDETERMINED)
		return false;
	/* These reasons apply to all metrics, so show only the metrics that changed. */
	if (reason && (!strcmp(reason, "one run") || !strcmp(reason, "incomplete")))
		return fabs(difference->change) >= MM_LEAST_PART;
	return true;
}

static void print_sides(FILE *out, const struct regress_diff *diff)
{
	static const char *const names[REGRESS_SIDES] = { "BASE", "NEW" };

	for (int i = 0; i < REGRESS_SIDES; i++) {
		const struct regress_side *side = &diff->sides[i];

		fprintf(out, "%s: %zu run%s", names[i], side->count, mm_plural_s(side->count));
		if (side->kernel) {
			fputs(", Linux ", out);
			mm_escape_message_print(out, side->kernel);
		}
		if (side->machine) {
			fputs(", ", out);
			mm_escape_message_print(out, side->machine);
		}
		fputs(".\n", out);
	}
}

/* Prints the names of metrics that are not judged because base is not exact. */
static void print_inexact(FILE *out, const struct regress_diff *diff)
{
	size_t count = 0;

	for (size_t i = 0; i < diff->metric_count; i++)
		count += is_inexact(&diff->all[i]);
	if (!count)
		return;
	fprintf(out, "Not judged, because a run of BASE has only a bound or no value: ");
	for (size_t i = 0, shown = 0; i < diff->metric_count && shown < INEXACT_SHOWN; i++) {
		if (!is_inexact(&diff->all[i]))
			continue;
		fputs(shown++ ? ", " : "", out);
		regress_value_print_name(out, &diff->all[i].value);
	}
	if (count > INEXACT_SHOWN)
		fprintf(out, ", and %zu more (--all)", count - INEXACT_SHOWN);
	fputs(".\n", out);
}

/* The reasons of regress_judge() are literals, so few of them differ. */
#define REASONS_MAX 8

/* Prints for which reasons metrics are not judged: " (time: 5, length: 2)". */
static void print_reasons(FILE *out, const struct regress_diff *diff)
{
	struct {
		const char *text;
		size_t metrics;
	} reasons[REASONS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < diff->metric_count; i++) {
		const char *text = diff->all[i].reason;
		size_t k = 0;

		if (diff->all[i].verdict != REGRESS_SHOWN || !text)
			continue;
		while (k < count && strcmp(reasons[k].text, text) != 0)
			k++;
		if (k == REASONS_MAX)
			continue;
		if (k == count) {
			reasons[count].text = text;
			reasons[count++].metrics = 0;
		}
		reasons[k].metrics++;
	}
	for (size_t k = 0; k < count; k++)
		fprintf(out, "%s%s: %zu", k ? ", " : " (", reasons[k].text, reasons[k].metrics);
	if (count)
		fputs(")", out);
}

static void print_counts(FILE *out, const struct regress_diff *diff)
{
	const char *before = ": ";

	fprintf(out, "Of %zu metric%s", diff->metric_count, mm_plural_s(diff->metric_count));
	for (int verdict = 0; verdict < REGRESS_VERDICTS; verdict++) {
		/* "0 worse" would mislead if nothing can be said about some metrics. */
		if (!diff->counts[verdict] && (verdict != REGRESS_WORSE || diff->undecided))
			continue;
		fprintf(out, "%s%zu %s", before, diff->counts[verdict],
			verdict == REGRESS_SAME ? "the same" : regress_verdict_words[verdict]);
		if (verdict == REGRESS_SHOWN)
			print_reasons(out, diff);
		before = ", ";
	}
	fputs(".\n", out);
	if (diff->undecided)
		fprintf(out,
			"%zu metric%s may have become worse, but the runs do not show whether %s.\n",
			diff->undecided, mm_plural_s(diff->undecided),
			mm_plural(diff->undecided, "it has", "they have"));
	print_inexact(out, diff);
}

int regress_diff_print(FILE *out, const struct regress_diff *diff, bool all, unsigned int width)
{
	struct mm_report *report = mm_report_create(&schema);
	struct mm_table *metrics, *rows;
	int ret = 0;

	if (!report)
		return -1;
	metrics = mm_report_table(report, &metrics_table);
	rows = mm_report_table(report, &rows_table);
	metrics->omits_empty = rows->omits_empty = true;
	for (size_t i = 0; i < diff->count; i++)
		if (all || is_interesting(&diff->all[i]))
			add_row(report,
				diff->all[i].value.item->source == MM_ITEM_ROW ? rows : metrics,
				diff, &diff->all[i]);
	print_sides(out, diff);
	for (size_t i = 0; i < diff->note_count; i++) {
		mm_escape_message_print(out, diff->notes[i]);
		fputc('\n', out);
	}
	print_counts(out, diff);
	if (mm_report_failed(report))
		ret = -1;
	else if ((metrics->row_count &&
		  mm_render_table(out, metrics, metrics->row_count, width, false, "--json")) ||
		 (rows->row_count && mm_render_table(out, rows, all ? rows->row_count : ROWS_SHOWN,
						     width, false, "--all shows them all")))
		ret = -1;
	mm_report_destroy(report);
	return ret;
}

struct causes {
	char **all;
	size_t count;
};

/* Prints the sentences from @from on, except repeated ones. */
static void print_sentences(FILE *out, const struct causes *printed, size_t from)
{
	for (size_t i = from; i < printed->count; i++) {
		size_t k = 0;

		while (k < i && strcmp(printed->all[k], printed->all[i]) != 0)
			k++;
		if (k == i)
			fprintf(out, "  %s\n", printed->all[i]);
	}
}

/* Prints the causes, except those that were printed for another metric. Adds them to @printed. */
static void print_causes(FILE *out, const struct regress_value *value,
			 const struct mm_report *report, const struct regress_values *base,
			 struct causes *printed)
{
	const size_t before = printed->count;

	regress_causes(report, value, base, &printed->all, &printed->count);
	print_sentences(out, printed, before);
}

/* A report, and the path of its run. */
struct told_report {
	const struct mm_report *report;
	const char *path;
};

/* Returns the report on the metric of the first run that has one. Its members may be NULL. */
static struct told_report report_of(const struct regress_runs *runs,
				    const struct regress_value *value)
{
	for (size_t i = 0; i < runs->count; i++)
		for (size_t k = 0; k < REGRESS_SCHEMAS_MAX; k++)
			if (runs->all[i].reports[k] &&
			    runs->all[i].reports[k]->schema == value->item->schema)
				return (struct told_report){ runs->all[i].reports[k],
							     runs->all[i].path };
	return (struct told_report){ NULL };
}

/* Different reports on metrics that are worse. */
struct told_reports {
	struct told_report all[REGRESS_SCHEMAS_MAX];
	size_t count;
};

static void add_report(struct told_reports *reports, struct told_report told)
{
	for (size_t i = 0; i < reports->count; i++)
		if (reports->all[i].report == told.report)
			return;
	if (reports->count < REGRESS_SCHEMAS_MAX)
		reports->all[reports->count++] = told;
}

/* Prints the answer of a report. Its folder may be temporary, so names only the run. */
static void print_answer(FILE *out, const struct told_report *told)
{
	const char *slash = strrchr(told->path, '/');
	struct causes answer = { NULL };

	regress_answer(told->report, &answer.all, &answer.count);
	if (answer.count) {
		fprintf(out, "Report %s of ", told->report->schema->name);
		mm_escape_message_print(out, slash && slash[1] ? slash + 1 : told->path);
		fputs(":\n", out);
	}
	print_sentences(out, &answer, 0);
	mm_strings_release(answer.all, answer.count);
}

void regress_diff_print_worse(FILE *out, const struct regress_diff *diff,
			      const struct regress_runs *runs, const struct regress_values *base)
{
	struct causes printed = { NULL };
	struct told_reports reports = { .count = 0 };

	for (size_t i = 0; i < diff->metric_count; i++) {
		const struct regress_difference *worse = &diff->all[i];
		struct told_report told;

		if (worse->verdict != REGRESS_WORSE)
			continue;
		fputs("worse: ", out);
		regress_value_print_name(out, &worse->value);
		if (isnan(worse->medians[REGRESS_BASE]) || isnan(worse->medians[REGRESS_NEW])) {
			char texts[2][4 * MM_NUMBER_TEXT];

			for (int side = 0; side < REGRESS_SIDES; side++)
				side_text(texts[side], sizeof(texts[side]), diff, worse, side);
			fprintf(out, ": %s, then %s\n", texts[REGRESS_BASE], texts[REGRESS_NEW]);
		} else {
			fprintf(out, ": %.9g, then %.9g %s%s\n", worse->medians[REGRESS_BASE],
				worse->medians[REGRESS_NEW], worse->value.item->unit,
				worse->is_scaled ? "/s" : "");
		}
		told = report_of(runs, &worse->value);
		if (!told.report)
			continue;
		print_causes(out, &worse->value, told.report, base, &printed);
		add_report(&reports, told);
	}
	/* The answers describe a whole run, not a metric. */
	for (size_t i = 0; i < reports.count; i++)
		print_answer(out, &reports.all[i]);
	mm_strings_release(printed.all, printed.count);
}

static json_t *numbers(const double *values, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array,
				      isfinite(values[i]) ? json_real(values[i]) : json_null());
	return array;
}

static json_t *difference_json(const struct regress_diff *diff,
			       const struct regress_difference *difference)
{
	const struct regress_value *value = &difference->value;
	const bool is_row = value->item->source == MM_ITEM_ROW;
	json_t *labels = json_object();

	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		json_object_set_new(labels, value->keys[k], mm_json_text(value->texts[k]));
	return json_pack(
		"{s:s, s:o, s:s, s:s, s:s, s:o, s:b, s:o, s:o, s:o}", "name", value->item->name,
		"labels", labels, "unit", value->item->unit, "direction",
		mm_direction_word(value->item->direction), "verdict",
		is_row ? row_word(difference) : regress_verdict_words[difference->verdict],
		"reason", difference->reason ? json_string(difference->reason) : json_null(),
		"per_second", (int)difference->is_scaled, "base",
		numbers(difference->values[REGRESS_BASE], diff->sides[REGRESS_BASE].count), "new",
		numbers(difference->values[REGRESS_NEW], diff->sides[REGRESS_NEW].count), "change",
		isfinite(difference->change) ? json_real(difference->change) : json_null());
}

int regress_diff_print_json(FILE *out, const struct regress_diff *diff)
{
	const unsigned long before = mm_json_watch();
	json_t *metrics = json_array(), *rows = json_array(), *notes = json_array();
	json_t *counts = json_object(), *root;
	int ret = -1;

	for (size_t i = 0; i < diff->count; i++)
		json_array_append_new(diff->all[i].value.item->source == MM_ITEM_ROW ? rows
										     : metrics,
				      difference_json(diff, &diff->all[i]));
	for (size_t i = 0; i < diff->note_count; i++)
		json_array_append_new(notes, mm_json_text(diff->notes[i]));
	for (int verdict = 0; verdict < REGRESS_VERDICTS; verdict++)
		json_object_set_new(counts, regress_verdict_words[verdict],
				    json_integer((json_int_t)diff->counts[verdict]));
	root = json_pack("{s:i, s:o, s:o, s:o, s:o}", "format", 1, "notes", notes, "counts", counts,
			 "metrics", metrics, "rows", rows);
	if (mm_json_unwatch(before) || !root)
		errno = ENOMEM;
	else
		ret = json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(root);
	if (fputc('\n', out) == EOF)
		ret = -1;
	return ret;
}
