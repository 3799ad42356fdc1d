// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the tables of the report of page references. */
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-report.h"

/* Input of the functions that fill tables. */
struct tables {
	const struct pageref_state *state;
	const struct pageref_options *options;
	const struct pageref_sums *sums;
	struct mm_report *report;
};

static void set_count(struct mm_cell *cell, bool least, uint64_t value)
{
	if (least)
		mm_cell_set_least(cell, value);
	else
		mm_cell_set_u(cell, value);
}

static void set_bytes(struct mm_cell *cell, bool least, uint64_t pages)
{
	set_count(cell, least, pages * PAGEREF_PAGE_BYTES);
}

/* Fills the columns that several tables share, with counts of @spaces address spaces. */
static void fill_counts(const struct tables *t, const struct pageref_counts *recorded,
			const struct pageref_resident *recorded_resident, uint64_t spaces,
			struct mm_cell *row)
{
	struct pageref_counts scaled = *recorded;
	struct pageref_resident scaled_resident = *recorded_resident;
	const struct pageref_counts *counts = &scaled;
	const struct pageref_resident *resident = &scaled_resident;
	bool least;

	pageref_scale_resident(t->state, pageref_cluster(recorded, spaces), &scaled_resident);
	pageref_scale_counts(t->state, spaces, &scaled);
	least = t->sums->lacking || counts->maybe;
	set_count(&row[PAGEREF_COUNT_TOUCHES], t->sums->least, counts->touches);
	set_count(&row[PAGEREF_COUNT_PAGES], least, counts->pages);
	set_bytes(&row[PAGEREF_COUNT_BYTES], least, counts->pages);
	if (!t->sums->lacking)
		set_bytes(&row[PAGEREF_COUNT_MOST], false, counts->pages + counts->maybe);
	/*
	 * A lower bound: if a page is read and then written in one interval, the write is not
	 * recorded.
	 */
	set_bytes(&row[PAGEREF_COUNT_WRITTEN], true, counts->written);
	set_bytes(&row[PAGEREF_COUNT_HUGE], least, counts->huge);
	/*
	 * A missing event may have stated that pages are gone, or that further pages were touched.
	 * The numbers of resident and cold pages are then unknown.
	 */
	if (t->report->lacking)
		return;
	set_bytes(&row[PAGEREF_COUNT_RESIDENT], least && !t->sums->has_ended, resident->pages);
	for (int age = 0; age < PAGEREF_AGES; age++)
		if (pageref_has_age(t->state, age))
			set_bytes(&row[PAGEREF_COUNT_COLD + age], false, resident->most_cold[age]);
}

static void add_resident(struct pageref_resident *sum, const struct pageref_resident *more)
{
	sum->pages += more->pages;
	for (int age = 0; age < PAGEREF_AGES; age++)
		sum->most_cold[age] += more->most_cold[age];
}

/* Sorts a table and limits the rows of its text form. @by: value of --by that selects the table. */
static void finish_table(const struct tables *t, struct mm_table *table, size_t column,
			 const char *by)
{
	if (mm_table_sort(table, column, true))
		t->report->failed = true;
	mm_table_limit(table, t->options->report.top);
	table->hidden =
		t->options->first_touch || (t->options->by && strcmp(t->options->by, by) != 0);
	table->omits_empty = true;
}

/* Input for the median working sets of address spaces. */
struct medians {
	uint32_t *heads; /* for each address space: number of its last row in interval_uses, or 0 */
	uint32_t *nexts; /* for each row: number of the previous row of its address space, or 0 */
	uint32_t *valid; /* for each interval: number of complete intervals before it */
	uint64_t *values, *most;
};

static void release_medians(struct medians *medians)
{
	free(medians->heads);
	free(medians->nexts);
	free(medians->valid);
	free(medians->values);
	free(medians->most);
}

/*
 * Fills @medians. Release it with release_medians() even on failure. Returns 0, or -1 when out of
 * memory.
 */
static int prepare_medians(const struct pageref_state *state, struct medians *medians)
{
	const size_t rows = state->interval_uses.count;

	*medians = (struct medians){
		.heads = calloc(state->spaces.count, sizeof(*medians->heads)),
		.nexts = calloc(rows, sizeof(*medians->nexts)),
		.valid = calloc(state->interval_count + 1, sizeof(*medians->valid)),
		.values = calloc(rows, sizeof(*medians->values)),
		.most = calloc(rows, sizeof(*medians->most)),
	};
	if (!medians->heads || !medians->nexts || !medians->valid || !medians->values ||
	    !medians->most)
		return -1;
	for (uint32_t i = 1; i < rows; i++) {
		const struct pageref_interval_use *use = mm_rows_at(&state->interval_uses, i);
		const struct mm_row *space = mm_rows_lookup(&state->spaces, use->key.a, 0);
		const size_t number =
			(size_t)((const char *)space - state->spaces.all) / state->spaces.size;

		medians->nexts[i] = medians->heads[number];
		medians->heads[number] = i;
	}
	for (size_t i = 0; i < state->interval_count; i++)
		medians->valid[i + 1] = medians->valid[i] + !state->intervals[i].lacks_events;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns the median of @count values and @zeros further values, which are 0. */
static uint64_t find_median(uint64_t *values, size_t count, size_t zeros)
{
	const size_t at = (count + zeros - 1) / 2;

	qsort(values, count, sizeof(*values), compare_numbers);
	return at < zeros ? 0 : values[at - zeros];
}

/* Fills in the median working set between the passes over an address space. */
static void fill_median(const struct pageref_state *state, const struct medians *medians,
			uint32_t number, struct mm_cell *row)
{
	const struct touched_space *space = mm_rows_at(&state->spaces, number);
	const uint32_t first = space->first_passed, last = space->last_passed;
	struct pageref_range range;
	size_t count = 0, all;

	if (!first)
		return;
	all = medians->valid[last] - medians->valid[first];
	for (uint32_t i = medians->heads[number]; i; i = medians->nexts[i]) {
		const struct pageref_interval_use *use = mm_rows_at(&state->interval_uses, i);
		const uint32_t at = use->key.b;

		if (at < first || at >= last || state->intervals[at].lacks_events)
			continue;
		medians->values[count] = use->pages[PAGEREF_INTERVAL];
		medians->most[count++] = use->pages[PAGEREF_INTERVAL] + use->unseen + use->around;
	}
	if (!all)
		return;
	range = pageref_range(state, find_median(medians->values, count, all - count),
			      find_median(medians->most, count, all - count),
			      pageref_cluster(&space->counts, 1));
	set_bytes(&row[PAGEREF_PROCESS_WORKING_SET],
		  space->unseen || space->around || pageref_share(state) < 1, range.least);
	set_bytes(&row[PAGEREF_PROCESS_WORKING_SET_MOST], false, range.most);
}

static void fill_process(const struct tables *t, const struct touched_space *space,
			 struct mm_cell *row)
{
	const bool lacking = t->report->lacking;

	if (space->name[0])
		mm_cell_set_s(&row[PAGEREF_PROCESS_NAME], space->name);
	if (space->pid != PAGEREF_NO_PID)
		mm_cell_set_u(&row[PAGEREF_PROCESS_PID], space->pid);
	mm_cell_set_u(&row[PAGEREF_PROCESS_MM], space->key.a);
	fill_counts(t, &space->counts, &space->resident, 1, &row[PAGEREF_PROCESS_COUNTS]);
	for (int kind = 0; kind < PAGEREF_KINDS; kind++)
		set_count(&row[PAGEREF_PROCESS_KINDS + kind], t->sums->least,
			  pageref_scaled(t->state, space->touches[kind]));
	set_count(&row[PAGEREF_PROCESS_PASSES], lacking, space->passes);
	set_count(&row[PAGEREF_PROCESS_UNSEEN], lacking, pageref_scaled(t->state, space->unseen));
	set_count(&row[PAGEREF_PROCESS_AROUND], lacking, pageref_scaled(t->state, space->around));
	mm_cell_set_u(&row[PAGEREF_PROCESS_LEFT_OUT], space->left_out);
}

static void fill_processes(const struct tables *t)
{
	struct mm_table *table = mm_report_table(t->report, &pageref_table_processes);
	const struct pageref_state *state = t->state;
	struct medians medians;

	t->report->failed |= prepare_medians(state, &medians) != 0;
	for (uint32_t i = 1; i < state->spaces.count && !t->report->failed; i++) {
		const struct touched_space *space = mm_rows_at(&state->spaces, i);
		struct mm_cell *row;

		if (!space->counts.touches || !pageref_is_selected(space, &t->options->report))
			continue;
		row = mm_table_row(t->report, table);
		if (!row)
			break;
		fill_process(t, space, row);
		fill_median(state, &medians, i, row);
	}
	release_medians(&medians);
	finish_table(t, table, PAGEREF_PROCESS_COUNTS + PAGEREF_COUNT_BYTES, "process");
}

const char *pageref_object_name(const struct pageref_object *object)
{
	static const char *const names[PAGEREF_MEMORIES] = {
		[PAGEREF_MEMORY_UNKNOWN] = "unknown",
		[PAGEREF_MEMORY_ANONYMOUS] = "anonymous",
		[PAGEREF_MEMORY_HEAP] = "[heap]",
		[PAGEREF_MEMORY_STACK] = "[stack]",
	};

	return object->key.d ? object->name : names[object->key.a];
}

/* Fills in the name and the identity of a file or a kind of memory, in consecutive columns. */
static void fill_object(const struct pageref_object *object, struct mm_cell *row)
{
	mm_cell_set_s(&row[0], pageref_object_name(object));
	if (!object->key.d)
		return;
	mm_cell_set_u(&row[1], object->key.a >> 20);
	mm_cell_set_u(&row[2], object->key.a & 0xfffff);
	mm_cell_set_u(&row[3], (uint64_t)object->key.c << 32 | object->key.b);
}

/* Sums for an object, or a kind of memory, over the selected address spaces. */
struct object_sum {
	struct pageref_counts counts;
	struct pageref_resident resident;
	uint64_t spaces;
};

static void add_use(struct object_sum *sum, const struct pageref_use *use)
{
	pageref_counts_add(&sum->counts, &use->counts);
	add_resident(&sum->resident, &use->resident);
	sum->spaces += use->counts.touches > 0;
}

static void fill_mappings(const struct tables *t)
{
	struct mm_table *table = mm_report_table(t->report, &pageref_table_mappings);
	const struct pageref_state *state = t->state;
	struct object_sum *sums = calloc(state->objects.count, sizeof(*sums));

	t->report->failed |= !sums;
	for (uint32_t i = 1; sums && i < state->uses.count; i++) {
		const struct pageref_use *use = mm_rows_at(&state->uses, i);

		if (pageref_selected(state, use->key.b, &t->options->report))
			add_use(&sums[use->key.a], use);
	}
	for (uint32_t i = 1; sums && i < state->objects.count; i++) {
		struct mm_cell *row =
			sums[i].counts.touches ? mm_table_row(t->report, table) : NULL;

		if (!row)
			continue;
		fill_object(mm_rows_at(&state->objects, i), &row[PAGEREF_MAPPINGS_NAME]);
		fill_counts(t, &sums[i].counts, &sums[i].resident, sums[i].spaces,
			    &row[PAGEREF_MAPPINGS_COUNTS]);
		set_count(&row[PAGEREF_MAPPINGS_SPACES], t->sums->least, sums[i].spaces);
	}
	free(sums);
	finish_table(t, table, PAGEREF_MAPPINGS_COUNTS + PAGEREF_COUNT_BYTES, "file");
}

static void fill_memory(const struct tables *t)
{
	enum { ANONYMOUS, FILE_MEMORY, UNKNOWN, KINDS };
	static const char *const names[KINDS] = { "anonymous", "file", "unknown" };
	struct mm_table *table = mm_report_table(t->report, &pageref_table_memory);
	const struct pageref_state *state = t->state;
	struct object_sum sums[KINDS] = { 0 };

	for (uint32_t i = 1; i < state->uses.count; i++) {
		const struct pageref_use *use = mm_rows_at(&state->uses, i);
		const struct pageref_object *object = mm_rows_at(&state->objects, use->key.a);
		const int kind = object->key.d				   ? FILE_MEMORY
				 : object->key.a == PAGEREF_MEMORY_UNKNOWN ? UNKNOWN
									   : ANONYMOUS;

		if (pageref_selected(state, use->key.b, &t->options->report))
			add_use(&sums[kind], use);
	}
	for (int kind = 0; kind < KINDS; kind++) {
		struct mm_cell *row =
			sums[kind].counts.touches ? mm_table_row(t->report, table) : NULL;

		if (!row)
			continue;
		mm_cell_set_s(&row[PAGEREF_MEMORY_KIND], names[kind]);
		fill_counts(t, &sums[kind].counts, &sums[kind].resident, t->sums->spaces,
			    &row[PAGEREF_MEMORY_COUNTS]);
	}
	finish_table(t, table, PAGEREF_MEMORY_COUNTS + PAGEREF_COUNT_BYTES, "kind");
}

static void fill_mappings_by_process(const struct tables *t)
{
	struct mm_table *table = mm_report_table(t->report, &pageref_table_mappings_by_process);
	const struct pageref_state *state = t->state;

	for (uint32_t i = 1; i < state->uses.count; i++) {
		const struct pageref_use *use = mm_rows_at(&state->uses, i);
		const struct touched_space *space =
			pageref_selected(state, use->key.b, &t->options->report);
		struct mm_cell *row;

		if (!space || !use->counts.touches)
			continue;
		row = mm_table_row(t->report, table);
		if (!row)
			return;
		if (space->name[0])
			mm_cell_set_s(&row[PAGEREF_USES_PROCESS], space->name);
		if (space->pid != PAGEREF_NO_PID)
			mm_cell_set_u(&row[PAGEREF_USES_PID], space->pid);
		mm_cell_set_u(&row[PAGEREF_USES_MM], space->key.a);
		fill_object(mm_rows_at(&state->objects, use->key.a), &row[PAGEREF_USES_NAME]);
		fill_counts(t, &use->counts, &use->resident, 1, &row[PAGEREF_USES_COUNTS]);
	}
	finish_table(t, table, PAGEREF_USES_COUNTS + PAGEREF_COUNT_BYTES, "mapping");
	table->hidden |= !t->options->by;
}

static void fill_thread_name(const struct tables *t, uint32_t thread, struct mm_cell *name,
			     struct mm_cell *tid)
{
	const char *comm = mm_threads_comm(&t->state->threads, thread, t->state->sysinfo);

	mm_cell_set_s(name, comm);
	mm_cell_set_u(tid, (uint32_t)t->state->threads.all[thread].tid);
}

/* Counts of a thread in all selected address spaces. */
struct thread_sum {
	struct pageref_counts counts;
	uint64_t kernel;
};

static void fill_threads(const struct tables *t)
{
	struct mm_table *table = mm_report_table(t->report, &pageref_table_threads);
	const struct pageref_state *state = t->state;
	struct thread_sum *sums = calloc(state->threads.count + 1, sizeof(*sums));

	t->report->failed |= !sums;
	for (uint32_t i = 1; sums && i < state->thread_uses.count; i++) {
		const struct pageref_thread_use *use = mm_rows_at(&state->thread_uses, i);

		if (!pageref_selected(state, use->key.b, &t->options->report))
			continue;
		pageref_counts_add(&sums[use->key.a].counts, &use->counts);
		sums[use->key.a].kernel += use->kernel;
	}
	for (uint32_t i = 0; sums && i < state->threads.count; i++) {
		struct pageref_counts *counts = &sums[i].counts;
		struct mm_cell *row = counts->touches ? mm_table_row(t->report, table) : NULL;
		int32_t pid;

		if (!row)
			continue;
		pageref_scale_counts(state, t->sums->spaces, counts);
		fill_thread_name(t, i, &row[PAGEREF_THREADS_NAME], &row[PAGEREF_THREADS_TID]);
		pid = mm_threads_pid(&state->threads, i, state->sysinfo);
		if (pid >= 0)
			mm_cell_set_u(&row[PAGEREF_THREADS_PID], (uint32_t)pid);
		set_count(&row[PAGEREF_THREADS_TOUCHES], t->sums->least, counts->touches);
		set_count(&row[PAGEREF_THREADS_PAGES], t->sums->least || counts->maybe,
			  counts->pages);
		set_bytes(&row[PAGEREF_THREADS_BYTES], t->sums->least || counts->maybe,
			  counts->pages);
		set_bytes(&row[PAGEREF_THREADS_WRITTEN], true, counts->written);
		set_count(&row[PAGEREF_THREADS_KERNEL], t->sums->least,
			  pageref_scaled(state, sums[i].kernel));
	}
	free(sums);
	finish_table(t, table, PAGEREF_THREADS_BYTES, "thread");
}

/* Orders pages of files by file and page, and touches of one page by time. */
static int compare_pages(const void *a, const void *b)
{
	const struct pageref_file_page *x = *(const struct pageref_file_page *const *)a,
				       *y = *(const struct pageref_file_page *const *)b;

	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	if (x->key.b != y->key.b)
		return x->key.b < y->key.b ? -1 : 1;
	if (x->key.c != y->key.c)
		return x->key.c < y->key.c ? -1 : 1;
	if (x->first.time_ns != y->first.time_ns)
		return x->first.time_ns < y->first.time_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Orders pages by their first touch. The rows of equal times are in the order of events. */
static int compare_times(const void *a, const void *b)
{
	const struct pageref_file_page *x = *(const struct pageref_file_page *const *)a,
				       *y = *(const struct pageref_file_page *const *)b;

	if (x->first.time_ns != y->first.time_ns)
		return x->first.time_ns < y->first.time_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Keeps only the first touch of each page in @pages, sorted by time. Returns the number of pages.
 */
static size_t sort_first_touches(const struct pageref_file_page **pages, size_t count)
{
	size_t kept = 0;

	qsort(pages, count, sizeof(const struct pageref_file_page *), compare_pages);
	for (size_t i = 0; i < count; i++) {
		const struct mm_row *key = &pages[i]->key,
				    *before = kept ? &pages[kept - 1]->key : NULL;

		if (!before || before->a != key->a || before->b != key->b || before->c != key->c)
			pages[kept++] = pages[i];
	}
	qsort(pages, kept, sizeof(const struct pageref_file_page *), compare_times);
	return kept;
}

static void fill_first_touch(const struct tables *t, uint64_t order,
			     const struct pageref_file_page *page, struct mm_cell *row)
{
	const struct mm_row *key = &page->key;
	const struct pageref_first *first = &page->first;
	const struct touched_space *space = mm_rows_lookup(&t->state->spaces, key->d, 0);
	const struct pageref_object *object = mm_rows_at(&t->state->objects, key->a);
	const uint64_t time_ns = (uint64_t)first->time_ns - (uint64_t)t->state->start_ns;

	mm_cell_set_u(&row[PAGEREF_FIRST_ORDER], order);
	mm_cell_set_u(&row[PAGEREF_FIRST_TIME], time_ns);
	mm_cell_set_u(&row[PAGEREF_FIRST_OFFSET],
		      ((uint64_t)key->b << 32 | key->c) * PAGEREF_PAGE_BYTES);
	set_bytes(&row[PAGEREF_FIRST_BYTES], false, first->huge ? PAGEREF_TABLE_PAGES : 1);
	fill_thread_name(t, first->thread, &row[PAGEREF_FIRST_THREAD], &row[PAGEREF_FIRST_TID]);
	if (space->pid != PAGEREF_NO_PID)
		mm_cell_set_u(&row[PAGEREF_FIRST_PID], space->pid);
	mm_cell_set_s(&row[PAGEREF_FIRST_KIND], pageref_kind_names[first->kind]);
	mm_cell_set_u(&row[PAGEREF_FIRST_MAJOR], object->key.a >> 20);
	mm_cell_set_u(&row[PAGEREF_FIRST_MINOR], object->key.a & 0xfffff);
	mm_cell_set_u(&row[PAGEREF_FIRST_INO], (uint64_t)object->key.c << 32 | object->key.b);
}

static void fill_first_touches(const struct tables *t)
{
	struct mm_table *table = mm_report_table(t->report, &pageref_table_first_touches);
	const struct mm_rows *rows = &t->state->file_pages;
	const struct pageref_file_page **pages = calloc(rows->count, sizeof(*pages));
	size_t count = 0;

	t->report->failed |= !pages;
	for (uint32_t i = 1; pages && i < rows->count; i++) {
		const struct pageref_file_page *page = mm_rows_at(rows, i);

		if (pageref_selected(t->state, page->key.d, &t->options->report))
			pages[count++] = page;
	}
	count = pages ? sort_first_touches(pages, count) : 0;
	for (size_t i = 0; i < count; i++) {
		struct mm_cell *row = mm_table_row(t->report, table);

		if (!row)
			break;
		fill_first_touch(t, i + 1, pages[i], row);
	}
	free(pages);
	mm_table_limit(table, t->options->report.top);
}

void pageref_tables_fill(const struct pageref_state *state, const struct pageref_options *options,
			 const struct pageref_sums *sums, struct mm_report *report)
{
	const struct tables t = { state, options, sums, report };

	fill_memory(&t);
	fill_processes(&t);
	fill_mappings(&t);
	fill_mappings_by_process(&t);
	fill_threads(&t);
	if (options->first_touch)
		fill_first_touches(&t);
}
