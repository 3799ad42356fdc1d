// SPDX-License-Identifier: LGPL-2.1-only
/* Pages by order, and by flags and migrate type; what could not be allocated. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/report.h"
#include "analysis/slab/report/select.h"

static void fill_orders(const struct slab_results *results, const struct mm_report_options *options,
			struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "order", &slab_table_page_orders);

	for (uint32_t order = 0; order < 20; order++) {
		struct slab_sum sum = { 0 };
		struct mm_cell *cells;

		for (uint32_t i = 1; i < slab_sites_count(results->accounts); i++) {
			const struct slab_site *site = slab_site_at(results->accounts, i);

			if (site->row.b == SLAB_KIND_PAGES + order)
				slab_sum_site(results, site, &sum);
		}
		/* Single pages have several call sites, whose peaks are at other times. */
		if (!order)
			sum.peak_alloc = results->pairing->peak_orders[0] * SLAB_PAGE_UNIT
					 << slab_page_scale(results->nodes);
		cells = sum.allocs ? mm_table_row(report, table) : NULL;
		if (!cells)
			continue;
		mm_cell_set_u(&cells[0], order);
		slab_set_sum(results, &cells[1], &sum, true);
		mm_cell_set_u(&cells[1 + SLAB_SUM_CELLS], sum.partly_freed);
	}
}

static uint64_t pages_of(const struct slab_page_flags *flags)
{
	return flags->allocs << (flags->row.b & 0x1f);
}

static int compare_flags(const void *a, const void *b)
{
	const struct slab_page_flags *x = *(const struct slab_page_flags *const *)a;
	const struct slab_page_flags *y = *(const struct slab_page_flags *const *)b;
	uint64_t left = pages_of(x), right = pages_of(y);

	if (left != right)
		return left < right ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	return (x->row.b > y->row.b) - (x->row.b < y->row.b);
}

static void fill_flags(const struct slab_results *results, const struct mm_report_options *options,
		       struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "order", &slab_table_page_flags);
	uint32_t count = results->requests->page_flags.count, used = 0;
	const struct slab_page_flags **all = calloc(count, sizeof(*all));
	uint64_t sum = 0;

	if (!all) {
		report->failed = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct slab_page_flags *flags = mm_rows_at(&results->requests->page_flags, i);

		if (flags->allocs)
			all[used++] = flags;
		sum += pages_of(flags);
	}
	qsort(all, used, sizeof(*all), compare_flags);
	for (uint32_t i = 0; i < used; i++) {
		struct mm_cell *cells = mm_table_row(report, table);
		char text[SLAB_FLAGS_BYTES];

		if (!cells)
			break;
		mm_labels_text(&results->labels->gfp, all[i]->row.a, text, sizeof(text));
		mm_cell_set_s(&cells[0], text);
		mm_labels_text(&results->labels->migrate, all[i]->row.b >> 8, text, sizeof(text));
		mm_cell_set_s(&cells[1], text);
		mm_cell_set_u(&cells[2], all[i]->row.b & 0x1f);
		mm_cell_set_u(&cells[3], all[i]->allocs);
		mm_cell_set_u(&cells[4], pages_of(all[i]));
		slab_set_percent(&cells[5], pages_of(all[i]), sum);
	}
	free(all);
}

static int compare_failed(const void *a, const void *b)
{
	const struct slab_failed *x = *(const struct slab_failed *const *)a;
	const struct slab_failed *y = *(const struct slab_failed *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	if (x->row.b != y->row.b)
		return x->row.b < y->row.b ? -1 : 1;
	return (x->row.c > y->row.c) - (x->row.c < y->row.c);
}

static void fill_failed_row(const struct slab_results *results, const struct slab_failed *failed,
			    struct mm_cell *cells)
{
	bool pages = slab_kind_is_pages(failed->row.b) && failed->row.b != SLAB_KIND_NONE;
	uint64_t bytes = pages || failed->row.b == SLAB_KIND_NONE
				 ? failed->bytes_most
					   << (pages ? slab_page_scale(results->nodes) : 0)
				 : slab_kind_object_size(results->caches, failed->row.b);
	char text[SLAB_FLAGS_BYTES];

	slab_call_site_name(results, failed->row.a, text, sizeof(text));
	mm_cell_set_s(&cells[0], text);
	mm_cell_set_u(&cells[1], failed->row.a);
	if (failed->row.b == SLAB_KIND_NONE)
		snprintf(text, sizeof(text), "kmalloc");
	else
		slab_kind_name(results->caches, failed->row.b, text, sizeof(text));
	mm_cell_set_s(&cells[2], text);
	mm_labels_text(&results->labels->gfp, failed->row.c, text, sizeof(text));
	mm_cell_set_s(&cells[3], text);
	if (bytes)
		mm_cell_set_u(&cells[4], bytes);
	mm_cell_set_u(&cells[5], failed->count);
}

static void fill_failed(const struct slab_results *results, const struct mm_report_options *options,
			struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_failed);
	uint32_t count = results->requests->failed.count, used = 0;
	const struct slab_failed **all = calloc(count, sizeof(*all));
	uint64_t objects = 0, pages = 0;

	for (uint32_t i = 0; all && i < count; i++) {
		const struct slab_failed *failed = mm_rows_at(&results->requests->failed, i);

		if (!failed->count)
			continue;
		all[used++] = failed;
		if (slab_kind_is_pages(failed->row.b) && failed->row.b != SLAB_KIND_NONE)
			pages += failed->count;
		else
			objects += failed->count;
	}
	if (all)
		qsort(all, used, sizeof(*all), compare_failed);
	for (uint32_t i = 0; i < used; i++) {
		struct mm_cell *cells;

		if (!slab_selects(results, all[i]->row.a, all[i]->row.b))
			continue;
		cells = mm_table_row(report, table);
		if (!cells)
			break;
		fill_failed_row(results, all[i], cells);
	}
	mm_report_count(report, objects, "slab.allocations_failed");
	mm_report_count(report, pages, "slab.page_allocations_failed");
	report->failed |= !all;
	free(all);
}

void slab_report_pages(const struct slab_results *results, const struct mm_report_options *options,
		       struct mm_report *report)
{
	fill_orders(results, options, report);
	fill_flags(results, options, report);
	fill_failed(results, options, report);
	mm_report_count(report, results->requests->batched, "slab.page_frees_batched");
}
