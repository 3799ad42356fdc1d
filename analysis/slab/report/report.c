// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fills the slab report: totals, call sites, caches and size classes. Other files fill other
 * tables.
 */
#include "analysis/slab/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/decode/events.h"
#include "analysis/slab/report/answer.h"
#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/select.h"

static int compare_rows(const void *a, const void *b)
{
	const struct slab_row *x = a, *y = b;

	if (x->sum.bytes_alloc != y->sum.bytes_alloc)
		return x->sum.bytes_alloc < y->sum.bytes_alloc ? 1 : -1;
	if (x->sum.allocs != y->sum.allocs)
		return x->sum.allocs < y->sum.allocs ? 1 : -1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static void fill_lifetimes(const struct slab_row *row, const char *kind, struct mm_table *table,
			   struct mm_report *report)
{
	for (int i = 0; i < SLAB_LIFETIME_BINS; i++) {
		struct mm_cell *cells = row->sum.lifetimes[i] ? mm_table_row(report, table) : NULL;

		if (!cells)
			continue;
		mm_cell_set_u(&cells[SLAB_LIFETIMES_CODE], row->code);
		mm_cell_set_s(&cells[SLAB_LIFETIMES_KIND], kind);
		mm_cell_set_u(&cells[SLAB_LIFETIMES_FROM_NS],
			      i ? 1ull << (i + SLAB_LIFETIME_FIRST - 1) : 0);
		if (i < SLAB_LIFETIME_BINS - 1)
			mm_cell_set_u(&cells[SLAB_LIFETIMES_BELOW_NS],
				      1ull << (i + SLAB_LIFETIME_FIRST));
		mm_cell_set_u(&cells[SLAB_LIFETIMES_COUNT], row->sum.lifetimes[i]);
	}
}

/* Groups of kinds. Their names are values of the label `of`. */
enum group {
	GROUP_KMALLOC,
	GROUP_CACHES,
	GROUP_PAGES,
	GROUP_UNKNOWN, /* call sites beyond the maximum */
	GROUPS,
};

static const char *const group_names[GROUPS] = {
	[GROUP_KMALLOC] = "kmalloc",
	[GROUP_CACHES] = "caches",
	[GROUP_PAGES] = "pages",
	[GROUP_UNKNOWN] = "not known",
};

static enum group group_of(uint32_t kind)
{
	return slab_kind_is_kmalloc(kind) ? GROUP_KMALLOC
	       : slab_kind_is_cache(kind) ? GROUP_CACHES
	       : slab_kind_is_pages(kind) ? GROUP_PAGES
					  : GROUP_UNKNOWN;
}

static void fill_sites(const struct slab_results *results, const struct slab_row *rows,
		       uint32_t count, const struct slab_options *options, struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_call_sites);
	struct mm_table *lifetimes = mm_report_table(report, &slab_table_lifetimes);
	char text[256], kind[SLAB_NAME_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		struct mm_cell *cells;

		slab_kind_name(results->caches, rows[i].kind, kind, sizeof(kind));
		fill_lifetimes(&rows[i], kind, lifetimes, report);
		if (slab_kind_is_pages(rows[i].kind) && rows[i].code == SLAB_NO_CODE)
			continue;
		cells = mm_table_row(report, table);
		if (!cells)
			return;
		slab_call_site_name(results, rows[i].code, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_CALL_SITES_CALL_SITE], text);
		mm_cell_set_u(&cells[SLAB_CALL_SITES_CODE], rows[i].code);
		mm_cell_set_s(&cells[SLAB_CALL_SITES_KIND], kind);
		slab_kind_name_shown(results, rows[i].kind, false, text, sizeof(text));
		mm_cell_set_shown(&cells[SLAB_CALL_SITES_KIND], text);
		mm_cell_set_s(&cells[SLAB_CALL_SITES_OF], group_names[group_of(rows[i].kind)]);
		slab_set_sum(results, &cells[SLAB_CALL_SITES_SUM], &rows[i].sum,
			     slab_kind_is_pages(rows[i].kind) ? NULL : &results->whole->objects);
	}
}

static void fill_cache(const struct slab_results *results, const struct slab_row *row,
		       struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);
	const struct slab_cache *cache = slab_cache_find(results->caches, row->kind);
	uint32_t number = row->kind - SLAB_KIND_CACHE;
	int reclaimable = slab_kind_is_reclaimable(results, row->kind);
	char text[5 * SLAB_NAME_BYTES];

	if (!cells)
		return;
	slab_kind_name(results->caches, row->kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_CACHES_CACHE], text);
	slab_kind_name_shown(results, row->kind, true, text, sizeof(text));
	mm_cell_set_shown(&cells[SLAB_CACHES_CACHE], text);
	if (number)
		mm_cell_set_u(&cells[SLAB_CACHES_NUMBER],
			      slab_cache_number(results->caches, number));
	if (cache) {
		mm_cell_set_u(&cells[SLAB_CACHES_OBJECT_SIZE], cache->object_size);
		mm_cell_set_u(&cells[SLAB_CACHES_SLOT_SIZE], cache->size);
		mm_cell_set_list(&cells[SLAB_CACHES_ALIASES], (const char *const *)cache->aliases,
				 cache->alias_count);
	}
	slab_set_sum(results, &cells[SLAB_CACHES_SUM], &row->sum, &results->whole->objects);
	if (reclaimable >= 0)
		mm_cell_set_b(&cells[SLAB_CACHES_RECLAIMABLE], reclaimable);
}

/* Writes the names of the three call sites that waste most bytes in the size class. */
static void worst_sites(const struct slab_results *results, uint32_t kind,
			const struct slab_row *rows, uint32_t count, char *text, size_t size)
{
	uint64_t below = UINT64_MAX, last = 0;
	size_t at = 0;

	text[0] = '\0';
	for (int n = 0; n < 3; n++) {
		const struct slab_row *worst = NULL;
		uint64_t most = 0;
		char name[200];

		for (uint32_t i = 0; i < count; i++) {
			uint64_t waste = slab_sum_waste(&rows[i].sum);

			if (rows[i].kind != kind || waste > below ||
			    (waste == below && i <= last) || waste <= most)
				continue;
			most = waste;
			worst = &rows[i];
		}
		if (!worst)
			return;
		below = most;
		last = (uint64_t)(worst - rows);
		slab_call_site_name(results, worst->code, name, sizeof(name));
		at += (size_t)snprintf(text + at, size - at, "%s%s", n ? ", " : "", name);
		if (at >= size)
			return;
	}
}

static void fill_class(const struct slab_results *results, const struct slab_row *row,
		       const struct slab_row *rows, uint32_t count, struct mm_table *table,
		       struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);
	char text[640];

	if (!cells)
		return;
	slab_kind_name(results->caches, row->kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_SIZE_CLASSES_CLASS], text);
	slab_set_sum(results, &cells[SLAB_SIZE_CLASSES_SUM], &row->sum, &results->whole->objects);
	worst_sites(results, row->kind, rows, count, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_SIZE_CLASSES_MOST_WASTED_AT], text);
}

/* Sets the kind's own peak, which may be less than the sum of the call sites' peaks. */
static void set_peak(const struct slab_results *results, struct slab_row *row)
{
	uint32_t kind = row->kind;

	if (kind >= SLAB_KINDS)
		return;
	row->sum.peak_alloc = results->tracker->live.kinds[kind].peak;
	if (slab_kind_is_cache(kind))
		row->sum.peak_alloc *= slab_kind_size(results->caches, kind);
}

static int compare_kinds(const void *a, const void *b)
{
	const struct slab_row *x = *(const struct slab_row *const *)a,
			      *y = *(const struct slab_row *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->code > y->code) - (x->code < y->code);
}

/* Sums call sites by kind, sorted by bytes. Returns the number of kinds. */
static uint32_t fold_kinds(const struct slab_results *results, const struct slab_row *rows,
			   uint32_t count, struct slab_row *kinds)
{
	const struct slab_row **sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t folded = 0;

	if (!sorted)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &rows[i];
	qsort(sorted, count, sizeof(*sorted), compare_kinds);
	for (uint32_t i = 0; i < count; i++) {
		if (!folded || kinds[folded - 1].kind != sorted[i]->kind) {
			memset(&kinds[folded], 0, sizeof(kinds[folded]));
			kinds[folded++].kind = sorted[i]->kind;
		}
		slab_add_sum(&kinds[folded - 1].sum, &sorted[i]->sum);
	}
	free(sorted);
	for (uint32_t i = 0; i < folded; i++)
		set_peak(results, &kinds[i]);
	qsort(kinds, folded, sizeof(*kinds), compare_rows);
	return folded;
}

static void fill_total(const struct slab_results *results, const char *what,
		       const struct slab_sum *sum, bool pages, struct mm_table *table,
		       struct mm_report *report)
{
	struct mm_cell *cells = sum->allocs ? mm_table_row(report, table) : NULL;
	struct mm_metric *live;

	mm_report_count(report, sum->allocs, "slab.allocations", what);
	slab_set_bytes(&mm_report_metric(report, "slab.bytes_requested", what, NULL)->value,
		       sum->bytes_req, sum->unsized, sum->allocs);
	slab_set_bytes(&mm_report_metric(report, "slab.bytes_allocated", what, NULL)->value,
		       sum->bytes_alloc, sum->unsized, sum->allocs);
	live = mm_report_metric(report, "slab.live_bytes", what, NULL);
	if (!slab_total_is_unknown(results, sum))
		slab_set_bytes(&live->value, sum->live_alloc, sum->live_unsized, sum->live);
	mm_report_count(report, sum->unsized, "slab.size_unknown", what);
	if (!cells)
		return;
	mm_cell_set_s(&cells[SLAB_TOTALS_WHAT], what);
	slab_set_sum(results, &cells[SLAB_TOTALS_SUM], sum,
		     pages ? NULL : &results->whole->objects);
}

static void fill_totals(const struct slab_results *results, const struct slab_row *rows,
			uint32_t count, const struct slab_options *options, struct mm_table *totals,
			struct mm_report *report)
{
	struct slab_sum sums[GROUPS] = { 0 };

	totals->hidden = options->leaks;
	for (uint32_t i = 0; i < count; i++)
		slab_add_sum(&sums[group_of(rows[i].kind)], &rows[i].sum);
	/* Peaks at different times do not add up. */
	for (int i = 0; i < GROUPS; i++)
		sums[i].peak = 0;
	for (int i = 0; i < GROUPS; i++)
		fill_total(results, group_names[i], &sums[i], i == GROUP_PAGES, totals, report);
}

static void fill_kinds(const struct slab_results *results, const struct slab_row *rows,
		       uint32_t count, const struct slab_row *kinds, uint32_t folded,
		       const struct slab_options *options, struct mm_report *report)
{
	struct mm_table *classes =
		slab_report_table(report, options, "cache", &slab_table_size_classes);
	struct mm_table *caches = slab_report_table(report, options, "cache", &slab_table_caches);

	for (uint32_t i = 0; i < folded; i++) {
		if (slab_kind_is_kmalloc(kinds[i].kind))
			fill_class(results, &kinds[i], rows, count, classes, report);
		else if (slab_kind_is_cache(kinds[i].kind))
			fill_cache(results, &kinds[i], caches, report);
	}
}

static void fill_series(const struct slab_results *results, struct mm_report *report)
{
	struct mm_series *requested[2], *allocated[2], *wasted, *known;
	static const char *const of[2] = { "kmalloc", "caches" };

	for (int i = 0; i < 2; i++) {
		requested[i] = mm_report_series(report, "slab.live_bytes_requested", of[i], NULL);
		allocated[i] = mm_report_series(report, "slab.live_bytes_allocated", of[i], NULL);
	}
	wasted = mm_report_series(report, "slab.live_wasted", NULL);
	known = mm_report_series(report, "slab.live_sizes_known", NULL);
	for (uint32_t i = 0; i < results->tracker->live.sample_count; i++) {
		const struct slab_sample *sample = &results->tracker->live.samples[i];
		const uint64_t req[2] = { sample->live_req, sample->cache_req };
		const uint64_t alloc[2] = { sample->live_alloc, sample->cache_alloc };
		uint64_t time_ns =
			(uint64_t)sample->time_ns - (uint64_t)results->tracker->live.first_ns;
		uint64_t sum = alloc[0] + alloc[1], less = req[0] + req[1];
		bool unsized = sample->time_ns < results->tracker->live.unsized_until_ns;
		struct mm_cell *part;

		for (int k = 0; k < 2; k++) {
			struct mm_cell *r = mm_series_add(report, requested[k], time_ns);
			struct mm_cell *a = mm_series_add(report, allocated[k], time_ns);

			/* No bytes of caches are known until the size of a cache is known. */
			if (k && unsized && !sample->cache_alloc)
				continue;
			mm_cell_set_u(r, req[k]);
			mm_cell_set_u(a, alloc[k]);
		}
		part = mm_series_add(report, wasted, time_ns);
		if (sum)
			mm_cell_set_r(part, sum > less ? (double)(sum - less) / (double)sum : 0);
		mm_cell_set_b(mm_series_add(report, known, time_ns), !unsized);
	}
}

/* Fills @rows with the counted call sites, sorted by bytes. Returns their number. */
static uint32_t list_sites(const struct slab_results *results, struct slab_row *rows)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < slab_sites_count(results->accounts); i++) {
		const struct slab_site *site = slab_site_at(results->accounts, i);

		if (!site->allocs || slab_site_is_omitted(site))
			continue;
		memset(&rows[used], 0, sizeof(rows[used]));
		rows[used].code = site->row.a;
		rows[used].kind = site->row.b;
		slab_sum_site(results, site, &rows[used++].sum);
	}
	qsort(rows, used, sizeof(*rows), compare_rows);
	return used;
}

static void fill_all(struct slab_answer *answer, struct mm_table *totals)
{
	const struct slab_results *results = answer->results;
	const struct slab_options *options = answer->options;
	struct mm_report *report = answer->report;

	slab_report_notes(results, report);
	fill_totals(results, answer->sites, answer->site_count, options, totals, report);
	slab_report_answer(answer);
	slab_report_consumers(results, answer->consumers, options, report);
	slab_report_recorder(results, options, report);
	slab_report_leaks(answer);
	if (options->leaks)
		slab_report_sums(answer);
	else
		slab_report_findings(answer);
	slab_report_anomalies(results, options, report);
	fill_kinds(results, answer->sites, answer->site_count, answer->kinds, answer->kind_count,
		   options, report);
	fill_sites(results, answer->sites, answer->site_count, options, report);
	slab_report_stacks(results, options, report);
	slab_report_most_wasted(results, options, report);
	slab_report_tallies(results, options, report);
	slab_report_pages(results, options, report);
	fill_series(results, report);
	slab_report_diagnostics(results, options, report);
	slab_report_outcomes(results, report);
	slab_hide_unfiltered(options, report);
}

int slab_report_fill(const struct slab_results *found, const struct slab_options *options,
		     struct mm_report *report)
{
	uint32_t count = slab_sites_count(found->accounts);
	struct slab_row *rows = calloc(count + 1, sizeof(*rows)),
			*kinds = calloc(count + 1, sizeof(*kinds));
	struct slab_totals whole = { 0 };
	struct slab_results results = *found;
	struct slab_consumers consumers = { 0 };
	struct slab_answer answer = { .results = &results,
				      .options = options,
				      .consumers = &consumers,
				      .sites = rows,
				      .kinds = kinds,
				      .report = report };
	struct mm_table *totals;
	int ret = -1;

	results.whole = &whole;
	if (!rows || !kinds || slab_consumers_find(&results, options, &consumers))
		goto end;
	slab_note_filters(&results, options, report);
	totals = mm_report_table(report, &slab_table_totals);
	answer.site_count = list_sites(&results, rows);
	for (uint32_t i = 0; i < answer.site_count; i++)
		slab_add_sum(slab_kind_is_pages(rows[i].kind) ? &whole.pages : &whole.objects,
			     &rows[i].sum);
	whole.seconds = (double)report->coverage[MM_COVERAGE_DURATION_NS].u / 1e9;
	answer.kind_count = fold_kinds(&results, rows, answer.site_count, kinds);
	fill_all(&answer, totals);
	ret = 0;
end:
	slab_consumers_release(&consumers);
	free(rows);
	free(kinds);
	return ret;
}
