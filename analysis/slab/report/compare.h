/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares two snapshots of one boot. */
#ifndef LTTNG_MM_SLAB_REPORT_COMPARE_H
#define LTTNG_MM_SLAB_REPORT_COMPARE_H

#include "reader/report/report.h"

extern const struct mm_report_schema slab_compare_schema;

/* @older and @newer are slab reports with a known start and end. */
void slab_compare(const struct mm_report *older, const struct mm_report *newer,
		  struct mm_report *report);

#endif /* LTTNG_MM_SLAB_REPORT_COMPARE_H */
