/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Values of table rows before a change, such as the allocations of each call site. They are not
 * judged. If a metric is worse, the row that grew most is its likely cause; the largest row may be
 * unchanged.
 */
#ifndef LTTNG_MM_REGRESS_ROWS_H
#define LTTNG_MM_REGRESS_ROWS_H

#include "regress/diff.h"

/* Maximum number of rows of one column. The largest rows are kept. */
#define REGRESS_ROWS_MAX 200

/* Can rows of @item be a cause: are they counts or sizes by call site, function or file? */
bool regress_rows_may_cause(const struct mm_catalogue_item *item);
/*
 * Appends the rows of @side that can be a cause, each with its largest value in any run, sorted by
 * name and labels. Returns 0, or -1 when out of memory. Release @rows in any case.
 */
int regress_rows_collect(struct regress_values *rows, const struct regress_side *side);
/*
 * Returns the value in @rows of row @row of @table in the column @column. Returns 0 if @rows lacks
 * the row, or, if rows were left out, the smallest value that was kept.
 */
uint64_t regress_rows_value(const struct regress_values *rows, const struct mm_table *table,
			    size_t row, const char *column);

#endif /* LTTNG_MM_REGRESS_ROWS_H */
