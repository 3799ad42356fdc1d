/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Schemas of reports: the metrics, tables and time series that an analysis declares. They determine
 * the text form, the JSON form and doc/metrics.md. A released name never changes its meaning.
 */
#ifndef LTTNG_MM_REPORT_SCHEMA_H
#define LTTNG_MM_REPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mm_value_kind {
	MM_VALUE_INTEGER,
	/* an identifying integer; hexadecimal in the text form */
	MM_VALUE_HEX,
	MM_VALUE_REAL,
	MM_VALUE_BOOLEAN,
	MM_VALUE_TEXT,
	MM_VALUE_LIST,
};

#define MM_TEXT MM_VALUE_TEXT, ""
#define MM_LIST MM_VALUE_LIST, ""
#define MM_HEX MM_VALUE_HEX, ""
#define MM_BOOLEAN MM_VALUE_BOOLEAN, ""
#define MM_NUMBER MM_VALUE_INTEGER, "" /* a number that is not a count, such as a CPU or a pid */
#define MM_COUNT(unit) MM_VALUE_INTEGER, unit
#define MM_UNIT_BYTES "bytes"
#define MM_UNIT_NS "ns"
#define MM_BYTES MM_VALUE_INTEGER, MM_UNIT_BYTES /* scaled to KiB, MiB, GiB in the text form */
#define MM_NS MM_VALUE_INTEGER, MM_UNIT_NS	 /* scaled to us, ms, s */
#define MM_REAL(unit) MM_VALUE_REAL, unit

/* Is a larger value better or worse? */
enum mm_direction {
	MM_NEUTRAL,
	MM_LESS_IS_BETTER,
	MM_MORE_IS_BETTER,
};

/*
 * How a value depends on the length of the recording. This decides how recordings of different
 * lengths are compared.
 */
enum mm_scaling {
	/* depends on the length in an unknown way (live bytes), so lengths must be equal */
	MM_UNSCALED,
	MM_SUM, /* grows with the length (a count), so it is compared per second */
	/* does not depend on the length (a mean or quantile), so it is compared directly */
	MM_STEADY,
	/* only for columns: like MM_UNSCALED, but several rows cannot be added up */
	MM_MAXIMUM,
};

#define MM_LABELS_MAX 4

/* A metric, such as `dax.fault.latency_ns{kind="pmd",outcome="mapped",cause="",q="0.99"}`. */
struct mm_metric_def {
	const char *name;
	enum mm_value_kind kind; /* MM_VALUE_INTEGER, MM_VALUE_REAL or MM_VALUE_BOOLEAN */
	const char *unit;
	enum mm_direction direction;
	const char *meaning;
	const char *labels[MM_LABELS_MAX + 1]; /* keys in order; ends with NULL */
	/*
	 * The text form has a line with this name. The line lists the values, each with its first
	 * label. NULL: the values are only in the JSON form.
	 */
	const char *line;
	enum mm_scaling scaling;
};

struct mm_column {
	const char *key;
	const char *title; /* title in the text form; NULL: JSON only */
	enum mm_value_kind kind;
	const char *unit;
	/*
	 * If a row does not fit in the terminal, the columns with the highest priority are dropped
	 * first. Columns with priority 0 are never dropped.
	 */
	uint8_t priority;
	/* texts may be shortened in the middle to this many characters; 0: never */
	uint8_t width_min;
	bool wraps; /* instead of shortening, wrap the text (last column only) */
	const char *meaning;
};

/* Initializers of struct mm_column: priority, minimum width, and whether longer texts wrap. */
#define MM_KEEP 0, 0, false
#define MM_DROP(priority) priority, 0, false
#define MM_SHORTEN(priority, width) priority, width, false
#define MM_WRAP(width) 0, width, true

struct mm_table_def {
	const char *name;
	/*
	 * Title in the text form; NULL: the table is only in the JSON form. A part of the title
	 * that starts with ", by " or ", most " is the sort order, which users can change.
	 */
	const char *title;
	const char *note; /* printed below the table; may be NULL */
	const char *meaning;
	const struct mm_column *columns; /* ends with a NULL key */
};

/* A time series, with labels like a metric. */
struct mm_series_def {
	const char *name;
	enum mm_value_kind kind;
	const char *unit;
	enum mm_direction direction;
	const char *meaning;
	const char *labels[MM_LABELS_MAX + 1];
};

/* A column that is compared between rows of two reports. */
struct mm_compared_column {
	const char *key;
	enum mm_direction direction;
	enum mm_scaling scaling;
	/* column with the number of observations; NULL: none */
	const char *samples;
	unsigned int samples_min; /* with fewer observations, the value is not compared */
};

#define MM_COMPARED_KEYS 4

/*
 * How rows of a table are compared between two reports. Arrays end with a NULL key.
 *
 * Rows belong together if their cells in the columns @keys are equal. If these cells are all null,
 * the columns @other_keys decide. All workers of one kworker pool belong together. If several rows
 * of one report belong together, such as processes of one name, their values are added up. The sum
 * is unknown in columns with MM_STEADY or MM_MAXIMUM. If only one report has the row, only one of
 * its columns is listed: the first of @columns that is not 0.
 */
struct mm_compared_table {
	const struct mm_table_def *table;
	/*
	 * Start of the metric names that rules and `diff` make from the columns. Sample:
	 * "slab.cache" for `slab.cache.live_bytes{cache="dentry"}`.
	 */
	const char *row;
	const char *keys[MM_COMPARED_KEYS + 1], *other_keys[MM_COMPARED_KEYS + 1];
	const struct mm_compared_column *columns;
};

/* A sentence of a comparison's answer: "Fallbacks took 6.5 ms/s, then 6.8 ms/s". */
struct mm_headline {
	const char *phrase; /* the start of the sentence: "Fallbacks took" */
	const char *metric;
	/* value of the metric's only label; NULL: add up all labels */
	const char *label;
};

/* How --compare compares two reports of an analysis. Arrays end with a NULL member. */
struct mm_compared {
	const struct mm_compared_table *tables;
	/*
	 * metrics that repeat columns of @tables; they are not compared, so that each fact is
	 * listed once
	 */
	const char *const *repeated;
	const struct mm_headline *headlines; /* the most important first */
	/*
	 * Metrics that count single events. If events are lost, these metrics are too low, but
	 * never too high. Other metrics may be too high: for example, an object seems alive if its
	 * free is lost. NULL: none.
	 */
	const char *const *lowered;
	/*
	 * Names of metrics, including metrics made from rows, whose values are upper bounds of
	 * histogram buckets. Such a value is at most 1/MM_COARSENESS too large. If the label `q` is
	 * 1, the value is exact. NULL: none.
	 */
	const char *const *coarse;
};
#define MM_COARSENESS 128

/* All items of a report except its coverage. Arrays end with a NULL name. */
struct mm_report_schema {
	const char *name;
	const struct mm_metric_def *metrics;	  /* NULL: none */
	const struct mm_table_def *const *tables; /* ends with NULL */
	const struct mm_series_def *series;	  /* NULL: none */
	const struct mm_compared *compared;	  /* NULL: compare only metrics */
	/*
	 * Schema of further items that the report may have. The base has no base itself. NULL:
	 * none.
	 */
	const struct mm_report_schema *base;
};

/* Return the item called @name of the schema or of its base; NULL: there is no such item. */
const struct mm_metric_def *mm_schema_metric(const struct mm_report_schema *schema,
					     const char *name);
const struct mm_series_def *mm_schema_series(const struct mm_report_schema *schema,
					     const char *name);
const struct mm_table_def *mm_schema_table(const struct mm_report_schema *schema, const char *name);
/* Returns table @i, or NULL after the last one. The tables of the base come last. */
const struct mm_table_def *mm_schema_table_at(const struct mm_report_schema *schema, size_t i);
/* Do the compared tables repeat the metric @name? */
bool mm_schema_repeats(const struct mm_report_schema *schema, const char *name);
/* Can lost events lower the metric @name, but never raise it? */
bool mm_schema_lowers(const struct mm_report_schema *schema, const char *name);
/*
 * Is the value of @name (a metric, or a metric made from rows) an upper bound that is close to the
 * true value?
 */
bool mm_schema_is_coarse(const struct mm_report_schema *schema, const char *name);

#endif /* LTTNG_MM_REPORT_SCHEMA_H */
