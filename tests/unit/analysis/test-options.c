// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the option tables of the analyses: how values are parsed. The help of the program and the
 * OPTIONS of the manual pages must list exactly the options of the tables.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "tests/tap.h"

static char tests[4000];

struct own_options {
	struct mm_report_options report;
	const char *by, *cache;
	bool has_cache, leaks;
	struct mm_report_time since;
	unsigned int lines;
};

static const char *const choices[] = { "one", "two", NULL };
static const struct mm_option table[] = {
	MM_OPTION_TOP,
	MM_OPTION_PID("only this process", "--table processes"),
	{ .name = "by",
	  .argument = "WHAT",
	  MM_CHOICE_IN(struct own_options, by),
	  .choices = choices },
	{ .name = "cache",
	  .argument = "NAME",
	  MM_TEXT_IN(struct own_options, cache),
	  MM_GIVEN_IN(struct own_options, has_cache) },
	{ .name = "leaks", MM_FLAG_IN(struct own_options, leaks) },
	{ .name = "since",
	  .argument = "TIME",
	  MM_TIME_IN(struct own_options, since),
	  .needs = "leaks" },
	{ .name = "lines",
	  .argument = "N",
	  MM_NUMBER_IN(struct own_options, lines),
	  .low = 1,
	  .high = 100,
	  .needs = "leaks" },
	{ .name = NULL },
};
static const struct own_options defaults = { .report = MM_REPORT_DEFAULTS,
					     .since.time.ns = INT64_MIN,
					     .lines = 20 };
static const struct mm_options own = MM_OPTIONS(table, defaults);

static const struct {
	const char *name, *argument, *error; /* expected message; NULL: accepted */
} values[] = {
	{ "top", "1", NULL },
	{ "top", "100", NULL },
	{ "top", "0", "report x: --top: '0' is not a number from 1 to 100" },
	{ "top", "101", "report x: --top: '101' is not a number from 1 to 100" },
	{ "top", "-1", "report x: --top: '-1' is not a number from 1 to 100" },
	{ "top", "", "report x: --top: '' is not a number from 1 to 100" },
	{ "top", "1x", "report x: --top: '1x' is not a number from 1 to 100" },
	{ "top", "18446744073709551617",
	  "report x: --top: '18446744073709551617' is not a number from 1 to 100" },
	{ "pid", "2147483647", NULL },
	{ "pid", "2147483648",
	  "report x: --pid: '2147483648' is not a number from 0 to 2147483647" },
	{ "pid", "db",
	  "report x: --pid: 'db' is not a process id; `lttng-mm report x --table processes TRACE` shows the pid of each process" },
	{ "pid", "355,560",
	  "report x: --pid: '355,560' is a list, but a report can select only one process; make one report per process" },
	{ "by", "two", NULL },
	{ "by", "three", "report x: --by: 'three' is unknown; known: one, two" },
	{ "cache", "dentry", NULL },
	{ "leaks", NULL, NULL },
	{ "lines", "0", "report x: --lines: '0' is not a number from 1 to 100" },
	{ "lines", "30", NULL },
	{ "since", "12.5", NULL },
	{ "since", "12:00", NULL },
	{ "since", "noon", "--since" },
};

static struct mm_report_options *create(const struct mm_options *options)
{
	struct mm_report_options *made = mm_options_create(options);

	if (!made)
		tap_bail("out of memory");
	return made;
}

static void test_values(void)
{
	struct mm_error err;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct mm_report_options *options = create(&own);
		int ret;

		mm_error_clear(&err);
		ret = mm_option_read(mm_option_find(&own, values[i].name), "x", values[i].argument,
				     true, options, &err);
		tap(values[i].error ? ret && err.code == MM_EXIT_BAD_INPUT &&
					      strstr(err.message, values[i].error)
				    : !ret,
		    "--%s %s%s%s", values[i].name, values[i].argument ? values[i].argument : "",
		    ret ? ": " : "", err.message);
		free(options);
	}
}

static void test_struct(void)
{
	struct mm_report_options *options = create(&own);
	const struct own_options *all =
		MM_OPTIONS_OF(struct own_options, (const struct mm_report_options *)options);
	struct mm_error err = MM_ERROR_INIT;

	tap(options->top == 10 && !options->by_top && all->lines == 20 && !all->by &&
		    all->since.time.ns == INT64_MIN,
	    "values start as the analysis's defaults");
	tap(!mm_options_check(&own, "x", options, &err), "no option: nothing is required");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		mm_option_read(mm_option_find(&own, values[i].name), "x", values[i].argument, true,
			       options, NULL);
	tap(options->top == 100 && options->by_top && !strcmp(all->by, "two") && all->leaks &&
		    !strcmp(all->cache, "dentry") && all->has_cache && all->lines == 30 &&
		    mm_option_time(mm_option_find(&own, "since"), options) == &all->since &&
		    all->since.time.base.kind == MM_TIME_IN_DAY && all->since.gmt &&
		    all->since.time.ns == INT64_C(43200000000000),
	    "each value is stored in its member");
	tap(!mm_options_check(&own, "x", options, &err), "--since with --leaks");
	((struct own_options *)options)->leaks = false;
	tap(mm_options_check(&own, "x", options, &err) &&
		    !strcmp(err.message,
			    "report x: --since requires --leaks; give both or neither"),
	    "--since alone: %s", err.message);
	free(options);
	options = create(NULL);
	tap(options->top == 10 && !mm_options_table(NULL)->name && !mm_option_find(NULL, "top") &&
		    !mm_options_check(NULL, "x", options, &err),
	    "an analysis without options has the options of all reports only");
	tap(!mm_option_find(&own, "none"), "no such option");
	free(options);
}

/* ---- against the help and the manual ---- */

#define NAMES_MAX 32

struct option_names {
	char names[NAMES_MAX][64];
	size_t count;
};

static bool has(const struct option_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

/* Adds the long option at the start of @at, without its dashes; hyphens may be escaped. */
static void add(struct option_names *names, const char *at)
{
	char name[64];
	size_t length = 0;

	for (; length + 1 < sizeof(name); at++) {
		if (*at == '\\' && at[1] == '-')
			at++;
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= '0' && *at <= '9') && *at != '-')
			break;
		name[length++] = *at;
	}
	name[length] = '\0';
	if (length && !has(names, name) && names->count < NAMES_MAX)
		strcpy(names->names[names->count++], name);
}

/* Reads the options in the section OPTIONS of a manual page. */
static void read_page(const char *page, struct option_names *names)
{
	bool inside = false, entry = false;
	char path[4200], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/../../../doc/man/%s.1", tests, page);
	file = fopen(path, "r");
	if (!file)
		tap_bail("%s cannot be read", path);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, ".SH ", 4))
			inside = !strcmp(line, ".SH OPTIONS\n");
		for (char *at = line; inside && entry && (at = strstr(at, "\\-\\-")); at += 4)
			add(names, at + 4);
		entry = !strcmp(line, ".TP\n");
	}
	fclose(file);
}

/* Reads the options that start a line of the help. */
static void read_help(const char *analysis, struct option_names *names)
{
	char command[4200], line[1024];
	FILE *file;

	snprintf(command, sizeof(command), "'%s/../bin/lttng-mm' report %s --help", tests,
		 analysis);
	file = popen(command, "r");
	while (file && fgets(line, sizeof(line), file)) {
		const char *dashes = strstr(line, "--");

		if (dashes && dashes - line <= 6 && line[0] == ' ')
			add(names, dashes + 2);
	}
	if (!file || pclose(file))
		tap_bail("%s failed", command);
}

/* Checks that @names are exactly the @common options and the options of @analysis (may be NULL). */
static void compare(const char *what, const struct option_names *names,
		    const struct option_names *common, const struct mm_analysis *analysis)
{
	const struct mm_options *options = analysis ? analysis->options : NULL;
	bool right = true;

	for (const struct mm_option *option = mm_options_table(options); option->name; option++)
		if (!has(names, option->name)) {
			printf("# --%s is not in it\n", option->name);
			right = false;
		}
	for (size_t i = 0; i < names->count; i++)
		if (!has(common, names->names[i]) && !mm_option_find(options, names->names[i])) {
			printf("# --%s is not an option\n", names->names[i]);
			right = false;
		}
	/* The page of an analysis without options has no section OPTIONS. */
	right = right && (names->count || (analysis && !analysis->options));
	tap(right, "%s has the options of the table, and no others", what);
}

static void test_documents(void)
{
	struct option_names common = { .count = 0 }, other = { .count = 0 };

	read_page("lttng-mm-report", &common);
	tap(has(&common, "json") && has(&common, "reader") && !has(&common, "top"),
	    "the page of all reports has %zu options", common.count);
	add(&other, "help");
	add(&other, "usage");
	add(&other, "version");
	for (size_t i = 0; i < common.count; i++)
		add(&other, common.names[i]);
	for (size_t i = 0; mm_analysis_at(i); i++) {
		struct option_names page = { .count = 0 }, help = { .count = 0 };
		const struct option_names nothing = { .count = 0 };
		char name[128];
		bool all = true;

		snprintf(name, sizeof(name), "lttng-mm-report-%s", mm_analysis_at(i)->name);
		read_page(name, &page);
		compare(name, &page, &nothing, mm_analysis_at(i));
		read_help(mm_analysis_at(i)->name, &help);
		snprintf(name, sizeof(name), "`report %s --help`", mm_analysis_at(i)->name);
		compare(name, &help, &other, mm_analysis_at(i));
		for (size_t j = 0; j < common.count; j++)
			all &= has(&help, common.names[j]);
		tap(all, "%s has the options of all reports", name);
	}
}

/*
 * Options of the same name must have the same form in all analyses, because the scan for the
 * analysis in a command line does not know yet which analysis has the option.
 */
static void test_same_names(void)
{
	for (size_t i = 0; mm_analysis_at(i); i++)
		for (size_t j = 0; j < i; j++) {
			const struct mm_option *option =
				mm_options_table(mm_analysis_at(i)->options);
			bool same = true;

			for (; option->name; option++) {
				const struct mm_option *other =
					mm_option_find(mm_analysis_at(j)->options, option->name);

				same &= !other || (!option->argument == !other->argument &&
						   option->letter == other->letter);
			}
			tap(same, "%s and %s: options of the same name have the same form",
			    mm_analysis_at(i)->name, mm_analysis_at(j)->name);
		}
}

int main(int argc, char **argv)
{
	(void)argc;
	snprintf(tests, sizeof(tests), "%s", dirname(argv[0]));
	test_values();
	test_struct();
	test_same_names();
	test_documents();
	return tap_status();
}
