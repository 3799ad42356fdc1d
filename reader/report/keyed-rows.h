/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Rows of a report's tables. The key columns of the schema identify them (struct
 * mm_compared_table). If several rows have equal keys, such as processes of one name, their figures
 * are added up.
 */
#ifndef LTTNG_MM_REPORT_KEYED_ROWS_H
#define LTTNG_MM_REPORT_KEYED_ROWS_H

#include "reader/report/report.h"

/* A figure of a report: the value of a metric, or of one column in all rows with equal keys. */
struct mm_figure {
	bool present;
	struct mm_cell cell; /* a number, or empty if unknown; owns no string */
	bool has_samples;
	uint64_t samples;
};

/*
 * A row of one side. @keys: the cells that identify the row; a key is empty if its column is
 * missing.
 */
struct mm_keyed_row {
	const struct mm_cell *cells, *keys[MM_COMPARED_KEYS];
	bool by_other; /* @keys are cells of the columns mm_compared_table.other_keys */
	int side;
};

struct mm_keyed_rows {
	struct mm_keyed_row *all; /* release with free() */
	size_t count;
};

/* Names of kworker pools. As keys, they replace the names of kworkers. */
struct mm_pool_keys {
	struct mm_cell **all;
	size_t count, room;
};

void mm_pool_keys_release(struct mm_pool_keys *pools);

/* Returns the index of the column @key of a table, or -1. */
int mm_table_def_column(const struct mm_table_def *def, const char *key);

/*
 * Appends the rows of @compared's table in @report, with keys. The rows refer to the cells of the
 * report and of @pools. @side is stored in the rows. Returns 0, or -1 when out of memory.
 */
int mm_keyed_rows_collect(struct mm_keyed_rows *rows, const struct mm_report *report,
			  const struct mm_compared_table *compared, int side,
			  struct mm_pool_keys *pools);
/* Sorts by key, then by side. */
void mm_keyed_rows_sort(struct mm_keyed_rows *rows);
/* Compares the keys of two rows. Returns 0 if the rows belong together. */
int mm_keyed_rows_compare(const struct mm_keyed_row *x, const struct mm_keyed_row *y);
/*
 * Returns a figure: the sum of @column in the rows from @first to before @end. These rows must have
 * equal keys. @samples: the column with the number of observations, or -1.
 */
struct mm_figure mm_keyed_figure(const struct mm_keyed_row *first, const struct mm_keyed_row *end,
				 int column, int samples, enum mm_scaling scaling);

#endif /* LTTNG_MM_REPORT_KEYED_ROWS_H */
