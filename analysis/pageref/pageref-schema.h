/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables of the report of page references. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_SCHEMA_H
#define LTTNG_MM_PAGEREF_PAGEREF_SCHEMA_H

#include "analysis/pageref/pageref-state.h"
#include "reader/report/schema.h"

/* Columns of the table of processes. */
enum {
	PAGEREF_PROCESS_NAME,
	PAGEREF_PROCESS_PID,
	PAGEREF_PROCESS_MM,
	PAGEREF_PROCESS_TOUCHES,
	PAGEREF_PROCESS_PAGES,
	PAGEREF_PROCESS_BYTES,
	PAGEREF_PROCESS_KINDS,
	PAGEREF_PROCESS_PASSES = PAGEREF_PROCESS_KINDS + PAGEREF_KINDS,
	PAGEREF_PROCESS_UNSEEN,
	PAGEREF_PROCESS_LEFT_OUT,
};

/* Columns of the table of mappings. */
enum {
	PAGEREF_MAPPINGS_NAME,
	PAGEREF_MAPPINGS_MAJOR,
	PAGEREF_MAPPINGS_MINOR,
	PAGEREF_MAPPINGS_INO,
	PAGEREF_MAPPINGS_TOUCHES,
	PAGEREF_MAPPINGS_PAGES,
	PAGEREF_MAPPINGS_BYTES,
	PAGEREF_MAPPINGS_SPACES,
};

extern const struct mm_table_def pageref_table_processes, pageref_table_mappings;
extern const struct mm_report_schema pageref_schema;

#endif /* LTTNG_MM_PAGEREF_PAGEREF_SCHEMA_H */
