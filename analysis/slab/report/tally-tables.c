// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the tables of processes, CPUs, nodes and cross-process frees. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"

/* The number of a group without a known process is its thread id plus this constant. */
#define THREAD_ALONE (INT64_C(1) << 32)

/* Sums for a process, a thread of an unknown process, a CPU or a node. */
struct tally_group {
	int64_t number;
	uint32_t id; /* process: id of its first thread, from slab_thread_leader() */
	char name[SLAB_THREAD_BYTES];
	uint64_t allocs, frees, bytes_req, bytes_alloc, live, live_bytes, pages, pages_freed;
	uint64_t page_bytes, page_live_bytes;
	uint64_t unsized, live_unsized; /* numbers of objects of unknown size */
};

static void add_tally(const struct slab_results *results, const struct slab_tally *tally,
		      struct tally_group *who)
{
	uint32_t kind = SLAB_KIND_OF(tally->row.b);
	uint64_t object = slab_kind_object_size(results->caches, kind),
		 size = slab_kind_size(results->caches, kind);

	if (slab_kind_is_pages(kind) && kind != SLAB_KIND_ANY) {
		who->pages += tally->allocs;
		who->pages_freed += tally->frees;
		who->page_bytes += tally->bytes_alloc << slab_page_scale(results->nodes);
		who->page_live_bytes += tally->live_alloc << slab_page_scale(results->nodes);
		return;
	}
	if (slab_kind_is_unsized(results->caches, kind)) {
		who->unsized += tally->allocs;
		who->live_unsized += tally->live;
	}
	who->allocs += tally->allocs;
	who->frees += tally->frees;
	who->bytes_req += size ? tally->allocs * object : tally->bytes_req;
	who->bytes_alloc += size ? tally->allocs * size : tally->bytes_alloc;
	who->live += tally->live;
	who->live_bytes += size ? tally->live * size : tally->live_alloc;
}

static int compare_identity(const void *a, const void *b)
{
	const struct tally_group *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Sorts by bytes of pages. Slab caches consist of pages, so adding their bytes would count memory
 * twice.
 */
static int compare_bytes(const void *a, const void *b)
{
	const struct tally_group *x = a, *y = b;

	if (x->page_bytes != y->page_bytes)
		return x->page_bytes < y->page_bytes ? 1 : -1;
	if (x->bytes_alloc != y->bytes_alloc)
		return x->bytes_alloc < y->bytes_alloc ? 1 : -1;
	if (x->frees != y->frees)
		return x->frees < y->frees ? 1 : -1;
	return compare_identity(a, b);
}

/*
 * Sums up the rows by the process, CPU or node that @name_it sets. Returns the number of groups.
 * *@all is NULL when out of memory.
 */
static uint32_t fold(const struct slab_results *results, const struct mm_rows *rows,
		     void (*name_it)(const struct slab_results *results, const struct mm_row *row,
				     struct tally_group *who),
		     struct tally_group **all)
{
	uint32_t count = 0, used = 0;

	*all = calloc(rows->count + 1, sizeof(**all));
	if (!*all)
		return 0;
	for (uint32_t i = 1; i < rows->count; i++) {
		const struct slab_tally *tally = mm_rows_at(rows, i);

		name_it(results, &tally->row, &(*all)[count]);
		add_tally(results, tally, &(*all)[count++]);
	}
	qsort(*all, count, sizeof(**all), compare_identity);
	for (uint32_t i = 0; i < count; i++) {
		struct tally_group *from = &(*all)[i], *to = used ? &(*all)[used - 1] : NULL;

		if (!to || compare_identity(to, from)) {
			(*all)[used++] = *from;
			continue;
		}
		to->allocs += from->allocs;
		to->frees += from->frees;
		to->bytes_req += from->bytes_req;
		to->bytes_alloc += from->bytes_alloc;
		to->live += from->live;
		to->live_bytes += from->live_bytes;
		to->pages += from->pages;
		to->pages_freed += from->pages_freed;
		to->page_bytes += from->page_bytes;
		to->page_live_bytes += from->page_live_bytes;
		to->unsized += from->unsized;
		to->live_unsized += from->live_unsized;
	}
	return used;
}

static void set_who(const struct slab_results *results, struct mm_cell *cells,
		    const struct tally_group *who)
{
	const struct slab_sum *all = &results->whole->objects;

	mm_cell_set_u(&cells[SLAB_WHO_ALLOCATIONS], who->allocs);
	slab_set_rate(results, &cells[SLAB_WHO_RATE], who->allocs);
	mm_cell_set_u(&cells[SLAB_WHO_FREES], who->frees);
	slab_set_bytes(&cells[SLAB_WHO_BYTES_REQUESTED], who->bytes_req, who->unsized, who->allocs);
	slab_set_bytes(&cells[SLAB_WHO_BYTES_ALLOCATED], who->bytes_alloc, who->unsized,
		       who->allocs);
	if (!all->unsized)
		slab_set_percent(&cells[SLAB_WHO_SHARE], who->bytes_alloc, all->bytes_alloc);
	if (!slab_live_is_unknown(all)) {
		mm_cell_set_u(&cells[SLAB_WHO_LIVE], who->live);
		slab_set_bytes(&cells[SLAB_WHO_LIVE_BYTES], who->live_bytes, who->live_unsized,
			       who->live);
	}
	mm_cell_set_u(&cells[SLAB_WHO_PAGE_ALLOCATIONS], who->pages);
	mm_cell_set_u(&cells[SLAB_WHO_PAGE_BYTES], who->page_bytes);
	if (!slab_live_is_unknown(&results->whole->pages))
		mm_cell_set_u(&cells[SLAB_WHO_PAGE_LIVE_BYTES], who->page_live_bytes);
	mm_cell_set_u(&cells[SLAB_WHO_PAGE_FREES], who->pages_freed);
	mm_cell_set_u(&cells[SLAB_WHO_SIZE_UNKNOWN], who->unsized);
}

static void name_process(const struct slab_results *results, const struct mm_row *row,
			 struct tally_group *who)
{
	int32_t pid = slab_thread_pid(results->threads, row->a);

	/* A process has the name of its first thread. */
	who->id = slab_thread_leader(results->threads, row->a, pid);
	who->number = pid < 0 ? THREAD_ALONE + slab_thread_tid(results->threads, row->a) : pid;
	slab_thread_name(results->threads, who->id, who->name, sizeof(who->name));
}

static void name_cpu(const struct slab_results *results, const struct mm_row *row,
		     struct tally_group *who)
{
	who->number = row->b >> SLAB_CPU_SHIFT;
}

static void name_node(const struct slab_results *results, const struct mm_row *row,
		      struct tally_group *who)
{
	bool pages = slab_kind_is_pages(row->b) && row->b != SLAB_KIND_NONE;

	who->number = slab_section_node(results->nodes, row->a, pages);
	if (who->number < 0) {
		who->number = -1;
		snprintf(who->name, sizeof(who->name), "not known");
		return;
	}
	snprintf(who->name, sizeof(who->name), "%" PRId64, who->number);
}

static void set_process(const struct slab_results *results, struct mm_cell *cells,
			const struct tally_group *who)
{
	uint32_t tid = (uint32_t)who->number;
	bool alone = who->number >= THREAD_ALONE;
	char text[SLAB_THREAD_BYTES + 64];

	mm_cell_set_s(&cells[SLAB_PROCESSES_PROCESS], who->name);
	slab_thread_name_shown(results, who->id, text, sizeof(text) - 32);
	if (alone)
		strcat(text, " (process not known)");
	mm_cell_set_shown(&cells[SLAB_PROCESSES_PROCESS], text);
	mm_cell_set_u(&cells[alone ? SLAB_PROCESSES_TID : SLAB_PROCESSES_PID], tid);
	if (slab_thread_is_interrupt(results->threads, who->id))
		mm_cell_set_s(&cells[SLAB_PROCESSES_CONTEXT], "interrupt");
}

static void fill_processes(const struct slab_results *results, const struct slab_options *options,
			   struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "process", &slab_table_processes);
	struct tally_group *all;
	uint32_t count = fold(results, &results->tracker->tallies.threads, name_process, &all);

	if (all)
		qsort(all, count, sizeof(*all), compare_bytes);
	for (uint32_t i = 0; all && i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		set_process(results, cells, &all[i]);
		set_who(results, &cells[SLAB_PROCESSES_WHO], &all[i]);
	}
	report->failed |= !all;
	free(all);
}

static void fill_cpus(const struct slab_results *results, const struct slab_options *options,
		      struct mm_report *report)
{
	struct mm_table *table = slab_report_table(report, options, "cpu", &slab_table_cpus);
	struct tally_group *all;
	uint32_t count = fold(results, &results->tracker->tallies.threads, name_cpu, &all);

	for (uint32_t i = 0; all && i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		mm_cell_set_u(&cells[SLAB_CPUS_CPU], (uint64_t)all[i].number);
		set_who(results, &cells[SLAB_CPUS_WHO], &all[i]);
	}
	slab_hide_single(options, "cpu", table);
	report->failed |= !all;
	free(all);
}

static void fill_nodes(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	struct mm_table *table = slab_report_table(report, options, "node", &slab_table_nodes);
	const struct slab_sum *objects = &results->whole->objects;
	struct tally_group *all;
	uint32_t count = fold(results, &results->tracker->tallies.sections, name_node, &all);

	for (uint32_t i = 0; all && i < count; i++) {
		const struct tally_group *who = &all[i];
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		mm_cell_set_s(&cells[SLAB_NODES_NODE], who->name);
		mm_cell_set_u(&cells[SLAB_NODES_ALLOCATIONS], who->allocs);
		slab_set_bytes(&cells[SLAB_NODES_BYTES_REQUESTED], who->bytes_req, who->unsized,
			       who->allocs);
		slab_set_bytes(&cells[SLAB_NODES_BYTES_ALLOCATED], who->bytes_alloc, who->unsized,
			       who->allocs);
		if (!objects->unsized)
			slab_set_percent(&cells[SLAB_NODES_SHARE], who->bytes_alloc,
					 objects->bytes_alloc);
		if (!slab_live_is_unknown(objects)) {
			mm_cell_set_u(&cells[SLAB_NODES_LIVE], who->live);
			slab_set_bytes(&cells[SLAB_NODES_LIVE_BYTES], who->live_bytes,
				       who->live_unsized, who->live);
		}
		mm_cell_set_u(&cells[SLAB_NODES_PAGE_ALLOCATIONS], who->pages);
		mm_cell_set_u(&cells[SLAB_NODES_SIZE_UNKNOWN], who->unsized);
	}
	slab_hide_single(options, "node", table);
	report->failed |= !all;
	free(all);
}

static int compare_counts(const void *a, const void *b)
{
	const struct slab_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	return (x->row.b > y->row.b) - (x->row.b < y->row.b);
}

static struct slab_count *sorted(const struct mm_rows *rows, uint32_t *count)
{
	struct slab_count *all = calloc(rows->count + 1, sizeof(*all));

	*count = all ? rows->count - 1 : 0;
	if (!all)
		return NULL;
	memcpy(all, mm_rows_at(rows, 1), *count * sizeof(*all));
	qsort(all, *count, sizeof(*all), compare_counts);
	return all;
}

static uint64_t sum_of(const struct slab_count *all, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += all[i].count;
	return sum;
}

static void fill_matrix(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report)
{
	struct mm_table *table = slab_report_table(report, options, "cpu", &slab_table_cpu_matrix);
	uint64_t same = 0, other = 0, sum;
	struct slab_count *all;
	uint32_t count;

	all = sorted(&results->tracker->remote.matrix, &count);
	sum = all ? sum_of(all, count) : 0;
	for (uint32_t i = 0; all && i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		mm_cell_set_u(&cells[SLAB_CPU_MATRIX_ALLOCATED_ON], all[i].row.a);
		mm_cell_set_u(&cells[SLAB_CPU_MATRIX_FREED_ON], all[i].row.b);
		mm_cell_set_u(&cells[SLAB_CPU_MATRIX_COUNT], all[i].count);
		slab_set_percent(&cells[SLAB_CPU_MATRIX_PERCENT], all[i].count, sum);
		same += all[i].row.a == all[i].row.b ? all[i].count : 0;
		other += all[i].row.a != all[i].row.b ? all[i].count : 0;
	}
	slab_hide_single(options, "cpu", table);
	mm_report_count(report, same, "slab.local_frees");
	mm_report_count(report, other, "slab.remote_frees");
	report->failed |= !all;
	free(all);
}

/*
 * Adds up the pairs of threads by process. Leaves out frees within a process. Leaves out the
 * recorder's frees, except with --include-recorder. Adds frees of unknown processes to *@unknown.
 * Sets *@failed when out of memory. Returns the number of pairs.
 */
static uint32_t fold_cross_process(const struct slab_results *results,
				   const struct slab_options *options, struct slab_count *all,
				   uint32_t count, uint64_t *unknown, bool *failed)
{
	struct mm_rows pairs;
	uint32_t used = 0;

	if (mm_rows_init(&pairs, sizeof(*all), UINT32_MAX - 1, 8)) {
		mm_rows_release(&pairs);
		*failed = true;
		return 0;
	}
	for (uint32_t i = 0; all && i < count; i++) {
		int32_t from = slab_thread_pid(results->threads, all[i].row.a);
		int32_t to = slab_thread_pid(results->threads, all[i].row.b);
		bool ours = !options->report.include_recorder &&
			    (slab_recorder_is_thread(results->recorder, all[i].row.a) ||
			     slab_recorder_is_thread(results->recorder, all[i].row.b));
		uint32_t owner = slab_thread_leader(results->threads, all[i].row.a, from);
		uint32_t other = slab_thread_leader(results->threads, all[i].row.b, to);
		struct slab_count *pair;

		if (ours || (options->report.by_pid && !mm_options_select(&options->report, from) &&
			     !mm_options_select(&options->report, to)))
			continue;
		if (from < 0 || to < 0)
			*unknown += all[i].count;
		if (from < 0 || to < 0 || owner == other)
			continue;
		pair = mm_rows_get(&pairs, owner, other);
		*failed |= !pair;
		if (pair)
			pair->count += all[i].count;
	}
	used = pairs.count - 1;
	memcpy(all, mm_rows_at(&pairs, 1), used * sizeof(*all));
	mm_rows_release(&pairs);
	qsort(all, used, sizeof(*all), compare_counts);
	return used;
}

static void fill_cross_process(const struct slab_results *results,
			       const struct slab_options *options, struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "process", &slab_table_cross_process_frees);
	struct slab_count *all;
	uint64_t unknown = 0, sum;
	uint32_t count;
	char text[SLAB_THREAD_BYTES + 32];

	all = sorted(&results->tracker->remote.cross_process, &count);
	count = all ? fold_cross_process(results, options, all, count, &unknown, &report->failed)
		    : 0;
	mm_report_count(report, unknown, "slab.frees_process_unknown");
	sum = all ? sum_of(all, count) : 0;
	for (uint32_t i = 0; all && i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		slab_thread_name(results->threads, all[i].row.a, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_CROSS_PROCESS_ALLOCATED_BY], text);
		slab_thread_name_shown(results, all[i].row.a, text, sizeof(text));
		mm_cell_set_shown(&cells[SLAB_CROSS_PROCESS_ALLOCATED_BY], text);
		mm_cell_set_u(&cells[SLAB_CROSS_PROCESS_ALLOCATING_PID],
			      slab_thread_tid(results->threads, all[i].row.a));
		slab_thread_name(results->threads, all[i].row.b, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_CROSS_PROCESS_FREED_BY], text);
		slab_thread_name_shown(results, all[i].row.b, text, sizeof(text));
		mm_cell_set_shown(&cells[SLAB_CROSS_PROCESS_FREED_BY], text);
		mm_cell_set_u(&cells[SLAB_CROSS_PROCESS_FREEING_PID],
			      slab_thread_tid(results->threads, all[i].row.b));
		mm_cell_set_u(&cells[SLAB_CROSS_PROCESS_COUNT], all[i].count);
		slab_set_percent(&cells[SLAB_CROSS_PROCESS_PERCENT], all[i].count, sum);
	}
	report->failed |= !all;
	free(all);
}

static void fill_freers(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_freeing_call_sites);
	struct slab_count *all;
	uint64_t sum;
	uint32_t count;
	char text[256];

	all = sorted(&results->tracker->tallies.freers, &count);
	sum = all ? sum_of(all, count) : 0;
	for (uint32_t i = 0; all && i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		slab_call_site_name(results, all[i].row.a, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_FREERS_CALL_SITE], text);
		mm_cell_set_u(&cells[SLAB_FREERS_CODE], all[i].row.a);
		mm_cell_set_u(&cells[SLAB_FREERS_COUNT], all[i].count);
		slab_set_percent(&cells[SLAB_FREERS_PERCENT], all[i].count, sum);
		slab_set_rate(results, &cells[SLAB_FREERS_RATE], all[i].count);
	}
	report->failed |= !all;
	free(all);
}

void slab_report_tallies(const struct slab_results *results, const struct slab_options *options,
			 struct mm_report *report)
{
	fill_freers(results, options, report);
	fill_processes(results, options, report);
	fill_cross_process(results, options, report);
	fill_cpus(results, options, report);
	fill_matrix(results, options, report);
	fill_nodes(results, options, report);
	slab_report_nodes(results, options, report);
}
