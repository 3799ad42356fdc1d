// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the metrics of the report of page references. */
#include <inttypes.h>

#include "analysis/pageref/pageref-report.h"
#include "util/time.h"

static const char *const span_names[PAGEREF_SPANS] = {
	[PAGEREF_INTERVAL] = "interval",
	[PAGEREF_1_S] = "1s",
	[PAGEREF_10_S] = "10s",
};

static void add_resident(struct pageref_resident *sum, const struct pageref_resident *more)
{
	sum->pages += more->pages;
	for (int age = 0; age < PAGEREF_AGES; age++) {
		sum->most_cold[age] += more->most_cold[age];
		sum->least_cold[age] += more->least_cold[age];
	}
}

static void add_space(struct pageref_sums *sums, const struct touched_space *space)
{
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		sums->touches[kind] += space->touches[kind];
	pageref_counts_add(&sums->counts, &space->counts);
	add_resident(&sums->resident, &space->resident);
	sums->armed += space->armed;
	sums->unseen += space->unseen;
	sums->around += space->around;
	sums->unmarked += space->unmarked;
	sums->left_out += space->left_out;
	if (space->first_passed &&
	    (!sums->first_passed || space->first_passed < sums->first_passed))
		sums->first_passed = space->first_passed;
	if (space->last_passed > sums->last_passed)
		sums->last_passed = space->last_passed;
}

/*
 * Subtracts unseen pages from the certainly cold pages. The marks of unseen pages were removed
 * without a recorded touch, so these pages may have been touched.
 */
static void subtract_unseen(const struct pageref_state *state,
			    const struct mm_report_options *options, struct pageref_sums *sums)
{
	uint64_t unseen[PAGEREF_AGES] = { 0 };

	for (uint32_t i = 1; i < state->interval_uses.count; i++) {
		const struct pageref_interval_use *use = mm_rows_at(&state->interval_uses, i);
		/*
		 * A pass found the pages in interval key.b + 1, and ended before interval @end
		 * started.
		 */
		const size_t end = (size_t)use->key.b + 2;

		if (!use->unseen || !pageref_selected(state, use->key.a, options))
			continue;
		for (int age = 0; age < PAGEREF_AGES; age++)
			if (end >= state->interval_count ||
			    state->intervals[end].start_ns >
				    mm_time_difference(state->end_ns, pageref_ages_ns[age]))
				unseen[age] += use->unseen;
	}
	for (int age = 0; age < PAGEREF_AGES; age++) {
		uint64_t *cold = &sums->resident.least_cold[age];

		*cold = sums->lacking || *cold < unseen[age] ? 0 : *cold - unseen[age];
	}
}

/* Scales the sums to all pages if a sample was recorded. */
static void scale_sums(const struct pageref_state *state, struct pageref_sums *sums)
{
	sums->cluster = pageref_cluster(&sums->counts, sums->spaces);
	pageref_scale_counts(state, sums->spaces, &sums->counts);
	pageref_scale_resident(state, sums->cluster, &sums->resident);
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		sums->touches[kind] = pageref_scaled(state, sums->touches[kind]);
	sums->unseen = pageref_scaled(state, sums->unseen);
	sums->around = pageref_scaled(state, sums->around);
	sums->unmarked = pageref_scaled(state, sums->unmarked);
}

/* Sums up the selected address spaces. Returns 0, or -1 when out of memory. */
static int sum_up(const struct pageref_state *state, const struct mm_report_options *options,
		  const struct mm_report *report, struct pageref_sums *sums)
{
	struct mm_rows pids;
	int ret = mm_rows_init(&pids, sizeof(struct mm_row), UINT32_MAX - 1, 6);

	*sums = (struct pageref_sums){ .has_ended = true };
	for (uint32_t i = 1; i < state->spaces.count && !ret; i++) {
		const struct touched_space *space = mm_rows_at(&state->spaces, i);
		const bool is_known = space->pid != PAGEREF_NO_PID;

		if (!pageref_is_selected(space, options))
			continue;
		add_space(sums, space);
		sums->spaces += space->counts.touches > 0;
		sums->has_ended &= space->has_ended || !space->counts.touches;
		if (space->counts.touches)
			ret = mm_rows_get(&pids, is_known, is_known ? space->pid : space->key.a)
				      ? 0
				      : -1;
	}
	sums->processes = ret ? 0 : pids.count - 1;
	sums->lacking =
		report->lacking || state->incomplete || state->missed_ends || state->skipped;
	sums->least = sums->lacking || sums->unseen || sums->around || sums->unmarked;
	subtract_unseen(state, options, sums);
	scale_sums(state, sums);
	mm_rows_release(&pids);
	return ret;
}

static void set_count(struct mm_cell *cell, bool least, uint64_t value)
{
	if (least)
		mm_cell_set_least(cell, value);
	else
		mm_cell_set_u(cell, value);
}

#define set_metric(report, least, number, ...) \
	set_count(&mm_report_metric(report, __VA_ARGS__, NULL)->value, least, number)
#define set_bytes(report, least, pages, ...) \
	set_metric(report, least, (pages)*PAGEREF_PAGE_BYTES, __VA_ARGS__)

static void fill_quantile(const struct pageref_windows *windows, unsigned int span,
			  const char *name, double q, struct mm_report *report)
{
	struct mm_metric *least =
		mm_report_metric(report, "pageref.working_set_bytes", span_names[span], name, NULL);
	struct mm_metric *most = mm_report_metric(report, "pageref.most_working_set_bytes",
						  span_names[span], name, NULL);
	uint64_t bytes, most_bytes;

	mm_metric_set_samples(least, windows->count);
	mm_metric_set_samples(most, windows->count);
	if (!windows->count)
		return;
	bytes = pageref_quantile(windows->bytes, windows->count, q);
	most_bytes = pageref_quantile(windows->most, windows->count, q);
	set_count(&least->value, most_bytes > bytes, bytes);
	mm_cell_set_u(&most->value, most_bytes);
}

static void fill_working_set(const struct pageref_working_set *set, struct mm_report *report)
{
	for (unsigned int span = 0; span < PAGEREF_SPANS; span++) {
		fill_quantile(&set->windows[span], span, "0.5", 0.5, report);
		fill_quantile(&set->windows[span], span, "1", 1, report);
	}
	mm_report_count(report, set->excluded, "pageref.intervals_excluded");
}

/* Fills the metrics of cold pages. They have no value for an age that is longer than the trace. */
static void fill_cold(const struct pageref_state *state, const struct pageref_sums *sums,
		      struct mm_report *report)
{
	const struct pageref_resident *resident = &sums->resident;

	for (int age = 0; age < PAGEREF_AGES; age++) {
		struct mm_metric *least = mm_report_metric(report, "pageref.cold_bytes",
							   pageref_age_names[age], NULL);
		struct mm_metric *most = mm_report_metric(report, "pageref.most_cold_bytes",
							  pageref_age_names[age], NULL);

		if (!pageref_has_age(state, age))
			continue;
		mm_cell_set_u(&least->value, resident->least_cold[age] * PAGEREF_PAGE_BYTES);
		if (!report->lacking)
			mm_cell_set_u(&most->value, resident->most_cold[age] * PAGEREF_PAGE_BYTES);
	}
}

static void fill_pages(const struct pageref_state *state, const struct pageref_sums *sums,
		       struct mm_report *report)
{
	const struct pageref_counts *counts = &sums->counts;
	const uint64_t most = counts->pages + counts->maybe;
	const bool least = sums->lacking || counts->maybe;
	struct mm_metric *most_pages, *most_bytes, *resident;

	set_metric(report, least, counts->pages, "pageref.pages");
	most_pages = mm_report_metric(report, "pageref.most_pages", NULL);
	set_bytes(report, least, counts->pages, "pageref.bytes");
	most_bytes = mm_report_metric(report, "pageref.most_bytes", NULL);
	if (!sums->lacking) {
		mm_cell_set_u(&most_pages->value, most);
		mm_cell_set_u(&most_bytes->value, most * PAGEREF_PAGE_BYTES);
	}
	set_bytes(report, true, counts->written, "pageref.written_bytes");
	set_bytes(report, least, counts->huge, "pageref.huge_bytes");
	resident = mm_report_metric(report, "pageref.resident_bytes", NULL);
	/*
	 * A missing event may have stated that pages are gone, or that further pages were touched.
	 * The number of resident pages is then unknown.
	 */
	if (!report->lacking)
		set_count(&resident->value, least && !sums->has_ended,
			  sums->resident.pages * PAGEREF_PAGE_BYTES);
	fill_cold(state, sums, report);
}

static void fill_metrics(const struct pageref_state *state, const struct pageref_sums *sums,
			 const struct pageref_working_set *set, struct mm_report *report)
{
	set_metric(report, report->lacking, sums->processes, "pageref.processes");
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		set_metric(report, sums->least, sums->touches[kind], "pageref.touches",
			   pageref_kind_names[kind]);
	fill_pages(state, sums, report);
	set_metric(report, report->lacking, state->interval_count - 1, "pageref.passes");
	mm_cell_set_r(&mm_report_metric(report, "pageref.sample", NULL)->value,
		      pageref_share(state));
	fill_working_set(set, report);
	set_metric(report, report->lacking, sums->armed, "pageref.armed_pages");
	set_metric(report, report->lacking, sums->around, "pageref.around_pages");
	set_metric(report, report->lacking, sums->unseen, "pageref.unseen_pages");
	set_metric(report, report->lacking, sums->unmarked, "pageref.unmarked_pages");
	mm_report_count(report, sums->left_out, "pageref.left_out_pages");
	mm_report_count(report, state->incomplete, "pageref.events_incomplete");
	mm_report_count(report, state->missed_ends, "pageref.missed_faults");
	mm_report_count(report, state->skipped, "pageref.skipped_passes");
}

/* Fills the metrics of the recorded cgroup, if the system information has its memory. */
static void fill_cgroup(const struct pageref_state *state, struct mm_report *report)
{
	static const struct {
		const char *kind, *member;
	} kinds[] = {
		{ "anon", "anon_bytes" },
		{ "file", "file_bytes" },
		{ "file_mapped", "file_mapped_bytes" },
		{ "kernel", "kernel_bytes" },
	};
	uint64_t bytes;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (pageref_cgroup_bytes(state, kinds[i].member, &bytes))
			mm_report_count(report, bytes, "pageref.cgroup_bytes",
					pageref_cgroup(state), kinds[i].kind);
}

/* States that the trace has no touch, or no touch by the process that --pid selects. */
static void explain_no_touch(const struct pageref_state *state,
			     const struct mm_report_options *options, struct mm_report *report)
{
	char hint[MM_THREAD_HINT] = "";

	if (!options->by_pid) {
		mm_report_finding(report, "No page was touched%s.",
				  report->lacking ? ", as far as is known: events are missing"
						  : "");
		return;
	}
	mm_thread_hint(&state->threads, state->sysinfo, (int32_t)options->pid, hint);
	mm_report_finding(report, "There are no touches by process %u in the trace%s.",
			  options->pid, hint);
}

/*
 * Notes effects of marked pages on other events. LTTng reads user memory with page faults disabled,
 * and such a read fails if the page is marked.
 */
static void note_readers(const struct pageref_state *state, struct mm_report *report)
{
	if (state->has_system_calls)
		mm_report_remark(
			report,
			"Strings in the trace's system-call events may be empty or cut: LTTng cannot read a marked page.");
	if (state->has_user_stacks)
		mm_report_remark(
			report,
			"The trace's user call stacks may be cut: LTTng cannot read a marked page.");
}

int pageref_report_fill(struct pageref_state *state, const struct mm_report_options *options,
			struct mm_report *report)
{
	const struct pageref_options *given = MM_OPTIONS_OF(struct pageref_options, options);
	struct pageref_working_set set = { 0 };
	struct pageref_sums sums;

	/*
	 * If a stream starts later or ends earlier than the others, even by a short time, events
	 * may be missing.
	 */
	report->lacking |= state->has_gaps;
	if (sum_up(state, options, report, &sums) ||
	    pageref_working_set_find(state, options, &sums, &set)) {
		report->failed = true;
	} else {
		fill_metrics(state, &sums, &set, report);
		if (!options->by_pid)
			fill_cgroup(state, report);
		pageref_tables_fill(state, given, &sums, report);
		note_readers(state, report);
		if (sums.counts.touches)
			pageref_answer(state, given, &sums, &set, report);
		else
			explain_no_touch(state, options, report);
	}
	pageref_io_fill(state, options, report);
	pageref_working_set_release(&set);
	return report->failed ? -1 : 0;
}
