/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Schemas of reports: the metrics, tables and time series that an analysis declares. The text form,
 * the JSON form and doc/metrics.md are made from this data. A name, once released, keeps its
 * meaning.
 */
#ifndef LTTNG_MM_REPORT_SCHEMA_H
#define LTTNG_MM_REPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mm_value_kind {
	MM_VALUE_INTEGER,
	/* an integer that identifies something; the text form shows it in hexadecimal */
	MM_VALUE_HEX,
	MM_VALUE_REAL,
	MM_VALUE_BOOLEAN,
	MM_VALUE_TEXT,
	MM_VALUE_LIST, /* a list of texts */
};

/* The kind and the unit of a value. */
#define MM_TEXT MM_VALUE_TEXT, ""
#define MM_LIST MM_VALUE_LIST, ""
#define MM_HEX MM_VALUE_HEX, ""
#define MM_BOOLEAN MM_VALUE_BOOLEAN, ""
#define MM_NUMBER MM_VALUE_INTEGER, "" /* a number that is not a count: a CPU, a pid */
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
 * The way in which a value depends on the length of the recording. It decides how values of
 * recordings of different lengths are compared.
 */
enum mm_scaling {
	/* Depends on the length in an unknown way, like live bytes: needs equal lengths. */
	MM_UNSCALED,
	MM_SUM,	   /* grows with the length, like a count: compared per second */
	MM_STEADY, /* independent of the length, like a mean or a quantile: compared as it is */
	/* For columns: like MM_UNSCALED, but the values of several rows cannot be added up. */
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
	 * Name of the line on which the text form lists the values, each with its first label.
	 * NULL: JSON only.
	 */
	const char *line;
	enum mm_scaling scaling;
};

struct mm_column {
	const char *key;   /* in the JSON form */
	const char *title; /* in the text form; NULL: JSON only */
	enum mm_value_kind kind;
	const char *unit;
	/*
	 * If the columns do not fit the terminal, columns with the highest number are dropped
	 * first, columns with 0 never.
	 */
	uint8_t priority;
	/* A text may be shortened to this many characters, in the middle; 0: never. */
	uint8_t width_min;
	bool wraps; /* the text wraps to more lines instead; only for the last column */
	const char *meaning;
};

/* Priority, least width, and whether a wider text wraps. */
#define MM_KEEP 0, 0, false
#define MM_DROP(priority) priority, 0, false
#define MM_SHORTEN(priority, width) priority, width, false
#define MM_WRAP(width) 0, width, true

struct mm_table_def {
	const char *name;
	/*
	 * Title in the text form; NULL: JSON only. A part that starts with ", by " or ", most " is
	 * the order, which users can change.
	 */
	const char *title;
	const char *note;		 /* printed below the table; may be NULL */
	const char *meaning;		 /* meaning of a row */
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

/* A column whose values are compared between rows of two reports. */
struct mm_compared_column {
	const char *key;
	enum mm_direction direction;
	enum mm_scaling scaling;
	/* The column with the number of observations; NULL: none. */
	const char *samples;
	unsigned int samples_min; /* with fewer observations, the value is not compared */
};

#define MM_COMPARED_KEYS 4

/*
 * How the rows of a table are compared between two reports. Rows belong together if they have the
 * same values in the columns @keys or, where these are all null, in the columns @other_keys.
 * Workers of one kworker pool belong together, too. Several rows of one report that belong
 * together, such as processes of one name, are added up; the columns MM_STEADY and MM_MAXIMUM are
 * then unknown. If only one report has a row, only the first of @columns that is not 0 is listed.
 * Arrays end with a NULL key.
 */
struct mm_compared_table {
	const struct mm_table_def *table;
	const char *keys[MM_COMPARED_KEYS + 1], *other_keys[MM_COMPARED_KEYS + 1];
	const struct mm_compared_column *columns;
};

/* A sentence of a comparison's answer: "Fallbacks took 6.5 ms/s, then 6.8 ms/s". */
struct mm_headline {
	const char *phrase; /* the start of the sentence: "Fallbacks took" */
	const char *metric;
	/* Value of the metric's only label; NULL: the values of all labels are added up. */
	const char *label;
};

/* How --compare compares two reports of an analysis. Arrays end with a NULL member. */
struct mm_compared {
	const struct mm_compared_table *tables;
	/*
	 * Metrics that repeat columns of @tables; they are not compared, so that no fact is listed
	 * twice.
	 */
	const char *const *repeated;
	const struct mm_headline *headlines; /* the most important first */
};

/* All items of a report besides its coverage. Each array ends with a NULL name. */
struct mm_report_schema {
	const char *name;			  /* name of the analysis */
	const struct mm_metric_def *metrics;	  /* NULL: none */
	const struct mm_table_def *const *tables; /* ends with NULL */
	const struct mm_series_def *series;	  /* NULL: none */
	const struct mm_compared *compared;	  /* NULL: only metrics are compared */
	/* Schema of further items that the report may contain; has no base. NULL: none. */
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

#endif /* LTTNG_MM_REPORT_SCHEMA_H */
