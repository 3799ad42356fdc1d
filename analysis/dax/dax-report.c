// SPDX-License-Identifier: LGPL-2.1-only
/* The DAX report: conclusions first, then tables, and the metrics that checks compare. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"

/* Powers of two; the first of them stands for 0. */
#define BINS 65

static void count_bins(const struct dax_group *group, uint64_t bins[BINS])
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t ns, count;

	memset(bins, 0, BINS * sizeof(bins[0]));
	while (mm_latencies_next(&group->latencies, &cursor, &ns, &count))
		bins[ns ? 64 - __builtin_clzll(ns) : 0] += count;
}

void dax_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole)
{
	if (whole)
		mm_cell_set_r(cell, 100.0 * (double)part / (double)whole);
}

void dax_set_rate(const struct mm_report *report, struct mm_cell *cell, uint64_t count)
{
	const struct mm_cell *ns = &report->coverage[MM_COVERAGE_DURATION_NS];

	if (ns->kind != MM_CELL_EMPTY && ns->u)
		mm_cell_set_r(cell, (double)count * 1e9 / (double)ns->u);
}

static void fill_histogram(const struct dax_group *group, const char *cause,
			   const uint64_t bins[BINS], struct mm_table *table,
			   struct mm_report *report)
{
	for (int bin = 0; bin < BINS; bin++) {
		struct mm_cell *row = bins[bin] ? mm_table_row(report, table) : NULL;

		if (!row)
			continue;
		mm_cell_set_s(&row[0], dax_group_kind(&group->key));
		mm_cell_set_s(&row[1], dax_outcome_name[group->key.outcome]);
		mm_cell_set_s(&row[2], cause);
		mm_cell_set_u(&row[3], bin ? 1ull << (bin - 1) : 0);
		if (bin < BINS - 1)
			mm_cell_set_u(&row[4], 1ull << bin);
		mm_cell_set_u(&row[5], bins[bin]);
	}
}

#define BARS_FIRST 9 /* the first bar stands for all below 2^9 ns */
#define BARS 22	     /* and the last for all from 2^29 ns on */

/*
 * A bar for each power of two of nanoseconds; its height is relative to that of the highest count.
 */
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

static void fill_latencies(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_faults);
	struct mm_table *histogram = mm_report_table(report, &dax_table_histogram);
	char bars[BARS * 4 + 1];
	uint64_t bins[BINS], of_kind[DAX_KIND_COUNT][2] = { 0 };

	for (size_t i = 0; i < state->group_count; i++) {
		const struct dax_group *group = &state->groups[i];

		of_kind[group->key.kind][group->key.write_protect] += group->latencies.count;
	}
	for (size_t i = 0; i < state->group_count; i++) {
		struct dax_group *group = &state->groups[i];
		const char *cause = dax_group_cause(&group->key);
		const char *outcome = dax_outcome_name[group->key.outcome];
		struct mm_cell *row = mm_table_row(report, table);

		if (!row)
			return;
		mm_cell_set_s(&row[0], dax_group_kind(&group->key));
		mm_cell_set_s(&row[1], outcome);
		mm_cell_set_s(&row[2], cause);
		mm_cell_set_u(&row[3], group->latencies.count);
		dax_set_percent(&row[4], group->latencies.count,
				of_kind[group->key.kind][group->key.write_protect]);
		dax_set_rate(report, &row[5], group->latencies.count);
		mm_cell_set_r(&row[6], mm_latencies_mean(&group->latencies));
		for (size_t q = 0; q < DAX_QUANTILES; q++)
			mm_cell_set_u(&row[7 + q], group->quantile_ns[q]);
		count_bins(group, bins);
		draw_bars(bins, bars, sizeof(bars));
		mm_cell_set_s(&row[11], bars);
		fill_histogram(group, cause, bins, histogram, report);
	}
}

static void add_remedy(struct mm_report *report, struct mm_table *table, const char *cause,
		       const char *line)
{
	struct mm_cell *row = mm_table_row(report, table);

	if (!row)
		return;
	mm_cell_set_s(&row[0], cause);
	mm_cell_set_s(&row[1], line);
}

static void fill_causes(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_causes);
	struct mm_table *remedies = mm_report_table(report, &dax_table_remedies);
	char text[DAX_FAULT_TEXT];
	uint64_t sum = 0;

	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		sum += state->first_failed[cause];
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
		const struct dax_cause_info *info = &dax_cause_info[cause];
		char remedy_text[DAX_REMEDY_TEXT];
		const char *remedy;
		struct mm_cell *row;

		mm_report_count(report, state->first_failed[cause], "dax.fallback.cause", info->id);
		if (!state->all_failed[cause])
			continue;
		row = mm_table_row(report, table);
		if (!row)
			return;
		mm_cell_set_s(&row[0], info->id);
		mm_cell_set_u(&row[1], state->first_failed[cause]);
		dax_set_percent(&row[2], state->first_failed[cause], sum);
		mm_cell_set_u(&row[3], state->all_failed[cause]);
		mm_cell_set_s(&row[4], info->why);
		remedy = dax_cause_remedy(state, (enum dax_cause)cause, report, remedy_text,
					  sizeof(remedy_text));
		mm_cell_set_s(&row[5], remedy);
		add_remedy(report, remedies, info->id, remedy);
		if (state->examples[cause]) {
			dax_describe(state, state->examples[cause], text, sizeof(text));
			mm_cell_set_s(&row[6], text);
			add_remedy(report, remedies, "", text);
		}
	}
}

static int compare_names(const struct dax_process *x, const struct dax_process *y)
{
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->comm, y->comm);
}

static int compare_by_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

/* Those that spent most time first. */
static int compare_processes(const void *a, const void *b)
{
	const struct dax_process *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return compare_names(x, y);
}

/*
 * Threads with the same name in the system information are one process. Returns the number of
 * processes.
 */
static uint32_t fold_processes(struct dax_process *processes, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct dax_process *from = &processes[i];

		if (!kept || compare_names(&processes[kept - 1], from)) {
			processes[kept++] = *from;
			continue;
		}
		for (int kind = 0; kind < DAX_KIND_COUNT; kind++)
			processes[kept - 1].faults[kind] += from->faults[kind];
		processes[kept - 1].pmd_fallbacks += from->pmd_fallbacks;
		processes[kept - 1].ns += from->ns;
	}
	return kept;
}

static void fill_processes(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_processes);
	struct dax_process *processes =
		calloc((size_t)state->process_count + 1, sizeof(*processes));
	uint64_t sum = 0;
	uint32_t count;

	if (!processes) {
		report->failed = true;
		return;
	}
	/* A copy: the slowest faults refer to the numbers that the records have in the state. */
	if (state->process_count)
		memcpy(processes, state->processes, state->process_count * sizeof(*processes));
	qsort(processes, state->process_count, sizeof(*processes), compare_by_name);
	count = fold_processes(processes, state->process_count);
	qsort(processes, count, sizeof(*processes), compare_processes);
	for (uint32_t i = 0; i < count; i++)
		sum += processes[i].ns;
	for (uint32_t i = 0; i < count; i++) {
		const struct dax_process *process = &processes[i];
		struct mm_cell *row;

		/* Faults that never ended are not in this table. */
		row = process->faults[DAX_KIND_PMD] || process->faults[DAX_KIND_PTE]
			      ? mm_table_row(report, table)
			      : NULL;
		if (!row)
			continue;
		mm_cell_set_s(&row[0], process->comm[0] ? process->comm : "<...>");
		mm_cell_set_u(&row[1], (uint64_t)process->pid);
		mm_cell_set_u(&row[2], process->faults[DAX_KIND_PMD]);
		mm_cell_set_u(&row[3], process->pmd_fallbacks);
		dax_set_percent(&row[4], process->pmd_fallbacks, process->faults[DAX_KIND_PMD]);
		mm_cell_set_u(&row[5], process->faults[DAX_KIND_PTE]);
		dax_set_rate(report, &row[6],
			     process->faults[DAX_KIND_PMD] + process->faults[DAX_KIND_PTE]);
		mm_cell_set_u(&row[7], process->ns);
		dax_set_percent(&row[8], process->ns, sum);
	}
	free(processes);
}

static void fill_slowest(struct dax_state *state, const struct mm_report_options *options,
			 struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_slowest);
	char text[DAX_FAULT_TEXT];

	for (size_t i = 0; i < state->slowest_count && i < options->top; i++) {
		const struct dax_fault *fault = &state->slowest[state->slowest_order[i]];
		const char *comm = state->processes[fault->process].comm;
		struct mm_cell *row = mm_table_row(report, table);
		struct dax_group_key key = { 0 };

		if (!row)
			return;
		dax_describe(state, fault, text, sizeof(text));
		mm_cell_set_u(&row[0], (uint64_t)(fault->end_ns - fault->begin_ns));
		key.kind = fault->kind;
		key.write_protect =
			fault->kind == DAX_KIND_PTE && fault->evidence.flags & DAX_FLAG_MKWRITE;
		mm_cell_set_s(&row[1], dax_group_kind(&key));
		mm_cell_set_s(&row[2], dax_outcome_name[dax_outcome_of(fault->evidence.result)]);
		mm_cell_set_s(&row[3], comm[0] ? comm : "<...>");
		mm_cell_set_s(&row[4], text);
	}
}

static void fill_no_pmd(struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_no_pmd);

	for (int why = 0; why < DAX_NO_PMD_COUNT; why++) {
		struct mm_cell *row;

		mm_report_count(report, state->no_pmd[why], "dax.pte_without_pmd",
				dax_no_pmd_name[why]);
		row = state->no_pmd[why] ? mm_table_row(report, table) : NULL;
		if (!row)
			continue;
		mm_cell_set_s(&row[0], dax_no_pmd_name[why]);
		mm_cell_set_u(&row[1], state->no_pmd[why]);
		mm_cell_set_s(&row[2], dax_no_pmd_why[why]);
	}
	mm_report_count(report, state->after_fallback, "dax.pte_after_fallback");
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
		mm_cell_set_s(&row[0], rows[i].name);
		mm_cell_set_u(&row[1], rows[i].count);
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
		mm_report_remark_unknown(report, "Faults and writebacks");
	mm_cell_set_u(&faults->value, state->recorder_faults);
	mm_cell_set_u(&writebacks->value, state->recorder_writebacks);
	if (state->recorder_faults || state->recorder_writebacks)
		mm_report_remark(
			report,
			"The recorder's own faults and writebacks are left out of all figures (--include-recorder): %" PRIu64
			" and %" PRIu64 ".",
			state->recorder_faults, state->recorder_writebacks);
}

/* Lists of what the trace contains; the other tables have a row for each possible item. */
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

int dax_report_fill(struct dax_state *state, const struct mm_report_options *options,
		    struct mm_report *report)
{
	dax_report_findings(state, report);
	dax_report_fault_metrics(state, report);
	fill_latencies(state, report);
	fill_causes(state, report);
	dax_report_files(state, report);
	fill_processes(state, report);
	fill_slowest(state, options, report);
	fill_no_pmd(state, report);
	dax_report_writeback(state, report);
	fill_pairing(state, report);
	fill_recorder(state, report);
	limit_lists(report, options->top);
	return report->failed ? -1 : 0;
}
