/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a report can contain: the metrics, tables and time series that an analysis declares. All of
 * it is data, from which the text form, the JSON form and doc/metrics.md are made. A name, once
 * released, keeps its meaning.
 */
#ifndef LTTNG_MM_REPORT_SCHEMA_H
#define LTTNG_MM_REPORT_SCHEMA_H

#include <stdbool.h>
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
#define MM_BYTES MM_VALUE_INTEGER, "bytes" /* scaled to KiB, MiB, GiB in the text form */
#define MM_NS MM_VALUE_INTEGER, "ns"	   /* scaled to us, ms, s */
#define MM_REAL(unit) MM_VALUE_REAL, unit

/* Is more of a metric better or worse? */
enum mm_direction {
	MM_NEUTRAL,
	MM_LESS_IS_BETTER,
	MM_MORE_IS_BETTER,
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

/* All that a report may contain besides its coverage. Each array ends with a NULL name. */
struct mm_report_schema {
	const char *name;			  /* of the analysis */
	const struct mm_metric_def *metrics;	  /* NULL: none */
	const struct mm_table_def *const *tables; /* ends with NULL */
	const struct mm_series_def *series;	  /* NULL: none */
};

#endif /* LTTNG_MM_REPORT_SCHEMA_H */
