// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the table of consumers of memory, and the metrics of growth. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slab/report/answer.h"
#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/consumers.h"
#include "analysis/slab/report/sentences.h"

/* Sets the cell to the growth. If @most is true, the growth is an upper bound. */
static void set_growth(struct mm_cell *cell, int64_t growth, bool most)
{
	mm_cell_set_i(cell, growth);
	cell->most = most;
}

/*
 * If @largest has at most half of the consumer's bytes, shows its share in the text form, too. If
 * the sizes of some of the consumer's objects are unknown, shows no share.
 */
static void show_part(const struct slab_consumer *consumer, const struct slab_largest *largest,
		      const char *name, struct mm_cell *cell)
{
	char text[300];

	if (consumer->unsized || largest->bytes > consumer->bytes / 2)
		return;
	snprintf(text, sizeof(text), "%s (%.0f %%)", name,
		 slab_percent(largest->bytes, consumer->bytes));
	mm_cell_set_shown(cell, text);
}

static void fill_site(const struct slab_results *results, const struct slab_consumer *consumer,
		      struct mm_cell *cells)
{
	const struct slab_largest *largest = &consumer->site;
	char name[256];

	if (!largest->bytes)
		return;
	slab_call_site_name(results, largest->id, name, sizeof(name));
	mm_cell_set_s(&cells[SLAB_CONSUMERS_CALL_SITE], name);
	show_part(consumer, largest, name, &cells[SLAB_CONSUMERS_CALL_SITE]);
	mm_cell_set_u(&cells[SLAB_CONSUMERS_CODE], largest->id);
	mm_cell_set_u(&cells[SLAB_CONSUMERS_CALL_SITE_BYTES], largest->bytes);
}

static void fill_process(const struct slab_results *results, const struct slab_consumer *consumer,
			 struct mm_cell *cells)
{
	const struct slab_largest *largest = &consumer->process;
	char name[SLAB_PROCESS_TEXT];

	if (!largest->bytes)
		return;
	slab_set_process(results, largest->id, &cells[SLAB_CONSUMERS_PROCESS],
			 &cells[SLAB_CONSUMERS_PID]);
	show_part(consumer, largest, slab_process_text(results, largest->id, name, sizeof(name)),
		  &cells[SLAB_CONSUMERS_PROCESS]);
	mm_cell_set_u(&cells[SLAB_CONSUMERS_PROCESS_BYTES], largest->bytes);
}

static void fill_consumer(const struct slab_results *results,
			  const struct slab_consumers *consumers,
			  const struct slab_consumer *consumer, struct mm_cell *cells)
{
	int reclaimable = slab_kind_is_reclaimable(results, consumer->kind);
	char text[SLAB_NAME_BYTES + 32];

	slab_kind_name(results->caches, consumer->kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_CONSUMERS_KIND], text);
	slab_kind_name_shown(results, consumer->kind, false, text, sizeof(text));
	mm_cell_set_shown(&cells[SLAB_CONSUMERS_KIND], text);
	mm_cell_set_u(&cells[SLAB_CONSUMERS_ALLOCATIONS], consumer->allocs);
	slab_set_bytes(&cells[SLAB_CONSUMERS_BYTES_ALLOCATED], consumer->bytes, consumer->unsized,
		       consumer->allocs);
	if (consumers->growth_known && !slab_kind_is_unsized(results->caches, consumer->kind))
		set_growth(
			&cells[SLAB_CONSUMERS_GROWTH_BYTES], slab_consumer_growth(consumer),
			results->coverage->partial ||
				slab_growth_is_most(consumers, slab_kind_is_pages(consumer->kind)));
	if (reclaimable >= 0)
		mm_cell_set_b(&cells[SLAB_CONSUMERS_RECLAIMABLE], reclaimable);
	fill_process(results, consumer, cells);
	fill_site(results, consumer, cells);
}

static void fill_growth(const struct slab_results *results, const struct slab_consumers *consumers,
			struct mm_report *report)
{
	static const char *const names[] = { "kmalloc", "caches", "pages" };
	int64_t growth[3] = { 0 };
	bool unsized[3] = { false };

	for (uint32_t i = 0; i < consumers->count; i++) {
		uint32_t kind = consumers->all[i].kind;
		int of = slab_kind_is_kmalloc(kind) ? 0 : slab_kind_is_cache(kind) ? 1 : 2;

		growth[of] += slab_consumer_growth(&consumers->all[i]);
		unsized[of] |= slab_kind_is_unsized(results->caches, kind);
	}
	for (int of = 0; of < 3; of++) {
		struct mm_metric *metric =
			mm_report_metric(report, "slab.growth_bytes", names[of], NULL);

		if (consumers->growth_known && !unsized[of])
			set_growth(&metric->value, growth[of],
				   results->coverage->partial ||
					   slab_growth_is_most(consumers, of == 2));
	}
	mm_report_count(report, consumers->frees_unsized, "slab.frees_size_unknown");
}

void slab_report_consumers(const struct slab_results *results,
			   const struct slab_consumers *consumers,
			   const struct slab_options *options, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &slab_table_consumers);

	/* The table lists all kinds of memory, so no value of --by selects it. */
	table->hidden = options->leaks || options->by;
	mm_table_limit(table, options->report.top);
	table->omits_empty = true;
	for (uint32_t i = 0; i < consumers->count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		fill_consumer(results, consumers, &consumers->all[i], cells);
	}
	fill_growth(results, consumers, report);
}
