// SPDX-License-Identifier: LGPL-2.1-only
/* The findings of the DAX report: its first sentences. */
#include <inttypes.h>

#include "analysis/dax/dax-state.h"

static void conclude_context(const struct mm_context *context, struct mm_report *report)
{
	static const char *const why[] = {
		[MM_CONTEXT_ABSENT] =
			"No system information with the trace: paths, DAX states and names are missing; `lttng-mm snapshot` writes it.",
		[MM_CONTEXT_REFUSED] =
			"No system information is used, as the notes say: paths, DAX states and names are missing.",
		[MM_CONTEXT_UNSOUGHT] =
			"No system information is used: paths, DAX states and names are missing.",
	};
	enum mm_context_use use = mm_context_use(context);

	if (use != MM_CONTEXT_USED)
		mm_report_note(report, "%s", why[use]);
}

void dax_report_findings(struct dax_state *state, struct mm_report *report)
{
	uint64_t pmd = 0, mapped = 0, fallbacks = 0, pte = 0;
	enum dax_cause worst = DAX_CAUSE_COUNT;

	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];

		pmd += dax_file_faults(file, DAX_KIND_PMD);
		mapped += file->faults[DAX_KIND_PMD][DAX_OUTCOME_MAPPED];
		fallbacks += file->faults[DAX_KIND_PMD][DAX_OUTCOME_FALLBACK];
		pte += dax_file_faults(file, DAX_KIND_PTE);
	}
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		if (state->first_failed[cause] &&
		    (worst == DAX_CAUSE_COUNT ||
		     state->first_failed[cause] > state->first_failed[worst]))
			worst = (enum dax_cause)cause;
	mm_report_count(report, pmd, "dax.pmd_faults");
	mm_report_count(report, mapped, "dax.pmd_mapped");
	mm_report_count(report, fallbacks, "dax.pmd_fallbacks");
	mm_report_count(report, pte, "dax.pte_faults");
	if (!pmd && !pte) {
		mm_report_finding(
			report,
			state->pairing_counts->unknown_by_loss
				? "No DAX fault in this trace is certain: events are missing."
				: "No DAX fault in this trace.");
		return;
	}
	mm_report_finding(report,
			  "%" PRIu64 " of %" PRIu64 " huge-page faults fell back to 4 KiB; %" PRIu64
			  " faults of 4 KiB in all.",
			  fallbacks, pmd, pte);
	if (worst != DAX_CAUSE_COUNT) {
		mm_report_finding(report, "Most frequent cause, %" PRIu64 " times: %s.",
				  state->first_failed[worst], dax_cause_info[worst].why);
		mm_report_finding(report, "Remedy: %s.", dax_cause_remedy(state, worst));
	}
	dax_report_incomplete(state, report);
	if (!state->extent_declared || !state->entry_declared)
		mm_report_note(
			report,
			"The trace was recorded without dax_fault_extent or dax_pmd_fallback: causes that need them are undetermined.");
	if (state->pairing_counts->uncertain || state->writebacks_uncertain)
		mm_report_finding(
			report,
			"%" PRIu64 " faults and %" PRIu64
			" writebacks were paired while all events of a CPU are missing: where their thread was there in between, a pair is of two.",
			state->pairing_counts->uncertain, state->writebacks_uncertain);
	conclude_context(state->context, report);
}
