/* SPDX-License-Identifier: LGPL-2.1-only */
/* Metrics, tables and columns of the slab report. */
#ifndef LTTNG_MM_SLAB_REPORT_SCHEMA_H
#define LTTNG_MM_SLAB_REPORT_SCHEMA_H

#include "reader/report/schema.h"

extern const struct mm_report_schema slab_schema;
extern const struct mm_compared slab_compared;

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

/* Columns that several tables share, in their order. slab_set_sum() fills them. */
enum slab_sum_column {
	SLAB_SUM_ALLOCATIONS,
	SLAB_SUM_RATE,
	SLAB_SUM_PAIRED,
	SLAB_SUM_BYTES_REQUESTED,
	SLAB_SUM_BYTES_ALLOCATED,
	SLAB_SUM_SHARE,
	SLAB_SUM_WASTED,
	SLAB_SUM_WASTED_PERCENT,
	SLAB_SUM_LIVE,
	SLAB_SUM_LIVE_BYTES,
	SLAB_SUM_PEAK_BYTES,
	SLAB_SUM_MEDIAN_LIFETIME,
	SLAB_SUM_REMOTE_FREES,
	SLAB_SUM_CROSS_THREAD_FREES,
	SLAB_SUM_FREED_UNTRACED,
	SLAB_SUM_ANOMALIES,
	SLAB_SUM_UNDETERMINED,
	SLAB_SUM_FREED_BY_KFREE,
	SLAB_SUM_SIZE_UNKNOWN,
	SLAB_SUM_COLUMNS,
};

/* Columns that two tables share, in their order. set_who() in tally-tables.c fills them. */
enum slab_who_column {
	SLAB_WHO_ALLOCATIONS,
	SLAB_WHO_RATE,
	SLAB_WHO_FREES,
	SLAB_WHO_BYTES_REQUESTED,
	SLAB_WHO_BYTES_ALLOCATED,
	SLAB_WHO_SHARE,
	SLAB_WHO_LIVE,
	SLAB_WHO_LIVE_BYTES,
	SLAB_WHO_PAGE_ALLOCATIONS,
	SLAB_WHO_PAGE_BYTES,
	SLAB_WHO_PAGE_LIVE_BYTES,
	SLAB_WHO_PAGE_FREES,
	SLAB_WHO_SIZE_UNKNOWN,
	SLAB_WHO_COLUMNS,
};

/* Number of parts of the interval of leak candidates. */
#define SLAB_LEAK_QUARTERS 4

/* The first columns of the tables of leak candidates. */
enum slab_leak_column {
	SLAB_LEAK_CALL_SITE,
	SLAB_LEAK_CODE,
	SLAB_LEAK_KIND,
	SLAB_LEAK_LIVE,
	SLAB_LEAK_LIVE_BYTES,
	SLAB_LEAK_ALLOCATIONS,
	SLAB_LEAK_PAIRED,
	SLAB_LEAK_OLDEST_NS,
	SLAB_LEAK_YOUNGEST_NS,
	SLAB_LEAK_FREED_LATER,
	SLAB_LEAK_STEADY_BYTES,
	SLAB_LEAK_STEADY_OBJECTS,
	SLAB_LEAK_QUARTER_OBJECTS, /* first of SLAB_LEAK_QUARTERS columns */
	SLAB_LEAK_QUARTER_BYTES = SLAB_LEAK_QUARTER_OBJECTS + SLAB_LEAK_QUARTERS,
	SLAB_LEAK_COLUMNS = SLAB_LEAK_QUARTER_BYTES + SLAB_LEAK_QUARTERS,
};

enum slab_consumers_column {
	SLAB_CONSUMERS_KIND,
	SLAB_CONSUMERS_ALLOCATIONS,
	SLAB_CONSUMERS_BYTES_ALLOCATED,
	SLAB_CONSUMERS_GROWTH_BYTES,
	SLAB_CONSUMERS_RECLAIMABLE,
	SLAB_CONSUMERS_PROCESS,
	SLAB_CONSUMERS_PID,
	SLAB_CONSUMERS_PROCESS_BYTES,
	SLAB_CONSUMERS_CALL_SITE,
	SLAB_CONSUMERS_CODE,
	SLAB_CONSUMERS_CALL_SITE_BYTES,
};

enum slab_call_sites_column {
	SLAB_CALL_SITES_CALL_SITE,
	SLAB_CALL_SITES_CODE,
	SLAB_CALL_SITES_KIND,
	SLAB_CALL_SITES_OF,
	SLAB_CALL_SITES_SUM, /* first of slab_sum_column */
};

enum slab_lifetimes_column {
	SLAB_LIFETIMES_CODE,
	SLAB_LIFETIMES_KIND,
	SLAB_LIFETIMES_FROM_NS,
	SLAB_LIFETIMES_BELOW_NS,
	SLAB_LIFETIMES_COUNT,
};

enum slab_caches_column {
	SLAB_CACHES_CACHE,
	SLAB_CACHES_NUMBER,
	SLAB_CACHES_OBJECT_SIZE,
	SLAB_CACHES_SLOT_SIZE,
	SLAB_CACHES_SUM, /* first of slab_sum_column */
	SLAB_CACHES_RECLAIMABLE = SLAB_CACHES_SUM + SLAB_SUM_COLUMNS,
	SLAB_CACHES_ALIASES,
};

enum slab_size_classes_column {
	SLAB_SIZE_CLASSES_CLASS,
	SLAB_SIZE_CLASSES_SUM, /* first of slab_sum_column */
	SLAB_SIZE_CLASSES_MOST_WASTED_AT = SLAB_SIZE_CLASSES_SUM + SLAB_SUM_COLUMNS,
};

enum slab_totals_column {
	SLAB_TOTALS_WHAT,
	SLAB_TOTALS_SUM, /* first of slab_sum_column */
};

enum slab_wasted_column {
	SLAB_WASTED_CALL_SITE,
	SLAB_WASTED_KIND,
	SLAB_WASTED_BYTES,
	SLAB_WASTED_OBJECT_SIZE,
	SLAB_WASTED_SLOT_SIZE,
	SLAB_WASTED_SLACK,
	SLAB_WASTED_COUNT,
	SLAB_WASTED_FIRST_NS,
	SLAB_WASTED_PTR,
	SLAB_WASTED_PROCESS,
};

enum slab_anomalies_column {
	SLAB_ANOMALIES_WHAT,
	SLAB_ANOMALIES_PTR,
	SLAB_ANOMALIES_KIND,
	SLAB_ANOMALIES_EVENT,
	SLAB_ANOMALIES_TIME_NS,
	SLAB_ANOMALIES_CALL_SITE,
	SLAB_ANOMALIES_PROCESS,
	SLAB_ANOMALIES_TID,
	SLAB_ANOMALIES_CPU,
	SLAB_ANOMALIES_THROUGH,
	SLAB_ANOMALIES_BYTES_REQUESTED,
	SLAB_ANOMALIES_BYTES_ALLOCATED,
};

enum slab_mismatched_column {
	SLAB_MISMATCHED_WHAT,
	SLAB_MISMATCHED_COUNT,
};

enum slab_untraced_column {
	SLAB_UNTRACED_CALL_SITE,
	SLAB_UNTRACED_KIND,
	SLAB_UNTRACED_COUNT,
	SLAB_UNTRACED_BY_RCU,
};

enum slab_paths_column {
	SLAB_PATHS_PATH,
	SLAB_PATHS_FUNCTION,
	SLAB_PATHS_STATE,
	SLAB_PATHS_MISSED,
};

enum slab_cross_node_column {
	SLAB_CROSS_NODE_CALL_SITE,
	SLAB_CROSS_NODE_CODE,
	SLAB_CROSS_NODE_KIND,
	SLAB_CROSS_NODE_SUM,
	SLAB_CROSS_NODE_ALLOCATIONS,
	SLAB_CROSS_NODE_FREES,
};

enum slab_processes_column {
	SLAB_PROCESSES_PROCESS,
	SLAB_PROCESSES_PID,
	SLAB_PROCESSES_CONTEXT,
	SLAB_PROCESSES_TID,
	SLAB_PROCESSES_WHO, /* first of slab_who_column */
};

enum slab_cpus_column {
	SLAB_CPUS_CPU,
	SLAB_CPUS_WHO, /* first of slab_who_column */
};

enum slab_nodes_column {
	SLAB_NODES_NODE,
	SLAB_NODES_ALLOCATIONS,
	SLAB_NODES_BYTES_REQUESTED,
	SLAB_NODES_BYTES_ALLOCATED,
	SLAB_NODES_SHARE,
	SLAB_NODES_LIVE,
	SLAB_NODES_LIVE_BYTES,
	SLAB_NODES_PAGE_ALLOCATIONS,
	SLAB_NODES_SIZE_UNKNOWN,
};

enum slab_cpu_matrix_column {
	SLAB_CPU_MATRIX_ALLOCATED_ON,
	SLAB_CPU_MATRIX_FREED_ON,
	SLAB_CPU_MATRIX_COUNT,
	SLAB_CPU_MATRIX_PERCENT,
};

enum slab_cross_process_column {
	SLAB_CROSS_PROCESS_ALLOCATED_BY,
	SLAB_CROSS_PROCESS_ALLOCATING_PID,
	SLAB_CROSS_PROCESS_FREED_BY,
	SLAB_CROSS_PROCESS_FREEING_PID,
	SLAB_CROSS_PROCESS_COUNT,
	SLAB_CROSS_PROCESS_PERCENT,
};

enum slab_freers_column {
	SLAB_FREERS_CALL_SITE,
	SLAB_FREERS_CODE,
	SLAB_FREERS_COUNT,
	SLAB_FREERS_PERCENT,
	SLAB_FREERS_RATE,
};

enum slab_page_orders_column {
	SLAB_PAGE_ORDERS_ORDER,
	SLAB_PAGE_ORDERS_SUM, /* first of slab_sum_column */
	SLAB_PAGE_ORDERS_PARTLY_FREED = SLAB_PAGE_ORDERS_SUM + SLAB_SUM_COLUMNS,
};

enum slab_page_flags_column {
	SLAB_PAGE_FLAGS_GFP_FLAGS,
	SLAB_PAGE_FLAGS_MIGRATE_TYPE,
	SLAB_PAGE_FLAGS_ORDER,
	SLAB_PAGE_FLAGS_ALLOCATIONS,
	SLAB_PAGE_FLAGS_PAGES,
	SLAB_PAGE_FLAGS_PAGES_PERCENT,
};

enum slab_failed_column {
	SLAB_FAILED_CALL_SITE,
	SLAB_FAILED_CODE,
	SLAB_FAILED_KIND,
	SLAB_FAILED_GFP_FLAGS,
	SLAB_FAILED_BYTES_MOST,
	SLAB_FAILED_COUNT,
	SLAB_FAILED_PROCESS,
	SLAB_FAILED_PID,
	SLAB_FAILED_FIRST_NS,
	SLAB_FAILED_LAST_NS,
};

enum slab_outcomes_column {
	SLAB_OUTCOMES_OUTCOME,
	SLAB_OUTCOMES_OBJECTS,
	SLAB_OUTCOMES_PAGES,
	SLAB_OUTCOMES_MEANING,
};

enum slab_leaks_column {
	SLAB_LEAKS_PATH = SLAB_LEAK_COLUMNS,
};

enum slab_uncertain_column {
	SLAB_UNCERTAIN_PENDING_OLDEST_NS = SLAB_LEAK_COLUMNS,
	SLAB_UNCERTAIN_PENDING_YOUNGEST_NS,
	SLAB_UNCERTAIN_PATH,
};

/* Columns of both tables of call stacks. */
enum slab_stacks_column {
	SLAB_STACKS_CALL_SITE,
	SLAB_STACKS_CODE,
	SLAB_STACKS_KIND,
	SLAB_STACKS_ALLOCATIONS,
	SLAB_STACKS_BYTES_ALLOCATED,
	SLAB_STACKS_LIVE,
	SLAB_STACKS_LIVE_BYTES,
	SLAB_STACKS_STACKS,
	SLAB_STACKS_STACK,
};

#endif /* LTTNG_MM_SLAB_REPORT_SCHEMA_H */
