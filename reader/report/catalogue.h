/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The catalogue of metrics that have a name in rules and comparisons: declared metrics, columns of
 * table rows, and figures of the coverage. Samples:
 *
 *	dax.fault.count{kind, outcome, cause}      a declared metric
 *	slab.call_site.live_bytes{call_site, kind} a column of the table call-sites
 *	trace.events_discarded                     a figure of the coverage
 */
#ifndef LTTNG_MM_REPORT_CATALOGUE_H
#define LTTNG_MM_REPORT_CATALOGUE_H

#include "reader/report/report.h"

enum mm_item_source {
	MM_ITEM_TRACE,
	MM_ITEM_METRIC,
	MM_ITEM_ROW,
};

struct mm_catalogue_item {
	char *name;
	enum mm_item_source source;
	const struct mm_report_schema *schema; /* NULL: any report (MM_ITEM_TRACE) */
	/* Names of the labels; end with NULL. */
	const char *const *labels;
	/* used instead of @labels for rows whose @labels are all empty; may be NULL */
	const char *const *other_labels;
	enum mm_value_kind kind;
	const char *unit;
	enum mm_direction direction;
	enum mm_scaling scaling;
	const char *meaning;
	bool is_coarse;				 /* see mm_compared.coarse */
	const struct mm_metric_def *metric;	 /* MM_ITEM_METRIC */
	const struct mm_compared_table *rows;	 /* MM_ITEM_ROW */
	const struct mm_compared_column *column; /* MM_ITEM_ROW */
	enum mm_coverage_key key;		 /* MM_ITEM_TRACE */
};

struct mm_catalogue {
	struct mm_catalogue_item *items;
	size_t count, room;
};

/*
 * Append the metrics of the coverage, the metrics of @schema, and the compared columns of the
 * schema's tables. Return 0, or -1 when out of memory. Release the catalogue with
 * mm_catalogue_release().
 */
int mm_catalogue_add_trace(struct mm_catalogue *catalogue);
int mm_catalogue_add_metrics(struct mm_catalogue *catalogue, const struct mm_report_schema *schema);
int mm_catalogue_add_rows(struct mm_catalogue *catalogue, const struct mm_report_schema *schema);
void mm_catalogue_release(struct mm_catalogue *catalogue);

/* Returns the item @name, or NULL. */
const struct mm_catalogue_item *mm_catalogue_find(const struct mm_catalogue *catalogue,
						  const char *name);

#endif /* LTTNG_MM_REPORT_CATALOGUE_H */
