/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills in what a report says of its trace, whatever the analysis. */
#ifndef LTTNG_MM_RUN_COVERAGE_H
#define LTTNG_MM_RUN_COVERAGE_H

#include "analysis/report/report.h"
#include "analysis/sysinfo/sysinfo.h"
#include "analysis/trace/source.h"

/* The coverage of @source, which has run, and the notes of the system information. */
void mm_coverage_fill(const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_report *report);
/* The number of CPUs, of which @cpus has @count, in any order; sorts them. */
void mm_coverage_set_cpus(struct mm_report *report, uint32_t *cpus, size_t count);

#endif /* LTTNG_MM_RUN_COVERAGE_H */
