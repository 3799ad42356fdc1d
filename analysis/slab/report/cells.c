// SPDX-License-Identifier: LGPL-2.1-only
/* Makes tables of the slab report, and fills their cells from sums over call sites. */
#include "analysis/slab/report/cells.h"

#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/report.h"

bool slab_report_shows(const struct slab_options *options, const char *by)
{
	return !options->leaks && (!options->by || !strcmp(options->by, by));
}

struct mm_table *slab_report_table(struct mm_report *report, const struct slab_options *options,
				   const char *by, const struct mm_table_def *def)
{
	struct mm_table *table = mm_report_table(report, def);

	table->hidden = !slab_report_shows(options, by);
	mm_table_limit(table, options->report.top);
	return table;
}

void slab_hide_single(const struct slab_options *options, const char *by, struct mm_table *table)
{
	table->hidden |= table->row_count < 2 && !(options->by && !strcmp(options->by, by));
}

void slab_sum_site(const struct slab_results *results, const struct slab_site *site,
		   struct slab_sum *sum)
{
	uint32_t kind = site->row.b;
	uint64_t object = slab_kind_object_size(results->caches, kind),
		 size = slab_kind_size(results->caches, kind);
	bool cache = slab_kind_is_cache(kind);
	/* Pages are counted in units of 4 KiB. */
	unsigned int scale = slab_kind_is_pages(kind) ? slab_page_scale(results->nodes) : 0;
	bool unsized = slab_kind_is_unsized(results->caches, kind);

	sum->allocs += site->allocs;
	sum->unsized += unsized ? site->allocs : 0;
	sum->live_unsized += unsized ? site->live : 0;
	for (int i = 0; i < SLAB_OUTCOMES; i++)
		sum->outcomes[i] += site->outcomes[i];
	sum->bytes_req += cache ? site->allocs * object : site->bytes_req << scale;
	sum->bytes_alloc += cache ? site->allocs * size : site->bytes_alloc << scale;
	sum->live += site->live;
	sum->maybe_live += site->maybe_live;
	sum->live_req += cache ? site->live * object : site->live_req << scale;
	sum->live_alloc += cache ? site->live * size : site->live_alloc << scale;
	sum->peak += site->peak;
	sum->peak_alloc += cache ? site->peak * size : site->peak_alloc << scale;
	sum->other_cpu += site->pairs.other_cpu;
	sum->other_thread += site->pairs.other_thread;
	sum->kfreed += site->pairs.kfreed;
	sum->partly_freed += site->partly_freed;
	for (int i = 0; i < SLAB_LIFETIME_BINS; i++)
		sum->lifetimes[i] += site->pairs.lifetimes[i];
}

void slab_add_sum(struct slab_sum *sum, const struct slab_sum *more)
{
	sum->allocs += more->allocs;
	sum->bytes_req += more->bytes_req;
	sum->bytes_alloc += more->bytes_alloc;
	for (int i = 0; i < SLAB_OUTCOMES; i++)
		sum->outcomes[i] += more->outcomes[i];
	sum->live += more->live;
	sum->maybe_live += more->maybe_live;
	sum->live_req += more->live_req;
	sum->live_alloc += more->live_alloc;
	sum->peak += more->peak;
	sum->peak_alloc += more->peak_alloc;
	sum->unsized += more->unsized;
	sum->live_unsized += more->live_unsized;
	sum->other_cpu += more->other_cpu;
	sum->other_thread += more->other_thread;
	sum->kfreed += more->kfreed;
	sum->partly_freed += more->partly_freed;
	for (int i = 0; i < SLAB_LIFETIME_BINS; i++)
		sum->lifetimes[i] += more->lifetimes[i];
}

/* Returns the histogram bin with the median lifetime, or -1 if none exists. */
static int median_bin(const struct slab_sum *sum)
{
	uint64_t all = 0, seen = 0;

	for (int i = 0; i < SLAB_LIFETIME_BINS; i++)
		all += sum->lifetimes[i];
	for (int i = 0; all && i < SLAB_LIFETIME_BINS; i++) {
		seen += sum->lifetimes[i];
		if (2 * seen >= all)
			return i;
	}
	return -1;
}

/* Sets the cell to the upper bound of the median's bin. The last bin has no bound. */
static void set_median_lifetime(struct mm_cell *cell, const struct slab_sum *sum)
{
	int bin = median_bin(sum);
	double ns = (double)(1ull << (bin + SLAB_LIFETIME_FIRST));
	char text[40];

	if (bin < 0)
		return;
	if (bin == SLAB_LIFETIME_BINS - 1) {
		snprintf(text, sizeof(text), ">= %.1f s", ns / 2e9);
		mm_cell_set_shown(cell, text);
		return;
	}
	snprintf(text, sizeof(text), "< %.*f %s", ns >= 1e3,
		 ns < 1e3   ? ns
		 : ns < 1e6 ? ns / 1e3
		 : ns < 1e9 ? ns / 1e6
			    : ns / 1e9,
		 ns < 1e3   ? "ns"
		 : ns < 1e6 ? "us"
		 : ns < 1e9 ? "ms"
			    : "s");
	mm_cell_set_u(cell, (uint64_t)ns);
	mm_cell_set_shown(cell, text);
}

/*
 * An allocation that is smaller than requested is an anomaly. It must not make the result negative.
 */
uint64_t slab_sum_waste(const struct slab_sum *sum)
{
	return sum->bytes_alloc > sum->bytes_req ? sum->bytes_alloc - sum->bytes_req : 0;
}

double slab_sum_waste_percent(const struct slab_sum *sum)
{
	return sum->bytes_alloc ? 100.0 * (double)slab_sum_waste(sum) / (double)sum->bytes_alloc
				: 0;
}

void slab_set_bytes(struct mm_cell *cell, uint64_t bytes, uint64_t unsized, uint64_t count)
{
	if (!unsized)
		mm_cell_set_u(cell, bytes);
	else if (unsized < count)
		mm_cell_set_least(cell, bytes);
}

void slab_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole)
{
	if (whole)
		mm_cell_set_r(cell, 100.0 * (double)part / (double)whole);
}

void slab_set_rate(const struct slab_results *results, struct mm_cell *cell, uint64_t count)
{
	if (results->whole->seconds > 0)
		mm_cell_set_r(cell, (double)count / results->whole->seconds);
}

bool slab_live_is_unknown(const struct slab_sum *sum)
{
	return !sum->live && sum->maybe_live;
}

bool slab_total_is_unknown(const struct slab_results *results, const struct slab_sum *sum)
{
	return !sum->live && (sum->maybe_live || results->coverage->lossy);
}

void slab_set_sum(const struct slab_results *results, struct mm_cell *cells,
		  const struct slab_sum *sum, const struct slab_sum *all)
{
	mm_cell_set_u(&cells[SLAB_SUM_ALLOCATIONS], sum->allocs);
	slab_set_rate(results, &cells[SLAB_SUM_RATE], sum->allocs);
	mm_cell_set_u(&cells[SLAB_SUM_PAIRED], sum->outcomes[SLAB_PAIRED]);
	slab_set_bytes(&cells[SLAB_SUM_BYTES_REQUESTED], sum->bytes_req, sum->unsized, sum->allocs);
	slab_set_bytes(&cells[SLAB_SUM_BYTES_ALLOCATED], sum->bytes_alloc, sum->unsized,
		       sum->allocs);
	/* If some sizes are unknown, the total is unknown, and therefore the share. */
	if (all && !all->unsized)
		slab_set_percent(&cells[SLAB_SUM_SHARE], sum->bytes_alloc, all->bytes_alloc);
	slab_set_bytes(&cells[SLAB_SUM_WASTED], slab_sum_waste(sum), sum->unsized, sum->allocs);
	if (sum->bytes_alloc)
		mm_cell_set_r(&cells[SLAB_SUM_WASTED_PERCENT], slab_sum_waste_percent(sum));
	if (!slab_live_is_unknown(sum)) {
		mm_cell_set_u(&cells[SLAB_SUM_LIVE], sum->live);
		slab_set_bytes(&cells[SLAB_SUM_LIVE_BYTES], sum->live_alloc, sum->live_unsized,
			       sum->live);
	}
	if (sum->peak && !sum->unsized)
		mm_cell_set_u(&cells[SLAB_SUM_PEAK_BYTES], sum->peak_alloc);
	set_median_lifetime(&cells[SLAB_SUM_MEDIAN_LIFETIME], sum);
	mm_cell_set_u(&cells[SLAB_SUM_REMOTE_FREES], sum->other_cpu);
	mm_cell_set_u(&cells[SLAB_SUM_CROSS_THREAD_FREES], sum->other_thread);
	mm_cell_set_u(&cells[SLAB_SUM_FREED_UNTRACED], sum->outcomes[SLAB_FREED_UNTRACED]);
	mm_cell_set_u(&cells[SLAB_SUM_ANOMALIES], sum->outcomes[SLAB_ANOMALOUS]);
	mm_cell_set_u(&cells[SLAB_SUM_UNDETERMINED], sum->outcomes[SLAB_UNDETERMINED]);
	mm_cell_set_u(&cells[SLAB_SUM_FREED_BY_KFREE], sum->kfreed);
	mm_cell_set_u(&cells[SLAB_SUM_SIZE_UNKNOWN], sum->unsized);
}
