/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the DAX report can contain. */
#ifndef LTTNG_MM_DAX_DAX_SCHEMA_H
#define LTTNG_MM_DAX_DAX_SCHEMA_H

#include "analysis/report/schema.h"

extern const struct mm_report_schema dax_schema;

extern const struct mm_table_def dax_table_faults;
extern const struct mm_table_def dax_table_histogram;
extern const struct mm_table_def dax_table_causes;
extern const struct mm_table_def dax_table_remedies;
extern const struct mm_table_def dax_table_evidence;
extern const struct mm_table_def dax_table_files;
extern const struct mm_table_def dax_table_file_causes;
extern const struct mm_table_def dax_table_processes;
extern const struct mm_table_def dax_table_slowest;
extern const struct mm_table_def dax_table_no_pmd;
extern const struct mm_table_def dax_table_writeback;
extern const struct mm_table_def dax_table_pairing;

/* The columns of tables, in their order. */
enum dax_faults_column {
	DAX_FAULTS_KIND,
	DAX_FAULTS_OUTCOME,
	DAX_FAULTS_CAUSE,
	DAX_FAULTS_COUNT,
	DAX_FAULTS_PERCENT,
	DAX_FAULTS_NS,
	DAX_FAULTS_TIME_PERCENT,
	DAX_FAULTS_FAULTS_PER_SECOND,
	DAX_FAULTS_MEAN_NS,
	DAX_FAULTS_P50_NS,
	DAX_FAULTS_P90_NS,
	DAX_FAULTS_P99_NS,
	DAX_FAULTS_MAX_NS,
	DAX_FAULTS_BARS,
};
enum dax_histogram_column {
	DAX_HISTOGRAM_KIND,
	DAX_HISTOGRAM_OUTCOME,
	DAX_HISTOGRAM_CAUSE,
	DAX_HISTOGRAM_FROM_NS,
	DAX_HISTOGRAM_BELOW_NS,
	DAX_HISTOGRAM_COUNT,
};

enum dax_causes_column {
	DAX_CAUSES_CAUSE,
	DAX_CAUSES_FIRST_FAILED,
	DAX_CAUSES_PERCENT,
	DAX_CAUSES_ALL_FAILED,
	DAX_CAUSES_WHY,
	DAX_CAUSES_EXAMPLE,
	DAX_CAUSES_ACCESSES,
	DAX_CAUSES_NS,
	DAX_CAUSES_TIME_PERCENT,
	DAX_CAUSES_REMEDY,
};

enum dax_remedies_column {
	DAX_REMEDIES_CAUSE,
	DAX_REMEDIES_LINE,
};

enum dax_files_column {
	DAX_FILES_PATH,
	DAX_FILES_MAJOR,
	DAX_FILES_MINOR,
	DAX_FILES_INO,
	DAX_FILES_DAX,
	DAX_FILES_EXTENTS,
	DAX_FILES_EXTENTS_2M_ALIGNED,
	DAX_FILES_ALIGNMENT,
	DAX_FILES_PMD_FAULTS,
	DAX_FILES_PMD_MAPPED,
	DAX_FILES_PMD_FALLBACKS,
	DAX_FILES_FALLBACK_PERCENT,
	DAX_FILES_FALLBACK_ACCESSES,
	DAX_FILES_FALLBACK_NS,
	DAX_FILES_FALLBACK_TIME_PERCENT,
	DAX_FILES_PTE_FAULTS,
	DAX_FILES_WRITE_PROTECT,
	DAX_FILES_SYNC,
	DAX_FILES_SIGBUS,
	DAX_FILES_COPIED,
	DAX_FILES_RETRIES,
	DAX_FILES_FINISH_SYNC,
	DAX_FILES_PMD_LOAD_HOLE,
	DAX_FILES_LOAD_HOLE,
	DAX_FILES_MKWRITE_NO_ENTRY,
	DAX_FILES_WRITEBACK_RANGES,
	DAX_FILES_WRITEBACK_PAGES,
	DAX_FILES_PAGES_WRITTEN,
};

enum dax_file_causes_column {
	DAX_FILE_CAUSES_MAJOR,
	DAX_FILE_CAUSES_MINOR,
	DAX_FILE_CAUSES_INO,
	DAX_FILE_CAUSES_CAUSE,
	DAX_FILE_CAUSES_FIRST_FAILED,
	DAX_FILE_CAUSES_ALL_FAILED,
};

enum dax_processes_column {
	DAX_PROCESSES_PROCESS,
	DAX_PROCESSES_PID,
	DAX_PROCESSES_PMD_FAULTS,
	DAX_PROCESSES_PMD_FALLBACKS,
	DAX_PROCESSES_FALLBACK_PERCENT,
	DAX_PROCESSES_FALLBACK_ACCESSES,
	DAX_PROCESSES_FALLBACK_NS,
	DAX_PROCESSES_PTE_FAULTS,
	DAX_PROCESSES_FAULTS_PER_SECOND,
	DAX_PROCESSES_FAULT_NS,
	DAX_PROCESSES_FAULT_PERCENT,
};

enum dax_slowest_column {
	DAX_SLOWEST_LATENCY_NS,
	DAX_SLOWEST_KIND,
	DAX_SLOWEST_OUTCOME,
	DAX_SLOWEST_PROCESS,
};

enum dax_unpreceded_column {
	DAX_UNPRECEDED_REASON,
	DAX_UNPRECEDED_COUNT,
	DAX_UNPRECEDED_WHY,
};

enum dax_writeback_column {
	DAX_WRITEBACK_PATH,
	DAX_WRITEBACK_INO,
	DAX_WRITEBACK_RANGES,
	DAX_WRITEBACK_PAGES,
	DAX_WRITEBACK_PAGES_WRITTEN,
	DAX_WRITEBACK_NS,
};

enum dax_pairing_column {
	DAX_PAIRING_WHAT,
	DAX_PAIRING_COUNT,
};

#endif /* LTTNG_MM_DAX_DAX_SCHEMA_H */
