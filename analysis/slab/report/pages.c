// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the tables of pages by order, pages by flags, and failed allocations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/consumers.h"
#include "analysis/slab/report/select.h"
#include "util/time.h"

static struct slab_sum sum_order(const struct slab_results *results, uint32_t order)
{
	struct slab_sum sum = { 0 };

	for (uint32_t i = 1; i < slab_sites_count(results->accounts); i++) {
		const struct slab_site *site = slab_site_at(results->accounts, i);

		if (site->row.b == SLAB_KIND_PAGES + order && !slab_site_is_omitted(site))
			slab_sum_site(results, site, &sum);
	}
	/* Call sites of single pages peak at different times, so use the peak of their sum. */
	if (!order)
		sum.peak_alloc = slab_pairing_peak(results->pairing, 0) * SLAB_PAGE_UNIT
				 << slab_page_scale(results->nodes);
	return sum;
}

uint64_t slab_order_peak(const struct slab_results *results, uint32_t order)
{
	return sum_order(results, order).peak_alloc;
}

static void fill_orders(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "order", &slab_table_page_orders);

	for (uint32_t order = 0; order < 20; order++) {
		const struct slab_sum sum = sum_order(results, order);
		struct mm_cell *cells;

		cells = sum.allocs ? mm_table_row(report, table) : NULL;
		if (!cells)
			continue;
		mm_cell_set_u(&cells[SLAB_PAGE_ORDERS_ORDER], order);
		slab_set_sum(results, &cells[SLAB_PAGE_ORDERS_SUM], &sum, &results->whole->pages);
		mm_cell_set_u(&cells[SLAB_PAGE_ORDERS_PARTLY_FREED], sum.partly_freed);
	}
}

static uint64_t pages_of(const struct slab_page_flags *flags)
{
	return flags->allocs << (flags->row.b & 0x1f);
}

static int compare_flags(const void *a, const void *b)
{
	const struct slab_page_flags *x = a, *y = b;
	uint64_t left = pages_of(x), right = pages_of(y);

	if (left != right)
		return left < right ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	return (x->row.b > y->row.b) - (x->row.b < y->row.b);
}

/* Sums the rows of selected threads. Returns 0, or -1 when out of memory. */
static int fold_flags(const struct slab_results *results, const struct slab_options *options,
		      struct mm_rows *folded)
{
	const struct mm_rows *rows = &results->requests->page_flags;

	if (mm_rows_init(folded, sizeof(struct slab_page_flags), UINT32_MAX - 1, 8))
		return -1;
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct slab_page_flags *flags = mm_rows_at(rows, i);
		struct slab_page_flags *sum;

		if (!flags->allocs || !slab_selects_request(results, options, SLAB_NO_CODE,
							    SLAB_KIND_PAGES + (flags->row.b & 0x1f),
							    flags->row.c, flags->first_ns))
			continue;
		sum = i ? mm_rows_get(folded, flags->row.a, flags->row.b) : mm_rows_at(folded, 0);
		if (!sum)
			return -1;
		sum->allocs += flags->allocs;
	}
	return 0;
}

static void fill_flags(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "order", &slab_table_page_flags);
	struct slab_page_flags *all;
	struct mm_rows folded;
	uint64_t sum = 0;

	if (fold_flags(results, options, &folded)) {
		mm_rows_release(&folded);
		report->failed = true;
		return;
	}
	all = mm_rows_at(&folded, 0);
	for (uint32_t i = 0; i < folded.count; i++)
		sum += pages_of(&all[i]);
	qsort(all, folded.count, sizeof(*all), compare_flags);
	for (uint32_t i = 0; i < folded.count && all[i].allocs; i++) {
		struct mm_cell *cells = mm_table_row(report, table);
		char text[SLAB_FLAGS_BYTES];

		if (!cells)
			break;
		mm_labels_text(&results->labels->gfp, all[i].row.a, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_PAGE_FLAGS_GFP_FLAGS], text);
		mm_labels_text(&results->labels->migrate, all[i].row.b >> 8, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_PAGE_FLAGS_MIGRATE_TYPE], text);
		mm_cell_set_u(&cells[SLAB_PAGE_FLAGS_ORDER], all[i].row.b & 0x1f);
		mm_cell_set_u(&cells[SLAB_PAGE_FLAGS_ALLOCATIONS], all[i].allocs);
		mm_cell_set_u(&cells[SLAB_PAGE_FLAGS_PAGES], pages_of(&all[i]));
		slab_set_percent(&cells[SLAB_PAGE_FLAGS_PAGES_PERCENT], pages_of(&all[i]), sum);
	}
	mm_rows_release(&folded);
}

static int compare_failed(const void *a, const void *b)
{
	const struct slab_failed *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	if (x->row.b != y->row.b)
		return x->row.b < y->row.b ? -1 : 1;
	if (x->row.c != y->row.c)
		return x->row.c < y->row.c ? -1 : 1;
	return (x->row.d > y->row.d) - (x->row.d < y->row.d);
}

static uint32_t process_of(const struct slab_results *results, uint32_t thread)
{
	uint32_t id = slab_thread_id(results->threads, thread);

	return slab_thread_leader(results->threads, id, slab_thread_pid(results->threads, id));
}

static void add_failed(struct slab_failed *sum, const struct slab_failed *failed)
{
	if (!sum->count || failed->first_ns < sum->first_ns)
		sum->first_ns = failed->first_ns;
	if (!sum->count || failed->last_ns > sum->last_ns)
		sum->last_ns = failed->last_ns;
	sum->count += failed->count;
	if (failed->bytes_most > sum->bytes_most)
		sum->bytes_most = failed->bytes_most;
}

int slab_fold_failed(const struct slab_results *results, const struct slab_options *options,
		     struct mm_rows *folded)
{
	const struct mm_rows *rows = &results->requests->failed;

	if (mm_rows_init(folded, sizeof(struct slab_failed), UINT32_MAX - 1, 8))
		return -1;
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct slab_failed *failed = mm_rows_at(rows, i);
		struct mm_row key = failed->row;
		uint32_t number = 0;

		if (!failed->count ||
		    !slab_selects_request(results, options, failed->row.a, failed->row.b,
					  failed->row.d, failed->first_ns))
			continue;
		key.d = process_of(results, failed->row.d);
		if (i)
			number = mm_rows_number(folded, &key);
		if (number == MM_HASH_NONE)
			return -1;
		add_failed(mm_rows_at(folded, number), failed);
	}
	/* Row 0 collects failures of any thread beyond the maximum number of rows. */
	((struct slab_failed *)mm_rows_at(folded, 0))->row.d = SLAB_NO_PROCESS;
	qsort(mm_rows_at(folded, 0), folded->count, sizeof(struct slab_failed), compare_failed);
	while (folded->count &&
	       !((const struct slab_failed *)mm_rows_at(folded, folded->count - 1))->count)
		folded->count--;
	return 0;
}

static void set_time(struct mm_cell *cell, int64_t time_ns, bool gmt)
{
	char text[MM_TIME_TEXT];

	mm_time_format(text, sizeof(text), time_ns, gmt);
	mm_cell_set_i(cell, time_ns);
	mm_cell_set_shown(cell, text);
}

static void fill_failed_row(const struct slab_results *results, const struct slab_failed *failed,
			    bool gmt, struct mm_cell *cells)
{
	bool pages = slab_kind_is_pages(failed->row.b) && failed->row.b != SLAB_KIND_NONE;
	uint64_t bytes = pages || failed->row.b == SLAB_KIND_NONE
				 ? failed->bytes_most
					   << (pages ? slab_page_scale(results->nodes) : 0)
				 : slab_kind_object_size(results->caches, failed->row.b);
	char text[SLAB_FLAGS_BYTES];

	slab_call_site_name(results, failed->row.a, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_FAILED_CALL_SITE], text);
	mm_cell_set_u(&cells[SLAB_FAILED_CODE], failed->row.a);
	if (failed->row.b == SLAB_KIND_NONE)
		snprintf(text, sizeof(text), "kmalloc");
	else
		slab_kind_name(results->caches, failed->row.b, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_FAILED_KIND], text);
	mm_labels_text(&results->labels->gfp, failed->row.c, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_FAILED_GFP_FLAGS], text);
	if (bytes)
		mm_cell_set_u(&cells[SLAB_FAILED_BYTES_MOST], bytes);
	mm_cell_set_u(&cells[SLAB_FAILED_COUNT], failed->count);
	if (failed->row.d != SLAB_NO_PROCESS)
		slab_set_process(results, failed->row.d, &cells[SLAB_FAILED_PROCESS],
				 &cells[SLAB_FAILED_PID]);
	set_time(&cells[SLAB_FAILED_FIRST_NS], failed->first_ns, gmt);
	set_time(&cells[SLAB_FAILED_LAST_NS], failed->last_ns, gmt);
}

/* Reports a number of failures. If events of failures may be missing, 0 is uncertain. */
static void count_failed(const struct slab_results *results, struct mm_report *report,
			 uint64_t count, const char *metric)
{
	if (count || !results->coverage->failures_lossy)
		mm_report_count(report, count, metric);
	else
		mm_report_metric(report, metric, NULL);
}

static void fill_failed(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_failed);
	uint64_t objects = 0, pages = 0;
	struct mm_rows folded;

	if (slab_fold_failed(results, options, &folded)) {
		mm_rows_release(&folded);
		report->failed = true;
		return;
	}
	for (uint32_t i = 0; i < folded.count; i++) {
		const struct slab_failed *failed = mm_rows_at(&folded, i);
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		fill_failed_row(results, failed, report->gmt, cells);
		if (slab_kind_is_pages(failed->row.b) && failed->row.b != SLAB_KIND_NONE)
			pages += failed->count;
		else
			objects += failed->count;
	}
	count_failed(results, report, objects, "slab.allocations_failed");
	count_failed(results, report, pages, "slab.page_allocations_failed");
	mm_rows_release(&folded);
}

static void fill_batched(const struct slab_results *results, const struct slab_options *options,
			 struct mm_report *report)
{
	const struct mm_rows *rows = &results->requests->batched;
	uint64_t count = 0;

	for (uint32_t i = 0; i < rows->count; i++) {
		const struct slab_batched *batched = mm_rows_at(rows, i);

		/* Batches consist of single pages. */
		if (batched->count &&
		    slab_selects_request(results, options, SLAB_NO_CODE, SLAB_KIND_PAGES,
					 batched->row.a, batched->first_ns))
			count += batched->count;
	}
	mm_report_count(report, count, "slab.page_frees_batched");
}

void slab_report_pages(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	fill_orders(results, options, report);
	fill_flags(results, options, report);
	fill_failed(results, options, report);
	fill_batched(results, options, report);
}
