/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes the tables of the slab report, and fills their cells from sums over call sites. */
#ifndef LTTNG_MM_SLAB_REPORT_CELLS_H
#define LTTNG_MM_SLAB_REPORT_CELLS_H

#include "analysis/slab/report/report.h"

/* Does the text form show what is listed by @by? */
bool slab_report_shows(const struct slab_options *options, const char *by);
struct mm_table *slab_report_table(struct mm_report *report, const struct slab_options *options,
				   const char *by, const struct mm_table_def *def);
/* Hides a table with one row, which only repeats totals, unless the user asked for it. */
void slab_hide_single(const struct slab_options *options, const char *by, struct mm_table *table);
/* Adds the call site to @sum. */
void slab_sum_site(const struct slab_results *results, const struct slab_site *site,
		   struct slab_sum *sum);
void slab_add_sum(struct slab_sum *sum, const struct slab_sum *more);
/*
 * Internal fragmentation in bytes; in percent of the allocated bytes whose objects have a known
 * size.
 */
uint64_t slab_sum_waste(const struct slab_sum *sum);
double slab_sum_waste_percent(const struct slab_sum *sum);
/*
 * Is it not known whether anything of @sum is live at the end: nothing is for certain, but some was
 * not freed in the trace, from which its free may be missing?
 */
bool slab_live_is_unknown(const struct slab_sum *sum);
/* The same of a total, to which allocations may belong that are missing from the trace. */
bool slab_total_is_unknown(const struct slab_results *results, const struct slab_sum *sum);
/* Of @count objects, @unsized of which have a size that is not known: nothing, or a lower bound. */
void slab_set_bytes(struct mm_cell *cell, uint64_t bytes, uint64_t unsized, uint64_t count);
/*
 * Sets the columns of slab_sum_column; percentages are of @all, which is the same for all rows of a
 * table that have one. NULL: the row has none.
 */
void slab_set_sum(const struct slab_results *results, struct mm_cell *cells,
		  const struct slab_sum *sum, const struct slab_sum *all);
/* @part in percent of @whole; @count per second. Empty if the divisor is 0. */
void slab_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole);
void slab_set_rate(const struct slab_results *results, struct mm_cell *cell, uint64_t count);

#endif /* LTTNG_MM_SLAB_REPORT_CELLS_H */
