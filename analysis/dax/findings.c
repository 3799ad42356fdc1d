// SPDX-License-Identifier: LGPL-2.1-only
/* Findings, notes and totals of the DAX report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-state.h"
#include "reader/report/units.h"
#include "reader/report/render.h"
#include "util/plural.h"

static void note_sysinfo(const struct mm_sysinfo *sysinfo, struct mm_report *report)
{
	static const char *const why[] = {
		[MM_SYSINFO_ABSENT] =
			"No system information with the trace: paths, DAX states and names are missing; `lttng-mm snapshot` writes it.",
		[MM_SYSINFO_REFUSED] =
			"No system information is used, as the notes say: paths, DAX states and names are missing.",
		[MM_SYSINFO_UNSOUGHT] =
			"No system information is used: paths, DAX states and names are missing.",
	};
	enum mm_sysinfo_use use = mm_sysinfo_use(sysinfo);

	if (use != MM_SYSINFO_USED)
		mm_report_note(report, "%s", why[use]);
}

/*
 * Names the outcome with the highest 99th percentile. If no outcome has enough faults for that,
 * names the outcome with the longest fault. If all outcomes are equally slow, adds nothing.
 */
static void find_slowest(const struct dax_state *state, struct mm_report *report)
{
	enum { MEDIAN = 0, P99 = 2, MAXIMUM = 3 }; /* indexes of dax_quantiles */
	const struct dax_group *slowest = NULL;
	char median[MM_NUMBER_TEXT], longest[MM_NUMBER_TEXT];
	uint64_t most = 0, least = UINT64_MAX, faults = 0;
	const char *cause;
	int quantile;

	for (uint32_t i = 0; i < state->group_count; i++)
		if (state->groups[i].latencies.count > faults)
			faults = state->groups[i].latencies.count;
	quantile = faults >= DAX_P99_FAULTS ? P99 : MAXIMUM;
	for (uint32_t i = 0; i < state->group_count; i++) {
		uint64_t ns = state->groups[i].quantile_ns[quantile];

		if (quantile == P99 && state->groups[i].latencies.count < DAX_P99_FAULTS)
			continue;
		least = ns < least ? ns : least;
		if (slowest && ns <= most)
			continue;
		slowest = &state->groups[i];
		most = ns;
	}
	if (!slowest || most == least)
		return;
	cause = dax_group_cause(&slowest->key);
	mm_render_ns(median, sizeof(median), (double)slowest->quantile_ns[MEDIAN]);
	mm_render_ns(longest, sizeof(longest), (double)most);
	faults = slowest->latencies.count;
	mm_report_finding(
		report, "Slowest outcome: %s %s%s%s%s, %s %s of %" PRIu64 " fault%s, median %s.",
		dax_group_kind(&slowest->key), dax_outcome_name[slowest->key.outcome],
		cause[0] ? " (" : "", cause, cause[0] ? ")" : "", quantile == P99 ? "p99" : "max",
		longest, faults, mm_plural_s(faults), median);
}

static void report_totals(const struct dax_state *state, const struct dax_totals *totals,
			  struct mm_report *report)
{
	struct mm_metric *all = mm_report_metric(report, "dax.accesses", NULL);
	struct mm_metric *fallbacks = mm_report_metric(report, "dax.fallback_accesses", NULL);
	struct mm_metric *uncertain = mm_report_metric(report, "dax.attempts_uncertain", NULL);
	struct mm_metric *estimate = mm_report_metric(report, "dax.fallback_huge_ns", NULL);
	const uint64_t fallen_back = totals->pmd_fallbacks - totals->attempts.fallback_repeated;
	const double huge_ns = dax_estimate_huge(state, totals, fallen_back);

	mm_report_count(report, totals->pmd, "dax.pmd_faults");
	mm_report_count(report, totals->pmd_mapped, "dax.pmd_mapped");
	mm_report_count(report, totals->pmd_fallbacks, "dax.pmd_fallbacks");
	mm_report_count(report, totals->attempts.fallback_ns, "dax.fallback_ns");
	mm_report_count(report, totals->pte, "dax.pte_faults");
	mm_metric_set_samples(estimate, totals->pmd_mapped);
	if (!state->counts_accesses)
		return;
	if (huge_ns >= 0)
		mm_cell_set_u(&estimate->value, (uint64_t)huge_ns);
	mm_cell_set_u(&all->value, totals->pmd - totals->attempts.repeated);
	mm_cell_set_u(&fallbacks->value, fallen_back);
	mm_cell_set_u(&uncertain->value, state->maybe_repeated);
}

/*
 * States that there is no fault. Adds nothing if the filters match no event, because
 * dax_report_filters() states this.
 */
static void answer_none(const struct dax_state *state, const struct dax_options *options,
			struct mm_report *report)
{
	const bool is_restricted = options->file || options->report.by_pid;
	const bool lossy = report->lacking || state->pairing_counts->undetermined_by_loss;
	const char *where = report->windowed ? "the requested time range" : "this trace";
	char *filters;

	if (report->finding_count || (is_restricted && !state->file_count))
		return;
	if (!is_restricted) {
		mm_report_answer(report, "No DAX fault %s %s%s.", lossy ? "is known in" : "in",
				 where, lossy ? ": events are missing" : "");
		return;
	}
	filters = dax_filters_text(options);
	report->failed |= !filters;
	if (filters)
		mm_report_answer(report, "No DAX fault in %s %s%s%s.", where,
				 lossy ? "is known to match" : "matches", filters,
				 lossy ? ": events are missing" : "");
	free(filters);
}

void dax_report_findings(struct dax_state *state, const struct dax_options *options,
			 struct mm_report *report)
{
	const struct dax_totals totals = dax_sum_up(state);

	report_totals(state, &totals, report);
	if (!totals.pmd && !totals.pte) {
		answer_none(state, options, report);
		return;
	}
	find_slowest(state, report);
	if (state->maybe_repeated)
		mm_report_note(
			report,
			"%" PRIu64
			" huge-page fault%s may be further attempts of previous accesses, not separate accesses: events are missing in between.",
			state->maybe_repeated, mm_plural_s(state->maybe_repeated));
	dax_report_incomplete(state, report);
	if (!state->extent_declared || !state->entry_declared)
		mm_report_note(
			report,
			"The trace was recorded without dax_fault_extent or dax_pmd_fallback: causes that need them are undetermined.");
	/*
	 * This is a remark at the head of the report, not a note, because all shares and causes
	 * depend on these pairs.
	 */
	if (state->pairing_counts->uncertain || state->writebacks_uncertain)
		mm_report_remark(
			report,
			"%" PRIu64 " fault%s and %" PRIu64
			" writeback%s were paired although all events of a CPU are missing, or their order is not known: if the thread was on that CPU in between, the entry and exit of a pair may belong to different faults or writebacks.",
			state->pairing_counts->uncertain,
			mm_plural_s(state->pairing_counts->uncertain), state->writebacks_uncertain,
			mm_plural_s(state->writebacks_uncertain));
	if (state->rare_lossy)
		mm_report_note(
			report,
			"Events dax_pmd_load_hole_fallback and dax_insert_pfn_mkwrite_no_entry may be missing: without dax_pmd_load_hole_fallback, the cause of a fault on a hole is undetermined; the count of dax_insert_pfn_mkwrite_no_entry is a lower bound.");
	note_sysinfo(state->sysinfo, report);
}
