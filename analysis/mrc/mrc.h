/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Miss curves of page references. A miss curve states the number of refaults for each size of the
 * memory.
 */
#ifndef LTTNG_MM_MRC_MRC_H
#define LTTNG_MM_MRC_MRC_H

#include "analysis/subsystem/analysis.h"

enum mrc_policy { MRC_LRU, MRC_CLOCK, MRC_FIFO, MRC_OPT, MRC_POLICIES };
extern const char *const mrc_policy_names[MRC_POLICIES];

#define MRC_SIZES_MAX 64
#define MRC_RATE_DEFAULT 100

struct mrc_settings {
	bool policies[MRC_POLICIES];
	uint64_t sizes[MRC_SIZES_MAX]; /* bytes */
	size_t size_count;	       /* 0: the program chooses sizes */
	double limit;		       /* refaults per second that are acceptable */
	bool by_process;
	double sample; /* share of the pages to count; 1: all */
	/*
	 * @needs_only: state only the needed memory of all processes or, with @by_pid, of process
	 * @pid.
	 */
	bool needs_only, by_pid;
	uint32_t pid;
};

/*
 * Makes the report of the trace at @path. Returns a report to release with mm_report_destroy(), or
 * NULL with @err set.
 */
struct mm_report *mrc_report(const char *path, const struct mm_source_options *options,
			     const struct mrc_settings *settings, struct mm_error *err);

/*
 * Reads the trace at @path, and adds to @report how much memory its processes need. If
 * @report_options selects a process, adds the memory that this process needs. @report is a report
 * of page references. Inserts the new sentences before the report's other sentences. Also adds the
 * metrics pageref.needed_bytes and pageref.needed_valid_from_bytes. Returns 0, or -1 with @err set.
 */
int mrc_add_needs(const char *path, const struct mm_source_options *options,
		  const struct mm_report_options *report_options, struct mm_report *report,
		  struct mm_error *err);

extern const struct mm_report_schema mrc_schema;

#endif /* LTTNG_MM_MRC_MRC_H */
