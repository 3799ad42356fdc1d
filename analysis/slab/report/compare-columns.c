// SPDX-License-Identifier: LGPL-2.1-only
/* Declares which columns are compared between two slab reports. */
#include <stddef.h>

#include "analysis/slab/report/schema.h"

/*
 * Live objects are those that were allocated within the trace and not freed. A longer trace may
 * have more of them, and a higher peak. The columns of live objects and of the peak are therefore
 * not scaled to the length of the trace.
 */
static const struct mm_compared_column sum_columns[] = {
	{ "bytes_allocated", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "allocations", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "bytes_requested", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "wasted", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "wasted_percent", MM_LESS_IS_BETTER, MM_STEADY, "allocations", 4 },
	{ "live", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "live_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "peak_bytes", MM_LESS_IS_BETTER, MM_MAXIMUM, NULL, 0 },
	{ "remote_frees", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "anomalies", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

/*
 * The counts of allocations, and the allocated, requested and live bytes, have no column here,
 * because they are compared as metrics.
 */
static const struct mm_compared_column total_columns[] = {
	{ "live", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "wasted", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "wasted_percent", MM_LESS_IS_BETTER, MM_STEADY, "allocations", 4 },
	{ "remote_frees", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "anomalies", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column who_columns[] = {
	{ "bytes_allocated", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "allocations", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "frees", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "live_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "page_allocations", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "page_bytes", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "page_live_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column leak_columns[] = {
	{ "live_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "live", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "steady_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column consumer_columns[] = {
	{ "growth_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column wasted_columns[] = {
	{ "slack", MM_LESS_IS_BETTER, MM_STEADY, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column count_columns[] = {
	{ "count", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column failure_columns[] = {
	{ "count", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column pair_columns[] = {
	{ "count", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column cross_node_columns[] = {
	{ "cross_node", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column flags_columns[] = {
	{ "pages", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "allocations", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column node_columns[] = {
	{ "bytes_allocated", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "live_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "page_allocations", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

/*
 * Rows are identified by names. The numbers of call sites and caches, and process ids, may differ
 * between the two traces.
 */
static const struct mm_compared_table tables[] = {
	{ &slab_table_leaks, "slab.leak", { "call_site", "kind" }, { NULL }, leak_columns },
	{ &slab_table_leaks_uncertain,
	  "slab.leak_uncertain",
	  { "call_site", "kind" },
	  { NULL },
	  leak_columns },
	{ &slab_table_mismatched_frees,
	  "slab.mismatched_free",
	  { "what" },
	  { NULL },
	  count_columns },
	{ &slab_table_freed_untraced,
	  "slab.freed_untraced",
	  { "call_site", "kind" },
	  { NULL },
	  count_columns },
	{ &slab_table_totals, "slab.total", { "what" }, { NULL }, total_columns },
	{ &slab_table_consumers, "slab.consumer", { "kind" }, { NULL }, consumer_columns },
	{ &slab_table_size_classes, "slab.size_class", { "class" }, { NULL }, sum_columns },
	{ &slab_table_caches, "slab.cache", { "cache" }, { "number" }, sum_columns },
	{ &slab_table_call_sites,
	  "slab.call_site",
	  { "call_site", "kind" },
	  { NULL },
	  sum_columns },
	{ &slab_table_most_wasted,
	  "slab.wasted",
	  { "call_site", "kind", "object_size" },
	  { NULL },
	  wasted_columns },
	{ &slab_table_freeing_call_sites,
	  "slab.freeing_call_site",
	  { "call_site" },
	  { NULL },
	  count_columns },
	{ &slab_table_processes,
	  "slab.process",
	  { "process", "context" },
	  { "pid", "tid" },
	  who_columns },
	{ &slab_table_cross_process_frees,
	  "slab.cross_process_free",
	  { "allocated_by", "freed_by" },
	  { NULL },
	  pair_columns },
	{ &slab_table_cpus, "slab.cpu", { "cpu" }, { NULL }, who_columns },
	{ &slab_table_cpu_matrix,
	  "slab.cpu_pair",
	  { "allocated_on", "freed_on" },
	  { NULL },
	  pair_columns },
	{ &slab_table_nodes, "slab.node", { "node" }, { NULL }, node_columns },
	{ &slab_table_cross_node,
	  "slab.cross_node",
	  { "call_site", "kind" },
	  { NULL },
	  cross_node_columns },
	{ &slab_table_page_orders, "slab.order", { "order" }, { NULL }, sum_columns },
	{ &slab_table_page_flags,
	  "slab.gfp_flags",
	  { "gfp_flags", "migrate_type", "order" },
	  { NULL },
	  flags_columns },
	{ &slab_table_failed,
	  "slab.failed",
	  { "call_site", "kind", "gfp_flags", "process" },
	  { NULL },
	  failure_columns },
	{ NULL, NULL, { NULL }, { NULL }, NULL },
};

/*
 * Live objects and leak candidates have no headline here, because slab_compare() states them if
 * both snapshots are of one boot.
 */
static const struct mm_headline headlines[] = {
	{ "Allocations took", "slab.bytes_allocated", NULL },
	{ "Allocations numbered", "slab.allocations", NULL },
	{ "Failed allocations numbered", "slab.allocations_failed", NULL },
	{ "Failed page allocations numbered", "slab.page_allocations_failed", NULL },
	{ NULL, NULL, NULL },
};

static const char *const lowered[] = {
	"slab.allocations",	   "slab.bytes_requested",
	"slab.bytes_allocated",	   "slab.kfree_rcu",
	"slab.allocations_failed", "slab.page_allocations_failed",
	"slab.page_frees_batched", NULL,
};

const struct mm_compared slab_compared = { tables, NULL, headlines, lowered, NULL };
