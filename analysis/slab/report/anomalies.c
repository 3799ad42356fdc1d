// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the tables of anomalies, of mismatched but legal frees, and of untraced frees. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"

static const char *const anomaly_names[SLAB_ANOMALIES] = {
	[SLAB_DOUBLE_FREE] = "double free",
	[SLAB_OTHER_CACHE] = "freed through another cache",
	[SLAB_SIZE] = "more requested than allocated",
	[SLAB_KMALLOC_BY_CACHE] = "kmalloc() memory freed through a cache that is not its own",
};

static const char *const api_names[] = {
	[SLAB_API_KFREE] = "kfree",
	[SLAB_API_CACHE_FREE] = "kmem_cache_free",
	[SLAB_API_BULK] = "kmem_cache_free_bulk",
	[SLAB_API_NOLOCK] = "kfree_nolock",
	[SLAB_API_PAGES] = "page_free",
};

static struct mm_cell *event_row(const struct slab_results *results,
				 const struct slab_anomaly *anomaly, bool second,
				 struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);
	const union slab_accounting_key *who = second ? &anomaly->second : &anomaly->first;
	uint32_t thread = slab_thread_at(results->threads, who->tid,
					 second ? anomaly->second_ns : anomaly->first_ns);
	char text[256];

	if (!cells)
		return NULL;
	if (!second)
		mm_cell_set_s(&cells[SLAB_ANOMALIES_WHAT], anomaly_names[anomaly->kind]);
	else
		mm_cell_set_s(&cells[SLAB_ANOMALIES_WHAT], "");
	mm_cell_set_u(&cells[SLAB_ANOMALIES_PTR], anomaly->address);
	slab_kind_name(results->caches, anomaly->first.kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_ANOMALIES_KIND], text);
	mm_cell_set_u(&cells[SLAB_ANOMALIES_TIME_NS],
		      (uint64_t)(second ? anomaly->second_ns : anomaly->first_ns) -
			      (uint64_t)results->tracker->live.first_ns);
	slab_call_site_name(results, who->code, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_ANOMALIES_CALL_SITE], text);
	slab_thread_name(results->threads, thread, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_ANOMALIES_PROCESS], text);
	mm_cell_set_u(&cells[SLAB_ANOMALIES_TID], slab_thread_tid(results->threads, thread));
	mm_cell_set_u(&cells[SLAB_ANOMALIES_CPU], who->cpu);
	return cells;
}

static void fill_anomaly(const struct slab_results *results, const struct slab_anomaly *anomaly,
			 struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *first = event_row(results, anomaly, false, table, report), *second;
	bool twice = anomaly->kind == SLAB_DOUBLE_FREE;
	char text[SLAB_NAME_BYTES];

	if (!first)
		return;
	mm_cell_set_s(&first[SLAB_ANOMALIES_EVENT], twice ? "freed" : "allocated");
	if (!twice && slab_kind_is_cache(anomaly->first.kind)) {
		bool unsized = slab_kind_is_unsized(results->caches, anomaly->first.kind);

		slab_set_bytes(&first[SLAB_ANOMALIES_BYTES_REQUESTED],
			       slab_kind_object_size(results->caches, anomaly->first.kind), unsized,
			       1);
		slab_set_bytes(&first[SLAB_ANOMALIES_BYTES_ALLOCATED],
			       slab_kind_size(results->caches, anomaly->first.kind), unsized, 1);
	} else if (!twice) {
		mm_cell_set_u(&first[SLAB_ANOMALIES_BYTES_REQUESTED], anomaly->bytes_req);
		mm_cell_set_u(&first[SLAB_ANOMALIES_BYTES_ALLOCATED], anomaly->bytes_alloc);
	}
	/* An error within one allocation event has no second event. */
	if (anomaly->kind == SLAB_SIZE && anomaly->first_ns == anomaly->second_ns)
		return;
	second = event_row(results, anomaly, true, table, report);
	if (!second)
		return;
	mm_cell_set_s(&second[SLAB_ANOMALIES_EVENT], anomaly->kind == SLAB_SIZE ? "resized"
						     : twice			? "freed again"
										: "freed");
	if (anomaly->kind == SLAB_SIZE)
		return;
	if (anomaly->second.kind == SLAB_KIND_NONE) {
		mm_cell_set_s(&second[SLAB_ANOMALIES_THROUGH], api_names[anomaly->api]);
		return;
	}
	slab_kind_name(results->caches, anomaly->second.kind, text, sizeof(text));
	mm_cell_set_s(&second[SLAB_ANOMALIES_THROUGH], text);
}

static void fill_anomalies(const struct slab_results *results, const struct slab_options *options,
			   struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &slab_table_anomalies);
	uint64_t counts[SLAB_ANOMALIES] = { 0 };

	table->grouped = true;
	table->hidden = options->leaks;
	table->text_rows = 2 * (size_t)options->report.top;
	for (size_t i = 0; i < results->pairing->anomaly_count; i++) {
		const struct slab_anomaly *anomaly = &results->pairing->anomalies[i];

		if (anomaly->verdict != SLAB_ANOMALOUS)
			continue;
		counts[anomaly->kind]++;
		fill_anomaly(results, anomaly, table, report);
	}
	for (int kind = 0; kind < SLAB_ANOMALIES; kind++)
		mm_report_count(report, counts[kind], "slab.anomalies", anomaly_names[kind]);
	mm_report_count(report, results->pairing->anomalies_dropped, "slab.anomalies_not_kept");
}

static void fill_legal_row(const char *what, uint64_t count, struct mm_table *table,
			   struct mm_report *report)
{
	struct mm_cell *cells = count ? mm_table_row(report, table) : NULL;

	if (!cells)
		return;
	mm_cell_set_s(&cells[SLAB_MISMATCHED_WHAT], what);
	mm_cell_set_u(&cells[SLAB_MISMATCHED_COUNT], count);
}

/* Counts frees of kmalloc() objects by kvfree(), which also accepts memory of vmalloc(). */
static uint64_t count_kvfree(const struct slab_results *results)
{
	uint64_t count = 0;
	char text[256];

	for (uint32_t i = 1; i < results->tracker->tallies.freers.count; i++) {
		const struct slab_count *row = mm_rows_at(&results->tracker->tallies.freers, i);

		slab_call_site_name(results, row->row.a, text, sizeof(text));
		if (!strncmp(text, "kvfree+", 7))
			count += row->count;
	}
	return count;
}

static void fill_legal(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "cache", &slab_table_mismatched_frees);
	uint64_t kfreed = 0, pieces = 0;

	for (uint32_t i = 0; i < slab_sites_count(results->accounts); i++) {
		const struct slab_site *site = slab_site_at(results->accounts, i);

		if (slab_site_is_omitted(site))
			continue;
		kfreed += site->pairs.kfreed;
		pieces += site->partly_freed;
	}
	fill_legal_row("objects of a cache, freed by kfree() or in bulk by kfree_rcu()", kfreed,
		       table, report);
	fill_legal_row("kmalloc() memory, freed through its cache by kmem_cache_free()",
		       results->pairing->legal_kmalloc_by_cache, table, report);
	fill_legal_row("kmalloc() memory, freed by kvfree()", count_kvfree(results), table, report);
	fill_legal_row("blocks of pages, split and partly freed", pieces, table, report);
	fill_legal_row("pages, freed together as a block of a larger order",
		       results->pairing->merged_pages, table, report);
}

static void fill_untraced(const struct slab_results *results, const struct slab_options *options,
			  struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_freed_untraced);
	char text[256];

	for (uint32_t i = 0; i < slab_sites_count(results->accounts); i++) {
		const struct slab_site *site = slab_site_at(results->accounts, i);
		struct mm_cell *cells =
			site->outcomes[SLAB_FREED_UNTRACED] && !slab_site_is_omitted(site)
				? mm_table_row(report, table)
				: NULL;

		if (!cells)
			continue;
		slab_call_site_name(results, site->row.a, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_UNTRACED_CALL_SITE], text);
		slab_kind_name(results->caches, site->row.b, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_UNTRACED_KIND], text);
		mm_cell_set_u(&cells[SLAB_UNTRACED_COUNT], site->outcomes[SLAB_FREED_UNTRACED]);
		mm_cell_set_u(&cells[SLAB_UNTRACED_BY_RCU], site->by_rcu);
	}
}

void slab_report_anomalies(const struct slab_results *results, const struct slab_options *options,
			   struct mm_report *report)
{
	fill_anomalies(results, options, report);
}

void slab_report_diagnostics(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report)
{
	fill_untraced(results, options, report);
	fill_legal(results, options, report);
	slab_report_paths(results, options, report);
}
