/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sorts the tables of a report on request: `KEY[,KEY]...` with column keys of the JSON form.
 * Numbers are sorted descending, texts ascending. `-KEY` reverses the order.
 */
#ifndef LTTNG_MM_REPORT_SORT_H
#define LTTNG_MM_REPORT_SORT_H

#include "reader/report/report.h"
#include "util/error.h"

/*
 * Checks that each of @keys names a column of a table of @schema. Returns 0, or -1 with @err set.
 */
int mm_report_check_sort(const struct mm_report_schema *schema, const char *keys,
			 struct mm_error *err);

/*
 * Sorts each table by the elements of @keys that name its columns. The sort is stable. Returns 0,
 * or -1 when out of memory.
 */
int mm_report_sort(struct mm_report *report, const char *keys);

/*
 * Finds the first of @keys that is not a column of @shown, the only table that is printed. Returns
 * the start of the key in @keys, and its *@length; or NULL. Writes to @names the names of other
 * tables with such a column and with rows.
 */
const char *mm_report_find_unsorted(const struct mm_report *report, const char *keys,
				    const struct mm_table_def *shown, size_t *length, char *names,
				    size_t size);

#endif /* LTTNG_MM_REPORT_SORT_H */
