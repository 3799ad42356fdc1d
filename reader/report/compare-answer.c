// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is said of the two sides of a comparison, and its answer. Sample:
 *   OLD: complete, 2.00 s, 2 CPUs, Linux 6.12.57: old.json
 *   NEW: incomplete, 4.00 s, 2 CPUs, Linux 6.12.57: /tmp/snapshot-2
 *
 *   No difference is called a change: NEW is incomplete. What is missing may explain any of them.
 *   7 of 85 metrics and 12 of 40 figures of rows differ.
 *   OLD and NEW are of different lengths: counts and sums are compared per second, and 3 figures
 *   that depend on the length in other ways are not compared.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/number.h"
#include "reader/report/render.h"
#include "util/plural.h"
#include "util/text.h"

/* Rows of the list on the first screen, if sentences leave room for them. */
#define FIRST_ROWS 15

static const char *const side_names[MM_SIDES] = { "OLD", "NEW" };
static const char *const side_labels[MM_SIDES] = { "old", "new" };

static const struct mm_cell *coverage_of(const struct mm_comparison *comparison, int side)
{
	return comparison->sides[side].report->coverage;
}

static void __attribute__((format(printf, 2, 3)))
doubt(struct mm_comparison *comparison, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (mm_strings_add(&comparison->doubts, &comparison->doubt_count, text))
		comparison->report->failed = true;
}

static bool are_limited_alike(const struct mm_comparison *comparison)
{
	const struct mm_cell *old = &coverage_of(comparison, 0)[MM_COVERAGE_LIMITED_TO];
	const struct mm_cell *new = &coverage_of(comparison, 1)[MM_COVERAGE_LIMITED_TO];

	for (int i = 0; i < MM_SIDES; i++)
		if (comparison->sides[i].report->limits_unknown)
			return false;
	return old->kind == new->kind && (old->kind != MM_CELL_STRING || !strcmp(old->s, new->s));
}

/* Finds what may explain a difference without any change. */
static void find_doubts(struct mm_comparison *comparison)
{
	const struct mm_cell *cpus[MM_SIDES];

	for (int i = 0; i < MM_SIDES; i++) {
		const struct mm_cell *complete = &coverage_of(comparison, i)[MM_COVERAGE_COMPLETE];

		cpus[i] = &coverage_of(comparison, i)[MM_COVERAGE_CPUS];
		if (complete->kind != MM_CELL_BOOLEAN)
			doubt(comparison, "whether %s is complete is not known", side_names[i]);
		else if (!complete->u)
			doubt(comparison, "%s is incomplete", side_names[i]);
	}
	if (cpus[0]->kind != cpus[1]->kind || cpus[0]->u != cpus[1]->u)
		doubt(comparison, "OLD has %" PRIu64 " CPU%s and NEW %" PRIu64, cpus[0]->u,
		      mm_plural_s(cpus[0]->u), cpus[1]->u);
	if (!are_limited_alike(comparison))
		doubt(comparison, "OLD and NEW are limited to different events");
}

static void remark_side(const struct mm_comparison *comparison, int i)
{
	const struct mm_compare_side *side = &comparison->sides[i];
	const struct mm_cell *c = coverage_of(comparison, i);
	char duration[MM_NUMBER_TEXT] = "of unknown length", cpus[MM_NUMBER_TEXT] = "";
	const char *kernel = c[MM_COVERAGE_KERNEL_RELEASE].s;
	const char *selection = side->report->selection;

	if (comparison->ns[i])
		mm_render_ns(duration, sizeof(duration), (double)comparison->ns[i]);
	if (c[MM_COVERAGE_CPUS].kind == MM_CELL_UNSIGNED)
		snprintf(cpus, sizeof(cpus), ", %" PRIu64 " CPU%s", c[MM_COVERAGE_CPUS].u,
			 mm_plural_s(c[MM_COVERAGE_CPUS].u));
	mm_report_remark(comparison->report, "%s: %s, %s%s%s%s%s%s: %s%s", side_names[i],
			 c[MM_COVERAGE_COMPLETE].kind != MM_CELL_BOOLEAN
				 ? "not known to be complete"
			 : c[MM_COVERAGE_COMPLETE].u ? "complete"
						     : "incomplete",
			 duration, cpus, kernel ? ", Linux " : "", kernel ? kernel : "",
			 selection ? ", with " : "", selection ? selection : "", side->path,
			 side->stored ? " (a stored report)" : "");
}

static void copy_cell(struct mm_cell *to, const struct mm_cell *from)
{
	if (from->kind == MM_CELL_STRING) {
		mm_cell_set_s(to, from->s);
		return;
	}
	*to = (struct mm_cell){ .kind = from->kind, .r = from->r };
	to->u = from->u;
}

static void list_side(const struct mm_comparison *comparison, struct mm_cell *cells, int i)
{
	static const struct {
		enum mm_side_column column;
		enum mm_coverage_key key;
	} copied[] = {
		{ MM_SIDE_COMPLETE, MM_COVERAGE_COMPLETE },
		{ MM_SIDE_START_NS, MM_COVERAGE_START_NS },
		{ MM_SIDE_DURATION_NS, MM_COVERAGE_DURATION_NS },
		{ MM_SIDE_CPUS, MM_COVERAGE_CPUS },
		{ MM_SIDE_KERNEL_RELEASE, MM_COVERAGE_KERNEL_RELEASE },
		{ MM_SIDE_HOSTNAME, MM_COVERAGE_HOSTNAME },
		{ MM_SIDE_EVENTS, MM_COVERAGE_EVENTS },
		{ MM_SIDE_EVENTS_DISCARDED, MM_COVERAGE_EVENTS_DISCARDED },
		{ MM_SIDE_PACKETS_LOST, MM_COVERAGE_PACKETS_LOST },
		{ MM_SIDE_STREAMS_MISSING, MM_COVERAGE_STREAMS_MISSING },
		{ MM_SIDE_LIMITED_TO, MM_COVERAGE_LIMITED_TO },
	};
	const struct mm_compare_side *side = &comparison->sides[i];

	mm_cell_set_s(&cells[MM_SIDE_SIDE], side_labels[i]);
	mm_cell_set_s(&cells[MM_SIDE_PATH], side->path);
	mm_cell_set_b(&cells[MM_SIDE_STORED], side->stored);
	mm_cell_set_s(&cells[MM_SIDE_SELECTION], side->report->selection);
	for (size_t k = 0; k < sizeof(copied) / sizeof(copied[0]); k++)
		copy_cell(&cells[copied[k].column], &side->report->coverage[copied[k].key]);
}

void mm_compare_sides(struct mm_comparison *comparison)
{
	struct mm_report *report = comparison->report;
	struct mm_table *table = mm_report_table(report, &mm_compare_side_table);

	for (int i = 0; i < MM_SIDES; i++) {
		const struct mm_cell *c = coverage_of(comparison, i);
		struct mm_cell *cells = mm_table_row(report, table);

		if (c[MM_COVERAGE_DURATION_NS].kind == MM_CELL_UNSIGNED)
			comparison->ns[i] = c[MM_COVERAGE_DURATION_NS].u;
		remark_side(comparison, i);
		if (cells)
			list_side(comparison, cells, i);
		copy_cell(
			&mm_report_metric(report, "compare.complete", side_labels[i], NULL)->value,
			&c[MM_COVERAGE_COMPLETE]);
		copy_cell(&mm_report_metric(report, "compare.duration_ns", side_labels[i], NULL)
				   ->value,
			  &c[MM_COVERAGE_DURATION_NS]);
	}
	find_doubts(comparison);
	mm_cell_set_b(&mm_report_metric(report, "compare.conclusive", NULL)->value,
		      !comparison->doubt_count);
}

/* ---- the answer ---- */

static void answer_doubts(const struct mm_comparison *comparison)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < comparison->doubt_count; i++)
		fprintf(out, "%s%s",
			!i				   ? ""
			: i + 1 == comparison->doubt_count ? ", and "
							   : ", ",
			comparison->doubts[i]);
	if (!out || fclose(out))
		comparison->report->failed = true;
	else
		mm_report_answer(
			comparison->report,
			"No difference is called a change: %s. What is missing may explain any of them.",
			text);
	free(text);
}

static size_t count_of(const size_t counts[MM_VERDICTS])
{
	size_t count = 0;

	for (int v = 0; v < MM_VERDICTS; v++)
		count += counts[v];
	return count;
}

/* Returns the number of figures that differ, as far as both sides know them. */
static size_t count_differing(const size_t counts[MM_VERDICTS])
{
	size_t count = 0;

	for (int v = 0; v < MM_VERDICT_UNKNOWN; v++)
		count += counts[v];
	return count;
}

/* "3 worse, 2 better, 80 the same": the verdicts that there are. */
static void print_counts(FILE *out, const size_t counts[MM_VERDICTS])
{
	const char *before = "";

	for (int v = 0; v < MM_VERDICTS; v++) {
		if (!counts[v])
			continue;
		fprintf(out, "%s%zu %s", before, counts[v],
			v == MM_VERDICT_SAME	  ? "the same"
			: v == MM_VERDICT_UNKNOWN ? "not known"
						  : mm_verdict_words[v]);
		before = ", ";
	}
	if (!*before)
		fputs("none", out);
}

static void answer_counts(const struct mm_comparison *comparison)
{
	const size_t *metrics = comparison->counts[0], *rows = comparison->counts[1];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		fputs("Metrics: ", out);
		print_counts(out, metrics);
		fputs(". Figures of rows: ", out);
		print_counts(out, rows);
		fputc('.', out);
	}
	if (!out || fclose(out))
		comparison->report->failed = true;
	else if (!count_differing(metrics) && !count_differing(rows))
		mm_report_answer(comparison->report, "Nothing that both sides know differs.");
	else if (comparison->doubt_count)
		mm_report_answer(comparison->report,
				 "%zu of %zu metrics and %zu of %zu figures of rows differ.",
				 count_differing(metrics), count_of(metrics), count_differing(rows),
				 count_of(rows));
	else
		mm_report_answer(comparison->report, "%s", text);
	free(text);
}

static void answer_lengths(const struct mm_comparison *comparison)
{
	size_t unscaled = comparison->unscaled;

	if (!comparison->ns[0] || !comparison->ns[1]) {
		mm_report_answer(
			comparison->report,
			"The length of a side is not known: counts and sums are not compared.");
		return;
	}
	if (!mm_comparison_is_scaled(comparison))
		return;
	if (unscaled)
		mm_report_answer(
			comparison->report,
			"The lengths differ: counts and sums are compared per second; %zu figure%s that %s on the length in another way %s undetermined.",
			unscaled, mm_plural_s(unscaled), mm_plural(unscaled, "depends", "depend"),
			mm_plural(unscaled, "is", "are"));
	else
		mm_report_answer(comparison->report,
				 "The lengths differ: counts and sums are compared per second.");
}

static void set_counts(const struct mm_comparison *comparison)
{
	static const char *const names[2] = { "metrics", "rows" };

	for (int of = 0; of < 2; of++)
		for (int v = 0; v < MM_VERDICTS; v++)
			mm_report_count(comparison->report, comparison->counts[of][v],
					"compare.figures", names[of], mm_verdict_words[v]);
}

/* Warnings apply to the comparison, too. */
static void copy_warnings(const struct mm_comparison *comparison)
{
	for (int i = 0; i < MM_SIDES; i++) {
		const struct mm_report *report = comparison->sides[i].report;

		for (size_t k = 0; k < report->warning_count; k++)
			mm_report_warn(comparison->report, "%s", report->warnings[k]);
	}
}

void mm_compare_conclude(struct mm_comparison *comparison)
{
	copy_warnings(comparison);
	set_counts(comparison);
	if (comparison->doubt_count)
		answer_doubts(comparison);
	answer_counts(comparison);
	answer_lengths(comparison);
	if (!comparison->doubt_count)
		mm_report_answer(
			comparison->report,
			"There is one recording of each: noise cannot be told apart from a change.");
	mm_report_first_table(comparison->report, &mm_compare_differences, FIRST_ROWS);
}
