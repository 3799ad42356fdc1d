// SPDX-License-Identifier: LGPL-2.1-only
/* Options of the report. */
#include "analysis/why/options.h"

#include <stdio.h>
#include <string.h>

#include "analysis/why/lines.h"
#include "analysis/why/slowest.h"

static bool has_flag(const struct mm_subsystem *subsystem)
{
	return subsystem->roles && subsystem->roles->operations;
}

bool why_options_select(const struct why_option_values *values)
{
	for (size_t i = 0; i < MM_SUBSYSTEMS_MAX; i++)
		if (values->only[i])
			return true;
	return values->pair || values->function || values->file;
}

/* Lists the options that --pair excludes: "--function, --dax and --file". */
static void list_excluded(char *text, size_t size)
{
	size_t length = (size_t)snprintf(text, size, "--function");

	for (size_t i = 0; mm_subsystems[i] && length < size; i++)
		if (has_flag(mm_subsystems[i]))
			length += (size_t)snprintf(text + length, size - length, ", --%s",
						   mm_subsystems[i]->name);
	if (length < size)
		snprintf(text + length, size - length, " and --file");
}

int why_options_check(const struct mm_report_options *options, struct mm_error *err)
{
	const struct why_option_values *given = MM_OPTIONS_OF(struct why_option_values, options);
	const char *comma = given->pair ? strchr(given->pair, ',') : NULL;
	struct why_option_values others = *given;
	char excluded[256];

	others.pair = NULL;
	if (given->pair && why_options_select(&others)) {
		list_excluded(excluded, sizeof(excluded));
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report why: --pair excludes %s; give one of them", excluded);
	}
	if (given->pair && (!comma || comma == given->pair || !comma[1] || strchr(comma + 1, ',') ||
			    strpbrk(given->pair, "*?[\\")))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report why: --pair: '%s' is not START,END, the names of two events",
			given->pair);
	if (options->top * given->lines > WHY_LINES_TOTAL)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report why: --slowest=%u and --lines=%u are more than %u lines together; lower one of them",
			options->top, given->lines, WHY_LINES_TOTAL);
	return 0;
}

static const struct mm_option first_options[] = {
	{ .name = "slowest",
	  .argument = "N",
	  .help = "number of intervals (default 10, at most 1000)",
	  MM_NUMBER_IN(struct mm_report_options, top),
	  .low = 1,
	  .high = WHY_SLOWEST_MAX,
	  .selects = true },
	{ .name = "lines",
	  .argument = "N",
	  .help = "lines of each time line (default 20, at most 1000)",
	  MM_NUMBER_IN(struct why_option_values, lines),
	  .high = WHY_LINES_MAX },
	{ .name = "function",
	  .argument = "GLOB",
	  .help = "only calls of functions that match the shell pattern, or one of several patterns separated by commas",
	  MM_TEXT_IN(struct why_option_values, function),
	  .selects = true },
};

static const struct mm_option last_options[] = {
	{ .name = "pair",
	  .argument = "START,END",
	  .help = "intervals from event START to event END of the same thread",
	  MM_TEXT_IN(struct why_option_values, pair),
	  .selects = true },
	MM_OPTION_PID("only intervals of threads of this process", "--all"),
	MM_OPTION_INCLUDE_RECORDER("include the recorder's own calls and faults"),
	{ .name = NULL },
};

#define FIRST_OPTIONS (sizeof(first_options) / sizeof(first_options[0]))
#define LAST_OPTIONS (sizeof(last_options) / sizeof(last_options[0]))

/* Returns the option --file, whose help names the operations on files: "DAX faults". */
static struct mm_option file_option(void)
{
	static char help[512];
	const char *before = "only ";
	size_t length = 0;

	for (size_t i = 0; mm_subsystems[i] && length < sizeof(help); i++) {
		const struct mm_event_roles *roles = mm_subsystems[i]->roles;

		if (!has_flag(mm_subsystems[i]) || !roles->file)
			continue;
		length += (size_t)snprintf(help + length, sizeof(help) - length, "%s%ss", before,
					   roles->operations_noun);
		before = " and ";
	}
	if (length < sizeof(help))
		snprintf(
			help + length, sizeof(help) - length,
			" on files whose path, file name, or inode number (0x...) matches the shell pattern, in addition to calls that --function selects");
	return (struct mm_option){ .name = "file",
				   .argument = "PATTERN",
				   .help = help,
				   MM_TEXT_IN(struct why_option_values, file),
				   MM_GIVEN_IN(struct why_option_values, report.by_name),
				   .selects = true };
}

static const struct mm_option *make_table(void)
{
	static struct mm_option table[FIRST_OPTIONS + MM_SUBSYSTEMS_MAX + 1 + LAST_OPTIONS];
	static char helps[MM_SUBSYSTEMS_MAX][128];
	struct mm_option *next = table + FIRST_OPTIONS;

	memcpy(table, first_options, sizeof(first_options));
	for (size_t i = 0; mm_subsystems[i]; i++) {
		if (!has_flag(mm_subsystems[i]))
			continue;
		snprintf(helps[i], sizeof(helps[i]),
			 "only %ss, in addition to calls that --function selects",
			 mm_subsystems[i]->roles->operations_noun);
		*next++ = (struct mm_option){ .name = mm_subsystems[i]->name,
					      .help = helps[i],
					      .type = MM_OPTION_FLAG,
					      .offset = offsetof(struct why_option_values, only) +
							i * sizeof(bool),
					      .selects = true };
	}
	*next++ = file_option();
	memcpy(next, last_options, sizeof(last_options));
	return table;
}

static const struct why_option_values defaults = { .report = MM_REPORT_DEFAULTS,
						   .lines = WHY_LINES_DEFAULT };

const struct mm_options why_options = { .make_table = make_table,
					.defaults = &defaults.report,
					.size = sizeof(defaults) };
