// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The first screen of the report of page references. Before these sentences, mrc_add_needs()
 * inserts how much memory is needed. Sample:
 *
 *   Of the touched memory, at least 6.0 MiB was resident at the end; not touched: 1.0 to 1.2 MiB
 *   for 10 s.
 *   Missed: 3 pages on which a pass found no mark may have been touched without an event; ranges
 *   include them.
 *   2 processes touched 7.1 to 7.2 MiB (1830 to 1833 pages) in 12 passes, and wrote at least
 *   3.2 MiB of it.
 *   Of these pages, process cc1 (pid 255) touched 81.0 % (5.8 MiB), and 35.0 % (2.5 MiB) are in
 *   [heap].
 *   Between two passes, they touched 1.2 to 1.3 MiB (median of 11 intervals; maximum 3.4 MiB).
 *   Not counted: pages that only read() and write() use (their number is unknown without
 *   --file-io); mappings of 16.0 KiB that are never marked; file pages that the kernel reads ahead.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pageref/pageref-report.h"
#include "reader/report/units.h"
#include "util/plural.h"

#define FIRST_ROWS 7
#define RANGE_TEXT (2 * MM_NUMBER_TEXT + 16)

static const char *bytes_text(char text[MM_NUMBER_TEXT], uint64_t bytes)
{
	const struct mm_cell cell = { .kind = MM_CELL_UNSIGNED, .u = bytes };

	mm_render_number(text, MM_NUMBER_TEXT, &cell, MM_BYTES);
	return text;
}

/* Writes "412.0 to 448.0 MiB", or one number if both ends look the same. */
static const char *range_text(char text[RANGE_TEXT], uint64_t least, uint64_t most)
{
	char low[MM_NUMBER_TEXT], high[MM_NUMBER_TEXT];
	const char *low_unit, *high_unit;

	bytes_text(low, least);
	bytes_text(high, most);
	low_unit = strchr(low, ' ');
	high_unit = strchr(high, ' ');
	if (!strcmp(low, high))
		snprintf(text, RANGE_TEXT, "%s", low);
	else if (low_unit && high_unit && !strcmp(low_unit, high_unit))
		snprintf(text, RANGE_TEXT, "%.*s to %s", (int)(low_unit - low), low, high);
	else
		snprintf(text, RANGE_TEXT, "%s to %s", low, high);
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Describes the pages that may have been touched: "3 pages on which a pass found no mark". */
static void missed_text(const struct pageref_sums *sums, char *text, size_t size)
{
	const struct {
		uint64_t pages;
		const char *what;
	} kinds[] = {
		{ sums->unseen, "on which a pass found no mark" },
		{ sums->around, "mapped by faults on other pages" },
		{ sums->unmarked, "not marked at the start of the time range" },
	};
	const uint64_t all = sums->unseen + sums->around + sums->unmarked;
	const char *before = " (";
	size_t length = (size_t)snprintf(text, size, "%" PRIu64 " page%s", all, mm_plural_s(all));

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && length < size; i++) {
		if (kinds[i].pages == all && all)
			snprintf(text + length, size - length, " %s", kinds[i].what);
		if (!kinds[i].pages || kinds[i].pages == all)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%" PRIu64 " %s", before,
					   kinds[i].pages, kinds[i].what);
		before = ", ";
	}
	if (*before == ',' && length < size)
		snprintf(text + length, size - length, ")");
}

/* States which events are missing, and how the other sentences account for them. */
static void answer_missed(const struct pageref_state *state, const struct pageref_sums *sums,
			  struct mm_report *report)
{
	char text[256];

	missed_text(sums, text, sizeof(text));
	if (sums->lacking)
		mm_report_answer(
			report,
			"Missed: %s, so figures are lower bounds, and no page is certainly cold.",
			report->lacking	     ? "events are or may be missing"
			: state->incomplete  ? "the addresses of some touches are not known"
			: state->missed_ends ? "the touches of some faults may be missing"
					     : "some passes did not mark all pages");
	else if (sums->least)
		mm_report_answer(
			report,
			"Missed: %s may have been touched without an event; ranges include them.",
			text);
	else
		mm_report_answer(report, "Missed: nothing, as far as is known.");
	if (state->has_begin && !state->unmarked.has_passed)
		mm_report_answer(
			report,
			"Not in the ranges: all pages may be used without a touch until the first pass, because the time range starts before it.");
}

/* States that the figures are estimates. */
static void answer_sample(const struct pageref_state *state, struct mm_report *report)
{
	if (pageref_share(state) < 1)
		mm_report_answer(
			report,
			"Estimate: the recorder has sampled %.3g %% of the pages; ranges contain the true value in 9 of 10 cases.",
			100 * pageref_share(state));
	if (state->sample > state->lowest_sample && state->highest_sample > state->lowest_sample)
		mm_report_answer(
			report,
			"The sample was larger at times, and the events can be read only once: figures may be too high.");
}

static void answer_pages(const struct pageref_state *state, const struct pageref_sums *sums,
			 struct mm_report *report)
{
	const struct pageref_counts *counts = &sums->counts;
	const uint64_t passes = state->interval_count - 1, most = counts->pages + counts->maybe;
	char bytes[RANGE_TEXT], written[MM_NUMBER_TEXT], pages[64];

	range_text(bytes, counts->pages * PAGEREF_PAGE_BYTES, most * PAGEREF_PAGE_BYTES);
	if (counts->maybe && !sums->lacking)
		snprintf(pages, sizeof(pages), "%" PRIu64 " to %" PRIu64 " pages", counts->pages,
			 most);
	else
		snprintf(pages, sizeof(pages), "%" PRIu64 " page%s", counts->pages,
			 mm_plural_s(counts->pages));
	if (sums->lacking)
		bytes_text(bytes, counts->pages * PAGEREF_PAGE_BYTES);
	mm_report_answer(report,
			 "%s%" PRIu64 " process%s touched %s%s (%s) in %s%" PRIu64
			 " pass%s, and wrote at least %s of it.",
			 report->lacking ? "At least " : "", sums->processes,
			 mm_plural(sums->processes, "", "es"), sums->lacking ? "at least " : "",
			 bytes, pages, report->lacking ? "at least " : "", passes,
			 mm_plural(passes, "", "es"),
			 bytes_text(written, counts->written * PAGEREF_PAGE_BYTES));
}

/* Writes "1.2 MiB (median of 11 intervals; maximum 3.4 MiB)". */
static const char *windows_text(char text[3 * RANGE_TEXT], const struct pageref_windows *windows,
				const char *noun, const char *excluded)
{
	const size_t count = windows->count;
	char median[RANGE_TEXT], maximum[RANGE_TEXT];

	range_text(median, pageref_quantile(windows->bytes, count, 0.5),
		   pageref_quantile(windows->most, count, 0.5));
	range_text(maximum, pageref_quantile(windows->bytes, count, 1),
		   pageref_quantile(windows->most, count, 1));
	if (count == 1)
		snprintf(text, 3 * RANGE_TEXT, "%s (1 %s%s)", median, noun, excluded);
	else
		snprintf(text, 3 * RANGE_TEXT, "%s (median of %zu %ss; maximum %s%s)", median,
			 count, noun, maximum, excluded);
	return text;
}

static void answer_working_set(const struct pageref_sums *sums,
			       const struct pageref_working_set *set, struct mm_report *report)
{
	const struct pageref_windows *windows = set->windows;
	char text[3 * RANGE_TEXT], longer[3 * RANGE_TEXT], excluded[96] = "";

	if (!windows[PAGEREF_INTERVAL].count) {
		mm_report_answer(report, "The working set is not known: %s.",
				 set->excluded ? "events may be missing between all passes"
					       : "the trace has fewer than two passes");
		return;
	}
	if (set->excluded)
		snprintf(excluded, sizeof(excluded),
			 "; %zu other%s, in which events may be missing, %s not included",
			 set->excluded, mm_plural_s(set->excluded),
			 mm_plural(set->excluded, "is", "are"));
	mm_report_answer(report, "Between two passes, %s touched %s.",
			 mm_plural(sums->processes, "it", "they"),
			 windows_text(text, &windows[PAGEREF_INTERVAL], "interval", excluded));
	if (!windows[PAGEREF_1_S].count)
		return;
	windows_text(text, &windows[PAGEREF_1_S], "window", "");
	if (windows[PAGEREF_10_S].count)
		mm_report_answer(report, "In 1 s, %s; in 10 s, %s.", text,
				 windows_text(longer, &windows[PAGEREF_10_S], "window", ""));
	else
		mm_report_answer(report, "In 1 s, %s.", text);
}

/* States how much of the memory was not touched recently. */
static void answer_cold(const struct pageref_state *state, const struct pageref_sums *sums,
			struct mm_report *report)
{
	static const char *const texts[PAGEREF_AGES] = { "10 s", "1 min", "10 min" };
	const struct pageref_resident *resident = &sums->resident;
	char bytes[MM_NUMBER_TEXT], cold[RANGE_TEXT], all[4 * RANGE_TEXT] = "";
	size_t length = 0;

	if (report->lacking) {
		mm_report_answer(
			report,
			"It is not known how much of the touched memory was resident at the end: events are missing.");
		return;
	}
	if (sums->has_ended) {
		mm_report_answer(
			report,
			"All processes had exited before the end of the %s, so none of the touched memory was resident then.",
			report->windowed ? "time range" : "trace");
		return;
	}
	for (int age = 0; age < PAGEREF_AGES; age++) {
		if (!pageref_has_age(state, age))
			break;
		range_text(cold, resident->least_cold[age] * PAGEREF_PAGE_BYTES,
			   resident->most_cold[age] * PAGEREF_PAGE_BYTES);
		length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s for %s",
					   age ? ", " : "; not touched: ", cold, texts[age]);
	}
	mm_report_answer(report, "Of the touched memory, %s%s was resident at the end%s.",
			 pageref_share(state) < 1	       ? "about "
			 : sums->lacking || sums->counts.maybe ? "at least "
							       : "",
			 bytes_text(bytes, resident->pages * PAGEREF_PAGE_BYTES), all);
}

/* Returns a noun to write after the name of a file or kind of memory, or "". */
static const char *noun_after(const struct mm_cell *file)
{
	const char *name = file[PAGEREF_MAPPINGS_NAME].s;

	/* Only files have an inode number. They need no noun. */
	if (!name || file[PAGEREF_MAPPINGS_INO].kind != MM_CELL_EMPTY)
		return "";
	return !strcmp(name, "anonymous") ? " memory other than heap and stack"
	       : !strcmp(name, "unknown") ? " mappings"
					  : "";
}

/* Names the process and the file with the most touched pages. Both tables are sorted. */
static void answer_place(const struct mm_table *processes, const struct mm_table *files,
			 uint64_t pages, struct mm_report *report)
{
	const struct mm_cell *process = processes->cells, *file = files->cells;
	const struct mm_cell *process_counts = process + PAGEREF_PROCESS_COUNTS,
			     *file_counts = file + PAGEREF_MAPPINGS_COUNTS;
	char process_bytes[MM_NUMBER_TEXT], file_bytes[MM_NUMBER_TEXT], pid[32] = "";

	if (!processes->row_count || !files->row_count)
		return;
	if (process[PAGEREF_PROCESS_PID].kind == MM_CELL_UNSIGNED)
		snprintf(pid, sizeof(pid), " (pid %" PRIu64 ")", process[PAGEREF_PROCESS_PID].u);
	mm_report_answer(
		report,
		"Of these pages, process %s%s touched %.1f %% (%s), and %.1f %% (%s) are in %s%s.",
		process[PAGEREF_PROCESS_NAME].s ? process[PAGEREF_PROCESS_NAME].s : "<...>", pid,
		percent(process_counts[PAGEREF_COUNT_PAGES].u, pages),
		bytes_text(process_bytes, process_counts[PAGEREF_COUNT_BYTES].u),
		percent(file_counts[PAGEREF_COUNT_PAGES].u, pages),
		bytes_text(file_bytes, file_counts[PAGEREF_COUNT_BYTES].u),
		file[PAGEREF_MAPPINGS_NAME].s ? file[PAGEREF_MAPPINGS_NAME].s : "?",
		noun_after(file));
}

/* Returns the number of pages of files that the selected address spaces read or wrote. */
static uint64_t count_file_pages(const struct pageref_state *state,
				 const struct mm_report_options *options)
{
	uint64_t pages = 0;

	for (uint32_t i = 1; i < state->io.uses.count; i++) {
		const struct pageref_io_use *use = mm_rows_at(&state->io.uses, i);

		if (pageref_selected(state, use->key.b, options))
			pages += use->sums[PAGEREF_IO_READ].pages +
				 use->sums[PAGEREF_IO_WRITE].pages;
	}
	return pages;
}

/* States how many pages read() and write() used. Some of them may also be touched in mappings. */
static void file_io_text(const struct pageref_state *state, const struct mm_report_options *options,
			 const struct mm_report *report, char *text, size_t size)
{
	const uint64_t pages = count_file_pages(state, options);
	char bytes[MM_NUMBER_TEXT];

	if (pages)
		snprintf(text, size, ", at most %s%s",
			 bytes_text(bytes, pages * PAGEREF_PAGE_BYTES),
			 report->lacking ? " in the recorded calls" : "");
	else
		snprintf(text, size, " (%s)",
			 state->has_file_io ? "no such call was recorded"
					    : "their number is unknown without --file-io");
}

static void answer_not_counted(const struct pageref_state *state,
			       const struct mm_report_options *options,
			       const struct pageref_sums *sums, struct mm_report *report)
{
	char left_out[112] = "", huge[160] = "", bytes[MM_NUMBER_TEXT], file_io[128];

	file_io_text(state, options, report, file_io, sizeof(file_io));
	if (sums->left_out)
		snprintf(left_out, sizeof(left_out), "; mappings of %s that are never marked",
			 bytes_text(bytes, sums->left_out * PAGEREF_PAGE_BYTES));
	if (sums->counts.huge)
		snprintf(huge, sizeof(huge), " %s are huge pages, each counted as 2 MiB.",
			 bytes_text(bytes, sums->counts.huge * PAGEREF_PAGE_BYTES));
	mm_report_answer(
		report,
		"Not counted: pages that only read() and write() use%s%s; file pages that the kernel reads ahead.%s",
		file_io, left_out, huge);
}

/*
 * States what a limit of the recorded cgroup's memory includes besides the touched memory. If all
 * processes have ended, the touched pages of files are no longer mapped, so nothing is stated.
 */
static void answer_cgroup(const struct pageref_state *state, struct mm_report *report)
{
	char cache[MM_NUMBER_TEXT], kernel[MM_NUMBER_TEXT + 32] = "", text[MM_NUMBER_TEXT];
	uint64_t file, mapped, bytes;

	if (!pageref_cgroup_bytes(state, "file_bytes", &file) ||
	    !pageref_cgroup_bytes(state, "file_mapped_bytes", &mapped))
		return;
	if (pageref_cgroup_bytes(state, "kernel_bytes", &bytes))
		snprintf(kernel, sizeof(kernel), " and %s of kernel memory",
			 bytes_text(text, bytes));
	mm_report_answer(
		report,
		"When the trace was written, the cgroup %s also had %s of page cache that was not mapped%s; its limit includes them.",
		pageref_cgroup(state), bytes_text(cache, file > mapped ? file - mapped : 0),
		kernel);
}

static const struct mm_table *find_table(const struct mm_report *report,
					 const struct mm_table_def *def)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->def == def)
			return report->tables[i];
	return NULL;
}

/* Selects the table of the first screen. */
static const struct mm_table_def *first_table(const struct pageref_options *options,
					      const struct mm_table *processes)
{
	static const struct {
		const char *by;
		const struct mm_table_def *table;
	} tables[] = {
		{ "kind", &pageref_table_memory },
		{ "file", &pageref_table_mappings },
		{ "mapping", &pageref_table_mappings_by_process },
		{ "process", &pageref_table_processes },
		{ "thread", &pageref_table_threads },
	};

	if (options->first_touch)
		return &pageref_table_first_touches;
	for (size_t i = 0; options->by && i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(options->by, tables[i].by))
			return tables[i].table;
	return processes->row_count > 1 ? &pageref_table_processes : &pageref_table_mappings;
}

/* States how many pages of the file of --first-touch were touched. */
static void answer_first_touch(const struct pageref_state *state,
			       const struct pageref_options *options, struct mm_report *report)
{
	const struct mm_table *table = find_table(report, &pageref_table_first_touches);
	uint32_t files = 0;

	for (uint32_t i = 1; i < state->objects.count; i++)
		files += ((struct pageref_object *)mm_rows_at(&state->objects, i))->is_listed;
	if (!table->row_count) {
		mm_report_answer(
			report,
			"There are no touches of a file named %s in the trace; --by=file lists the files.",
			options->first_touch);
		return;
	}
	mm_report_answer(report, "%zu page%s of the file %s %s touched.", table->row_count,
			 mm_plural_s(table->row_count), options->first_touch,
			 mm_plural(table->row_count, "was", "were"));
	if (files > 1)
		mm_report_answer(report,
				 "%u files have this name; the column inode tells them apart.",
				 files);
}

void pageref_answer(const struct pageref_state *state, const struct pageref_options *options,
		    const struct pageref_sums *sums, const struct pageref_working_set *set,
		    struct mm_report *report)
{
	const struct mm_table *processes = find_table(report, &pageref_table_processes);

	answer_sample(state, report);
	if (!options->first_touch)
		answer_cold(state, sums, report);
	answer_missed(state, sums, report);
	if (options->first_touch) {
		answer_first_touch(state, options, report);
	} else {
		answer_pages(state, sums, report);
		answer_place(processes, find_table(report, &pageref_table_mappings),
			     sums->counts.pages, report);
		answer_working_set(sums, set, report);
		answer_not_counted(state, &options->report, sums, report);
		if (!options->report.by_pid && !sums->has_ended)
			answer_cgroup(state, report);
	}
	mm_report_first_table(report, first_table(options, processes),
			      options->report.by_top ? options->report.top : FIRST_ROWS);
	if (options->first_touch)
		mm_report_next(report, "To get all pages", "lttng-mm report page-ref --json TRACE");
	else if (options->by)
		mm_report_next(report, "To see all tables", "lttng-mm report page-ref --all TRACE");
	else
		mm_report_next(report, "To see the files of each process",
			       "lttng-mm report page-ref --by=mapping TRACE");
}
