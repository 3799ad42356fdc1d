/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a report can contain: the metrics, tables and time series that an analysis declares. All of
 * it is data, from which the text form, the JSON form and doc/metrics.md are made. A name, once
 * released, keeps its meaning.
 */
#ifndef LTTNG_MM_REPORT_SCHEMA_H
#define LTTNG_MM_REPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mm_value_kind {
	MM_VALUE_INTEGER,
	MM_VALUE_HEX, /* an integer that identifies something; hexadecimal in the text form */
	MM_VALUE_REAL,
	MM_VALUE_BOOLEAN,
	MM_VALUE_TEXT,
	MM_VALUE_LIST, /* of texts */
};

/* The kind and the unit of a value. */
#define MM_TEXT MM_VALUE_TEXT, ""
#define MM_LIST MM_VALUE_LIST, ""
#define MM_HEX MM_VALUE_HEX, ""
#define MM_BOOLEAN MM_VALUE_BOOLEAN, ""
#define MM_NUMBER MM_VALUE_INTEGER, "" /* that counts nothing: a number of a CPU, a pid */
#define MM_COUNT(unit) MM_VALUE_INTEGER, unit
#define MM_UNIT_BYTES "bytes"
#define MM_UNIT_NS "ns"
#define MM_BYTES MM_VALUE_INTEGER, MM_UNIT_BYTES /* scaled to KiB, MiB, GiB in the text form */
#define MM_NS MM_VALUE_INTEGER, MM_UNIT_NS	 /* scaled to us, ms, s */
#define MM_REAL(unit) MM_VALUE_REAL, unit

/* Is more of a metric better or worse? */
enum mm_direction {
	MM_NEUTRAL,
	MM_LESS_IS_BETTER,
	MM_MORE_IS_BETTER,
};

/*
 * How does a value depend on the length of the recording? Values of recordings of different lengths
 * are compared as they are, per second, or not at all.
 */
enum mm_scaling {
	MM_UNSCALED, /* in an unknown way, as a peak does: compared if the lengths are the same */
	MM_SUM,	     /* it adds up, as a count does: compared per second */
	MM_STEADY,   /* not at all, as a mean or a quantile: compared as it is */
};

#define MM_LABELS_MAX 4

/* `dax.fault.latency_ns{kind="pmd",outcome="mapped",cause="",q="0.99"}` */
struct mm_metric_def {
	const char *name;
	enum mm_value_kind kind; /* MM_VALUE_INTEGER, MM_VALUE_REAL or MM_VALUE_BOOLEAN */
	const char *unit;
	enum mm_direction direction;
	const char *meaning;
	const char *labels[MM_LABELS_MAX + 1]; /* the keys, in order; ends with NULL */
	/*
	 * The text form lists the values by their (first) label on a line of that name. NULL: the
	 * metric is not in the text form.
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
	 * Where the columns do not fit the terminal, those of the highest priority number are left
	 * out first, those of 0 never.
	 */
	uint8_t priority;
	/* A text may be shortened to that many columns, in the middle; 0: never. */
	uint8_t width_min;
	bool wraps; /* ... to further lines instead; of the last column */
	const char *meaning;
};

/* The priority, the least width, and what happens to a text that is wider. */
#define MM_KEEP 0, 0, false
#define MM_DROP(priority) priority, 0, false
#define MM_SHORTEN(priority, width) priority, width, false
#define MM_WRAP(width) 0, width, true

struct mm_table_def {
	const char *name;
	/*
	 * In the text form; NULL: JSON only. What starts with ", by " or ", most " is the order, which
	 * users can change.
	 */
	const char *title;
	const char *note;		 /* below the table, may be NULL */
	const char *meaning;		 /* what a row is */
	const struct mm_column *columns; /* ends with a NULL key */
};

/* Values at times, with labels as a metric has them. */
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
	/* The column with the number of observations that the value is made of; NULL: none. */
	const char *samples;
	unsigned int samples_min; /* with fewer of them, the value is not compared */
};

#define MM_COMPARED_KEYS 4

/*
 * How rows of a table are compared between two reports. Rows are of the same thing if they have the
 * same values in @keys; where these are all null, if they have the same values in @other_keys.
 * Several rows of one thing, such as processes of one name, are summed up; then only the columns
 * that are sums are compared. The first of @columns stands for a row that only one report has.
 * Arrays end with a NULL key.
 */
struct mm_compared_table {
	const struct mm_table_def *table;
	const char *keys[MM_COMPARED_KEYS + 1], *other_keys[MM_COMPARED_KEYS + 1];
	const struct mm_compared_column *columns;
};

/* A metric that the answer of a comparison states: "Fallbacks took 6.5 ms/s, then 6.8 ms/s". */
struct mm_headline {
	const char *phrase; /* the start of the sentence: "Fallbacks took" */
	const char *metric;
	/* The value of the metric's only label; NULL: it has none, or the values are added up. */
	const char *label;
};

/* The parts of an analysis's reports that --compare compares. Arrays end with a NULL member. */
struct mm_compared {
	const struct mm_compared_table *tables;
	/* Metrics that @tables repeat; they are not compared, so that each fact is listed once. */
	const char *const *repeated;
	const struct mm_headline *headlines; /* the most important first */
};

/* All that a report may contain besides its coverage. Each array ends with a NULL name. */
struct mm_report_schema {
	const char *name;			  /* of the analysis */
	const struct mm_metric_def *metrics;	  /* NULL: none */
	const struct mm_table_def *const *tables; /* ends with NULL */
	const struct mm_series_def *series;	  /* NULL: none */
	const struct mm_compared *compared;	  /* NULL: only metrics are compared */
	/* Reports may contain its items, too. It has no base itself. NULL: there is none. */
	const struct mm_report_schema *base;
};

/* Returns the item of that name in the schema or in its base; NULL: neither has it. */
const struct mm_metric_def *mm_schema_metric(const struct mm_report_schema *schema,
					     const char *name);
const struct mm_series_def *mm_schema_series(const struct mm_report_schema *schema,
					     const char *name);
const struct mm_table_def *mm_schema_table(const struct mm_report_schema *schema, const char *name);
/* Returns table number @i, or NULL. The tables of the base come last. */
const struct mm_table_def *mm_schema_table_at(const struct mm_report_schema *schema, size_t i);
/* Do the compared tables repeat the metric @name? */
bool mm_schema_repeats(const struct mm_report_schema *schema, const char *name);

#endif /* LTTNG_MM_REPORT_SCHEMA_H */
