// SPDX-License-Identifier: LGPL-2.1-only
/* Parses options of a report with the option table of the analysis. */
#include "analysis/subsystem/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/duration.h"

static const struct mm_report_options report_defaults = MM_REPORT_DEFAULTS;

const struct mm_option *mm_options_table(const struct mm_options *options)
{
	static const struct mm_option none = { .name = NULL };

	if (!options)
		return &none;
	return options->make_table ? options->make_table() : options->table;
}

const struct mm_option *mm_option_find(const struct mm_options *options, const char *name)
{
	for (const struct mm_option *option = mm_options_table(options); option->name; option++)
		if (!strcmp(option->name, name))
			return option;
	return NULL;
}

struct mm_report_options *mm_options_create(const struct mm_options *options)
{
	size_t size = options ? options->size : sizeof(report_defaults);
	struct mm_report_options *values = malloc(size);

	if (values)
		memcpy(values, options ? options->defaults : &report_defaults, size);
	return values;
}

static void *target(const struct mm_option *option, struct mm_report_options *values)
{
	return (char *)values + option->offset;
}

static int read_choice(const struct mm_option *option, const char *report, const char *argument,
		       const char **to, struct mm_error *err)
{
	char known[256] = "";
	size_t length = 0;

	for (size_t i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], argument)) {
			*to = argument;
			return 0;
		}
		length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s",
					   i ? ", " : "", option->choices[i]);
		if (length >= sizeof(known))
			length = sizeof(known) - 1;
	}
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "report %s: --%s: '%s' is unknown; known: %s",
			    report, option->name, argument, known);
}

static int read_time(const struct mm_option *option, const char *argument, bool gmt,
		     struct mm_report_time *to, struct mm_error *err)
{
	struct mm_report_time given = { .gmt = gmt };
	char name[64];

	snprintf(name, sizeof(name), "--%s", option->name);
	if (mm_time_parse(argument, gmt ? MM_TIME_GMT : MM_TIME_LOCAL, name, &given.time, err))
		return -1;
	*to = given;
	return 0;
}

/* Refuses a process's name or a list of process ids. Returns 0, or -1 with @err set. */
static int check_pid(const struct mm_option *option, const char *report, const char *what,
		     const char *argument, struct mm_error *err)
{
	if (*argument && (*argument < '0' || *argument > '9'))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: '%s' is not a process id; `lttng-mm report %s %s TRACE` shows the pid of each process",
			what, argument, report, option->pids);
	if (strchr(argument, ','))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"%s: '%s' is a list, but a report can select only one process; make one report per process",
			what, argument);
	return 0;
}

int mm_option_read(const struct mm_option *option, const char *report, const char *argument,
		   bool gmt, struct mm_report_options *values, struct mm_error *err)
{
	char what[128];

	if (option->given)
		*(bool *)((char *)values + option->given) = true;
	switch (option->type) {
	case MM_OPTION_FLAG:
		*(bool *)target(option, values) = true;
		return 0;
	case MM_OPTION_NUMBER:
		snprintf(what, sizeof(what), "report %s: --%s", report, option->name);
		if (option->pids && check_pid(option, report, what, argument, err))
			return -1;
		return mm_number_read(argument, what, option->low, option->high,
				      target(option, values), err);
	case MM_OPTION_TEXT:
		*(const char **)target(option, values) = argument;
		return 0;
	case MM_OPTION_CHOICE:
		return read_choice(option, report, argument, target(option, values), err);
	default:
		return read_time(option, argument, gmt, target(option, values), err);
	}
}

const struct mm_report_time *mm_option_time(const struct mm_option *option,
					    const struct mm_report_options *values)
{
	return (const void *)((const char *)values + option->offset);
}

/* Does the option differ from its default? */
static bool is_given(const struct mm_options *options, const struct mm_option *option,
		     const struct mm_report_options *values)
{
	const char *value = (const char *)values + option->offset;
	const char *first = (const char *)options->defaults + option->offset;

	switch (option->type) {
	case MM_OPTION_FLAG:
		return *(const bool *)value;
	case MM_OPTION_NUMBER:
		return *(const unsigned int *)value != *(const unsigned int *)first;
	case MM_OPTION_CHOICE:
	case MM_OPTION_TEXT:
		return *(const char *const *)value;
	default:
		return mm_option_time(option, values)->time.ns != INT64_MIN;
	}
}

int mm_options_check(const struct mm_options *options, const char *report,
		     const struct mm_report_options *values, struct mm_error *err)
{
	for (const struct mm_option *option = mm_options_table(options); option->name; option++) {
		const struct mm_option *flag =
			option->needs ? mm_option_find(options, option->needs) : NULL;

		if (flag && is_given(options, option, values) && !is_given(options, flag, values))
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "report %s: --%s requires --%s; give both or neither",
					    report, option->name, flag->name);
	}
	return 0;
}

/* Prints an option. Adds a space before it unless it is the first. */
static void print_option(FILE *out, const struct mm_option *option,
			 const struct mm_report_options *values, bool first)
{
	const char *value = (const char *)values + option->offset;
	char before[64];

	snprintf(before, sizeof(before), "%s--%s%s", first ? "" : " ", option->name,
		 option->type == MM_OPTION_FLAG ? "" : "=");
	if (option->type == MM_OPTION_FLAG)
		fputs(before, out);
	else if (option->type == MM_OPTION_NUMBER)
		fprintf(out, "%s%u", before, *(const unsigned int *)value);
	else
		mm_escape_print_argument(out, before, *(const char *const *)value);
}

char *mm_options_selection(const struct mm_options *options, const struct mm_report_options *values)
{
	bool first = true;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const struct mm_option *option = mm_options_table(options); out && option->name;
	     option++) {
		bool given = option->given ? *(const bool *)((const char *)values + option->given)
					   : is_given(options, option, values);

		if (!option->selects || !given || option->type == MM_OPTION_TIME)
			continue;
		print_option(out, option, values, first);
		first = false;
	}
	if (out && !fclose(out))
		return text;
	free(text);
	return NULL;
}
