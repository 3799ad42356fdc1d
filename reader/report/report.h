/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The result of an analysis: sentences, metrics, tables, time series and the coverage of the trace.
 * Renderers turn it into text or JSON.
 */
#ifndef LTTNG_MM_REPORT_REPORT_H
#define LTTNG_MM_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/report/coverage-schema.h"
#include "reader/report/schema.h"

/* A cell of a table. Strings are copied; they may be hostile, so renderers escape them. */
enum mm_cell_kind {
	MM_CELL_EMPTY, /* not known */
	MM_CELL_UNSIGNED,
	MM_CELL_SIGNED, /* a negative number */
	MM_CELL_REAL,
	MM_CELL_BOOLEAN,
	MM_CELL_STRING,
	MM_CELL_FAILED, /* out of memory: see mm_report_failed() */
	MM_CELL_LIST,	/* @u strings in @s, each with its terminating 0 */
};

/* JSON: the value of a metric is a lower bound, or those of the listed columns are. */
#define MM_JSON_LEAST "at_least"

struct mm_cell {
	enum mm_cell_kind kind;
	union {
		uint64_t u;
		int64_t i;
	};
	double r;
	char *s;
	char *shown; /* replaces the value in the text form; NULL: the value is shown */
	bool least;  /* the value is a lower bound: ">=" in the text form, MM_JSON_LEAST in JSON */
};

/* A paragraph before a row in the text form. */
struct mm_heading {
	size_t row;
	char *text;
};

struct mm_table {
	const struct mm_table_def *def;
	size_t column_count, row_count;
	bool hidden;	  /* not in the text form, although it has a title */
	bool omits_empty; /* the text form omits columns without any value */
	bool grouped;	  /* adjacent rows belong together: the table is never sorted */
	size_t text_rows; /* maximum number of rows in the text form; 0: the usual number */
	size_t sorted;	  /* number of the sort column, always shown, plus 1; 0: not sorted */
	/* replaces the order in the title: ", by live"; NULL or empty: no replacement */
	char *order;
	struct mm_heading *headings; /* sorted by row */
	size_t heading_count;
	struct mm_cell *cells; /* row_count * column_count */
};

struct mm_metric {
	const struct mm_metric_def *def;
	char *labels[MM_LABELS_MAX]; /* values, in the order of the definition */
	struct mm_cell value;	     /* MM_CELL_EMPTY: not known */
	bool has_samples;
	uint64_t samples; /* number of observations from which the value is computed */
};

struct mm_series {
	const struct mm_series_def *def;
	char *labels[MM_LABELS_MAX];
	size_t count;
	uint64_t *times_ns; /* times since the first event */
	struct mm_cell *values;
};

/* Reasons to doubt the trace as a whole. The head of the text form names the first that applies. */
enum mm_report_doubt {
	MM_REPORT_CONTRADICTORY = 1 << 0,    /* only times in snapshot.json contradict each other */
	MM_REPORT_UNLISTED = 1 << 1,	     /* only files differ from the system information */
	MM_REPORT_DIFFERS = 1 << 2,	     /* files or times are not those that were recorded */
	MM_REPORT_SNAPSHOT_DAMAGED = 1 << 3, /* the contents of snapshot.json are lost */
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
	/*
	 * The main part of the first screen: sentences that answer the user's question, one fact
	 * each.
	 */
	char **answer;
	size_t answer_count;
	/* The only table of the first screen, and its number of rows there; NULL: no table. */
	const struct mm_table_def *first_table;
	unsigned int first_rows;
	/* A command for the end of the first screen, and what it shows; NULL: no command. */
	char *next_purpose, *next_command;
	/* Name of the analysis in the JSON form; NULL: the name of the schema. */
	char *name;
	/*
	 * Options that restrict the report, without times: "--pid=7"; NULL: none. May be hostile.
	 */
	char *selection;
	char **findings; /* sentences, the most important first */
	size_t finding_count;
	char **warnings; /* reasons why the whole report may be wrong; printed first */
	size_t warning_count;
	/* Facts for the head of the text form, such as the processes that the report leaves out. */
	char **remarks;
	size_t remark_count;
	char **notes; /* facts about the trace and the recording that readers must know */
	size_t note_count;
	struct mm_cell coverage[MM_COVERAGE_COUNT];
	struct mm_table *coverage_tables[MM_COVERAGE_TABLES]; /* never NULL */
	bool gmt;	 /* print times in UTC, not in the local time zone */
	bool more_cpus;	 /* missing streams may be of CPUs that the coverage does not count */
	bool windowed;	 /* the coverage describes a requested time range */
	bool incomplete; /* events other than state dumps were lost */
	/* @incomplete, or events may be lost: a stream may be missing or cut */
	bool lacking;
	/* The requested time range starts before the trace; it ends after the trace. */
	bool starts_late, ends_early;
	bool maybe_cut;	   /* a stream may be cut, by any amount */
	bool cut_remarked; /* a remark names a cut stream */
	/* events of state dumps among the coverage's events; no time range excludes them */
	uint64_t state_events;
	/*
	 * @state_lost: state dumps were lost in present streams. @state_missing: number of missing
	 * streams of state dumps.
	 */
	bool state_lost;
	uint64_t state_missing;
	/* Nothing shows for some time whether the session recorded. */
	bool maybe_paused;
	/* A tracker or a filter excluded events, and nothing says which. */
	bool limits_unknown;
	unsigned int doubts; /* a set of enum mm_report_doubt */
	/* start of the certificate if it is later than the start of the trace, else 0 */
	int64_t certified_since_ns;
	size_t since_remark; /* number of the remark on @certified_since_ns */
	bool unchecked;	     /* packets have no checksums, so only their headers were checked */
	/* Some lost packets were overwritten in a ring of trace files. */
	bool ring_lost;
	bool denied;	    /* this user must not read some of the files */
	bool recorder_lost; /* events were lost while recording, for lack of room */
	bool damaged;	    /* damaged other than by truncation */
	bool backward;	    /* the clock of a stream went backwards */
	/* In a comparison: only the newer of the two traces is @damaged or @incomplete. */
	bool newer_damaged, newer_incomplete;
	bool is_comparison;
	bool failed; /* see mm_report_failed() */
	/* Name of an item that the schema does not declare; NULL: none. */
	const char *undeclared;
};

/* Returns an empty report, or NULL when out of memory. @schema must outlive the report. */
struct mm_report *mm_report_create(const struct mm_report_schema *schema);
void mm_report_destroy(struct mm_report *report);
/* Did memory run out while the report was filled in? */
bool mm_report_failed(const struct mm_report *report);

/*
 * Adds a sentence to the answer, the main part of the first screen; the most important sentence
 * first. A report without an answer has no first screen: its text form is always the long form.
 */
void mm_report_answer(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Selects the table of the first screen, and how many of its rows are shown. */
void mm_report_first_table(struct mm_report *report, const struct mm_table_def *table,
			   unsigned int rows);
/*
 * Sets the command that shows more, for the end of the first screen: "@purpose: COMMAND", such as
 * "To see WHY: lttng-mm report ... TRACE". The trace's path replaces the word TRACE at the end of
 * the command. Both texts may be hostile, but a name in the command must be a word of the shell.
 */
void mm_report_next(struct mm_report *report, const char *purpose, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The following functions set report->failed when out of memory. */
void mm_report_set_name(struct mm_report *report, const char *name);
void mm_report_set_selection(struct mm_report *report, const char *selection);
void mm_report_finding(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* In the JSON form, the notes begin with the warnings and the remarks. */
void mm_report_warn(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void mm_report_remark(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a remark: @what ("Calls") by threads of unknown processes may be the recorder's. */
void mm_report_remark_unknown(struct mm_report *report, const char *what);
void mm_report_note(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds the metric @name of the schema. The values of its labels follow, then NULL. Set the value
 * with mm_cell_set_*(); until then it is unknown. Never returns NULL: errors set report->failed, or
 * report->undeclared if the schema has no such metric or the number of labels differs.
 */
struct mm_metric *mm_report_metric(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/* mm_report_metric() with an integer value, without the final NULL. */
#define mm_report_count(report, number, ...) \
	mm_cell_set_u(&mm_report_metric(report, __VA_ARGS__, NULL)->value, number)
/* Sets the number of observations from which the value is computed. */
void mm_metric_set_samples(struct mm_metric *metric, uint64_t samples);

/*
 * Adds a table. Never returns NULL: errors set report->failed, or report->undeclared if the schema
 * does not declare the table.
 */
struct mm_table *mm_report_table(struct mm_report *report, const struct mm_table_def *def);
/* Appends a row of empty cells. Returns NULL with report->failed set when out of memory. */
struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table);
/*
 * Adds a paragraph before the next row of a grouped table in the text form. @text may be hostile.
 */
void mm_table_heading(struct mm_report *report, struct mm_table *table, const char *text);
/* Returns the number of the column with @key, or -1. */
int mm_table_column(const struct mm_table *table, const char *key);
/* Limits the rows of the text form; 0 hides the table. The JSON form has all rows. */
void mm_table_limit(struct mm_table *table, unsigned int rows);
/*
 * Sorts the rows by a column, which the text form then always shows. Rows with empty cells come
 * last; rows with equal cells keep their order. Returns 0, or -1 when out of memory.
 */
int mm_table_sort(struct mm_table *table, size_t column, bool descending);
/* Removes the rows that @keep does not accept. Returns the number of remaining rows. */
size_t mm_table_filter(struct mm_table *table,
		       bool (*keep)(const struct mm_cell *row, const void *user), const void *user);

/* Adds a time series; arguments and errors as in mm_report_metric(). */
struct mm_series *mm_report_series(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/* Appends a time. Returns the empty cell for its value, never NULL: errors set report->failed. */
struct mm_cell *mm_series_add(struct mm_report *report, struct mm_series *series, uint64_t time_ns);

void mm_cell_set_u(struct mm_cell *cell, uint64_t value);
void mm_cell_set_i(struct mm_cell *cell, int64_t value);
void mm_cell_set_r(struct mm_cell *cell, double value);
void mm_cell_set_b(struct mm_cell *cell, bool value);
/* Sets a lower bound. */
void mm_cell_set_least(struct mm_cell *cell, uint64_t value);
/* Copies @value; NULL leaves the cell as it is. */
void mm_cell_set_s(struct mm_cell *cell, const char *value);
void mm_cell_set_list(struct mm_cell *cell, const char *const *values, size_t count);
/* Sets the text that replaces the value in the text form. */
void mm_cell_set_shown(struct mm_cell *cell, const char *text);
void mm_cell_release(struct mm_cell *cell);

#endif /* LTTNG_MM_REPORT_REPORT_H */
