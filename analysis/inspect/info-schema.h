/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the report of `lttng-mm info` can contain. */
#ifndef LTTNG_MM_INSPECT_INFO_SCHEMA_H
#define LTTNG_MM_INSPECT_INFO_SCHEMA_H

#include "analysis/report/schema.h"

extern const struct mm_report_schema ctf_info_schema;

extern const struct mm_table_def ctf_info_table_clocks;
extern const struct mm_table_def ctf_info_table_coverage;
extern const struct mm_table_def ctf_info_table_damage;
extern const struct mm_table_def ctf_info_table_differences;
extern const struct mm_table_def ctf_info_table_environment;
extern const struct mm_table_def ctf_info_table_events;
extern const struct mm_table_def ctf_info_table_gaps;
extern const struct mm_table_def ctf_info_table_holes;
extern const struct mm_table_def ctf_info_table_snapshots;
extern const struct mm_table_def ctf_info_table_streams;
extern const struct mm_table_def ctf_info_table_traces;

#endif /* LTTNG_MM_INSPECT_INFO_SCHEMA_H */
