/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the slab report can contain. */
#ifndef LTTNG_MM_SLAB_REPORT_SCHEMA_H
#define LTTNG_MM_SLAB_REPORT_SCHEMA_H

#include "analysis/report/schema.h"

extern const struct mm_report_schema slab_schema;

/* The columns that slab_set_sum() fills. */
#define SLAB_SUM_CELLS 19

/* Leak candidates by the quarter of the time; those columns, and the two of steady growth. */
#define SLAB_LEAK_QUARTERS 4
#define SLAB_LEAK_QUARTER_COLUMNS (2 + 2 * SLAB_LEAK_QUARTERS)

extern const struct mm_table_def slab_table_call_sites;
extern const struct mm_table_def slab_table_caches;
extern const struct mm_table_def slab_table_call_stacks;
extern const struct mm_table_def slab_table_leak_stacks;
extern const struct mm_table_def slab_table_consumers;
extern const struct mm_table_def slab_table_cpu_matrix;
extern const struct mm_table_def slab_table_cpus;
extern const struct mm_table_def slab_table_cross_node;
extern const struct mm_table_def slab_table_failed;
extern const struct mm_table_def slab_table_outcomes;
extern const struct mm_table_def slab_table_freeing_call_sites;
extern const struct mm_table_def slab_table_anomalies;
extern const struct mm_table_def slab_table_leaks;
extern const struct mm_table_def slab_table_leaks_uncertain;
extern const struct mm_table_def slab_table_mismatched_frees;
extern const struct mm_table_def slab_table_lifetimes;
extern const struct mm_table_def slab_table_nodes;
extern const struct mm_table_def slab_table_page_flags;
extern const struct mm_table_def slab_table_page_orders;
extern const struct mm_table_def slab_table_untraced_paths;
extern const struct mm_table_def slab_table_processes;
extern const struct mm_table_def slab_table_size_classes;
extern const struct mm_table_def slab_table_cross_process_frees;
extern const struct mm_table_def slab_table_totals;
extern const struct mm_table_def slab_table_freed_untraced;
extern const struct mm_table_def slab_table_most_wasted;

#endif /* LTTNG_MM_SLAB_REPORT_SCHEMA_H */
