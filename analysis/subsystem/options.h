/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of a report. Each analysis has a table of them, from which `lttng-mm report` makes
 * its parser and its help, and which a test compares with the manual pages.
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

/*
 * The values of the options that the code for all reports acts on. The values of an analysis are a
 * struct of its own, which begins with this one:
 *
 *	struct slab_options {
 *		struct mm_report_options report;
 *		const char *cache;
 *	};
 */
struct mm_report_options {
	unsigned int top; /* rows of a "worst of" table */
	bool by_top;	  /* ... was given */
	bool compare;	  /* the differences between two traces */
	/* The threads that the figures are about. */
	bool include_recorder; /* also those of the recorder's own processes */
	bool by_pid;	       /* only those of process @pid */
	unsigned int pid;
	/* The analysis selects by names from the system information, which is then read first. */
	bool by_name;
};

#define MM_REPORT_DEFAULTS \
	{                  \
		.top = 10  \
	}

/* @options, a struct mm_report_options, as the struct @type of an analysis, which it starts. */
#define MM_OPTIONS_OF(type, options) \
	((const type *)_Generic((options), const struct mm_report_options * : (options)))

enum mm_option_type {
	MM_OPTION_FLAG,	  /* bool: no argument */
	MM_OPTION_NUMBER, /* unsigned int, from @low to @high */
	MM_OPTION_CHOICE, /* const char *: one of @choices */
	MM_OPTION_TEXT,	  /* const char *: any */
	MM_OPTION_TIME,	  /* struct mm_report_time, as --begin accepts it */
};

/* Tables end with a NULL name. MM_TEXT_IN() and the like set @type and @offset. */
struct mm_option {
	const char *name;     /* without dashes */
	char letter;	      /* the short form; 0: none */
	const char *argument; /* its name in the help; NULL: a flag */
	const char *help;     /* a phrase */
	enum mm_option_type type;
	size_t offset; /* in the struct of the analysis */
	unsigned int low, high;
	size_t given; /* offset of a bool that is set if the option is given; 0: none */
	const char *const *choices; /* ends with NULL */
	const char *needs;	    /* the flag that this option requires; NULL: none */
	/* The report is only of what the option selects: a command that shows more repeats it. */
	bool selects;
};

/* The offset of @member in @type; does not compile unless the member is a @value. */
#define MM_OFFSET_OF(type, member, value) \
	_Generic(((type *)NULL)->member, value : offsetof(type, member))

#define MM_FLAG_IN(in, member) .type = MM_OPTION_FLAG, .offset = MM_OFFSET_OF(in, member, bool)
#define MM_NUMBER_IN(in, member) \
	.type = MM_OPTION_NUMBER, .offset = MM_OFFSET_OF(in, member, unsigned int)
#define MM_CHOICE_IN(in, member) \
	.type = MM_OPTION_CHOICE, .offset = MM_OFFSET_OF(in, member, const char *)
#define MM_TEXT_IN(in, member) \
	.type = MM_OPTION_TEXT, .offset = MM_OFFSET_OF(in, member, const char *)
#define MM_TIME_IN(in, member) \
	.type = MM_OPTION_TIME, .offset = MM_OFFSET_OF(in, member, struct mm_report_time)
#define MM_GIVEN_IN(in, member) .given = MM_OFFSET_OF(in, member, bool)

/* Options that several reports have, for their tables. */
#define MM_OPTION_TOP                                                                      \
	{                                                                                  \
		.name = "top", .letter = 'n', .argument = "N",                             \
		.help = "number of rows of a list (default 10, at most 100)", .high = 100, \
		MM_NUMBER_IN(struct mm_report_options, top),                               \
		MM_GIVEN_IN(struct mm_report_options, by_top)                              \
	}
#define MM_OPTION_PID(text)                                                          \
	{                                                                            \
		.name = "pid", .argument = "PID", .help = (text), .high = INT32_MAX, \
		MM_NUMBER_IN(struct mm_report_options, pid),                         \
		MM_GIVEN_IN(struct mm_report_options, by_pid), .selects = true       \
	}
#define MM_OPTION_INCLUDE_RECORDER(text)                                                \
	{                                                                               \
		.name = "include-recorder", .help = (text),                             \
		MM_FLAG_IN(struct mm_report_options, include_recorder), .selects = true \
	}

/* The options of an analysis. */
struct mm_options {
	const struct mm_option *table;
	/* In place of @table: returns a table that the list of subsystems determines. */
	const struct mm_option *(*make_table)(void);
	const struct mm_report_options *defaults; /* the start of its struct */
	size_t size;				  /* of the struct */
};

/* @values: the struct of the analysis, with its default values. */
#define MM_OPTIONS(options, values)                                                      \
	{                                                                                \
		.table = (options), .defaults = &(values).report, .size = sizeof(values) \
	}

/* In what follows, @options may be NULL: the report has only what all reports have. */

/* Returns the table, which may be empty. */
const struct mm_option *mm_options_table(const struct mm_options *options);
/* Returns the option of that name, or NULL. */
const struct mm_option *mm_option_find(const struct mm_options *options, const char *name);

/* Returns the default values, to be released with free(); NULL: out of memory. */
struct mm_report_options *mm_options_create(const struct mm_options *options);

/*
 * Parses @argument (NULL for a flag) into @values. @report names the report in messages; @gmt:
 * times are in UTC. Strings remain the caller's. Returns 0, or -1 with @err set.
 */
int mm_option_read(const struct mm_option *option, const char *report, const char *argument,
		   bool gmt, struct mm_report_options *values, struct mm_error *err);

/*
 * After the last option: fails if an option was given without the flag that it requires. As above.
 */
int mm_options_check(const struct mm_options *options, const char *report,
		     const struct mm_report_options *values, struct mm_error *err);

/* The value of an option of type MM_OPTION_TIME. */
const struct mm_report_time *mm_option_time(const struct mm_option *option,
					    const struct mm_report_options *values);

/*
 * Returns the options with `selects` that were given, as on the command line, in the order of the
 * table: "--cache='a b' --pid=7"; empty: none. Times are left out. NULL: out of memory. Release with
 * free().
 */
char *mm_options_selection(const struct mm_options *options,
			   const struct mm_report_options *values);

#endif /* LTTNG_MM_SUBSYSTEM_OPTIONS_H */
