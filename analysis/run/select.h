/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads ahead which threads the figures of a report are about. */
#ifndef LTTNG_MM_RUN_SELECT_H
#define LTTNG_MM_RUN_SELECT_H

#include "analysis/subsystem/analysis.h"

/*
 * Sets *@selection to what the options select of the trace that @source is about to read, in the
 * whole trace whatever its time range is, or to NULL if that is everything. @sysinfo must outlive
 * it. Returns 0, or -1: out of memory. Release with mm_selection_destroy().
 */
int mm_select(struct mm_selection **selection, const struct mm_source *source,
	      const struct mm_sysinfo *sysinfo, const struct mm_report_options *options);
void mm_selection_destroy(struct mm_selection *selection);

#endif /* LTTNG_MM_RUN_SELECT_H */
