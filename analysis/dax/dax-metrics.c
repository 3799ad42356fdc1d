// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Metrics of faults. Each possible combination of labels has a metric, even if no fault has these
 * labels.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/dax/dax-state.h"
#include "reader/report/render.h"
#include "util/plural.h"

const double dax_quantiles[DAX_QUANTILES] = { 0.5, 0.9, 0.99, 1 };
static const char *const quantile_names[DAX_QUANTILES] = { "0.5", "0.9", "0.99", "1" };

const char *dax_group_kind(const struct dax_group_key *key)
{
	if (key->kind == DAX_KIND_PMD)
		return "pmd";
	return key->write_protect ? "write-protect" : "pte";
}

const char *dax_group_cause(const struct dax_group_key *key)
{
	return key->cause == DAX_CAUSE_COUNT ? "" : dax_cause_info[key->cause].id;
}

const char *dax_cause_remedy(const struct dax_state *state, enum dax_cause cause,
			     const struct mm_report *report, char *text, size_t size)
{
	bool all_declared = state->extent_declared && state->entry_declared;

	if (cause != DAX_CAUSE_UNDETERMINED)
		return dax_cause_info[cause].remedy;
	if (!state->undetermined_by_loss) {
		if (all_declared && state->alignment_unknown)
			return "check whether the device's memory is aligned to 2 MiB (ndctl list -N), which sysinfo/dax-devices.json does not say";
		return all_declared
			       ? "none that the trace shows: see the evidence (--table evidence)"
			       : dax_cause_info[cause].remedy;
	}
	if (state->is_filtered)
		return "a filter may have excluded the events that show the cause: record without filters";
	snprintf(text, size, "some of the events are missing: %s%s",
		 report->lacking || report->maybe_cut
			 ? mm_report_remedy(report)
			 : "record with more or larger sub-buffers (--num-subbuf, --subbuf-size)",
		 all_declared ? "" : ", and record dax_fault_extent and dax_pmd_fallback too");
	return text;
}

static const struct dax_group *find_group(const struct dax_state *state,
					  const struct dax_group_key *key)
{
	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct dax_group_key *other = &state->groups[i].key;

		if (other->kind == key->kind && other->write_protect == key->write_protect &&
		    other->outcome == key->outcome && other->cause == key->cause)
			return &state->groups[i];
	}
	return NULL;
}

/* Can a fault have this key? Only huge-page faults have causes (see dax_cause_find()). */
static bool is_possible(const struct dax_group_key *key)
{
	bool none = key->cause == DAX_CAUSE_COUNT;

	if (key->kind != DAX_KIND_PMD)
		return none && key->outcome != DAX_OUTCOME_FALLBACK;
	if (key->write_protect)
		return false;
	switch (key->outcome) {
	case DAX_OUTCOME_FALLBACK:
		return !none && key->cause != DAX_CAUSE_OOM;
	case DAX_OUTCOME_OOM:
		return key->cause == DAX_CAUSE_OOM;
	case DAX_OUTCOME_RETRY:
		return none || key->cause == DAX_CAUSE_RACE;
	default:
		return none;
	}
}

static void fill_group(const struct dax_group_key *key, const struct dax_group *group,
		       struct mm_report *report)
{
	const char *kind = dax_group_kind(key), *cause = dax_group_cause(key);
	const char *outcome = dax_outcome_name[key->outcome];
	uint64_t count = group ? group->latencies.count : 0;

	mm_report_count(report, count, "dax.fault.count", kind, outcome, cause);
	for (size_t q = 0; q < DAX_QUANTILES; q++) {
		struct mm_metric *metric =
			mm_report_metric(report, "dax.fault.latency_ns", kind, outcome, cause,
					 quantile_names[q], NULL);

		mm_metric_set_samples(metric, count);
		if (group)
			mm_cell_set_u(&metric->value, group->quantile_ns[q]);
	}
}

static struct dax_group_key key_of(unsigned int number)
{
	struct dax_group_key key = { 0 };

	key.cause = (enum dax_cause)(number % (DAX_CAUSE_COUNT + 1));
	number /= DAX_CAUSE_COUNT + 1;
	key.outcome = (enum dax_outcome)(number % DAX_OUTCOME_COUNT);
	number /= DAX_OUTCOME_COUNT;
	key.write_protect = number % 2;
	key.kind = (enum dax_kind)(number / 2);
	return key;
}

static void report_slow(const struct dax_state *state, struct mm_report *report)
{
	struct dax_slow slow[DAX_OUTCOME_COUNT] = { 0 };

	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct dax_group *group = &state->groups[i];

		slow[group->key.outcome].faults += group->slow.faults;
		slow[group->key.outcome].ns += group->slow.ns;
	}
	for (int outcome = 0; outcome < DAX_OUTCOME_COUNT; outcome++) {
		const char *name = dax_outcome_name[outcome];

		mm_report_count(report, slow[outcome].faults, "dax.slow_faults", name);
		mm_report_count(report, slow[outcome].ns, "dax.slow_ns", name);
	}
}

void dax_report_fault_metrics(const struct dax_state *state, struct mm_report *report)
{
	const unsigned int count = DAX_KIND_COUNT * 2 * DAX_OUTCOME_COUNT * (DAX_CAUSE_COUNT + 1);

	for (unsigned int i = 0; i < count; i++) {
		const struct dax_group_key key = key_of(i);
		const struct dax_group *group = find_group(state, &key);

		/* Also report impossible faults, which a damaged trace may contain. */
		if (group || is_possible(&key))
			fill_group(&key, group, report);
	}
	report_slow(state, report);
}

void dax_report_incomplete(const struct dax_state *state, struct mm_report *report)
{
	if (!state->incomplete_count)
		return;
	mm_report_note(
		report, "%" PRIu64 " %s, and %s.", state->incomplete_count,
		mm_plural(state->incomplete_count,
			  "event has a value that is too large for its field",
			  "events have values that are too large for their fields"),
		state->wide_declared
			? "no wide variant with the full value: results that depend on it are undetermined"
			: "the trace has no wide variants: record the dax_*_wide events, too");
}
