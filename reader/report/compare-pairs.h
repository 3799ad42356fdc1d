/* SPDX-License-Identifier: LGPL-2.1-only */
/* Pairs of figures from two reports: shared types and functions of the comparison. */
#ifndef LTTNG_MM_REPORT_COMPARE_PAIRS_H
#define LTTNG_MM_REPORT_COMPARE_PAIRS_H

#include "reader/report/compare.h"
#include "reader/report/keyed-rows.h"

#define MM_PAIR_TEXT 72

/* How a figure changed. Differences are listed in this order. */
enum mm_change {
	MM_CHANGE_WORSE,
	MM_CHANGE_NEW,	/* only NEW has the row or metric */
	MM_CHANGE_GONE, /* only OLD has the row or metric */
	MM_CHANGE_CHANGED,
	MM_CHANGE_BETTER,
	MM_CHANGE_UNDETERMINED,
	MM_CHANGE_SIMILAR, /* the difference is too small to count */
	MM_CHANGE_UNKNOWN, /* a side has no value */
	MM_CHANGE_SAME,
	MM_CHANGES,
};

enum mm_change_doubt {
	MM_DOUBT_NONE,
	MM_DOUBT_INCOMPLETE, /* losses, or different CPUs or limits, may explain the change */
	MM_DOUBT_DURATION,   /* the lengths differ, and the figure cannot be scaled */
	MM_DOUBT_SAMPLES,    /* the figure is a statistic of few observations */
	MM_DOUBT_BOUND,	     /* a figure is a lower bound */
	MM_DOUBT_OVERLAP,    /* both sides contain the same events */
	MM_DOUBTS,
};

extern const char *const mm_change_words[MM_CHANGES];
extern const char *const mm_doubt_words[MM_DOUBTS];

/* A figure of both sides: a metric, or a column of a table row. */
struct mm_pair {
	const char *name;		  /* name of the metric; NULL: this is a row */
	const struct mm_table_def *table; /* table of the row; NULL: this is a metric */
	const char *column;
	enum mm_value_kind kind;
	const char *unit;
	enum mm_direction direction;
	enum mm_scaling scaling;
	double samples_min;
	const char *const *labels;		    /* names of the labels; ends with NULL */
	char *const *texts;			    /* values of a metric's labels */
	const struct mm_cell *cells[MM_LABELS_MAX]; /* values of a row's labels */
	struct mm_figure figures[MM_SIDES];
	enum mm_change verdict;
	enum mm_change_doubt doubt;
	double size; /* sort key: the difference in @unit (per second if the figure is scaled) */
};

struct mm_comparison {
	const struct mm_compare_side *sides;
	struct mm_report *report;
	uint64_t ns[MM_SIDES]; /* length of each side's recording; 0: not known */
	bool is_one_trace;     /* both sides cover the same time and events */
	uint64_t overlap_ns;   /* time that both sides cover; 0 if none or hardly any */
	/* clauses that may explain any difference, such as "NEW is incomplete" */
	char **doubts;
	size_t doubt_count;
	struct mm_pair *pairs;
	size_t pair_count, pair_room;
	/* number of figures with each verdict; [0]: metrics; [1]: figures of table rows */
	size_t counts[2][MM_CHANGES];
	size_t unscaled; /* number of pairs with MM_DOUBT_DURATION */
	struct mm_pool_keys pool_keys;
};

/* Are sums compared per second? */
bool mm_comparison_is_scaled(const struct mm_comparison *comparison);
/* Returns the value, per second if @pair is a sum and sums are scaled. */
double mm_pair_value(const struct mm_comparison *comparison, const struct mm_pair *pair, int side);
/* Sets the verdict of @pair, its doubt and its size. */
void mm_pair_judge(const struct mm_comparison *comparison, struct mm_pair *pair);
/* Judges a copy of @pair. Stores the copy if the sides differ. */
void mm_comparison_add(struct mm_comparison *comparison, const struct mm_pair *pair);

/* Writes the value as text, per second if scaled: "6.5 ms/s". */
void mm_pair_text(const struct mm_comparison *comparison, const struct mm_pair *pair, int side,
		  char text[MM_PAIR_TEXT]);
/*
 * Writes the change as "+47 %". Returns false with an empty text if OLD is 0, or a value is
 * unknown.
 */
bool mm_pair_percent(const struct mm_comparison *comparison, const struct mm_pair *pair,
		     char text[MM_PAIR_TEXT]);
/*
 * Returns the value of label @i as text, or NULL if there is none. Uses the buffer @number unless
 * the value is a string.
 */
const char *mm_pair_label(const struct mm_pair *pair, int i, char number[MM_PAIR_TEXT]);
/* Sets the cells for the name and the labels of the figure. */
void mm_pair_name(struct mm_report *report, struct mm_cell *cells, const struct mm_pair *pair);
/* Adds a sentence to the answer for each headline of the schema. */
void mm_compare_headlines(struct mm_comparison *comparison);

void mm_compare_rows(struct mm_comparison *comparison);
/* Finds doubts about the result. Describes both sides in remarks and in a table. */
void mm_compare_sides(struct mm_comparison *comparison);
/* Fills in the answer and the metrics. */
void mm_compare_conclude(struct mm_comparison *comparison);

extern const struct mm_table_def mm_compare_differences, mm_compare_side_table;

enum mm_differences_column {
	MM_DIFFERENCES_VERDICT,
	MM_DIFFERENCES_WHAT,
	MM_DIFFERENCES_NAME,
	MM_DIFFERENCES_TABLE,
	MM_DIFFERENCES_LABELS,
	MM_DIFFERENCES_UNIT,
	MM_DIFFERENCES_DIRECTION,
	MM_DIFFERENCES_SCALING,
	MM_DIFFERENCES_OLD,
	MM_DIFFERENCES_NEW,
	MM_DIFFERENCES_OLD_PER_SECOND,
	MM_DIFFERENCES_NEW_PER_SECOND,
	MM_DIFFERENCES_CHANGE,
	MM_DIFFERENCES_CHANGE_PERCENT,
	MM_DIFFERENCES_OLD_SAMPLES,
	MM_DIFFERENCES_NEW_SAMPLES,
	MM_DIFFERENCES_REASON,
};

enum mm_side_column {
	MM_SIDE_SIDE,
	MM_SIDE_PATH,
	MM_SIDE_STORED,
	MM_SIDE_SELECTION,
	MM_SIDE_COMPLETE,
	MM_SIDE_START_NS,
	MM_SIDE_DURATION_NS,
	MM_SIDE_CPUS,
	MM_SIDE_KERNEL_RELEASE,
	MM_SIDE_HOSTNAME,
	MM_SIDE_EVENTS,
	MM_SIDE_EVENTS_DISCARDED,
	MM_SIDE_PACKETS_LOST,
	MM_SIDE_STREAMS_MISSING,
	MM_SIDE_LIMITED_TO,
};

#endif /* LTTNG_MM_REPORT_COMPARE_PAIRS_H */
