/* SPDX-License-Identifier: LGPL-2.1-only */
/* Schema of the section "Coverage", which has the same keys in every report. */
#ifndef LTTNG_MM_REPORT_COVERAGE_SCHEMA_H
#define LTTNG_MM_REPORT_COVERAGE_SCHEMA_H

#include "reader/report/schema.h"

enum mm_coverage_key {
	MM_COVERAGE_COMPLETE,
	MM_COVERAGE_START_NS,
	MM_COVERAGE_END_NS,
	MM_COVERAGE_DURATION_NS,
	MM_COVERAGE_CPUS,
	MM_COVERAGE_KERNEL_RELEASE,
	MM_COVERAGE_HOSTNAME,
	MM_COVERAGE_EVENTS,
	MM_COVERAGE_EVENTS_DISCARDED,
	MM_COVERAGE_PACKETS_LOST,
	MM_COVERAGE_PACKETS_WITHOUT_COUNT,
	MM_COVERAGE_PACKETS_TRUNCATED,
	MM_COVERAGE_PACKETS_DAMAGED,
	MM_COVERAGE_STREAMS_MISSING,
	MM_COVERAGE_PAUSES,
	MM_COVERAGE_POSSIBLE_PAUSES,
	MM_COVERAGE_POSSIBLE_PAUSES_NS,
	MM_COVERAGE_STREAMS_VERIFIED,
	MM_COVERAGE_UNVERIFIABLE,
	MM_COVERAGE_RECORDER_SHARE,
	MM_COVERAGE_LIMITED_TO,
	MM_COVERAGE_COUNT,
};

enum mm_coverage_table {
	MM_COVERAGE_LOSSES,
	MM_COVERAGE_MISSING,
	MM_COVERAGE_DAMAGE,
	MM_COVERAGE_TABLES,
};

/* The keys with their kinds and meanings; ends with a NULL key. */
extern const struct mm_column mm_coverage_columns[MM_COVERAGE_COUNT + 1];
extern const struct mm_table_def mm_coverage_tables[MM_COVERAGE_TABLES];

/* Columns of the tables, from left to right. */
enum mm_losses_column {
	MM_LOSSES_STREAM,
	MM_LOSSES_EVENTS_DISCARDED,
	MM_LOSSES_PACKETS_LOST,
	MM_LOSSES_WITHOUT_COUNT,
	MM_LOSSES_TRUNCATED,
	MM_LOSSES_DAMAGED,
	MM_LOSSES_MISSING,
	MM_LOSSES_PAUSES,
};

enum mm_missing_column {
	MM_MISSING_STREAM,
	MM_MISSING_CPU,
	MM_MISSING_PACKETS,
	MM_MISSING_WHAT,
};

enum mm_damage_column {
	MM_DAMAGE_MESSAGE,
};

/* A figure of the coverage that is also a metric, such as `trace.complete`. */
struct mm_coverage_metric {
	enum mm_coverage_key key;
	enum mm_direction direction;
	enum mm_scaling scaling;
};

extern const struct mm_coverage_metric mm_coverage_metrics[];
extern const size_t mm_coverage_metric_count;

#endif /* LTTNG_MM_REPORT_COVERAGE_SCHEMA_H */
