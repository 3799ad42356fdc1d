/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an analysis found: findings and notes as sentences, metrics, tables and time series, and
 * what the trace covers. Renderers turn it into text or JSON.
 */
#ifndef LTTNG_MM_REPORT_REPORT_H
#define LTTNG_MM_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/report/coverage-schema.h"
#include "reader/report/schema.h"

/* One cell of a table. Strings are copied; they may be hostile, renderers escape them. */
enum mm_cell_kind {
	MM_CELL_EMPTY, /* not known */
	MM_CELL_UNSIGNED,
	MM_CELL_SIGNED, /* a negative one */
	MM_CELL_REAL,
	MM_CELL_BOOLEAN,
	MM_CELL_STRING,
	MM_CELL_FAILED, /* there was no memory for it: mm_report_failed() */
	MM_CELL_LIST,	/* of @u strings in @s, one after the other's terminating 0 */
};

struct mm_cell {
	enum mm_cell_kind kind;
	union {
		uint64_t u;
		int64_t i;
	};
	double r;
	char *s;
	char *shown; /* what the text form has instead; NULL: the value itself */
	bool least;  /* the value is a lower bound; the text form says so */
};

/* What the text form has before a row. */
struct mm_heading {
	size_t row;
	char *text;
};

struct mm_table {
	const struct mm_table_def *def;
	size_t column_count, row_count;
	bool hidden;	  /* in the text form, title or not */
	bool omits_empty; /* the text form omits columns without any value */
	bool grouped;	  /* rows next to each other belong together: they are not sorted */
	size_t text_rows; /* the text form shows so many; 0: as many as usual */
	size_t sorted;	  /* the column that it is sorted by plus 1, which is always shown; or 0 */
	char *order; /* ", by live": replaces the order in the title; NULL or empty: it does not */
	struct mm_heading *headings; /* in the order of rows */
	size_t heading_count;
	struct mm_cell *cells; /* row_count * column_count */
};

struct mm_metric {
	const struct mm_metric_def *def;
	char *labels[MM_LABELS_MAX]; /* the values, in the order of the definition */
	struct mm_cell value;	     /* MM_CELL_EMPTY: not known */
	bool has_samples;
	uint64_t samples; /* how many observations the value is made of */
};

struct mm_series {
	const struct mm_series_def *def;
	char *labels[MM_LABELS_MAX];
	size_t count;
	uint64_t *times_ns; /* after the first event */
	struct mm_cell *values;
};

/* Reasons to doubt the trace as a whole. The head of the text form names the first that applies. */
enum mm_report_doubt {
	MM_REPORT_CONTRADICTORY = 1 << 0, /* nothing differs but times in snapshot.json */
	MM_REPORT_UNLISTED = 1 << 1, /* nothing differs but files from the system information */
	MM_REPORT_DIFFERS = 1 << 2,  /* files or times are not those that were recorded */
	MM_REPORT_SNAPSHOT_DAMAGED = 1 << 3, /* what the recorder wrote to snapshot.json is lost */
	MM_REPORT_SUMS_LOST = 1 << 4,	     /* packets were not compared with their checksums */
	MM_REPORT_UNCERTIFIED = 1 << 5,	     /* the time range starts before the certificate */
};

struct mm_report {
	const struct mm_report_schema *schema;
	struct mm_metric **metrics;
	size_t metric_count;
	struct mm_table **tables;
	size_t table_count;
	struct mm_series **series;
	size_t series_count;
	/* What the user asked, a fact in each sentence: the main part of the first screen. */
	char **answer;
	size_t answer_count;
	/* The only table of the first screen, and how many of its rows are there; NULL: none. */
	const struct mm_table_def *first_table;
	unsigned int first_rows;
	/* The last lines of the first screen: what a command shows, and the command; NULL: none. */
	char *next_purpose, *next_command;
	/* The analysis, in the JSON form; NULL: the name of the schema. */
	char *name;
	/* The options that restrict the report, "--pid=7", without times; NULL: none. May be hostile. */
	char *selection;
	char **findings; /* sentences, the most important first */
	size_t finding_count;
	char **warnings; /* why the report may be wrong as a whole: the first lines */
	size_t warning_count;
	/* What the report covers, besides the coverage: in the head of the text form. */
	char **remarks;
	size_t remark_count;
	char **notes; /* what a reader must know of the trace and of how it was recorded */
	size_t note_count;
	struct mm_cell coverage[MM_COVERAGE_COUNT];
	struct mm_table *coverage_tables[MM_COVERAGE_TABLES]; /* never NULL */
	bool gmt;	 /* the text form has times in UTC, not in the local time zone */
	bool more_cpus;	 /* streams of CPUs that the coverage does not count may be missing */
	bool windowed;	 /* the coverage is of a requested time range */
	bool incomplete; /* something was lost, of events other than state dumps */
	/* ... or may be: a stream that may never have existed is not there, or one may be cut */
	bool lacking;
	/* The requested time range starts before the trace, and ends after it. */
	bool starts_late, ends_early;
	bool maybe_cut;	       /* ... however little of it */
	bool cut_remarked;     /* a remark says from which stream packets may have been removed */
	uint64_t state_events; /* of the coverage's events: no time range excludes them */
	/* State dumps were lost, apart from missing streams; and missing streams of those alone. */
	bool state_lost;
	uint64_t state_missing;
	/* Nothing is known to be lost, but for some time nothing shows that it was recording. */
	bool maybe_paused;
	/* A tracker or a filter excluded events, and nothing says which. */
	bool limits_unknown;
	unsigned int doubts;	    /* a set of enum mm_report_doubt */
	int64_t certified_since_ns; /* start of the certificate, if later than the trace's; else 0 */
	size_t since_remark;	    /* the number of the remark that says so */
	bool unchecked; /* packets have no checksums, so only their headers were checked */
	/* Some of the lost packets were overwritten in a ring of trace files: see coverage.c. */
	bool ring_lost;
	bool denied;	    /* some of the files may not be read */
	bool recorder_lost; /* ... when it was recorded, for lack of room: not since */
	bool damaged;	    /* ... and not because the file just ends early */
	bool backward;	    /* ... but because the clock of a stream went backwards */
	/* Of a comparison: only the newer trace is @damaged, or @incomplete, if any is. */
	bool newer_damaged, newer_incomplete;
	/* Of a comparison whose sides know their events: for the text form. */
	bool is_comparison;
	uint64_t side_events[2];
	bool failed; /* see mm_report_failed() */
	/* What was reported, and the schema does not declare; NULL: nothing. */
	const char *undeclared;
};

/* NULL: out of memory. @schema must outlive the report. */
struct mm_report *mm_report_create(const struct mm_report_schema *schema);
void mm_report_destroy(struct mm_report *report);
/* Did memory run out while it was filled? */
bool mm_report_failed(const struct mm_report *report);

/*
 * Adds a sentence to the answer, which is the main part of the first screen; the most important
 * first. A report without an answer has no first screen: its text form always shows everything.
 */
void mm_report_answer(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The first screen shows the first @rows rows of @table, and no other table. */
void mm_report_first_table(struct mm_report *report, const struct mm_table_def *table,
			   unsigned int rows);
/*
 * Sets the command that shows more, for the end of the first screen: "@purpose: COMMAND", such as
 * "To see WHY: lttng-mm report ... TRACE". The trace's path replaces the word TRACE at the end of
 * the command. Both texts may be hostile, but a name in the command must be a word of the shell.
 */
void mm_report_next(struct mm_report *report, const char *purpose, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Being out of memory sets report->failed. */
void mm_report_set_name(struct mm_report *report, const char *name);
void mm_report_set_selection(struct mm_report *report, const char *selection);
void mm_report_finding(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The JSON form has warnings, and then remarks, as the first of the notes. */
void mm_report_warn(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void mm_report_remark(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Says that @what ("Calls") of threads of unknown processes may be the recorder's. */
void mm_report_remark_unknown(struct mm_report *report, const char *what);
void mm_report_note(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds the metric @name of the schema with the values of its labels, ended by NULL; its value is
 * not known until one of mm_cell_set_*() sets it. Never NULL: errors set report->failed, and
 * report->undeclared where the schema has no such metric, or one with other labels.
 */
struct mm_metric *mm_report_metric(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/* The same with an integer for a value, and without the NULL. */
#define mm_report_count(report, number, ...) \
	mm_cell_set_u(&mm_report_metric(report, __VA_ARGS__, NULL)->value, number)
/* How many observations the value is made of. */
void mm_metric_set_samples(struct mm_metric *metric, uint64_t samples);

/* Never NULL: errors set report->failed, and report->undeclared for a table of no schema. */
struct mm_table *mm_report_table(struct mm_report *report, const struct mm_table_def *def);
/* A new row, its cells empty; NULL when out of memory (report->failed is set). */
struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table);
/* The text form has @text, which may be hostile, before the next row; for a grouped table. */
void mm_table_heading(struct mm_report *report, struct mm_table *table, const char *text);
/* The number of the column, or -1: the table has none of that key. */
int mm_table_column(const struct mm_table *table, const char *key);
/* The text form shows so many rows, and no table without any; the JSON form has all. */
void mm_table_limit(struct mm_table *table, unsigned int rows);
/*
 * Sorts the rows by a column, which the text form then always shows; empty cells come last, and
 * equal ones stay in order. Returns 0, or -1: no memory.
 */
int mm_table_sort(struct mm_table *table, size_t column, bool descending);
/* Keeps the rows that @keep accepts. Returns how many are left. */
size_t mm_table_filter(struct mm_table *table,
		       bool (*keep)(const struct mm_cell *row, const void *user), const void *user);

/* A time series, by name and label values as a metric. Never NULL. */
struct mm_series *mm_report_series(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/* The value of a new time, empty. Never NULL: errors set report->failed. */
struct mm_cell *mm_series_add(struct mm_report *report, struct mm_series *series, uint64_t time_ns);

void mm_cell_set_u(struct mm_cell *cell, uint64_t value);
void mm_cell_set_i(struct mm_cell *cell, int64_t value);
void mm_cell_set_r(struct mm_cell *cell, double value);
void mm_cell_set_b(struct mm_cell *cell, bool value);
/* A lower bound. */
void mm_cell_set_least(struct mm_cell *cell, uint64_t value);
/* NULL leaves the cell as it is. */
void mm_cell_set_s(struct mm_cell *cell, const char *value);
void mm_cell_set_list(struct mm_cell *cell, const char *const *values, size_t count);
/* What the text form has in place of the value. */
void mm_cell_set_shown(struct mm_cell *cell, const char *text);
void mm_cell_release(struct mm_cell *cell);

#endif /* LTTNG_MM_REPORT_REPORT_H */
