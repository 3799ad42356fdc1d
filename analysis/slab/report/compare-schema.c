// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the comparison of two slab reports. */
#include <stddef.h>

#include "analysis/slab/report/compare-tables.h"
#include "analysis/slab/report/compare.h"
#include "reader/report/compare.h"

#define OF_BOTH { "snapshot", NULL }, NULL
#define NO_LABELS { NULL }, NULL

static const struct mm_metric_def metrics[] = {
	{ "slab.compare.gap_ns", MM_NS, MM_NEUTRAL,
	  "time between the end of the older and the start of the newer snapshot; 0 if they overlap",
	  NO_LABELS, MM_UNSCALED },
	{ "slab.compare.overlap_ns", MM_NS, MM_NEUTRAL, "time that both snapshots cover", NO_LABELS,
	  MM_UNSCALED },
	{ "slab.compare.duration_ns", MM_NS, MM_NEUTRAL,
	  "time that a snapshot covers; `snapshot`: `old` or `new`", OF_BOTH, MM_UNSCALED },
	{ "slab.compare.live", MM_COUNT("objects"), MM_LESS_IS_BETTER,
	  "listed objects that are live at the end of the snapshot, pages excluded", OF_BOTH,
	  MM_UNSCALED },
	{ "slab.compare.live_bytes", MM_BYTES, MM_LESS_IS_BETTER,
	  "allocated bytes of the objects whose size is known", OF_BOTH, MM_UNSCALED },
	{ "slab.compare.allocation_rate", MM_REAL("objects/s"), MM_NEUTRAL,
	  "listed allocations per second, pages excluded", OF_BOTH, MM_UNSCALED },
	{ "slab.compare.leaks", MM_COUNT("objects"), MM_LESS_IS_BETTER,
	  "leak candidates of call sites that have some in both snapshots", OF_BOTH, MM_UNSCALED },
	{ "slab.compare.leaks_bytes", MM_BYTES, MM_LESS_IS_BETTER,
	  "allocated bytes of the objects whose size is known", OF_BOTH, MM_UNSCALED },
	{ 0 },
};

/* clang-format off */
/* Columns that fill_both() fills. */
#define SIDES(first) \
	[(first) + SLAB_SIDES_OLD_LIVE] = \
	{ "old_live", "old live", MM_COUNT("objects"), MM_DROP(2), \
	  "objects that are live at the end of the older snapshot" }, \
	[(first) + SLAB_SIDES_NEW_LIVE] = \
	{ "new_live", "new live", MM_COUNT("objects"), MM_DROP(2), \
	  "objects that are live at the end of the newer snapshot" }, \
	[(first) + SLAB_SIDES_LIVE_GROWTH] = \
	{ "live_growth", "live growth", MM_COUNT("objects"), MM_KEEP, "`new_live` minus `old_live`" }, \
	[(first) + SLAB_SIDES_OLD_LIVE_BYTES] = \
	{ "old_live_bytes", "old bytes", MM_BYTES, MM_DROP(3), \
	  "allocated bytes that are live at the end of the older snapshot" }, \
	[(first) + SLAB_SIDES_NEW_LIVE_BYTES] = \
	{ "new_live_bytes", "new bytes", MM_BYTES, MM_KEEP, \
	  "allocated bytes that are live at the end of the newer snapshot" }, \
	[(first) + SLAB_SIDES_BYTES_GROWTH] = \
	{ "bytes_growth", "bytes growth", MM_BYTES, MM_KEEP, "`new_live_bytes` minus `old_live_bytes`" }, \
	[(first) + SLAB_SIDES_OLD_RATE] = \
	{ "old_rate", "old allocs/s", MM_REAL("objects/s"), MM_DROP(4), \
	  "allocations per second of the older snapshot" }, \
	[(first) + SLAB_SIDES_NEW_RATE] = \
	{ "new_rate", "new allocs/s", MM_REAL("objects/s"), MM_DROP(1), \
	  "allocations per second of the newer snapshot" }
#define SITE \
	[SLAB_COMPARE_SITE_CALL_SITE] = \
	{ "call_site", "call site", MM_TEXT, MM_SHORTEN(0, 20), "call site as function and offset" }, \
	[SLAB_COMPARE_SITE_CODE] = \
	{ "call_site_number", NULL, MM_HEX, MM_KEEP, "call-site number" }, \
	[SLAB_COMPARE_SITE_KIND] = \
	{ "kind", "kind", MM_TEXT, MM_SHORTEN(0, 12), \
	  "slab cache, kmalloc size class or page order" }
/* clang-format on */

static const struct mm_column cache_columns[] = {
	[SLAB_COMPARE_CACHES_CACHE] = { "cache", "cache", MM_TEXT, MM_SHORTEN(0, 16),
					"slab cache or kmalloc size class" },
	[SLAB_COMPARE_CACHES_NUMBER] = { "number", NULL, MM_NUMBER, MM_KEEP,
					 "number of the cache in the traces" },
	[SLAB_COMPARE_CACHES_ALIASES] = { "aliases", NULL, MM_LIST, MM_KEEP,
					  "names of caches that the kernel merged into this one" },
	SIDES(SLAB_COMPARE_CACHES_SIDES),
	{ 0 },
};

const struct mm_table_def slab_compare_caches = {
	"compare-caches", "Growth by cache and size class, by bytes",
	"live: allocated in the time that the snapshot covers, and not freed by its end; growth: NEW less OLD",
	"each slab cache and kmalloc size class of either snapshot", cache_columns
};

static const struct mm_column order_columns[] = {
	[SLAB_COMPARE_ORDERS_ORDER] = { "order", "order", MM_NUMBER, MM_KEEP,
					"order of the page allocations" },
	SIDES(SLAB_COMPARE_ORDERS_SIDES),
	{ 0 },
};

const struct mm_table_def slab_compare_orders = {
	"compare-page-orders", "Growth by page order, by bytes",
	"live: page allocations in the time that the snapshot covers, and not freed by its end; growth: NEW less OLD",
	"each order in either snapshot; its objects are page allocations", order_columns
};

static const struct mm_column site_columns[] = { SITE, SIDES(SLAB_COMPARE_SITES_SIDES), { 0 } };

const struct mm_table_def slab_compare_sites = {
	"compare-call-sites", "Growth by call site, by bytes",
	"live: allocated in the time that the snapshot covers, and not freed by its end; growth: NEW less OLD",
	"each call site and kind of object of either snapshot", site_columns
};

static const struct mm_column leak_columns[] = {
	SITE,
	[SLAB_COMPARE_LEAKS_OLD_LIVE] = { "old_live", "old live", MM_COUNT("objects"), MM_KEEP,
					  "leak candidates of the older snapshot" },
	[SLAB_COMPARE_LEAKS_NEW_LIVE] = { "new_live", "new live", MM_COUNT("objects"), MM_KEEP,
					  "leak candidates of the newer snapshot" },
	[SLAB_COMPARE_LEAKS_LIVE_GROWTH] = { "live_growth", "live growth", MM_COUNT("objects"),
					     MM_DROP(1), "`new_live` minus `old_live`" },
	[SLAB_COMPARE_LEAKS_NEW_LIVE_BYTES] = { "new_live_bytes", "new bytes", MM_BYTES, MM_KEEP,
						"allocated bytes of the leak candidates of the newer snapshot" },
	[SLAB_COMPARE_LEAKS_BYTES_GROWTH] = { "bytes_growth", "bytes growth", MM_BYTES, MM_KEEP,
					      "`new_live_bytes` minus the same bytes of the older snapshot" },
	[SLAB_COMPARE_LEAKS_BYTES_PER_SECOND] = { "bytes_per_second", "bytes/s", MM_REAL("bytes/s"),
						  MM_DROP(2),
						  "`bytes_growth` per second of the time between the ends of the snapshots" },
	[SLAB_COMPARE_LEAKS_OLDEST_NS] = { "oldest_ns", "oldest", MM_NS, MM_DROP(3),
					   "age of the oldest leak candidate of the newer snapshot, at the end of this snapshot" },
	{ 0 },
};

const struct mm_table_def slab_compare_leaks = {
	"compare-leaks", "Leak candidates in both snapshots, by growth of bytes", NULL,
	"each call site that has leak candidates in both snapshots", leak_columns
};

static const struct mm_table_def *const tables[] = {
	&slab_compare_leaks, &slab_compare_caches, &slab_compare_orders, &slab_compare_sites, NULL,
};

const struct mm_report_schema slab_compare_schema = { "slab-compare", metrics, tables,
						      NULL,	      NULL,    &mm_compare_schema };

const struct mm_table *slab_compare_table(const struct mm_report *report,
					  const struct mm_table_def *def)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->def == def)
			return report->tables[i];
	return NULL;
}

const struct mm_cell *slab_compare_grown(const struct mm_table *table, size_t row)
{
	int column = table ? mm_table_column(table, "bytes_growth") : -1;
	const struct mm_cell *cells;

	if (column < 0 || row >= table->row_count)
		return NULL;
	cells = &table->cells[row * table->column_count];
	/* Negative growth is stored in a signed cell. */
	return cells[column].kind == MM_CELL_UNSIGNED && cells[column].u ? cells : NULL;
}
