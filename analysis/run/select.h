/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the threads of a report, before the events of the report are read. */
#ifndef LTTNG_MM_RUN_SELECT_H
#define LTTNG_MM_RUN_SELECT_H

#include "analysis/subsystem/analysis.h"

/*
 * Sets *@selection to the threads that the options select, or to NULL if they select all threads.
 * Reads the whole trace of @source, even outside the time range. @sysinfo must outlive the
 * selection. Returns 0, or -1 when out of memory. Release with mm_selection_destroy().
 */
int mm_select(struct mm_selection **selection, const struct mm_source *source,
	      const struct mm_sysinfo *sysinfo, const struct mm_report_options *options);
/*
 * Adds the descendants of the process @pid to @pids. Finds them by the forks in the trace at @path.
 * Returns 0, or -1 with @err set.
 */
int mm_select_descendants(const char *path, const struct mm_source_options *options, int32_t pid,
			  struct mm_pids *pids, struct mm_error *err);
void mm_selection_destroy(struct mm_selection *selection);

#endif /* LTTNG_MM_RUN_SELECT_H */
