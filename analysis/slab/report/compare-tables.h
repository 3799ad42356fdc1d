/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tables of the comparison of two slab reports. */
#ifndef LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H
#define LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H

#include "reader/report/report.h"

extern const struct mm_table_def slab_compare_caches;
extern const struct mm_table_def slab_compare_leaks;
extern const struct mm_table_def slab_compare_orders;
extern const struct mm_table_def slab_compare_sites;

/* Columns that several tables share, in order. fill_both() fills them. */
enum slab_sides_column {
	SLAB_SIDES_OLD_LIVE,
	SLAB_SIDES_NEW_LIVE,
	SLAB_SIDES_LIVE_GROWTH,
	SLAB_SIDES_OLD_LIVE_BYTES,
	SLAB_SIDES_NEW_LIVE_BYTES,
	SLAB_SIDES_BYTES_GROWTH,
	SLAB_SIDES_OLD_RATE,
	SLAB_SIDES_NEW_RATE,
};

/* The first columns of slab_compare_sites and slab_compare_leaks. */
enum slab_compare_site_column {
	SLAB_COMPARE_SITE_CALL_SITE,
	SLAB_COMPARE_SITE_CODE,
	SLAB_COMPARE_SITE_KIND,
	SLAB_COMPARE_SITE_COLUMNS,
};

enum slab_compare_caches_column {
	SLAB_COMPARE_CACHES_CACHE,
	SLAB_COMPARE_CACHES_NUMBER,
	SLAB_COMPARE_CACHES_ALIASES,
	SLAB_COMPARE_CACHES_SIDES, /* first of slab_sides_column */
};

enum slab_compare_orders_column {
	SLAB_COMPARE_ORDERS_ORDER,
	SLAB_COMPARE_ORDERS_SIDES, /* first of slab_sides_column */
};

enum slab_compare_sites_column {
	SLAB_COMPARE_SITES_SIDES = SLAB_COMPARE_SITE_COLUMNS, /* first of slab_sides_column */
};

enum slab_compare_leaks_column {
	SLAB_COMPARE_LEAKS_OLD_LIVE = SLAB_COMPARE_SITE_COLUMNS,
	SLAB_COMPARE_LEAKS_NEW_LIVE,
	SLAB_COMPARE_LEAKS_LIVE_GROWTH,
	SLAB_COMPARE_LEAKS_NEW_LIVE_BYTES,
	SLAB_COMPARE_LEAKS_BYTES_GROWTH,
	SLAB_COMPARE_LEAKS_BYTES_PER_SECOND,
	SLAB_COMPARE_LEAKS_OLDEST_NS,
};

/* Returns the table of the report, or NULL if the report lacks it. */
const struct mm_table *slab_compare_table(const struct mm_report *report,
					  const struct mm_table_def *def);
/* Returns row @row if its bytes grew, else NULL. The tables are sorted by growth of bytes. */
const struct mm_cell *slab_compare_grown(const struct mm_table *table, size_t row);

#endif /* LTTNG_MM_SLAB_REPORT_COMPARE_TABLES_H */
