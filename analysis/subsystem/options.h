/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The options of a report. `lttng-mm report` makes its parser and its help from each analysis's
 * table. A test compares the tables with the manual pages.
 */
#ifndef LTTNG_MM_SUBSYSTEM_OPTIONS_H
#define LTTNG_MM_SUBSYSTEM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/pids.h"
#include "util/error.h"
#include "util/time.h"

/* A time on the command line. It may be relative to the trace's start or end. */
struct mm_report_time {
	struct mm_time time; /* .ns is INT64_MIN if not given */
	bool gmt;	     /* a time of day is UTC, not local time */
};

/*
 * Values of the options that all reports share. An analysis has a struct of its own, which begins
 * with this one:
 *
 * \tstruct slab_options {
 * \t\tstruct mm_report_options report;
 * \t\tconst char *cache;
 * \t};
 */
struct mm_report_options {
	unsigned int top; /* number of rows of a list */
	bool by_top;	  /* --top was given */
	bool compare;	  /* --compare was given */
	/* The following members select the threads of the report. */
	bool include_recorder;
	bool by_pid; /* only threads of process @pid, and of @descendants */
	unsigned int pid;
	const struct mm_pids *descendants; /* NULL: none */
	/* an option uses names from the system information, which must be read before the trace */
	bool by_name;
};

/* With @by_pid: is the process @pid selected? */
static inline bool mm_options_select(const struct mm_report_options *options, int32_t pid)
{
	return pid == (int32_t)options->pid || mm_pids_have(options->descendants, pid);
}

#define MM_REPORT_DEFAULTS \
	{                  \
		.top = 10  \
	}

/* Casts @options, a struct mm_report_options *, to @type, the struct of an analysis. */
#define MM_OPTIONS_OF(type, options) \
	((const type *)_Generic((options), const struct mm_report_options * : (options)))

enum mm_option_type {
	MM_OPTION_FLAG,	  /* bool: no argument */
	MM_OPTION_NUMBER, /* unsigned int, from @low to @high */
	MM_OPTION_CHOICE, /* const char *: one of @choices */
	MM_OPTION_TEXT,	  /* const char *: any text */
	MM_OPTION_TIME,	  /* struct mm_report_time, as --begin accepts it */
};

/* An option. A table ends with a NULL name. MM_TEXT_IN() and the like set @type and @offset. */
struct mm_option {
	const char *name;     /* without dashes */
	char letter;	      /* the short form; 0: none */
	const char *argument; /* name of the argument in the help; NULL: a flag */
	const char *help;     /* a phrase */
	enum mm_option_type type;
	size_t offset; /* offset of the value in the analysis's struct */
	unsigned int low, high;
	/*
	 * If the argument is a process id: the option that lists all process ids, for messages.
	 * Otherwise NULL.
	 */
	const char *pids;
	size_t given; /* offset of a bool that is set if the option is given; 0: none */
	const char *const *choices; /* ends with NULL */
	const char *needs;	    /* the flag that this option requires; NULL: none */
	/* The option restricts the report. Suggested commands must repeat it. */
	bool selects;
};

/* The offset of @member in @type. Compiles only if the member has the type of @value. */
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

/* Options that several reports share. */
#define MM_OPTION_TOP                                                                   \
	{                                                                               \
		.name = "top", .letter = 'n', .argument = "N",                          \
		.help = "number of rows of a list (default 10, at most 100)", .low = 1, \
		.high = 100, MM_NUMBER_IN(struct mm_report_options, top),               \
		MM_GIVEN_IN(struct mm_report_options, by_top)                           \
	}
/* For @list, see mm_option.pids. */
#define MM_OPTION_PID(text, list)                                                    \
	{                                                                            \
		.name = "pid", .argument = "PID", .help = (text), .high = INT32_MAX, \
		.pids = (list), MM_NUMBER_IN(struct mm_report_options, pid),         \
		MM_GIVEN_IN(struct mm_report_options, by_pid), .selects = true       \
	}
#define MM_OPTION_INCLUDE_RECORDER(text)                                                \
	{                                                                               \
		.name = "include-recorder", .help = (text),                             \
		MM_FLAG_IN(struct mm_report_options, include_recorder), .selects = true \
	}

struct mm_options {
	const struct mm_option *table;
	/* Makes a table that depends on the list of subsystems. NULL: use @table instead. */
	const struct mm_option *(*make_table)(void);
	const struct mm_report_options *defaults; /* first member of the analysis's struct */
	size_t size;				  /* size of the struct that @defaults starts */
};

/* @values: an analysis's struct with its default values. */
#define MM_OPTIONS(options, values)                                                      \
	{                                                                                \
		.table = (options), .defaults = &(values).report, .size = sizeof(values) \
	}

/*
 * In the functions below, @options may be NULL. The report then has only the options that all
 * reports share.
 */

/* Returns the table, which may be empty. */
const struct mm_option *mm_options_table(const struct mm_options *options);
/* Returns the option @name, or NULL. */
const struct mm_option *mm_option_find(const struct mm_options *options, const char *name);

/* Returns the default values, or NULL when out of memory. Release with free(). */
struct mm_report_options *mm_options_create(const struct mm_options *options);

/*
 * Parses @argument (NULL for a flag) into @values, which keeps pointers to the caller's strings.
 * @report is the name in messages. @gmt: times are in UTC. Returns 0, or -1 with @err set.
 */
int mm_option_read(const struct mm_option *option, const char *report, const char *argument,
		   bool gmt, struct mm_report_options *values, struct mm_error *err);

/*
 * Checks that required flags are given. Call it after the last option. Returns 0, or -1 with @err
 * set.
 */
int mm_options_check(const struct mm_options *options, const char *report,
		     const struct mm_report_options *values, struct mm_error *err);

/* Returns the value of an option of type MM_OPTION_TIME. */
const struct mm_report_time *mm_option_time(const struct mm_option *option,
					    const struct mm_report_options *values);

/*
 * Returns the options that select a part of the trace, except times. They are shell words in the
 * order of the table, such as "--cache='a b' --pid=7", or "". Release with free(). Returns NULL
 * when out of memory.
 */
char *mm_options_selection(const struct mm_options *options,
			   const struct mm_report_options *values);

#endif /* LTTNG_MM_SUBSYSTEM_OPTIONS_H */
