// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the parser of `lttng-mm report` from the option tables of the analyses. */
#include "cli/report-options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/inspect/info-schema.h"
#include "analysis/registry/registry.h"
#include "analysis/report/compare.h"
#include "analysis/report/render.h"
#include "analysis/report/sort.h"
#include "cli/command.h"
#include "cli/source-options.h"
#include "util/escape.h"
#include "util/nearest.h"
#include "util/text.h"

/* The keys of options in tables, by their number in the list of all. */
enum {
	OPTION_REQUIRE_COMPLETE = 256,
	OPTION_SORT,
	OPTION_LIST_METRICS,
	OPTION_TABLE,
	OPTION_COMPARE,
	OPTION_TABLES = 0x2000
};

static const struct argp_option common_options[] = {
	{ "all", 'a', NULL, 0,
	  "all tables, findings and notes; on a terminal, in the pager ($PAGER, or else less)", 0 },
	{ "table", OPTION_TABLE, "NAME", 0,
	  "all rows of one table, by its name in JSON; an unknown name is refused with the valid ones",
	  0 },
	{ "json", 'j', NULL, 0, "metrics and tables as JSON", 0 },
	{ "wide", 'w', NULL, 0, "all columns of the tables, however wide the terminal is", 0 },
	{ "sort", OPTION_SORT, "KEY[,KEY]", 0,
	  "sort lists by these columns, as JSON names them: numbers largest first, texts ascending; -KEY reverses",
	  0 },
	{ "compare", OPTION_COMPARE, NULL, 0,
	  "what differs between two traces, OLD and NEW; each may also be a file that --json printed",
	  0 },
	{ "list-metrics", OPTION_LIST_METRICS, NULL, 0,
	  "describe every metric, table and column of all reports, without a trace", 0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, COMMAND_REQUIRE_COMPLETE, 0 },
};
#define COMMON (sizeof(common_options) / sizeof(common_options[0]))

struct parser {
	struct report_options *options;
	const struct mm_analysis *named; /* whose help may be wanted; NULL: none is named */
	/* The options of all tables, each name once. */
	const struct mm_option **all;
	size_t count;
	struct argp_option *argp; /* the common ones, those of all tables, the end */
	char **helps;		  /* of those that are not every report's */
};

/* Names the analyses that have an option of that name; returns how many those are. */
static size_t name_analyses(const char *option, char *names, size_t size)
{
	size_t count = 0, length = 0;

	*names = '\0';
	for (size_t i = 0; mm_analysis_at(i); i++) {
		if (!mm_option_find(mm_analysis_at(i)->options, option))
			continue;
		length += (size_t)snprintf(names + length, size - length, "%s%s",
					   count++ ? ", " : "", mm_analysis_at(i)->name);
		if (length >= size)
			length = size - 1;
	}
	return count;
}

/*
 * The help of an option that says different things of different analyses: `fn: ...; slab: ...`.
 * NULL: all say the same. Release with free().
 */
static char *describe_each(const char *name)
{
	const char *first = NULL;
	char *all = NULL, *longer;
	bool differ = false;

	for (size_t i = 0; mm_analysis_at(i); i++) {
		const struct mm_option *option = mm_option_find(mm_analysis_at(i)->options, name);

		if (!option)
			continue;
		differ |= first && strcmp(first, option->help) != 0;
		first = option->help;
		if (asprintf(&longer, "%s%s%s: %s", all ? all : "", all ? "; " : "",
			     mm_analysis_at(i)->name, option->help) < 0)
			longer = NULL;
		free(all);
		all = longer;
	}
	if (differ)
		return all;
	free(all);
	return NULL;
}

static size_t count_analyses(void)
{
	size_t count = 0;

	while (mm_analysis_at(count))
		count++;
	return count;
}

static bool is_known(const struct parser *parser, const char *name)
{
	for (size_t i = 0; i < parser->count; i++)
		if (!strcmp(parser->all[i]->name, name))
			return true;
	return false;
}

static void *allocate(size_t count, size_t size)
{
	void *made = calloc(count, size);

	if (made)
		return made;
	fprintf(stderr, "lttng-mm: out of memory\n");
	exit(MM_EXIT_ENVIRONMENT);
}

static void list_options(struct parser *parser)
{
	size_t room = 1;

	for (size_t i = 0; mm_analysis_at(i); i++)
		for (const struct mm_option *option = mm_options_table(mm_analysis_at(i)->options);
		     option->name; option++)
			room++;
	parser->all = allocate(room, sizeof(*parser->all));
	for (size_t i = 0; mm_analysis_at(i); i++)
		for (const struct mm_option *option = mm_options_table(mm_analysis_at(i)->options);
		     option->name; option++)
			if (!is_known(parser, option->name))
				parser->all[parser->count++] = option;
}

/*
 * What the help says of an option: of all reports without @analysis; with it, of that report, in
 * whose help those of others are not shown.
 */
static void describe(struct parser *parser, size_t number, const struct mm_analysis *analysis)
{
	const struct mm_option *option = parser->all[number];
	struct argp_option *argp = &parser->argp[COMMON + number];
	char names[128];

	if (analysis && mm_option_find(analysis->options, option->name))
		option = mm_option_find(analysis->options, option->name);
	else if (analysis)
		argp->flags = OPTION_HIDDEN;
	argp->name = option->name;
	argp->key = option->letter ? option->letter : OPTION_TABLES + (int)number;
	argp->arg = option->argument;
	argp->doc = option->help;
	if (analysis)
		return;
	parser->helps[number] = describe_each(option->name);
	if (parser->helps[number] ||
	    (name_analyses(option->name, names, sizeof(names)) != count_analyses() &&
	     asprintf(&parser->helps[number], "%s: %s", names, option->help) >= 0))
		argp->doc = parser->helps[number];
}

/* The analysis that the command line names, wherever: its help is shown. */
static const struct mm_analysis *find_named(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (mm_analysis_find(argv[i]))
			return mm_analysis_find(argv[i]);
	return NULL;
}

static void make_parser(struct parser *parser, int argc, char **argv)
{
	const struct mm_analysis *analysis = find_named(argc, argv);

	parser->named = analysis;
	list_options(parser);
	parser->argp = allocate(COMMON + parser->count + 1, sizeof(*parser->argp));
	parser->helps = allocate(parser->count + 1, sizeof(*parser->helps));
	parser->options->given = allocate((size_t)argc + 1, sizeof(*parser->options->given));
	memcpy(parser->argp, common_options, sizeof(common_options));
	for (size_t i = 0; i < parser->count; i++)
		describe(parser, i, analysis);
}

static void release_parser(struct parser *parser)
{
	mm_strings_release(parser->helps, parser->count);
	free(parser->argp);
	free(parser->all);
}

/* Which analysis it is may come later. */
static error_t parse_table(struct parser *parser, int key, const char *argument)
{
	struct report_options *options = parser->options;

	for (size_t i = 0; i < parser->count; i++)
		if (parser->argp[COMMON + i].key == key) {
			options->given[options->given_count++] =
				(struct given_option){ parser->all[i], argument };
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

/* What doc/metrics.md must have. */
static void list_metrics(void)
{
	mm_render_coverage_schema(stdout);
	mm_render_schema(stdout, &mm_compare_schema);
	for (size_t i = 0; mm_analysis_at(i); i++) {
		mm_render_schema(stdout, mm_analysis_at(i)->schema);
		if (mm_analysis_at(i)->compare_schema)
			mm_render_schema(stdout, mm_analysis_at(i)->compare_schema);
	}
	mm_render_schema(stdout, &ctf_info_schema);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct parser *parser = state->input;
	struct report_options *options = parser->options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'w':
		options->wide = true;
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case OPTION_TABLE:
		options->table = arg;
		return 0;
	case OPTION_COMPARE:
		options->compare = true;
		return 0;
	case OPTION_SORT:
		options->sort = arg;
		return 0;
	case OPTION_LIST_METRICS:
		list_metrics();
		exit(MM_EXIT_OK);
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->name)
			options->name = arg;
		else if (!options->trace)
			options->trace = command_trace(arg);
		else if (!options->newer)
			options->newer = command_trace(arg);
		else
			argp_error(state, "too many traces");
		return 0;
	case ARGP_KEY_END:
		if (!options->name)
			argp_error(state, "no analysis given; known: %s", mm_subsystem_names());
		if (!options->trace && !mm_analysis_find(options->name) &&
		    !access(options->name, F_OK))
			argp_error(state, "no analysis given for %s; known: %s", options->name,
				   mm_subsystem_names());
		command_require_trace(options->trace, state);
		return 0;
	default:
		return parse_table(parser, key, arg);
	}
}

static const struct argp_child argp_children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

#define EXIT_STATUS                                                                   \
	"Exit status: 0 done, 2 bad usage or bad input, 3 the trace lost events and " \
	"--require-complete was given.\n\nExamples:\n"

/*
 * Appends the names of the analyses to the text before the options, and ends the help of one
 * analysis with its examples. argp frees what is not @text.
 */
static char *filter_help(int key, const char *text, void *input)
{
	const struct parser *parser = input;
	const struct mm_analysis *analysis = parser ? parser->named : NULL;
	char *all;
	int ret = -1;

	if (text && key == ARGP_KEY_HELP_PRE_DOC)
		ret = asprintf(&all, "%s Analyses: %s.", text, mm_subsystem_names());
	else if (text && key == ARGP_KEY_HELP_POST_DOC && analysis && analysis->examples)
		ret = asprintf(&all, EXIT_STATUS "%s", analysis->examples);
	return ret < 0 ? (char *)text : all;
}

static const char doc[] =
	"Analyzes a trace; `lttng-mm report ANALYSIS --help` lists the options of one analysis."
	"\v" EXIT_STATUS "  $ lttng-mm report dax /tmp/snapshot-1\n"
	"  $ lttng-mm report dax --all /tmp/snapshot-1\n"
	"  $ lttng-mm report dax --json /tmp/snapshot-1 | jq '.tables.causes'\n"
	"  $ lttng-mm report slab --by call-site --top 50 /tmp/snapshot-1\n"
	"  $ lttng-mm report slab --leaks --since 14:30 /tmp/snapshot-1\n"
	"  $ lttng-mm report why --function=handle_mm_fault /tmp/snapshot-1\n"
	"  $ lttng-mm report slab --compare /tmp/snapshot-1 /tmp/snapshot-2\n";

/* What concerns the options of all reports. */
static int check_common(const struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis;
	bool compare = options->compare;
	const struct mm_report_schema *schema;

	if (options->newer && !compare)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report %s: only one trace can be given without --compare",
				    analysis->name);
	if (!options->newer && compare)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --compare requires two snapshots or stored reports, the older one first",
			analysis->name);
	schema = !compare		    ? analysis->schema
		 : analysis->compare_schema ? analysis->compare_schema
					    : &mm_compare_schema;
	if (options->table && (options->json || options->all))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			options->json
				? "report %s: --table is for text; omit it, as --json has all tables (jq .tables)"
				: "report %s: --table shows one table and --all shows all; omit one of them",
			analysis->name);
	if (options->table && mm_render_check_table(schema, options->table, err))
		return -1;
	return options->sort ? mm_report_check_sort(schema, options->sort, err) : 0;
}

/* Reads the options that were given by the table of the analysis. */
static int read_given(struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis;

	options->report = mm_options_create(analysis->options);
	if (!options->report)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	options->report->compare = options->compare;
	for (size_t i = 0; i < options->given_count; i++) {
		const struct given_option *given = &options->given[i];
		const struct mm_option *option =
			mm_option_find(analysis->options, given->option->name);
		char names[128];

		name_analyses(given->option->name, names, sizeof(names));
		if (!option)
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "report %s: --%s is for %s only; omit it",
					    analysis->name, given->option->name, names);
		if (mm_option_read(option, analysis->name, given->argument, options->source.gmt,
				   options->report, err))
			return -1;
	}
	if (mm_options_check(analysis->options, analysis->name, options->report, err) ||
	    check_common(options, err))
		return -1;
	return analysis->check_options ? analysis->check_options(options->report, err) : 0;
}

static int refuse_analysis(const char *name, const char *trace, struct mm_error *err)
{
	struct mm_nearest nearest = { .wanted = name };
	char text[MM_NEAREST_TEXT];

	if (trace && mm_analysis_find(trace))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report: the analysis comes first: lttng-mm report %s TRACE",
				    trace);
	for (size_t i = 0; mm_analysis_at(i); i++)
		mm_nearest_offer(&nearest, mm_analysis_at(i)->name);
	mm_nearest_hint(&nearest, text, sizeof(text));
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "report: unknown analysis '%s'%s%sknown: %s",
			    name, text, *text ? " " : "; ", mm_subsystem_names());
}

int report_options_parse(struct report_options *options, int argc, char **argv,
			 struct mm_error *err)
{
	struct parser parser = { .options = options };
	struct argp argp = { .help_filter = filter_help,
			     .parser = parse,
			     .children = argp_children,
			     .args_doc = "ANALYSIS TRACE\nANALYSIS --compare OLD NEW",
			     .doc = doc };
	int ret;

	*options = (struct report_options){ NULL };
	mm_source_options_init(&options->source);
	make_parser(&parser, argc, argv);
	argp.options = parser.argp;
	command_parse(&argp, argc, argv, &parser);
	options->analysis = mm_analysis_find(options->name);
	if (options->analysis)
		ret = read_given(options, err);
	else
		ret = refuse_analysis(options->name, options->trace, err);
	release_parser(&parser);
	return ret;
}

void report_options_release(struct report_options *options)
{
	free(options->given);
	free(options->report);
	*options = (struct report_options){ NULL };
}

static void print_option(FILE *out, const char *name, const char *argument)
{
	fprintf(out, " --%s", name);
	if (argument)
		mm_escape_print_argument(out, "=", argument);
}

/* The analysis of the report that @command makes, or NULL. */
static const struct mm_analysis *find_reported(const char *command)
{
	static const char report[] = "lttng-mm report ";
	char name[32];

	if (strncmp(command, report, sizeof(report) - 1))
		return NULL;
	command += sizeof(report) - 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(command, " "), command);
	return mm_analysis_find(name);
}

static bool is_in(const char *command, const char *name)
{
	char word[64];
	const char *found;
	size_t length = (size_t)snprintf(word, sizeof(word), " --%s", name);

	found = strstr(command, word);
	return found && strchr(" =", found[length]);
}

char *report_options_selection(const struct report_options *options, const char *command)
{
	const struct mm_analysis *analysis = find_reported(command);
	const struct mm_source_options *source = &options->source;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; analysis && i < options->given_count; i++) {
		const struct given_option *given = &options->given[i];
		const struct mm_option *option =
			mm_option_find(analysis->options, given->option->name);

		if (option && option->selects && !is_in(command, option->name))
			print_option(out, option->name, given->argument);
	}
	if (analysis && source->begin_text)
		print_option(out, "begin", source->begin_text);
	if (analysis && source->end_text)
		print_option(out, "end", source->end_text);
	if (analysis && source->range_text)
		print_option(out, "timerange", source->range_text);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
