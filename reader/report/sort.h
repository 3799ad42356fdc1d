/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The order of the rows of all tables of a report, as a user requests it: `KEY[,KEY]...`, keys of
 * columns as the JSON form has them. Numbers are descending and texts ascending; `-KEY` reverses.
 */
#ifndef LTTNG_MM_REPORT_SORT_H
#define LTTNG_MM_REPORT_SORT_H

#include "reader/report/report.h"
#include "util/error.h"

/* Does each of @keys name a column of a table of @schema? Returns 0, or -1 with @err set. */
int mm_report_check_sort(const struct mm_report_schema *schema, const char *keys,
			 struct mm_error *err);

/*
 * Sorts each table by those of the keys that it has columns of; rows that are equal in all of them
 * stay in order. Returns 0, or -1: out of memory.
 */
int mm_report_sort(struct mm_report *report, const char *keys);

/*
 * Finds the first of @keys that is of no column of @shown, the only table that is shown. Returns
 * where it starts in @keys, with its *@length; NULL if there is none. @names receives the names of
 * the tables with rows that have such a column.
 */
const char *mm_report_find_unsorted(const struct mm_report *report, const char *keys,
				    const struct mm_table_def *shown, size_t *length, char *names,
				    size_t size);

#endif /* LTTNG_MM_REPORT_SORT_H */
