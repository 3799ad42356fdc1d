/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tables of the comparison of two slab reports. */
#ifndef LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H
#define LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H

#include "analysis/report/schema.h"

extern const struct mm_table_def slab_compare_caches;
extern const struct mm_table_def slab_compare_leaks;
extern const struct mm_table_def slab_compare_sites;

#endif /* LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H */
