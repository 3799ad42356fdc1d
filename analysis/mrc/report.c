// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fills the report of miss curves. Sample of its answer:
 *
 *   Needs 412.0 MiB to 448.0 MiB for at most 100 refaults per second (valid from 96.0 MiB up).
 *   With 336.0 MiB: 2100 to 2900 refaults per second.
 *   1830000 touches in 61.2 s; 120000 of them are a first touch, which is not a refault.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/mrc/schema.h"
#include "analysis/mrc/state.h"
#include "reader/report/units.h"
#include "util/plural.h"
#include "util/time.h"

#define SIZES_SHOWN 16
#define RATE_TEXT 32

/* Results for one group of processes. */
struct summary {
	struct mrc_curve curve;
	double limit; /* acceptable number of refaults */
	double seconds;
	uint64_t valid_from, low, high; /* sizes in pages; UINT64_MAX: there is no such size */
	bool has_low; /* sizes below @low have too many refaults; otherwise, @low is @valid_from */
};

static const char *pages_text(char text[MM_NUMBER_TEXT], uint64_t pages)
{
	const struct mm_cell cell = { .kind = MM_CELL_UNSIGNED, .u = pages * MRC_PAGE_BYTES };

	mm_render_number(text, MM_NUMBER_TEXT, &cell, MM_BYTES);
	return text;
}

static void set_pages(struct mm_cell *cell, uint64_t pages)
{
	if (pages != UINT64_MAX)
		mm_cell_set_u(cell, pages * MRC_PAGE_BYTES);
}

static void summarize(const struct mrc_state *state, const struct mrc_group *group,
		      struct summary *summary)
{
	*summary = (struct summary){
		.curve = { .stack = &group->pages.stack,
			   .lost = state->lost,
			   .is_unbounded = state->is_unbounded },
		.seconds = (double)mm_time_difference(state->last_ns, state->first_ns) / 1e9,
	};
	summary->limit = state->settings->limit * summary->seconds;
	summary->valid_from = mrc_curve_valid_from(&summary->curve);
	summary->low = mrc_curve_needed(&summary->curve, summary->limit, false);
	summary->high = mrc_curve_needed(&summary->curve, summary->limit, true);
	summary->has_low = summary->low > summary->valid_from;
}

/* Scales a count from the recorder's sample to all pages. */
static uint64_t scale(const struct mrc_state *state, uint64_t count)
{
	const double recorded = mrc_prelude_recorded(state->prelude);

	return recorded < 1 ? (uint64_t)llround((double)count / recorded) : count;
}

static bool may_lack_events(const struct mrc_state *state)
{
	return state->lost || state->is_unbounded || state->has_gaps;
}

/* Sets a count that is a lower bound if events are missing. */
static void set_least(const struct mrc_state *state, uint64_t count, struct mm_cell *cell)
{
	if (may_lack_events(state))
		mm_cell_set_least(cell, count);
	else
		mm_cell_set_u(cell, count);
}

static void fill_metrics(const struct mrc_state *state, struct mm_report *report)
{
	uint64_t touches = 0, first = 0, huge = 0, unseen = 0, around = 0;

	for (size_t i = 0; i < state->group_count; i++) {
		const struct mrc_pages *pages = &state->groups[i]->pages;

		touches += pages->touches;
		first += pages->stack.first_touches;
		huge += (uint64_t)(pages->huge.count - 1) * MRC_HUGE_PAGES;
		unseen += pages->unseen;
		around += pages->around;
	}
	set_least(state, scale(state, touches),
		  &mm_report_metric(report, "mrc.touches", NULL)->value);
	mm_report_count(report, scale(state, first), "mrc.first_touches");
	mm_report_count(report, scale(state, huge) * MRC_PAGE_BYTES, "mrc.huge_bytes");
	mm_report_count(report, (uint64_t)mm_time_difference(state->last_ns, state->first_ns),
			"mrc.duration_ns");
	set_least(state, scale(state, unseen),
		  &mm_report_metric(report, "mrc.unseen_pages", NULL)->value);
	set_least(state, scale(state, around),
		  &mm_report_metric(report, "mrc.around_pages", NULL)->value);
	mm_report_count(report, state->lost, "mrc.lost_events");
	mm_cell_set_b(&mm_report_metric(report, "mrc.has_upper_bound", NULL)->value,
		      !state->is_unbounded);
	mm_cell_set_r(&mm_report_metric(report, "mrc.sample", NULL)->value,
		      state->settings->sample * mrc_prelude_recorded(state->prelude));
}

static void fill_needed(const struct mrc_state *state, const struct summary *summary,
			struct mm_report *report)
{
	char rate[MM_NUMBER_TEXT];

	snprintf(rate, sizeof(rate), "%g", state->settings->limit);
	set_least(state, summary->valid_from * MRC_PAGE_BYTES,
		  &mm_report_metric(report, "mrc.valid_from_bytes", NULL)->value);
	set_pages(&mm_report_metric(report, "mrc.needed_bytes", "low", rate, NULL)->value,
		  summary->has_low ? summary->low : UINT64_MAX);
	set_pages(&mm_report_metric(report, "mrc.needed_bytes", "high", rate, NULL)->value,
		  summary->high);
}

/*
 * Is @pages a round number, which is 4, 5, 6 or 7 times a power of two? If @quarters is 2, only 4
 * and 6 times a power of two are round. If @quarters is 4, only 4 times a power of two is round.
 */
static bool is_round(uint64_t pages, uint64_t quarters)
{
	while (pages > 7 && !(pages & 1))
		pages >>= 1;
	return pages <= 7 && (pages < 4 || !(pages % quarters));
}

/* Returns the next round size. */
static uint64_t next_round(uint64_t pages, uint64_t quarters)
{
	uint64_t step = 1;

	while (step * 8 <= pages)
		step *= 2;
	pages = pages / step * step + step;
	while (!is_round(pages, quarters))
		pages += step;
	return pages;
}

/*
 * Chooses round sizes from the smallest valid size to the end of the curve, in pages. Returns their
 * number.
 */
static size_t choose_sizes(const struct summary *summary, uint64_t *sizes)
{
	const uint64_t end = mrc_curve_end(&summary->curve);
	size_t count = SIZES_SHOWN;

	for (uint64_t quarters = 1; quarters <= 4 && count == SIZES_SHOWN; quarters *= 2) {
		uint64_t size = summary->valid_from;

		count = 0;
		sizes[count++] = size ? size : 1;
		while (size < end && count < SIZES_SHOWN) {
			size = next_round(size, quarters);
			sizes[count++] = size < end ? size : end;
		}
	}
	return count;
}

static void set_refaults(struct mm_cell *row, unsigned int column, double refaults, double seconds)
{
	if (isinf(refaults))
		return;
	mm_cell_set_u(&row[column], (uint64_t)llround(refaults));
	if (seconds > 0)
		mm_cell_set_r(&row[column - MRC_SIZE_LOW + MRC_SIZE_LOW_RATE], refaults / seconds);
}

/*
 * Simulates a policy other than LRU. Returns the refaults, or MRC_POLICY_FAILED. @pages and the
 * result are numbers of sampled pages. Source: Waldspurger et al., "Cache modeling and optimization
 * using miniature simulations", 2017.
 */
static uint64_t simulate(const struct mrc_group *group, enum mrc_policy policy, uint64_t pages)
{
	if (policy == MRC_CLOCK)
		return mrc_policy_clock(&group->references, pages);
	if (policy == MRC_FIFO)
		return mrc_policy_fifo(&group->references, pages);
	return mrc_policy_opt(&group->references, pages);
}

static void fill_size(const struct mrc_group *group, const struct summary *summary,
		      enum mrc_policy policy, uint64_t pages, struct mm_cell *row,
		      struct mm_report *report)
{
	const double recorded = mrc_prelude_recorded(group->state->prelude);
	struct mrc_refaults at;
	uint64_t refaults;

	if (group->name)
		mm_cell_set_s(&row[MRC_SIZE_PROCESS], group->name);
	if (group->pid)
		mm_cell_set_u(&row[MRC_SIZE_PID], group->pid);
	mm_cell_set_s(&row[MRC_SIZE_POLICY], mrc_policy_names[policy]);
	set_pages(&row[MRC_SIZE_BYTES], pages);
	if (policy == MRC_LRU) {
		if (pages < summary->valid_from)
			return;
		at = mrc_curve_at(&summary->curve, pages);
		set_refaults(row, MRC_SIZE_LOW, at.low, summary->seconds);
		set_refaults(row, MRC_SIZE_HIGH, at.high, summary->seconds);
		return;
	}
	refaults = simulate(group, policy, (uint64_t)((double)pages * recorded));
	report->failed |= refaults == MRC_POLICY_FAILED;
	refaults = scale(group->state, refaults);
	set_refaults(row, MRC_SIZE_LOW, (double)refaults, summary->seconds);
	if (policy != MRC_OPT)
		set_refaults(row, MRC_SIZE_HIGH, (double)refaults, summary->seconds);
}

static void fill_sizes(const struct mrc_state *state, const struct mrc_group *group,
		       const struct summary *summary, struct mm_table *table,
		       struct mm_report *report)
{
	const struct mrc_settings *settings = state->settings;
	uint64_t sizes[MRC_SIZES_MAX];
	size_t count = settings->size_count;

	for (size_t i = 0; i < count; i++)
		sizes[i] = settings->sizes[i] / MRC_PAGE_BYTES;
	if (!count)
		count = choose_sizes(summary, sizes);
	for (enum mrc_policy policy = MRC_LRU; policy < MRC_POLICIES; policy++)
		for (size_t i = 0; settings->policies[policy] && i < count; i++) {
			struct mm_cell *row = mm_table_row(report, table);

			if (row)
				fill_size(group, summary, policy, sizes[i], row, report);
		}
}

static void fill_process(const struct mrc_group *group, const struct summary *summary,
			 struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *row = mm_table_row(report, table);

	if (!row)
		return;
	if (group->name)
		mm_cell_set_s(&row[MRC_PROCESS_NAME], group->name);
	if (group->pid)
		mm_cell_set_u(&row[MRC_PROCESS_PID], group->pid);
	set_least(group->state, scale(group->state, group->pages.touches),
		  &row[MRC_PROCESS_TOUCHES]);
	mm_cell_set_u(&row[MRC_PROCESS_FIRST],
		      scale(group->state, group->pages.stack.first_touches));
	set_pages(&row[MRC_PROCESS_VALID], summary->valid_from);
	set_pages(&row[MRC_PROCESS_LOW], summary->has_low ? summary->low : UINT64_MAX);
	set_pages(&row[MRC_PROCESS_HIGH], summary->high);
}

/* Returns why the needed memory has no upper bound. */
static const char *why_unbounded(const struct mrc_state *state, const struct summary *summary)
{
	return state->is_unbounded		? "events are missing"
	       : summary->curve.stack->rate < 1 ? "the sample is too small"
	       : state->lost			? "discarded events may be refaults"
			     : "a stream starts later or ends earlier than the others";
}

/* States the needed memory. @who is "Needs", or "Process cc1 (pid 77) needs". */
static void answer_needed(const struct mrc_state *state, const struct summary *summary,
			  const char *who, struct mm_report *report)
{
	const double limit = state->settings->limit;
	const char *s = limit == 1 ? "" : "s";
	char low[MM_NUMBER_TEXT], high[MM_NUMBER_TEXT], valid[MM_NUMBER_TEXT];

	pages_text(valid, summary->valid_from);
	pages_text(low, summary->low);
	pages_text(high, summary->high);
	if (summary->high == UINT64_MAX && summary->low == UINT64_MAX)
		mm_report_answer(
			report,
			"%s more memory than the trace covers: refaults exceed %g per second at every size from %s on.",
			who, limit, valid);
	else if (summary->high == UINT64_MAX && !summary->has_low)
		mm_report_answer(
			report,
			"%s an unknown amount of memory for at most %g refault%s per second: %s, and sizes below %s cannot be judged.",
			who, limit, s, why_unbounded(state, summary), valid);
	else if (summary->high == UINT64_MAX)
		mm_report_answer(
			report,
			"%s at least %s for at most %g refault%s per second (valid from %s up); there is no upper bound, because %s.",
			who, low, limit, s, valid, why_unbounded(state, summary));
	else if (summary->high == summary->valid_from)
		mm_report_answer(
			report,
			"%s at most %s for at most %g refault%s per second; less may suffice: the trace cannot judge sizes below %s.",
			who, high, limit, s, valid);
	else if (!summary->has_low)
		mm_report_answer(
			report,
			"%s at most %s for at most %g refault%s per second; less may suffice (valid from %s).",
			who, high, limit, s, valid);
	else
		mm_report_answer(
			report,
			"%s %s to %s for at most %g refault%s per second (valid from %s up).",
			who, low, high, limit, s, valid);
}

/* Writes a rate below 10 with two significant digits, so that 0.3 per second does not become 0. */
static void rate_text(char text[RATE_TEXT], double rate)
{
	if (rate < 10)
		snprintf(text, RATE_TEXT, "%.2g", rate);
	else
		snprintf(text, RATE_TEXT, "%.0f", rate);
}

/* States the refaults of a memory that is smaller than needed. */
static void answer_smaller(const struct summary *summary, struct mm_report *report)
{
	const uint64_t needed = summary->high != UINT64_MAX ? summary->high : summary->low;
	uint64_t pages = needed == UINT64_MAX ? 0 : needed / 4 * 3;
	struct mrc_refaults at;
	char size[MM_NUMBER_TEXT], low[RATE_TEXT], high[RATE_TEXT];

	if (pages < summary->valid_from)
		pages = summary->valid_from;
	if (pages >= needed || summary->seconds <= 0)
		return;
	at = mrc_curve_at(&summary->curve, pages);
	if (isinf(at.high))
		return;
	rate_text(low, at.low / summary->seconds);
	rate_text(high, at.high / summary->seconds);
	mm_report_answer(report, "With %s: %s%s%s refaults per second.", pages_text(size, pages),
			 low, strcmp(low, high) ? " to " : "", strcmp(low, high) ? high : "");
}

static void answer_counts(const struct mrc_state *state, const struct mrc_pages *pages,
			  const struct summary *summary, struct mm_report *report)
{
	const uint64_t touches = scale(state, pages->touches);
	const uint64_t first = scale(state, pages->stack.first_touches);
	const uint64_t unseen = scale(state, pages->unseen), around = scale(state, pages->around);
	const uint64_t unmarked = scale(state, pages->unmarked);
	const bool lacks = may_lack_events(state);
	const uint64_t huge_pages = (uint64_t)(pages->huge.count - 1) * MRC_HUGE_PAGES;
	char huge[MM_NUMBER_TEXT];

	mm_report_answer(report,
			 "%s%" PRIu64 " touch%s in %.1f s; %s%" PRIu64
			 " of them %s a first touch, which is not a refault.",
			 lacks ? "At least " : "", touches, mm_plural(touches, "", "es"),
			 summary->seconds, lacks ? "as far as is known, " : "", first,
			 mm_plural(first, "is", "are"));
	if (pages->huge.count > 1)
		mm_report_answer(report, "%s are huge pages, each counted as 2 MiB.",
				 pages_text(huge, scale(state, huge_pages)));
	if (pages->unseen || pages->around)
		mm_report_answer(report,
				 "The bounds allow for %" PRIu64
				 " page%s on which a pass found no mark, and %" PRIu64
				 " page%s mapped by faults on other pages.",
				 unseen, mm_plural_s(unseen), around, mm_plural_s(around));
	if (pages->unmarked)
		mm_report_answer(report,
				 "The bounds allow for uses of %" PRIu64
				 " page%s that %s not marked at the start of the time range.",
				 unmarked, mm_plural_s(unmarked),
				 mm_plural(unmarked, "was", "were"));
	if (state->has_begin && !state->prelude->unmarked.has_passed)
		mm_report_answer(
			report,
			"Not in the bounds: all pages may be used without a touch until the first pass, because the time range starts before it.");
	if (lacks)
		mm_report_answer(
			report, "%s",
			state->is_unbounded ? "An unknown number of events is missing."
			: state->lost
				? "The bounds allow for the discarded events."
				: "The bounds allow for events that may be missing because a stream starts later or ends earlier than the others.");
	mm_report_answer(
		report,
		"Not counted: pages that only read() and write() use; file pages that the kernel reads ahead.");
}

/* Is any policy other than OPT requested? */
static bool has_others(const bool *policies)
{
	return policies[MRC_LRU] || policies[MRC_CLOCK] || policies[MRC_FIFO];
}

/* Notes the limits of the requested policies. Returns true if OPT must be omitted. */
static bool note_policies(const struct mrc_state *state, struct mm_report *report)
{
	const bool *policies = state->settings->policies;
	bool is_mixed = false;

	for (size_t i = 0; i < state->group_count; i++)
		is_mixed |= state->groups[i]->references.has_small &&
			    state->groups[i]->references.has_huge;
	if (policies[MRC_CLOCK] || policies[MRC_FIFO])
		mm_report_note(report,
			       "clock and fifo simulate the recorded touches, without bounds.");
	if (policies[MRC_OPT] && mrc_prelude_recorded(state->prelude) < 1)
		mm_report_note(report, "opt is an estimate from a sample, not a lower bound.");
	if (policies[MRC_OPT] && is_mixed)
		mm_report_answer(
			report,
			"opt is left out%s: its lower bound is valid only for pages of one size, and the trace has pages of 4 KiB and huge pages.",
			has_others(policies) ? "" : ", and lru is shown");
	return is_mixed;
}

/* Returns the selected group, or the one with the most touches, or NULL. */
static const struct mrc_group *choose_group(const struct mrc_state *state)
{
	const struct mrc_settings *settings = state->settings;
	const struct mrc_group *chosen = NULL;

	for (size_t i = 0; i < state->group_count; i++) {
		const struct mrc_group *group = state->groups[i];

		if (settings->by_pid ? group->pid == settings->pid
				     : !chosen || group->pages.touches > chosen->pages.touches)
			chosen = group;
	}
	return chosen;
}

/* States the memory that the chosen group needs. */
static void answer_group(const struct mrc_state *state, struct mm_report *report)
{
	const struct mrc_settings *settings = state->settings;
	const struct mrc_group *group = choose_group(state);
	struct summary summary;
	char who[128] = "Needs";

	if (!group || !group->pages.touches)
		return;
	summarize(state, group, &summary);
	if (settings->by_process)
		snprintf(who, sizeof(who), "Process %s (pid %" PRIu32 ")%s needs",
			 group->name ? group->name : "<...>", group->pid,
			 settings->by_pid ? "" : ", with the most touches,");
	answer_needed(state, &summary, who, report);
	if (settings->by_process && !settings->by_pid)
		return;
	fill_needed(state, &summary, report);
	answer_smaller(&summary, report);
	if (!settings->needs_only)
		answer_counts(state, &group->pages, &summary, report);
}

static void note_sample(const struct mrc_state *state, struct mm_report *report)
{
	if (mrc_prelude_recorded(state->prelude) < 1)
		mm_report_answer(
			report,
			"Estimate: the recorder has sampled %.3g %% of the pages; ranges contain the true value in 9 of 10 cases.",
			100 * mrc_prelude_recorded(state->prelude));
}

int mrc_report_fill(struct mrc_state *state, struct mm_report *report)
{
	struct mrc_settings settings = *state->settings;
	const struct mrc_settings *given = state->settings;
	struct mm_table *processes = mm_report_table(report, &mrc_table_processes);
	struct mm_table *sizes = mm_report_table(report, &mrc_table_sizes);

	if (!state->group_count) {
		mm_report_finding(report, "No page was touched.");
		return report->failed ? -1 : 0;
	}
	if (settings.needs_only) {
		answer_group(state, report);
		return report->failed ? -1 : 0;
	}
	if (note_policies(state, report)) {
		settings.policies[MRC_OPT] = false;
		settings.policies[MRC_LRU] |= !has_others(settings.policies);
	}
	state->settings = &settings;
	fill_metrics(state, report);
	for (size_t i = 0; i < state->group_count; i++) {
		const struct mrc_group *group = state->groups[i];
		struct summary summary;

		if (!group->pages.touches)
			continue;
		summarize(state, group, &summary);
		if (settings.by_process)
			fill_process(group, &summary, processes, report);
		fill_sizes(state, group, &summary, sizes, report);
	}
	sizes->omits_empty = true;
	sizes->grouped = true;
	if (mm_table_sort(processes, MRC_PROCESS_HIGH, true))
		report->failed = true;
	note_sample(state, report);
	answer_group(state, report);
	mm_report_first_table(report, settings.by_process ? &mrc_table_processes : &mrc_table_sizes,
			      2 * SIZES_SHOWN);
	state->settings = given;
	return report->failed ? -1 : 0;
}
