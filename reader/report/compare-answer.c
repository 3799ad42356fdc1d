// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Describes both sides of a comparison, and answers the comparison in sentences. Sample:
 *   OLD: complete, 2026-11-28T22:02:13Z to 22:03:18Z (65.40 s), 2 CPUs: old.json
 *   NEW: incomplete, 2026-11-28T22:04:00Z to 22:05:05Z (65.02 s), 2 CPUs: /tmp/snapshot-2
 *
 *   No difference is reported as a change: NEW is incomplete. The missing data may explain any
 *   difference.
 *   Fallbacks took 6.5 ms/s, then 6.8 ms/s: undetermined.
 *   Of 240 figures: 19 undetermined, 221 the same.
 *   The lengths differ: counts and sums are compared per second; 3 other figures cannot be
 *   compared.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/units.h"
#include "reader/report/render.h"
#include "util/plural.h"
#include "util/text.h"

/* Two sides overlap if they share more than this fraction of the shorter side's time. */
#define SLIGHT_OVERLAP 0.01
/* Maximum number of rows on the first screen. If sentences are long, there is room for fewer. */
#define FIRST_ROWS 15

static const char *const side_names[MM_SIDES] = { "OLD", "NEW" };
static const char *const side_labels[MM_SIDES] = { "old", "new" };

static const struct mm_cell *coverage_of(const struct mm_comparison *comparison, int side)
{
	return comparison->sides[side].report->coverage;
}

static bool has_times(const struct mm_report *report)
{
	const struct mm_cell *c = report->coverage;

	return c[MM_COVERAGE_START_NS].kind != MM_CELL_EMPTY &&
	       c[MM_COVERAGE_END_NS].kind != MM_CELL_EMPTY &&
	       c[MM_COVERAGE_DURATION_NS].kind != MM_CELL_EMPTY;
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

/* Finds doubts. A doubt is a fact that may explain a difference even if nothing changed. */
static void find_doubts(struct mm_comparison *comparison)
{
	const struct mm_cell *cpus[MM_SIDES];

	for (int i = 0; i < MM_SIDES; i++) {
		const struct mm_cell *complete = &coverage_of(comparison, i)[MM_COVERAGE_COMPLETE];

		cpus[i] = &coverage_of(comparison, i)[MM_COVERAGE_CPUS];
		if (complete->kind != MM_CELL_BOOLEAN)
			doubt(comparison, "it is not known whether %s is complete", side_names[i]);
		else if (!complete->u)
			doubt(comparison, "%s is incomplete", side_names[i]);
	}
	if (cpus[0]->kind != cpus[1]->kind || cpus[0]->u != cpus[1]->u)
		doubt(comparison, "OLD has %" PRIu64 " CPU%s and NEW %" PRIu64, cpus[0]->u,
		      mm_plural_s(cpus[0]->u), cpus[1]->u);
	if (!are_limited_alike(comparison))
		doubt(comparison, "OLD and NEW are limited to different events");
}

/* Prints the time of a side: "2026-11-28T22:02:13Z to 22:03:18Z (65.40 s)". */
static void print_time(FILE *out, const struct mm_comparison *comparison, int side)
{
	const struct mm_report *report = comparison->sides[side].report;
	char duration[MM_NUMBER_TEXT];

	if (has_times(report)) {
		mm_render_range(out, report);
	} else if (comparison->ns[side]) {
		mm_render_ns(duration, sizeof(duration), (double)comparison->ns[side]);
		fputs(duration, out);
	} else {
		fputs("of unknown length", out);
	}
}

/* Are both sides from the same kernel? If not, each side's line names its kernel. */
static bool is_of_one_kernel(const struct mm_comparison *comparison)
{
	const char *old = coverage_of(comparison, 0)[MM_COVERAGE_KERNEL_RELEASE].s;
	const char *new = coverage_of(comparison, 1)[MM_COVERAGE_KERNEL_RELEASE].s;

	return old && new && !strcmp(old, new);
}

static void remark_side(const struct mm_comparison *comparison, int i)
{
	const struct mm_compare_side *side = &comparison->sides[i];
	const struct mm_cell *c = coverage_of(comparison, i);
	const struct mm_cell *cpus = &c[MM_COVERAGE_CPUS];
	const char *kernel = c[MM_COVERAGE_KERNEL_RELEASE].s;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		comparison->report->failed = true;
		return;
	}
	fprintf(out, "%s: %s, ", side_names[i],
		c[MM_COVERAGE_COMPLETE].kind != MM_CELL_BOOLEAN ? "not known to be complete"
		: c[MM_COVERAGE_COMPLETE].u			? "complete"
								: "incomplete");
	print_time(out, comparison, i);
	if (cpus->kind == MM_CELL_UNSIGNED)
		fprintf(out, ", %" PRIu64 " CPU%s", cpus->u, mm_plural_s(cpus->u));
	if (kernel && !is_of_one_kernel(comparison))
		fprintf(out, ", Linux %s", kernel);
	if (side->report->selection)
		fprintf(out, ", with %s", side->report->selection);
	fprintf(out, ": %s%s", side->path, side->stored ? " (a stored report)" : "");
	if (fclose(out))
		comparison->report->failed = true;
	else
		mm_report_remark(comparison->report, "%s", text);
	free(text);
}

static bool are_equal(const struct mm_comparison *comparison, enum mm_coverage_key key)
{
	const struct mm_cell *old = &coverage_of(comparison, 0)[key];
	const struct mm_cell *new = &coverage_of(comparison, 1)[key];

	return old->kind == new->kind &&
	       (old->kind == MM_CELL_STRING ? !strcmp(old->s, new->s)
					    : old->kind == MM_CELL_EMPTY || old->u == new->u);
}

/* Are both sides the same trace? Compares time range, number of events and host. */
static bool are_one_trace(const struct mm_comparison *comparison)
{
	return are_equal(comparison, MM_COVERAGE_START_NS) &&
	       are_equal(comparison, MM_COVERAGE_END_NS) &&
	       are_equal(comparison, MM_COVERAGE_EVENTS) &&
	       are_equal(comparison, MM_COVERAGE_HOSTNAME);
}

/* If NEW was recorded before OLD, adds a remark. Computes how long the sides overlap. */
static void compare_times(struct mm_comparison *comparison)
{
	const struct mm_cell *old = coverage_of(comparison, 0), *new = coverage_of(comparison, 1);
	int64_t starts[MM_SIDES] = { old[MM_COVERAGE_START_NS].i, new[MM_COVERAGE_START_NS].i };
	int64_t ends[MM_SIDES] = { old[MM_COVERAGE_END_NS].i, new[MM_COVERAGE_END_NS].i };
	int64_t start = starts[starts[1] > starts[0]], end = ends[ends[1] < ends[0]];
	uint64_t overlap_ns;
	char text[MM_NUMBER_TEXT];

	if (!has_times(comparison->sides[0].report) || !has_times(comparison->sides[1].report))
		return;
	comparison->is_one_trace = are_one_trace(comparison);
	if (comparison->is_one_trace)
		return;
	/*
	 * Compare the ends. Starts do not show which side is newer: until the buffers wrap, all
	 * snapshots start at the start of the recording.
	 */
	if (ends[1] < ends[0]) {
		mm_render_ns(text, sizeof(text), (double)ends[0] - (double)ends[1]);
		mm_report_remark(
			comparison->report,
			"NEW was recorded before OLD: NEW ends %s earlier. Swap them, unless this order is wanted.",
			text);
	}
	if (end <= start || !are_equal(comparison, MM_COVERAGE_HOSTNAME))
		return;
	overlap_ns = (uint64_t)end - (uint64_t)start;
	if ((double)overlap_ns >
	    SLIGHT_OVERLAP * (double)comparison->ns[comparison->ns[1] < comparison->ns[0]])
		comparison->overlap_ns = overlap_ns;
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

static bool is_conclusive(const struct mm_comparison *comparison)
{
	return !comparison->doubt_count && !comparison->overlap_ns;
}

/* The sentences of one kind (such as warnings) in the report of one side. */
struct side_sentences {
	char *const *all;
	size_t count;
};

static bool contains(const struct side_sentences *sentences, const char *sentence)
{
	for (size_t i = 0; i < sentences->count; i++)
		if (!strcmp(sentences->all[i], sentence))
			return true;
	return false;
}

/*
 * Adds the sentences of both sides. If only one side has a sentence, puts the side's name before
 * it. If both sides have a sentence, adds it once.
 */
static void copy_sentences(struct mm_report *report, const struct side_sentences sides[MM_SIDES],
			   void (*add)(struct mm_report *report, const char *fmt, ...))
{
	for (int i = 0; i < MM_SIDES; i++)
		for (size_t k = 0; k < sides[i].count; k++) {
			const char *sentence = sides[i].all[k];

			if (!contains(&sides[!i], sentence))
				add(report, "%s: %s", side_names[i], sentence);
			else if (!i)
				add(report, "%s", sentence);
		}
}

/* Copies the warnings, remarks and notes of both reports. */
static void copy_remarks(const struct mm_comparison *comparison)
{
	const struct mm_report *old = comparison->sides[0].report;
	const struct mm_report *new = comparison->sides[1].report;
	const struct side_sentences warnings[MM_SIDES] = { { old->warnings, old->warning_count },
							   { new->warnings, new->warning_count } };
	const struct side_sentences remarks[MM_SIDES] = { { old->remarks, old->remark_count },
							  { new->remarks, new->remark_count } };
	const struct side_sentences notes[MM_SIDES] = { { old->notes, old->note_count },
							{ new->notes, new->note_count } };

	copy_sentences(comparison->report, warnings, mm_report_warn);
	copy_sentences(comparison->report, remarks, mm_report_remark);
	copy_sentences(comparison->report, notes, mm_report_note);
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
	copy_remarks(comparison);
	compare_times(comparison);
	find_doubts(comparison);
	mm_cell_set_b(&mm_report_metric(report, "compare.conclusive", NULL)->value,
		      is_conclusive(comparison));
}

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
			"No difference is reported as a change: %s. The missing data may explain any difference.",
			text);
	free(text);
}

static void answer_overlap(const struct mm_comparison *comparison)
{
	char text[MM_NUMBER_TEXT];

	mm_render_ns(text, sizeof(text), (double)comparison->overlap_ns);
	mm_report_answer(
		comparison->report,
		"OLD and NEW overlap by %s, so both contain the events of that time. Therefore, no figure that both sides have is called worse or better.%s",
		text,
		comparison->doubt_count
			? ""
			: " Rows that only one side has are listed as new or gone.");
}

/* Returns the number of metrics and rows with @verdict. */
static size_t count_of(const struct mm_comparison *comparison, enum mm_change verdict)
{
	return comparison->counts[0][verdict] + comparison->counts[1][verdict];
}

/* Prints the number of figures by verdict: "Of 240 figures: 3 worse, 2 better, 235 the same." */
static void print_counts(FILE *out, const struct mm_comparison *comparison)
{
	const char *before = "";
	size_t count = 0;

	for (int v = 0; v < MM_CHANGES; v++)
		count += count_of(comparison, v);
	fprintf(out, "Of %zu figure%s: ", count, mm_plural_s(count));
	for (int v = 0; v < MM_CHANGES; v++) {
		if (!count_of(comparison, v))
			continue;
		fprintf(out, "%s%zu %s", before, count_of(comparison, v),
			v == MM_CHANGE_SAME ? "the same" : mm_change_words[v]);
		before = ", ";
	}
	fputc('.', out);
}

static void answer_counts(const struct mm_comparison *comparison)
{
	size_t size, differing = 0;
	char *text = NULL;
	FILE *out;

	for (int v = 0; v < MM_CHANGE_UNKNOWN; v++)
		differing += count_of(comparison, v);
	if (!differing) {
		mm_report_answer(comparison->report,
				 "All figures that are known for both sides are the same.");
		return;
	}
	out = open_memstream(&text, &size);
	if (out)
		print_counts(out, comparison);
	if (!out || fclose(out))
		comparison->report->failed = true;
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
			"The lengths differ: counts and sums are compared per second; %zu other figure%s cannot be compared.",
			unscaled, mm_plural_s(unscaled));
	else
		mm_report_answer(comparison->report,
				 "The lengths differ: counts and sums are compared per second.");
}

static void set_counts(const struct mm_comparison *comparison)
{
	static const char *const names[2] = { "metrics", "rows" };

	for (int of = 0; of < 2; of++)
		for (int v = 0; v < MM_CHANGES; v++)
			mm_report_count(comparison->report, comparison->counts[of][v],
					"compare.figures", names[of], mm_change_words[v]);
}

void mm_compare_conclude(struct mm_comparison *comparison)
{
	set_counts(comparison);
	if (comparison->is_one_trace)
		mm_report_answer(comparison->report, "Both are the same trace.");
	if (comparison->overlap_ns)
		answer_overlap(comparison);
	if (comparison->doubt_count)
		answer_doubts(comparison);
	if (!comparison->is_one_trace)
		mm_compare_headlines(comparison);
	answer_counts(comparison);
	answer_lengths(comparison);
	if (is_conclusive(comparison) && !comparison->is_one_trace)
		mm_report_answer(
			comparison->report,
			"Each side is a single recording, so a change cannot be distinguished from noise.");
	mm_report_first_table(comparison->report, &mm_compare_differences, FIRST_ROWS);
}
