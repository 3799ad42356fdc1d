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

#endif /* LTTNG_MM_DAX_DAX_SCHEMA_H */
