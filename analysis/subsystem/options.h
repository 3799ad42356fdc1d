/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of a report, of which each analysis has a table: what `lttng-mm report` accepts, what
 * its help shows, and what a test compares with the manual pages.
 */
#ifndef LTTNG_MM_SUBSYSTEM_OPTIONS_H
#define LTTNG_MM_SUBSYSTEM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/time.h"

/* A time as given: it becomes a timestamp when it is known when the trace begins and ends. */
struct mm_report_time {
	struct mm_time time; /* .ns INT64_MIN: not given */
	bool gmt;	     /* days are those of UTC, not of the local time zone */
};

/* The values of the options of a report. */
struct mm_report_options {
	unsigned int top; /* rows of a "worst of" table */
	bool by_top;	  /* ... was given */
	/* the list that the text form shows, one of the choices; NULL: the first rows of each */
	const char *by;
	bool leaks;		     /* leak candidates, instead of the other tables */
	bool include_recorder;	     /* lists include the allocations of the recorder itself */
	bool compare;		     /* the differences between two traces */
	struct mm_report_time since; /* leaks: those allocated from then on */
	/* keys of columns, as mm_report_sort() accepts them; NULL: the default order */
	const char *sort;
	/* Lists are restricted to these; NULL: not restricted. */
	const char *cache, *call_site;
	const char *file;     /* a list of shell patterns */
	const char *function; /* a list of shell patterns */
	bool graph, by_task;
	const char *folded; /* what is summed up, one of the choices; NULL: nothing */
	bool by_pid;
	unsigned int pid;
	bool dax;
	const char *pair;   /* `START,END` */
	unsigned int lines; /* of each time line */
};

#define MM_LINES_DEFAULT 20

#define MM_REPORT_OPTIONS_INIT                                                   \
	{                                                                        \
		.top = 10, .since.time.ns = INT64_MIN, .lines = MM_LINES_DEFAULT \
	}

enum mm_option_type {
	MM_OPTION_FLAG,	  /* bool: no argument */
	MM_OPTION_NUMBER, /* unsigned int, from @low to @high */
	MM_OPTION_CHOICE, /* const char *: one of @choices */
	MM_OPTION_TEXT,	  /* const char *: any */
	MM_OPTION_TIME,	  /* struct mm_report_time, as --begin accepts it */
};

/* Tables end with a NULL name. */
struct mm_option {
	const char *name;     /* without dashes */
	char letter;	      /* the short form; 0: none */
	const char *argument; /* its name in the help; NULL: a flag */
	const char *help;     /* a phrase */
	enum mm_option_type type;
	size_t offset; /* in struct mm_report_options */
	unsigned int low, high;
	size_t given; /* offset of a bool that is set if the number is given; 0: none */
	const char *const *choices; /* ends with NULL */
	const char *needs;	    /* the flag that this option requires; NULL: none */
	/* The report is only of what the option selects: a command that shows more repeats it. */
	bool selects;
};

/* The option of reports that have lists. */
#define MM_OPTION_TOP                                                                        \
	{                                                                                    \
		.name = "top", .letter = 'n', .argument = "N",                               \
		.help = "number of rows of a list (default 10, at most 100)",                \
		.type = MM_OPTION_NUMBER, .offset = offsetof(struct mm_report_options, top), \
		.given = offsetof(struct mm_report_options, by_top), .high = 100             \
	}

/* The option of that name, or NULL. */
const struct mm_option *mm_option_find(const struct mm_option *table, const char *name);

/*
 * Parses @argument (NULL for a flag) into @options. @report names the report in messages; @gmt:
 * times are in UTC. Strings remain the caller's. Returns 0, or -1 with @err set.
 */
int mm_option_read(const struct mm_option *option, const char *report, const char *argument,
		   bool gmt, struct mm_report_options *options, struct mm_error *err);

/*
 * After the last option: fails if an option was given without the flag that it requires. As above.
 */
int mm_options_check(const struct mm_option *table, const char *report,
		     const struct mm_report_options *options, struct mm_error *err);

/*
 * Returns the options with `selects` that were given, as on the command line, in the order of the
 * table: "--cache='a b' --pid=7"; empty: none. Times are left out. NULL: out of memory. Release with
 * free().
 */
char *mm_options_selection(const struct mm_option *table, const struct mm_report_options *options);

#endif /* LTTNG_MM_SUBSYSTEM_OPTIONS_H */
