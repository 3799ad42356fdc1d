// SPDX-License-Identifier: LGPL-2.1-only
/* The findings of the DAX report: its first sentences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-state.h"
#include "analysis/report/render.h"
#include "util/plural.h"

static void conclude_sysinfo(const struct mm_sysinfo *sysinfo, struct mm_report *report)
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

static double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

static void conclude_fallbacks(uint64_t pmd, uint64_t mapped, uint64_t fallbacks, uint64_t pte,
			       struct mm_report *report)
{
	if (pmd)
		mm_report_finding(report,
				  "Huge-page faults: %" PRIu64 " of %" PRIu64
				  " (%.1f %%) fell back to 4 KiB, %" PRIu64
				  " mapped a huge page. 4 KiB faults: %" PRIu64 ".",
				  fallbacks, pmd, percent(fallbacks, pmd), mapped, pte);
	else
		mm_report_finding(report, "4 KiB faults: %" PRIu64 "; no huge-page fault.", pte);
}

static void conclude_cause(const struct dax_state *state, struct mm_report *report)
{
	enum dax_cause most = DAX_CAUSE_MAPPING_MISALIGNED;
	char remedy[DAX_REMEDY_TEXT];
	uint64_t sum = 0;

	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
		sum += state->first_failed[cause];
		if (state->first_failed[cause] > state->first_failed[most])
			most = (enum dax_cause)cause;
	}
	if (sum) {
		mm_report_finding(report,
				  "Most frequent cause: %s, %" PRIu64 " of %" PRIu64
				  " (%.1f %%): %s; remedy: %s.",
				  dax_cause_info[most].id, state->first_failed[most], sum,
				  percent(state->first_failed[most], sum), dax_cause_info[most].why,
				  dax_cause_remedy(state, most, report, remedy, sizeof(remedy)));
	}
}

static void conclude_file(const struct dax_state *state, struct mm_report *report)
{
	const struct dax_file *most = dax_file_of_most_fallbacks(state);
	uint64_t fallbacks, pmd;
	char *name, inode[40] = "";

	if (!most)
		return;
	fallbacks = most->faults[DAX_KIND_PMD][DAX_OUTCOME_FALLBACK];
	pmd = dax_file_faults(most, DAX_KIND_PMD);
	name = dax_file_name(state, most);
	if (!name) {
		report->failed = true;
		return;
	}
	if (most->key.ino != DAX_UNKNOWN)
		snprintf(inode, sizeof(inode), ", inode 0x%" PRIx64, most->key.ino);
	mm_report_finding(report,
			  "Most fallbacks: file %s%s: %" PRIu64 " of its %" PRIu64
			  " huge-page fault%s (%.1f %%).",
			  name, inode, fallbacks, pmd, mm_plural_s(pmd), percent(fallbacks, pmd));
	free(name);
}

/* Below this number of faults, the 99th percentile is the maximum. */
#define P99_FAULTS 100

/*
 * The outcome of the highest p99, or of the longest fault if all have too few for a p99; nothing if
 * all are the same.
 */
static void conclude_slowest(const struct dax_state *state, struct mm_report *report)
{
	enum { MEDIAN = 0, P99 = 2 }; /* of dax_quantiles */
	const struct dax_group *slowest = NULL;
	char median[MM_NUMBER_TEXT], p99[MM_NUMBER_TEXT];
	uint64_t most = 0, least = UINT64_MAX, faults = 0;
	const char *cause;

	for (uint32_t i = 0; i < state->group_count; i++)
		if (state->groups[i].latencies.count > faults)
			faults = state->groups[i].latencies.count;
	for (uint32_t i = 0; i < state->group_count; i++) {
		uint64_t ns = state->groups[i].quantile_ns[P99];

		least = ns < least ? ns : least;
		if ((slowest && ns <= most) ||
		    (faults >= P99_FAULTS && state->groups[i].latencies.count < P99_FAULTS))
			continue;
		slowest = &state->groups[i];
		most = ns;
	}
	if (!slowest || most == least)
		return;
	cause = dax_group_cause(&slowest->key);
	mm_render_ns(median, sizeof(median), (double)slowest->quantile_ns[MEDIAN]);
	mm_render_ns(p99, sizeof(p99), (double)most);
	faults = slowest->latencies.count;
	mm_report_finding(
		report, "Slowest outcome: %s %s%s%s%s, %s %s of %" PRIu64 " fault%s, median %s.",
		dax_group_kind(&slowest->key), dax_outcome_name[slowest->key.outcome],
		cause[0] ? " (" : "", cause, cause[0] ? ")" : "",
		faults < P99_FAULTS ? "max" : "p99", p99, faults, mm_plural_s(faults), median);
}

void dax_report_findings(struct dax_state *state, struct mm_report *report)
{
	uint64_t pmd = 0, mapped = 0, fallbacks = 0, pte = 0;

	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];

		pmd += dax_file_faults(file, DAX_KIND_PMD);
		mapped += file->faults[DAX_KIND_PMD][DAX_OUTCOME_MAPPED];
		fallbacks += file->faults[DAX_KIND_PMD][DAX_OUTCOME_FALLBACK];
		pte += dax_file_faults(file, DAX_KIND_PTE);
	}
	mm_report_count(report, pmd, "dax.pmd_faults");
	mm_report_count(report, mapped, "dax.pmd_mapped");
	mm_report_count(report, fallbacks, "dax.pmd_fallbacks");
	mm_report_count(report, pte, "dax.pte_faults");
	if (!pmd && !pte) {
		mm_report_finding(report, "No DAX fault in %s%s.",
				  report->windowed ? "the requested time range" : "this trace",
				  report->lacking || state->pairing_counts->undetermined_by_loss
					  ? " is certain: events are missing"
					  : "");
		return;
	}
	conclude_fallbacks(pmd, mapped, fallbacks, pte, report);
	conclude_cause(state, report);
	conclude_file(state, report);
	conclude_slowest(state, report);
	dax_report_incomplete(state, report);
	if (!state->extent_declared || !state->entry_declared)
		mm_report_note(
			report,
			"The trace was recorded without dax_fault_extent or dax_pmd_fallback: causes that need them are undetermined.");
	if (state->pairing_counts->uncertain || state->writebacks_uncertain)
		mm_report_note(
			report,
			"%" PRIu64 " fault%s and %" PRIu64
			" writeback%s were paired while all events of a CPU are missing, or their order is not known: if their thread was on that CPU in between, a pair may be of two.",
			state->pairing_counts->uncertain,
			mm_plural_s(state->pairing_counts->uncertain), state->writebacks_uncertain,
			mm_plural_s(state->writebacks_uncertain));
	if (state->rare_lossy)
		mm_report_note(
			report,
			"Events dax_pmd_load_hole_fallback and dax_insert_pfn_mkwrite_no_entry may be missing: without the first one, the cause of a fault on a hole is undetermined; only those of the second one that are present are counted.");
	conclude_sysinfo(state->sysinfo, report);
}
