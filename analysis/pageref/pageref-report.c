// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fills the report of page references. Sample of its answer:
 *
 *   2 processes touched 1830 pages (7.1 MiB) in 12 passes.
 *   Between two passes, they touched 1.2 MiB (median of 11 intervals), and 3.4 MiB at most.
 *   Process cc1 (pid 255) touched 81.0 % of these pages (5.8 MiB); 35.0 % (2.5 MiB) are in [heap].
 *   Not seen: touches of 3 pages that a pass found without a mark. 4 pages are never marked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-schema.h"
#include "reader/report/units.h"
#include "reader/sysinfo/selection.h"
#include "util/plural.h"

#define FIRST_ROWS 8
#define NAME_TEXT 160

/* Sums over the address spaces that the report is about. */
struct pageref_sums {
	uint64_t processes, touches[PAGEREF_KINDS], all_touches, pages;
	uint64_t armed, unseen, around, left_out;
	uint32_t first_passed, last_passed; /* as in struct touched_space */
	bool least;			    /* touches may be missing */
};

/* The bytes touched in each interval that lies between two passes. */
struct pageref_working_set {
	uint64_t *bytes; /* ascending */
	size_t count, excluded;
};

static bool is_selected(const struct touched_space *space, const struct mm_report_options *options)
{
	return !options->by_pid || space->pid == options->pid;
}

/* Is the address space with this number selected? */
static bool selects(const struct pageref_state *state, uint32_t mm,
		    const struct mm_report_options *options)
{
	const struct touched_space *space = mm_rows_lookup(&state->spaces, mm, 0);

	return space && is_selected(space, options);
}

static uint64_t touches_of(const struct touched_space *space)
{
	uint64_t touches = 0;

	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		touches += space->touches[kind];
	return touches;
}

static void add_space(struct pageref_sums *sums, const struct touched_space *space)
{
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		sums->touches[kind] += space->touches[kind];
	sums->all_touches += touches_of(space);
	sums->pages += space->pages;
	sums->armed += space->armed;
	sums->unseen += space->unseen;
	sums->around += space->around;
	sums->left_out += space->left_out;
	if (space->first_passed &&
	    (!sums->first_passed || space->first_passed < sums->first_passed))
		sums->first_passed = space->first_passed;
	if (space->last_passed > sums->last_passed)
		sums->last_passed = space->last_passed;
}

/* Returns 0, or -1 when out of memory. */
static int sum_up(const struct pageref_state *state, const struct mm_report_options *options,
		  const struct mm_report *report, struct pageref_sums *sums)
{
	struct mm_rows pids;
	int ret = mm_rows_init(&pids, sizeof(struct mm_row), UINT32_MAX - 1, 6);

	*sums = (struct pageref_sums){ 0 };
	for (uint32_t i = 1; i < state->spaces.count && !ret; i++) {
		const struct touched_space *space = mm_rows_at(&state->spaces, i);
		const bool is_known = space->pid != PAGEREF_NO_PID;

		if (!is_selected(space, options))
			continue;
		add_space(sums, space);
		if (touches_of(space))
			ret = mm_rows_get(&pids, is_known, is_known ? space->pid : space->key.a)
				      ? 0
				      : -1;
	}
	sums->processes = ret ? 0 : pids.count - 1;
	sums->least = report->lacking || sums->unseen || state->incomplete;
	mm_rows_release(&pids);
	return ret;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* An interval counts from one pass of a selected address space to the next pass. */
static int find_working_set(const struct pageref_state *state,
			    const struct mm_report_options *options,
			    const struct pageref_sums *sums, struct pageref_working_set *set)
{
	uint64_t *bytes = calloc(state->interval_count, sizeof(*bytes));

	*set = (struct pageref_working_set){ .bytes = bytes };
	if (!bytes)
		return -1;
	for (uint32_t i = 1; i < state->interval_uses.count; i++) {
		const struct pageref_interval_use *use = mm_rows_at(&state->interval_uses, i);

		if (selects(state, use->key.a, options))
			bytes[use->key.b] += use->pages * PAGEREF_PAGE_BYTES;
	}
	for (uint32_t i = sums->first_passed; i < sums->last_passed; i++) {
		if (state->intervals[i].lacks_events)
			set->excluded++;
		else
			bytes[set->count++] = bytes[i];
	}
	qsort(bytes, set->count, sizeof(*bytes), compare_numbers);
	return 0;
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

static void fill_working_set(const struct pageref_working_set *set, bool least,
			     struct mm_report *report)
{
	struct mm_metric *median =
		mm_report_metric(report, "pageref.working_set_bytes", "0.5", NULL);
	struct mm_metric *maximum =
		mm_report_metric(report, "pageref.working_set_bytes", "1", NULL);

	mm_metric_set_samples(median, set->count);
	mm_metric_set_samples(maximum, set->count);
	mm_report_count(report, set->excluded, "pageref.intervals_excluded");
	if (!set->count)
		return;
	set_count(&median->value, least, set->bytes[(set->count - 1) / 2]);
	set_count(&maximum->value, least, set->bytes[set->count - 1]);
}

static void fill_metrics(const struct pageref_state *state, const struct pageref_sums *sums,
			 const struct pageref_working_set *set, struct mm_report *report)
{
	set_metric(report, report->lacking, sums->processes, "pageref.processes");
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		set_metric(report, sums->least, sums->touches[kind], "pageref.touches",
			   pageref_kind_names[kind]);
	set_metric(report, sums->least, sums->pages, "pageref.pages");
	set_metric(report, sums->least, sums->pages * PAGEREF_PAGE_BYTES, "pageref.bytes");
	set_metric(report, report->lacking, state->interval_count - 1, "pageref.passes");
	fill_working_set(set, sums->unseen, report);
	set_metric(report, report->lacking, sums->armed, "pageref.armed_pages");
	set_metric(report, report->lacking, sums->around, "pageref.around_pages");
	set_metric(report, report->lacking, sums->unseen, "pageref.unseen_pages");
	mm_report_count(report, sums->left_out, "pageref.left_out_pages");
	mm_report_count(report, state->incomplete, "pageref.events_incomplete");
}

static void fill_processes(const struct pageref_state *state,
			   const struct mm_report_options *options, bool least,
			   struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &pageref_table_processes);

	for (uint32_t i = 1; i < state->spaces.count; i++) {
		const struct touched_space *space = mm_rows_at(&state->spaces, i);
		const uint64_t touches = touches_of(space);
		struct mm_cell *row;

		if (!touches || !is_selected(space, options))
			continue;
		row = mm_table_row(report, table);
		if (!row)
			return;
		if (space->name[0])
			mm_cell_set_s(&row[PAGEREF_PROCESS_NAME], space->name);
		if (space->pid != PAGEREF_NO_PID)
			mm_cell_set_u(&row[PAGEREF_PROCESS_PID], space->pid);
		mm_cell_set_u(&row[PAGEREF_PROCESS_MM], space->key.a);
		set_count(&row[PAGEREF_PROCESS_TOUCHES], least, touches);
		set_count(&row[PAGEREF_PROCESS_PAGES], least, space->pages);
		set_count(&row[PAGEREF_PROCESS_BYTES], least, space->pages * PAGEREF_PAGE_BYTES);
		for (int kind = 0; kind < PAGEREF_KINDS; kind++)
			set_count(&row[PAGEREF_PROCESS_KINDS + kind], least, space->touches[kind]);
		set_count(&row[PAGEREF_PROCESS_PASSES], report->lacking, space->passes);
		set_count(&row[PAGEREF_PROCESS_UNSEEN], report->lacking, space->unseen);
		mm_cell_set_u(&row[PAGEREF_PROCESS_LEFT_OUT], space->left_out);
	}
	if (mm_table_sort(table, PAGEREF_PROCESS_PAGES, true))
		report->failed = true;
	mm_table_limit(table, options->top);
}

static const char *object_name(const struct pageref_object *object)
{
	static const char *const names[PAGEREF_MEMORIES] = {
		[PAGEREF_MEMORY_UNKNOWN] = "unknown",
		[PAGEREF_MEMORY_ANONYMOUS] = "anonymous",
		[PAGEREF_MEMORY_HEAP] = "[heap]",
		[PAGEREF_MEMORY_STACK] = "[stack]",
	};

	return object->key.d ? object->name : names[object->key.a];
}

/* Touches of an object in all selected address spaces. */
struct pageref_object_sum {
	uint64_t touches, pages, spaces;
};

/* Returns an array with an element for each object, to be released with free(), or NULL. */
static struct pageref_object_sum *sum_objects(const struct pageref_state *state,
					      const struct mm_report_options *options)
{
	struct pageref_object_sum *sums = calloc(state->objects.count, sizeof(*sums));

	for (uint32_t i = 1; sums && i < state->uses.count; i++) {
		const struct pageref_use *use = mm_rows_at(&state->uses, i);

		if (!selects(state, use->key.b, options))
			continue;
		sums[use->key.a].touches += use->touches;
		sums[use->key.a].pages += use->pages;
		sums[use->key.a].spaces++;
	}
	return sums;
}

static void fill_object(const struct pageref_object *object, const struct pageref_object_sum *sum,
			bool least, struct mm_cell *row)
{
	mm_cell_set_s(&row[PAGEREF_MAPPINGS_NAME], object_name(object));
	if (object->key.d) {
		mm_cell_set_u(&row[PAGEREF_MAPPINGS_MAJOR], object->key.a >> 20);
		mm_cell_set_u(&row[PAGEREF_MAPPINGS_MINOR], object->key.a & 0xfffff);
		mm_cell_set_u(&row[PAGEREF_MAPPINGS_INO],
			      (uint64_t)object->key.c << 32 | object->key.b);
	}
	set_count(&row[PAGEREF_MAPPINGS_TOUCHES], least, sum->touches);
	set_count(&row[PAGEREF_MAPPINGS_PAGES], least, sum->pages);
	set_count(&row[PAGEREF_MAPPINGS_BYTES], least, sum->pages * PAGEREF_PAGE_BYTES);
	set_count(&row[PAGEREF_MAPPINGS_SPACES], least, sum->spaces);
}

static void fill_mappings(const struct pageref_state *state,
			  const struct mm_report_options *options, bool least,
			  struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &pageref_table_mappings);
	struct pageref_object_sum *sums = sum_objects(state, options);

	report->failed |= !sums;
	for (uint32_t i = 1; sums && i < state->objects.count; i++) {
		struct mm_cell *row = sums[i].touches ? mm_table_row(report, table) : NULL;

		if (row)
			fill_object(mm_rows_at(&state->objects, i), &sums[i], least, row);
	}
	free(sums);
	if (mm_table_sort(table, PAGEREF_MAPPINGS_PAGES, true))
		report->failed = true;
	mm_table_limit(table, options->top);
}

static const char *bytes_text(char text[MM_NUMBER_TEXT], uint64_t bytes)
{
	const struct mm_cell cell = { .kind = MM_CELL_UNSIGNED, .u = bytes };

	mm_render_number(text, MM_NUMBER_TEXT, &cell, MM_BYTES);
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void answer_working_set(const struct pageref_sums *sums,
			       const struct pageref_working_set *set, struct mm_report *report)
{
	char median[MM_NUMBER_TEXT], maximum[MM_NUMBER_TEXT], excluded[80] = "";

	if (!set->count) {
		mm_report_answer(report, "The working set is not known: %s.",
				 set->excluded ? "events are missing between all passes"
					       : "the trace has fewer than two passes");
		return;
	}
	if (set->excluded)
		snprintf(excluded, sizeof(excluded), "; events are missing in %zu other%s",
			 set->excluded, mm_plural_s(set->excluded));
	mm_report_answer(
		report,
		"Between two passes, %s touched %s (median of %zu interval%s%s), and %s at most.",
		mm_plural(sums->processes, "it", "they"),
		bytes_text(median, set->bytes[(set->count - 1) / 2]), set->count,
		mm_plural_s(set->count), excluded, bytes_text(maximum, set->bytes[set->count - 1]));
}

/* Returns the noun that the name of a mapping lacks in a sentence. */
static const char *noun_after(const struct mm_cell *mapping)
{
	const char *name = mapping[PAGEREF_MAPPINGS_NAME].s;

	/* Files have an inode number. */
	if (!name || mapping[PAGEREF_MAPPINGS_INO].kind != MM_CELL_EMPTY)
		return "";
	return !strcmp(name, "anonymous") ? " memory" : !strcmp(name, "unknown") ? " mappings" : "";
}

/* Names the process and the mapping with the most pages. Both tables are sorted by pages. */
static void answer_place(const struct mm_table *processes, const struct mm_table *mappings,
			 uint64_t pages, struct mm_report *report)
{
	const struct mm_cell *process = processes->cells, *mapping = mappings->cells;
	char process_bytes[MM_NUMBER_TEXT], mapping_bytes[MM_NUMBER_TEXT], pid[32] = "";

	if (!processes->row_count || !mappings->row_count)
		return;
	if (process[PAGEREF_PROCESS_PID].kind == MM_CELL_UNSIGNED)
		snprintf(pid, sizeof(pid), " (pid %" PRIu64 ")", process[PAGEREF_PROCESS_PID].u);
	mm_report_answer(
		report,
		"Process %s%s touched %.1f %% of these pages (%s); %.1f %% (%s) are in %s%s.",
		process[PAGEREF_PROCESS_NAME].s ? process[PAGEREF_PROCESS_NAME].s : "<...>", pid,
		percent(process[PAGEREF_PROCESS_PAGES].u, pages),
		bytes_text(process_bytes, process[PAGEREF_PROCESS_BYTES].u),
		percent(mapping[PAGEREF_MAPPINGS_PAGES].u, pages),
		bytes_text(mapping_bytes, mapping[PAGEREF_MAPPINGS_BYTES].u),
		mapping[PAGEREF_MAPPINGS_NAME].s ? mapping[PAGEREF_MAPPINGS_NAME].s : "?",
		noun_after(mapping));
}

static void answer_missed(const struct pageref_sums *sums, struct mm_report *report)
{
	char left_out[80] = "";

	if (sums->left_out)
		snprintf(left_out, sizeof(left_out), " %" PRIu64 " page%s %s never marked.",
			 sums->left_out, mm_plural_s(sums->left_out),
			 mm_plural(sums->left_out, "is", "are"));
	if (sums->unseen)
		mm_report_answer(report,
				 "Not seen: touches of %" PRIu64
				 " page%s that a pass found without a mark.%s",
				 sums->unseen, mm_plural_s(sums->unseen), left_out);
	else
		mm_report_answer(report, "No pass %s a page whose touch was not seen.%s",
				 report->lacking ? "is known to have found" : "found", left_out);
}

static void answer(const struct pageref_state *state, const struct pageref_sums *sums,
		   const struct pageref_working_set *set, struct mm_report *report)
{
	const struct mm_table *processes = report->tables[0], *mappings = report->tables[1];
	const uint64_t passes = state->interval_count - 1;
	char bytes[MM_NUMBER_TEXT];

	if (!sums->all_touches)
		return;
	mm_report_answer(
		report,
		"%s%" PRIu64 " process%s touched %s%" PRIu64 " page%s (%s) in %" PRIu64 " pass%s.",
		report->lacking ? "At least " : "", sums->processes,
		mm_plural(sums->processes, "", "es"), sums->least ? "at least " : "", sums->pages,
		mm_plural_s(sums->pages), bytes_text(bytes, sums->pages * PAGEREF_PAGE_BYTES),
		passes, mm_plural(passes, "", "es"));
	answer_working_set(sums, set, report);
	answer_place(processes, mappings, sums->pages, report);
	answer_missed(sums, report);
	mm_report_first_table(report,
			      processes->row_count > 1 ? &pageref_table_processes
						       : &pageref_table_mappings,
			      FIRST_ROWS);
	mm_report_next(report, "To see all tables", "lttng-mm report page-ref --all TRACE");
}

/* States that no touch is of the process that --pid selects. */
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
	mm_report_finding(report, "No touch of a page of process %u is in the trace%s.",
			  options->pid, hint);
}

int pageref_report_fill(struct pageref_state *state, const struct mm_report_options *options,
			struct mm_report *report)
{
	struct pageref_working_set set = { 0 };
	struct pageref_sums sums;

	if (sum_up(state, options, report, &sums) ||
	    find_working_set(state, options, &sums, &set)) {
		report->failed = true;
		return -1;
	}
	fill_metrics(state, &sums, &set, report);
	fill_processes(state, options, sums.least, report);
	fill_mappings(state, options, sums.least, report);
	if (state->has_system_calls)
		mm_report_note(
			report,
			"Strings in events of system calls may be empty or cut: the tracer cannot read a page that is marked.");
	if (sums.all_touches)
		answer(state, &sums, &set, report);
	else
		explain_no_touch(state, options, report);
	pageref_io_fill(state, options, report);
	free(set.bytes);
	return report->failed ? -1 : 0;
}
