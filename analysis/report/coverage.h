/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a trace covers and what it lost: a section with the same keys in every report. */
#ifndef LTTNG_MM_REPORT_COVERAGE_H
#define LTTNG_MM_REPORT_COVERAGE_H

#include "analysis/report/schema.h"

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
	MM_COVERAGE_STREAMS_VERIFIED,
	MM_COVERAGE_UNVERIFIABLE,
	MM_COVERAGE_RECORDER_SHARE,
	MM_COVERAGE_COUNT,
};

enum mm_coverage_table {
	MM_COVERAGE_LOSSES,
	MM_COVERAGE_MISSING,
	MM_COVERAGE_DAMAGE,
	MM_COVERAGE_TABLES,
};

/* The values, in the order of the keys; ends with a NULL key. */
extern const struct mm_column mm_coverage_columns[MM_COVERAGE_COUNT + 1];
extern const struct mm_table_def mm_coverage_tables[MM_COVERAGE_TABLES];

#endif /* LTTNG_MM_REPORT_COVERAGE_H */
