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

/*
 * The kind of a cell of a table. Strings are copied. They may be hostile, so renderers escape them.
 */
enum mm_cell_kind {
	MM_CELL_EMPTY, /* not known */
	MM_CELL_UNSIGNED,
	MM_CELL_SIGNED, /* a negative number */
	MM_CELL_REAL,
	MM_CELL_BOOLEAN,
	MM_CELL_STRING,
	MM_CELL_FAILED, /* out of memory (see mm_report_failed()) */
	MM_CELL_LIST,	/* @u strings in @s, each with a terminating 0 */
};

/*
 * JSON member of a metric: true if the value is a lower bound. In a row: the list of columns whose
 * values are lower bounds.
 */
#define MM_JSON_LEAST "at_least"
/* Like MM_JSON_LEAST, for upper bounds. */
#define MM_JSON_MOST "at_most"
/* JSON: true if the report describes a time range, and not the whole trace. */
#define MM_JSON_WINDOWED "windowed"

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
	bool most;   /* the value is an upper bound: "<=", MM_JSON_MOST; never with @least */
};

/* A paragraph above a row, shown in the text form. */
struct mm_heading {
	size_t row;
	char *text;
};

struct mm_table {
	const struct mm_table_def *def;
	size_t column_count, row_count;
	bool hidden;	  /* omitted from the text form even though it has a title */
	bool omits_empty; /* the text form omits columns without values */
	bool grouped;	  /* adjacent rows belong together, so the table is never sorted */
	size_t text_rows; /* maximum number of rows in the text form; 0: the default */
	size_t sorted;	  /* 1 + index of the sort column, which is always shown; 0: not sorted */
	/* replaces the title's order (", by live"), unless NULL or empty */
	char *order;
	struct mm_heading *headings;
	size_t heading_count;
	struct mm_cell *cells; /* row_count * column_count */
};

struct mm_metric {
	const struct mm_metric_def *def;
	char *labels[MM_LABELS_MAX]; /* values, in the order of the definition */
	struct mm_cell value;
	bool has_samples;
	uint64_t samples; /* number of observations behind the value */
};

struct mm_series {
	const struct mm_series_def *def;
	char *labels[MM_LABELS_MAX];
	size_t count;
	uint64_t *times_ns; /* times in ns since the first event */
	struct mm_cell *values;
};

/* Reasons to doubt the whole trace. The head of the text form names the first that applies. */
enum mm_report_doubt {
	/* times in snapshot.json contradict each other, although the files match the certificate */
	MM_REPORT_CONTRADICTORY = 1 << 0,
	/*
	 * files differ from the file list in the system information, but not from the certificate
	 */
	MM_REPORT_UNLISTED = 1 << 1,
	MM_REPORT_DIFFERS = 1 << 2,	     /* files or times have changed since the recording */
	MM_REPORT_SNAPSHOT_DAMAGED = 1 << 3, /* the contents of snapshot.json are lost */
	/* some packets could not be compared with their checksums */
	MM_REPORT_SUMS_LOST = 1 << 4,
	MM_REPORT_UNCERTIFIED = 1 << 5, /* the time range starts before the certificate */
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
	 * The answer: sentences that answer the user's question, one fact each. It is the main part
	 * of the first screen.
	 */
	char **answer;
	size_t answer_count;
	/* the table on the first screen (NULL: none), and the number of rows shown there */
	const struct mm_table_def *first_table;
	unsigned int first_rows;
	/* command at the end of the first screen, and its purpose; NULL: none */
	char *next_purpose, *next_command;
	/* analysis name in the JSON form; NULL: the schema's name */
	char *name;
	/* options that restrict the report, without times: "--pid=7"; NULL: none; may be hostile */
	char *selection;
	char **findings; /* sentences, most important first */
	size_t finding_count;
	char **warnings; /* reasons why the report as a whole may be wrong; printed first */
	size_t warning_count;
	/* Facts for the head of the text form, such as which processes the report leaves out. */
	char **remarks;
	size_t remark_count;
	char **notes; /* facts that readers of the trace must know */
	size_t note_count;
	struct mm_cell coverage[MM_COVERAGE_COUNT];
	struct mm_table *coverage_tables[MM_COVERAGE_TABLES]; /* never NULL */
	bool gmt;	/* print times in UTC, not in the local time zone */
	bool more_cpus; /* missing streams may belong to CPUs that the coverage does not count */
	bool windowed;
	bool begins; /* the start of a time range was requested */
	bool incomplete; /* events other than state dumps were lost */
	/* @incomplete is set, or a stream may be missing or cut */
	bool lacking;
	/*
	 * the requested time range starts at least a second before the trace (@starts_late), or
	 * ends at least a second after it (@ends_early)
	 */
	bool starts_late, ends_early;
	/* a stream may lack packets at its start or end, however few */
	bool maybe_cut;
	bool cut_remarked;
	/* number of state-dump events; they are read even outside the time range */
	uint64_t state_events;
	/*
	 * Losses of state dumps. @state_lost: a stream that is present has losses. @state_missing:
	 * number of missing streams.
	 */
	bool state_lost;
	uint64_t state_missing;
	/* the session may have been stopped for a part of the time */
	bool maybe_paused;
	/* a tracker or a filter excluded events, but it is unknown which */
	bool limits_unknown;
	unsigned int doubts; /* a set of enum mm_report_doubt */
	/* start of the certificate if the trace starts earlier, else 0 */
	int64_t certified_since_ns;
	size_t since_remark; /* index of the remark on @certified_since_ns */
	bool unchecked;	     /* packets have no checksums, so only headers were checked */
	/* a ring of trace files overwrote some of the lost packets */
	bool ring_lost;
	bool denied;	    /* this user cannot read some of the files */
	bool recorder_lost; /* events were lost while recording because buffers were full */
	bool damaged;	    /* something is damaged, not only truncated */
	bool backward;	    /* the clock of a stream went backwards */
	/* in a comparison: only NEW is @damaged or @incomplete */
	bool newer_damaged, newer_incomplete;
	bool is_comparison;
	bool failed; /* see mm_report_failed() */
	/* name of an item that the schema lacks; NULL: none */
	const char *undeclared;
};

/* Returns an empty report, or NULL when out of memory. @schema must outlive the report. */
struct mm_report *mm_report_create(const struct mm_report_schema *schema);
void mm_report_destroy(struct mm_report *report);
/* Was memory exhausted while the report was filled in? */
bool mm_report_failed(const struct mm_report *report);

/*
 * Adds a sentence to the answer, the main part of the first screen. Add the most important sentence
 * first. If a report has no answer, it has no first screen, and its text form is always the long
 * form.
 */
void mm_report_answer(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Inserts the answer of @from after the first @kept sentences of the answer of @report. */
void mm_report_answer_before(struct mm_report *report, struct mm_report *from, size_t kept);
/* Selects the table for the first screen, and the number of its rows. */
void mm_report_first_table(struct mm_report *report, const struct mm_table_def *table,
			   unsigned int rows);
/*
 * Sets the command at the end of the first screen: "@purpose: COMMAND", such as "To see WHY:
 * lttng-mm report ... TRACE". If the command ends with TRACE, the trace's path replaces this word.
 * Both texts may be hostile. Names in the command must be quoted for the shell.
 */
void mm_report_next(struct mm_report *report, const char *purpose, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The following functions set report->failed when out of memory. */
void mm_report_set_name(struct mm_report *report, const char *name);
void mm_report_set_selection(struct mm_report *report, const char *selection);
void mm_report_finding(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* In the JSON form, warnings and remarks are the first notes. */
void mm_report_warn(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void mm_report_remark(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a remark that the figures include @what ("calls") of threads of unknown processes. */
void mm_report_remark_unknown(struct mm_report *report, const char *what);
void mm_report_note(struct mm_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds the metric @name of the schema. The values of the metric's labels follow, then NULL. Set the
 * metric's value with mm_cell_set_*(); until then, it is unknown. Never returns NULL. Errors set
 * report->failed. An undeclared metric or a wrong number of labels also sets report->undeclared.
 */
struct mm_metric *mm_report_metric(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/* Like mm_report_metric(), but also sets an integer value, and adds the final NULL. */
#define mm_report_count(report, number, ...) \
	mm_cell_set_u(&mm_report_metric(report, __VA_ARGS__, NULL)->value, number)
/* Sets the number of observations behind the value. */
void mm_metric_set_samples(struct mm_metric *metric, uint64_t samples);

/*
 * Adds a table. Never returns NULL. Errors set report->failed. An undeclared table also sets
 * report->undeclared.
 */
struct mm_table *mm_report_table(struct mm_report *report, const struct mm_table_def *def);
/* Appends a row of empty cells. Returns NULL with report->failed set when out of memory. */
struct mm_cell *mm_table_row(struct mm_report *report, struct mm_table *table);
/*
 * Adds a paragraph above the next row of a grouped table, in the text form. @text may be hostile.
 */
void mm_table_heading(struct mm_report *report, struct mm_table *table, const char *text);
/* Returns the index of the column with @key, or -1. */
int mm_table_column(const struct mm_table *table, const char *key);
/* Limits the rows of the text form; 0 hides the table. The JSON form always has all rows. */
void mm_table_limit(struct mm_table *table, unsigned int rows);
/*
 * Sorts the rows by a column, which the text form then always shows. Rows with empty cells come
 * last. The sort is stable. Returns 0, or -1 when out of memory.
 */
int mm_table_sort(struct mm_table *table, size_t column, bool descending);
/* Removes the rows that @keep rejects. Returns the number of remaining rows. */
size_t mm_table_filter(struct mm_table *table,
		       bool (*keep)(const struct mm_cell *row, const void *user), const void *user);

/* Adds a time series. Arguments and errors are as in mm_report_metric(). */
struct mm_series *mm_report_series(struct mm_report *report, const char *name, ...)
	__attribute__((sentinel));
/*
 * Appends a time. Returns the empty cell for the value at this time; never NULL. Errors set
 * report->failed.
 */
struct mm_cell *mm_series_add(struct mm_report *report, struct mm_series *series, uint64_t time_ns);

void mm_cell_set_u(struct mm_cell *cell, uint64_t value);
void mm_cell_set_i(struct mm_cell *cell, int64_t value);
void mm_cell_set_r(struct mm_cell *cell, double value);
void mm_cell_set_b(struct mm_cell *cell, bool value);
/* Sets the cell to a lower bound. */
void mm_cell_set_least(struct mm_cell *cell, uint64_t value);
/* Copies @value. NULL does not change the cell. */
void mm_cell_set_s(struct mm_cell *cell, const char *value);
void mm_cell_set_list(struct mm_cell *cell, const char *const *values, size_t count);
/* Sets the text that replaces the value in the text form. */
void mm_cell_set_shown(struct mm_cell *cell, const char *text);
void mm_cell_release(struct mm_cell *cell);

#endif /* LTTNG_MM_REPORT_REPORT_H */
