/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the threads that a report is about, before its events are read. */
#ifndef LTTNG_MM_RUN_SELECT_H
#define LTTNG_MM_RUN_SELECT_H

#include "analysis/subsystem/analysis.h"

/*
 * Sets *@selection to the threads that the options select, or to NULL if they select all. Reads the
 * whole trace of @source, also outside the time range. @sysinfo must outlive the selection. Returns
 * 0, or -1 when out of memory. Release with mm_selection_destroy().
 */
int mm_select(struct mm_selection **selection, const struct mm_source *source,
	      const struct mm_sysinfo *sysinfo, const struct mm_report_options *options);
void mm_selection_destroy(struct mm_selection *selection);

#endif /* LTTNG_MM_RUN_SELECT_H */
