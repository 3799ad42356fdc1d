// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the DAX report: findings, tables, and metrics for automatic checks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-cells.h"
#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"
#include "reader/report/units.h"
#include "reader/report/render.h"

/* Bin 0 counts latencies of 0; bin N counts latencies from 2^(N-1) ns to below 2^N ns. */
#define BINS 65

static void count_bins(const struct dax_group *group, uint64_t bins[BINS])
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t ns, count;

	memset(bins, 0, BINS * sizeof(bins[0]));
	while (mm_latencies_next(&group->latencies, &cursor, &ns, &count))
		bins[ns ? 64 - __builtin_clzll(ns) : 0] += count;
}

static void fill_histogram(const struct dax_group *group, const char *cause,
			   const uint64_t bins[BINS], struct mm_table *table,
			   struct mm_report *report)
{
	for (int bin = 0; bin < BINS; bin++) {
		struct mm_cell *row = bins[bin] ? mm_table_row(report, table) : NULL;

		if (!row)
			continue;
		mm_cell_set_s(&row[DAX_HISTOGRAM_KIND], dax_group_kind(&group->key));
		mm_cell_set_s(&row[DAX_HISTOGRAM_OUTCOME], dax_outcome_name[group->key.outcome]);
		mm_cell_set_s(&row[DAX_HISTOGRAM_CAUSE], cause);
		mm_cell_set_u(&row[DAX_HISTOGRAM_FROM_NS], bin ? 1ull << (bin - 1) : 0);
		if (bin < BINS - 1)
			mm_cell_set_u(&row[DAX_HISTOGRAM_BELOW_NS], 1ull << bin);
		mm_cell_set_u(&row[DAX_HISTOGRAM_COUNT], bins[bin]);
	}
}

#define BARS_FIRST 9 /* the first bar has all latencies below 2^9 ns */
#define BARS 22	     /* the last bar has latencies from 2^29 ns on */

/* Draws a bar for each power of two of nanoseconds, scaled to the highest bar. */
static void draw_bars(const uint64_t bins[BINS], char *text, size_t size)
{
	static const char *const heights[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					       "\u2585", "\u2586", "\u2587", "\u2588" };
	uint64_t bars[BARS] = { 0 }, highest = 1;
	size_t at = 0;

	for (int bin = 0; bin < BINS; bin++) {
		int bar = bin < BARS_FIRST ? 0 : bin - BARS_FIRST;

		bars[bar < BARS ? bar : BARS - 1] += bins[bin];
	}
	for (int bar = 0; bar < BARS; bar++)
		if (bars[bar] > highest)
			highest = bars[bar];
	for (int bar = 0; bar < BARS && at + 4 < size; bar++)
		at += (size_t)snprintf(text + at, size - at, "%s",
				       bars[bar] ? heights[(bars[bar] * 8 - 1) / highest] : ".");
}

/* The text form shows a quantile only if there are this many faults. Indexed like dax_quantiles. */
static const uint64_t quantile_samples[DAX_QUANTILES] = { 1, 20, DAX_P99_FAULTS, 1 };

static void fill_latencies(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_faults);
	struct mm_table *histogram = mm_report_table(report, &dax_table_histogram);
	char bars[BARS * 4 + 1];
	uint64_t bins[BINS], of_kind[DAX_KIND_COUNT][2] = { 0 }, all_ns = 0;

	for (size_t i = 0; i < state->group_count; i++) {
		const struct dax_group *group = &state->groups[i];

		of_kind[group->key.kind][group->key.write_protect] += group->latencies.count;
		all_ns += group->ns;
	}
	mm_report_count(report, all_ns, "dax.fault_ns");
	for (size_t i = 0; i < state->group_count; i++) {
		struct dax_group *group = &state->groups[i];
		const char *cause = dax_group_cause(&group->key);
		const char *outcome = dax_outcome_name[group->key.outcome];
		struct mm_cell *row = mm_table_row(report, table);

		if (!row)
			return;
		mm_cell_set_s(&row[DAX_FAULTS_KIND], dax_group_kind(&group->key));
		mm_cell_set_s(&row[DAX_FAULTS_OUTCOME], outcome);
		mm_cell_set_s(&row[DAX_FAULTS_CAUSE], cause);
		mm_cell_set_u(&row[DAX_FAULTS_COUNT], group->latencies.count);
		dax_set_percent(&row[DAX_FAULTS_PERCENT], group->latencies.count,
				of_kind[group->key.kind][group->key.write_protect]);
		mm_cell_set_u(&row[DAX_FAULTS_NS], group->ns);
		dax_set_percent(&row[DAX_FAULTS_TIME_PERCENT], group->ns, all_ns);
		dax_set_rate(report, &row[DAX_FAULTS_FAULTS_PER_SECOND], group->latencies.count);
		mm_cell_set_r(&row[DAX_FAULTS_MEAN_NS], mm_latencies_mean(&group->latencies));
		for (size_t q = 0; q < DAX_QUANTILES; q++) {
			mm_cell_set_u(&row[DAX_FAULTS_P50_NS + q], group->quantile_ns[q]);
			if (group->latencies.count < quantile_samples[q])
				mm_cell_set_shown(&row[DAX_FAULTS_P50_NS + q], "-");
		}
		count_bins(group, bins);
		draw_bars(bins, bars, sizeof(bars));
		mm_cell_set_s(&row[DAX_FAULTS_BARS], bars);
		fill_histogram(group, cause, bins, histogram, report);
	}
}

static void add_remedy(struct mm_report *report, struct mm_table *table, const char *cause,
		       const char *line)
{
	struct mm_cell *row = mm_table_row(report, table);

	if (!row)
		return;
	mm_cell_set_s(&row[DAX_REMEDIES_CAUSE], cause);
	mm_cell_set_s(&row[DAX_REMEDIES_LINE], line);
}

/* Adds the slowest fault with @cause, below a heading that states its latency and the cause. */
static void add_evidence(struct dax_state *state, enum dax_cause cause, const char *text,
			 struct mm_report *report, struct mm_table *table)
{
	const struct dax_cause_info *info = &dax_cause_info[cause];
	const struct dax_fault *fault = state->examples[cause];
	char *heading, ns[MM_NUMBER_TEXT];
	struct mm_cell *row;

	mm_render_ns(ns, sizeof(ns), (double)((uint64_t)fault->end_ns - (uint64_t)fault->begin_ns));
	if (asprintf(&heading, "%s, %s: %s", info->id, ns, info->why) < 0) {
		report->failed = true;
		return;
	}
	mm_table_heading(report, table, heading);
	free(heading);
	row = mm_table_row(report, table);
	if (!row)
		return;
	mm_cell_set_s(&row[DAX_EVIDENCE_CAUSE], info->id);
	dax_report_fault(state, fault, &row[DAX_EVIDENCE_OF_FAULT], report);
	mm_cell_set_s(&row[DAX_EVIDENCE_PROCESS], dax_fault_comm(state, fault));
	mm_cell_set_s(&row[DAX_EVIDENCE_FAULT], text);
}

struct cause_tables {
	struct mm_table *causes, *remedies, *evidence;
	uint64_t sum, fallback_ns; /* sums over all causes */
};

static void fill_cause(struct dax_state *state, enum dax_cause cause,
		       const struct cause_tables *tables, struct mm_report *report)
{
	const struct dax_cause_info *info = &dax_cause_info[cause];
	const struct dax_cause_sum *sum = &state->by_cause[cause];
	char text[DAX_FAULT_TEXT], remedy_text[DAX_REMEDY_TEXT];
	struct mm_cell *row = mm_table_row(report, tables->causes);
	const char *remedy =
		dax_cause_remedy(state, cause, report, remedy_text, sizeof(remedy_text));

	if (!row)
		return;
	mm_cell_set_s(&row[DAX_CAUSES_CAUSE], info->id);
	mm_cell_set_u(&row[DAX_CAUSES_FIRST_FAILED], state->first_failed[cause]);
	dax_set_percent(&row[DAX_CAUSES_PERCENT], state->first_failed[cause], tables->sum);
	mm_cell_set_u(&row[DAX_CAUSES_FAILED_LATER], sum->failed_later);
	mm_cell_set_u(&row[DAX_CAUSES_ALL_FAILED], state->all_failed[cause]);
	mm_cell_set_s(&row[DAX_CAUSES_WHY], info->why);
	if (state->counts_accesses)
		mm_cell_set_u(&row[DAX_CAUSES_ACCESSES], sum->accesses);
	mm_cell_set_u(&row[DAX_CAUSES_NS], sum->ns);
	if (sum->fallback_ns)
		dax_set_percent(&row[DAX_CAUSES_TIME_PERCENT], sum->fallback_ns,
				tables->fallback_ns);
	mm_cell_set_s(&row[DAX_CAUSES_REMEDY], remedy);
	add_remedy(report, tables->remedies, info->id, remedy);
	if (!state->examples[cause])
		return;
	dax_describe(state, state->examples[cause], report->gmt, text, sizeof(text));
	mm_cell_set_s(&row[DAX_CAUSES_EXAMPLE], text);
	add_remedy(report, tables->remedies, "", text);
	add_evidence(state, cause, text, report, tables->evidence);
}

/* Does cause @a come after cause @b? Undetermined causes come last. */
static bool is_after(const struct dax_state *state, int a, int b)
{
	if (a == DAX_CAUSE_UNDETERMINED || b == DAX_CAUSE_UNDETERMINED)
		return a == DAX_CAUSE_UNDETERMINED;
	if (state->by_cause[a].fallback_ns != state->by_cause[b].fallback_ns)
		return state->by_cause[a].fallback_ns < state->by_cause[b].fallback_ns;
	return state->by_cause[a].ns < state->by_cause[b].ns;
}

/*
 * Sorts causes by the time of attempts that fell back, then by the time of all attempts. If a cause
 * was never the first failed check, its time is 0. Undetermined causes come last.
 */
static void order_causes(const struct dax_state *state, enum dax_cause order[DAX_CAUSE_COUNT])
{
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
		int at = cause;

		for (; at && is_after(state, order[at - 1], cause); at--)
			order[at] = order[at - 1];
		order[at] = (enum dax_cause)cause;
	}
}

static void fill_causes(struct dax_state *state, struct mm_report *report)
{
	struct cause_tables tables = {
		.causes = mm_report_table(report, &dax_table_causes),
		.remedies = mm_report_table(report, &dax_table_remedies),
		.evidence = mm_report_table(report, &dax_table_evidence),
	};
	enum dax_cause order[DAX_CAUSE_COUNT];

	tables.evidence->grouped = true;
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
		const char *id = dax_cause_info[cause].id;

		tables.sum += state->first_failed[cause];
		tables.fallback_ns += state->by_cause[cause].fallback_ns;
		mm_report_count(report, state->first_failed[cause], "dax.fallback.cause", id);
		mm_report_count(report, state->by_cause[cause].ns, "dax.fallback.cause_ns", id);
	}
	order_causes(state, order);
	for (int i = 0; i < DAX_CAUSE_COUNT; i++)
		if (state->all_failed[order[i]])
			fill_cause(state, order[i], &tables, report);
}

static void fill_slowest(struct dax_state *state, const struct dax_options *options,
			 struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_slowest);
	char text[DAX_FAULT_TEXT];

	for (size_t i = 0; i < state->slowest_count && i < options->report.top; i++) {
		const struct dax_fault *fault = &state->slowest[state->slowest_order[i]];
		struct mm_cell *row = mm_table_row(report, table);
		struct dax_group_key key = { 0 };

		if (!row)
			return;
		dax_describe(state, fault, report->gmt, text, sizeof(text));
		mm_cell_set_u(&row[DAX_SLOWEST_LATENCY_NS],
			      (uint64_t)(fault->end_ns - fault->begin_ns));
		key.kind = fault->kind;
		key.write_protect =
			fault->kind == DAX_KIND_PTE && fault->evidence.flags & DAX_FLAG_MKWRITE;
		mm_cell_set_s(&row[DAX_SLOWEST_KIND], dax_group_kind(&key));
		mm_cell_set_s(&row[DAX_SLOWEST_OUTCOME],
			      dax_outcome_name[dax_outcome_of(fault->evidence.result)]);
		mm_cell_set_s(&row[DAX_SLOWEST_PROCESS], dax_fault_comm(state, fault));
		dax_report_fault(state, fault, &row[DAX_SLOWEST_OF_FAULT], report);
		mm_cell_set_s(&row[DAX_SLOWEST_FAULT], text);
	}
}

static void fill_no_pmd(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_no_pmd);
	int count;

	for (int why = 0; why < DAX_NO_PMD_COUNT; why++) {
		struct mm_cell *row;

		mm_report_count(report, state->no_pmd[why], "dax.pte_without_pmd",
				dax_no_pmd_name[why]);
		row = state->no_pmd[why] ? mm_table_row(report, table) : NULL;
		if (!row)
			continue;
		mm_cell_set_s(&row[DAX_UNPRECEDED_REASON], dax_no_pmd_name[why]);
		mm_cell_set_u(&row[DAX_UNPRECEDED_COUNT], state->no_pmd[why]);
		mm_cell_set_s(&row[DAX_UNPRECEDED_WHY], dax_no_pmd_why[why]);
	}
	count = mm_table_column(table, "count");
	if (count >= 0 && mm_table_sort(table, (size_t)count, true))
		report->failed = true;
	mm_report_count(report, state->after_fallback, "dax.pte_after_fallback");
	mm_report_count(report, state->after_fallback_ns, "dax.pte_after_fallback_ns");
}

static void fill_pairing(struct dax_state *state, struct mm_report *report)
{
	const struct dax_pairing_counts *counts = state->pairing_counts;
	const struct {
		const char *name;
		uint64_t count;
	} rows[] = {
		{ "unpaired_entries", counts->unpaired_entries },
		{ "unpaired_exits", counts->unpaired_exits },
		{ "undetermined_by_loss", counts->undetermined_by_loss },
		{ "nested", counts->nested },
	};
	struct mm_table *table = mm_report_table(report, &dax_table_pairing);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mm_cell *row = mm_table_row(report, table);

		if (!row)
			return;
		mm_cell_set_s(&row[DAX_PAIRING_WHAT], rows[i].name);
		mm_cell_set_u(&row[DAX_PAIRING_COUNT], rows[i].count);
		mm_report_count(report, rows[i].count, "dax.pairing", rows[i].name);
	}
	mm_report_count(report, state->incomplete_count, "dax.events_incomplete");
	mm_report_count(report, counts->uncertain, "dax.pairs_uncertain");
}

static void fill_recorder(const struct dax_state *state, struct mm_report *report)
{
	struct mm_metric *faults = mm_report_metric(report, "dax.recorder.faults", NULL);
	struct mm_metric *writebacks = mm_report_metric(report, "dax.recorder.writebacks", NULL);

	if (!state->knows_recorder)
		return;
	if (state->selected.any_unknown)
		mm_report_remark_unknown(report, "faults and writebacks");
	mm_cell_set_u(&faults->value, state->recorder_faults);
	mm_cell_set_u(&writebacks->value, state->recorder_writebacks);
	if (state->recorder_faults || state->recorder_writebacks)
		mm_report_remark(
			report,
			"The recorder's own faults and writebacks are left out of all figures (--include-recorder): %" PRIu64
			" and %" PRIu64 ".",
			state->recorder_faults, state->recorder_writebacks);
}

/*
 * Limits the number of rows in these tables. Rows of other tables stand for a few fixed items, such
 * as causes.
 */
static void limit_lists(struct mm_report *report, unsigned int top)
{
	static const struct mm_table_def *const lists[] = {
		&dax_table_files,
		&dax_table_processes,
		&dax_table_slowest,
		&dax_table_writeback,
	};

	for (size_t i = 0; i < report->table_count; i++)
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
			if (report->tables[i]->def == lists[k])
				mm_table_limit(report->tables[i], top);
}

int dax_report_fill(struct dax_state *state, const struct dax_options *options,
		    struct mm_report *report)
{
	dax_report_filters(state, options, report);
	dax_report_findings(state, options, report);
	dax_report_fault_metrics(state, report);
	fill_latencies(state, report);
	fill_causes(state, report);
	dax_report_files(state, report);
	dax_report_processes(state, report);
	fill_slowest(state, options, report);
	fill_no_pmd(state, report);
	dax_report_writeback(state, report);
	fill_pairing(state, report);
	fill_recorder(state, report);
	limit_lists(report, options->report.top);
	dax_report_answer(state, report);
	return report->failed ? -1 : 0;
}
