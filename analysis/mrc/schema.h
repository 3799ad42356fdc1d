/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables of the report of miss curves. */
#ifndef LTTNG_MM_MRC_SCHEMA_H
#define LTTNG_MM_MRC_SCHEMA_H

#include "analysis/mrc/mrc.h"

enum {
	MRC_SIZE_PROCESS,
	MRC_SIZE_PID,
	MRC_SIZE_POLICY,
	MRC_SIZE_BYTES,
	MRC_SIZE_LOW,
	MRC_SIZE_HIGH,
	MRC_SIZE_LOW_RATE,
	MRC_SIZE_HIGH_RATE,
};

enum {
	MRC_PROCESS_NAME,
	MRC_PROCESS_PID,
	MRC_PROCESS_TOUCHES,
	MRC_PROCESS_FIRST,
	MRC_PROCESS_VALID,
	MRC_PROCESS_LOW,
	MRC_PROCESS_HIGH,
};

extern const struct mm_table_def mrc_table_sizes, mrc_table_processes;

#endif /* LTTNG_MM_MRC_SCHEMA_H */
