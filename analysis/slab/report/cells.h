/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes tables of the slab report, and fills their cells from sums over call sites. */
#ifndef LTTNG_MM_SLAB_REPORT_CELLS_H
#define LTTNG_MM_SLAB_REPORT_CELLS_H

#include "analysis/slab/report/report.h"

/* Does the text form show the tables that --by=@by selects? */
bool slab_report_shows(const struct slab_options *options, const char *by);
struct mm_table *slab_report_table(struct mm_report *report, const struct slab_options *options,
				   const char *by, const struct mm_table_def *def);
/*
 * Hides the table if it has only one row, because this row repeats the totals. If --by selects the
 * table, it remains visible.
 */
void slab_hide_single(const struct slab_options *options, const char *by, struct mm_table *table);
/* Adds the call site to @sum. */
void slab_sum_site(const struct slab_results *results, const struct slab_site *site,
		   struct slab_sum *sum);
void slab_add_sum(struct slab_sum *sum, const struct slab_sum *more);
/* Return internal fragmentation in bytes, and in percent of the allocated bytes. */
uint64_t slab_sum_waste(const struct slab_sum *sum);
double slab_sum_waste_percent(const struct slab_sum *sum);
/* Returns true if no object of @sum is certainly live at the end, but at least one may be live. */
bool slab_live_is_unknown(const struct slab_sum *sum);
/* Like slab_live_is_unknown(), for a total. Also true if lost events may be allocations. */
bool slab_total_is_unknown(const struct slab_results *results, const struct slab_sum *sum);
/*
 * Sets the cell to @bytes, the size of @count objects. If @unsized of them have an unknown size,
 * @bytes is a lower bound. If no size is known, the cell stays empty.
 */
void slab_set_bytes(struct mm_cell *cell, uint64_t bytes, uint64_t unsized, uint64_t count);
/* Sets the columns of slab_sum_column. @all is the total for percentages; NULL: there are none. */
void slab_set_sum(const struct slab_results *results, struct mm_cell *cells,
		  const struct slab_sum *sum, const struct slab_sum *all);
/*
 * slab_set_percent() sets the cell to @part in percent of @whole, slab_set_rate() to @count per
 * second. If the divisor is 0, the cell stays empty.
 */
void slab_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole);
void slab_set_rate(const struct slab_results *results, struct mm_cell *cell, uint64_t count);

#endif /* LTTNG_MM_SLAB_REPORT_CELLS_H */
