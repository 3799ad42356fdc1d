/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an analysis found: named metrics, tables and sentences; renderers turn it into text or JSON.
 */
#ifndef LTTNG_MM_REPORT_METRICS_H
#define LTTNG_MM_REPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One cell of a table. Strings are copied; they may be hostile, renderers escape them. */
enum mm_cell_kind {
	MM_CELL_EMPTY,
	MM_CELL_UNSIGNED,
	MM_CELL_REAL,
	MM_CELL_STRING,
	MM_CELL_FAILED, /* there was no memory for it: mm_report_failed() */
	MM_CELL_LIST,	/* of @u strings, one behind the other's end in @s */
};

struct mm_cell {
	enum mm_cell_kind kind;
	uint64_t u;
	double r;
	char *s;
	char *shown; /* what the text form has instead; NULL: the value itself */
	bool least;  /* the value is a lower bound; the text form says so */
};

/* How the text form shows a column; the JSON form has the plain value. */
enum mm_unit {
	MM_UNIT_NONE,
	MM_UNIT_COUNT,
	MM_UNIT_NS,    /* scaled to us, ms, s */
	MM_UNIT_BYTES, /* scaled to KiB, MiB, GiB */
	MM_UNIT_HEX,
};

struct mm_column {
	const char *name;  /* stable: a key of the JSON form */
	const char *title; /* of the text form; NULL: JSON only */
	enum mm_unit unit;
};

struct mm_table {
	const char *name;  /* stable: a key of the JSON form */
	const char *title; /* of the text form; NULL: JSON only */
	const char *note;  /* printed below, may be NULL */
	const struct mm_column *columns;
	size_t column_count, row_count;
	size_t text_rows;      /* the text form shows so many; 0: as many as usual */
	struct mm_cell *cells; /* row_count * column_count */
};

/*
 * `dax.fault.latency_ns{kind="pmd",outcome="mapped",q="0.99"}`: a name, once released, keeps its
 * meaning.
 */
struct mm_metric {
	char *name;
	char *labels; /* `kind="pmd",q="0.99"`, empty when there are none */
	const char *unit;
	double value; /* NaN: not known */
};

struct mm_report {
	const char *analysis;
	struct mm_metric *metrics;
	size_t metric_count;
	struct mm_table **tables;
	size_t table_count;
	char **conclusions; /* sentences, the most important first */
	size_t conclusion_count;
	bool incomplete;    /* something was lost */
	bool recorder_lost; /* ... when it was recorded, for lack of room: not since */
	bool damaged;	    /* ... and not because the file just ends early */
	bool failed;	    /* see mm_report_failed() */
	/* A constant: why nobody can say whether streams are missing; NULL: they were verified. */
	const char *unverifiable;
};

struct mm_report *mm_report_create(const char *analysis);
void mm_report_destroy(struct mm_report *report);

/* @labels: `key="value",...`, made by printf from @fmt; NULL for none. */
void mm_report_metric(struct mm_report *report, const char *name, const char *unit, double value,
		      const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void mm_report_conclude(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * @columns must outlive the report; ends with a NULL name. Never NULL: errors set report->failed.
 */
struct mm_table *mm_report_table(struct mm_report *report, const char *name, const char *title,
				 const char *note, const struct mm_column *columns);
/* A new row, its cells empty; NULL when memory is short (report->failed is set). */
struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table);
void mm_cell_set_u(struct mm_cell *cell, uint64_t value);
/* Did memory run out while it was filled? */
bool mm_report_failed(const struct mm_report *report);
/* A lower bound. */
void mm_cell_set_least(struct mm_cell *cell, uint64_t value);
void mm_cell_set_r(struct mm_cell *cell, double value);
void mm_cell_set_s(struct mm_cell *cell, const char *value);
void mm_cell_set_list(struct mm_cell *cell, const char *const *values, size_t count);
/* What the text form has in place of the value. */
void mm_cell_set_shown(struct mm_cell *cell, const char *text);

#endif /* LTTNG_MM_REPORT_METRICS_H */
