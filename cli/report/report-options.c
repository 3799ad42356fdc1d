// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses the options of `lttng-mm report`. First finds the name of the analysis on the command
 * line. Then makes a parser from the common options and the options of this analysis.
 */
#include "cli/report/report-options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "cli/common/command.h"
#include "cli/common/known-options.h"
#include "cli/common/source-options.h"
#include "reader/report/compare.h"
#include "reader/report/read.h"
#include "reader/report/render.h"
#include "reader/report/sort.h"
#include "util/escape.h"
#include "util/hash.h"
#include "util/nearest.h"
#include "util/text.h"

enum {
	OPTION_REQUIRE_COMPLETE = 256,
	OPTION_SORT,
	OPTION_TABLE,
	OPTION_COMPARE,
	OPTION_OF_ANALYSIS = 0x2000 /* key of the analysis's first option; the others follow */
};

static const struct argp_option common_options[] = {
	{ "all", 'a', NULL, 0,
	  "show all tables, findings and notes; on a terminal, in the pager ($PAGER, or else less)",
	  0 },
	{ "table", OPTION_TABLE, "NAME", 0,
	  "show all rows of one table, by its name in JSON; an unknown name lists the valid ones",
	  0 },
	{ "json", 'j', NULL, 0, "print metrics and tables as JSON", 0 },
	{ "wide", 'w', NULL, 0, "print all columns of the tables, however wide the terminal is",
	  0 },
	{ "sort", OPTION_SORT, "KEY[,KEY]", 0,
	  "sort tables by these columns, by title or JSON key: numbers in descending order, texts ascending; -KEY reverses",
	  0 },
	{ "compare", OPTION_COMPARE, NULL, 0,
	  "compare two traces, OLD and NEW; each may also be a file that --json printed", 0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, COMMAND_REQUIRE_COMPLETE, 0 },
	{ 0 },
};

/*
 * A parser for the common options and the options of the analysis. If the analysis is unknown, the
 * parser accepts the options of all analyses, but does not show them in the help.
 */
struct report_argp {
	struct argp argp, tables[MM_SUBSYSTEMS_MAX];
	struct argp_child children[1 + MM_SUBSYSTEMS_MAX + 1];
	size_t table_count;
};

static int key_of(const struct mm_option *table, const struct mm_option *option)
{
	return option->letter ? option->letter : OPTION_OF_ANALYSIS + (int)(option - table);
}

/*
 * Stores the option until read_given() reads its value, so that bad usage is reported before a bad
 * value.
 */
static error_t parse_table(int key, char *argument, struct argp_state *state)
{
	struct report_options *options = state->input;
	const struct mm_option *table = mm_options_table(options->analysis->options),
			       *option = table;
	struct given_option *grown;

	while (option->name && key_of(table, option) != key)
		option++;
	if (!option->name)
		return ARGP_ERR_UNKNOWN;
	grown = mm_array_grow(options->given, options->given_count, &options->given_room,
			      sizeof(*grown));
	if (!grown)
		return ENOMEM;
	grown[options->given_count++] = (struct given_option){ option, argument };
	options->given = grown;
	return 0;
}

/*
 * Accepts any option if the analysis is unknown. The program will then exit with help or an error
 * anyway.
 */
static error_t parse_any(int key, char *argument, struct argp_state *state)
{
	(void)argument;
	(void)state;
	return key < ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static void add_table(struct report_argp *parser, const struct mm_analysis *analysis, bool is_known)
{
	const struct mm_option *table = mm_options_table(analysis->options);
	struct argp_option *options, *next;
	size_t count = 0;

	while (table[count].name)
		count++;
	options = next = calloc(count + 1, sizeof(*options));
	if (!options) {
		fprintf(stderr, "lttng-mm: out of memory\n");
		exit(MM_EXIT_ENVIRONMENT);
	}
	for (const struct mm_option *option = table; option->name; option++)
		*next++ = (struct argp_option){ .name = option->name,
						.key = key_of(table, option),
						.arg = option->argument,
						.doc = option->help,
						.flags = is_known ? 0 : OPTION_HIDDEN };
	parser->tables[parser->table_count] =
		(struct argp){ .options = options, .parser = is_known ? parse_table : parse_any };
	parser->children[1 + parser->table_count].argp = &parser->tables[parser->table_count];
	parser->table_count++;
}

static void release_parser(struct report_argp *parser)
{
	for (size_t i = 0; i < parser->table_count; i++)
		free((void *)parser->tables[i].options);
}

/*
 * Prints an error and exits if --table or --sort is followed by the path of the trace, not by a
 * value.
 */
static void refuse_swallowed(const struct report_options *options, const struct argp_state *state)
{
	const struct {
		const char *option, *argument, *what;
	} taken[] = {
		{ "table", options->table, "NAME" },
		{ "sort", options->sort, "KEY" },
	};

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (taken[i].argument && !access(taken[i].argument, F_OK))
			argp_error(state,
				   "no trace given: --%s took %s as its argument; use --%s %s %s",
				   taken[i].option, taken[i].argument, taken[i].option,
				   taken[i].what, taken[i].argument);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		state->child_inputs[1] = options;
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
			argp_error(
				state,
				"%s: too many traces; give one, or two with --compare, and put names that have spaces in quotes",
				arg);
		return 0;
	case ARGP_KEY_END:
		if (!options->name)
			argp_error(state, "no analysis given; known: %s", mm_subsystem_names());
		if (!options->trace && !mm_analysis_find(options->name) &&
		    !access(options->name, F_OK))
			argp_error(state, "no analysis given for %s; known: %s", options->name,
				   mm_subsystem_names());
		if (!options->trace)
			refuse_swallowed(options, state);
		command_require_trace(options->trace, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define EXIT_STATUS                                                                   \
	"Exit status: 0 done, 2 bad usage or bad input, 3 the trace lost events and " \
	"--require-complete was given.\n\nExamples:\n"

/*
 * Help filter. Appends the names of the analyses to the first paragraph. Adds the examples of the
 * analysis to the end of its help. argp frees the returned text unless it is @text.
 */
static char *filter_help(int key, const char *text, void *input)
{
	const struct report_options *options = input;
	const struct mm_analysis *analysis = options ? options->analysis : NULL;
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

/* Makes the parser. @analysis is NULL if it is unknown. */
static void make_parser(struct report_argp *parser, const struct mm_analysis *analysis)
{
	*parser = (struct report_argp){
		.argp = { .options = common_options,
			  .parser = parse,
			  .help_filter = filter_help,
			  .children = parser->children,
			  .args_doc = "ANALYSIS TRACE\nANALYSIS --compare OLD NEW",
			  .doc = doc },
		.children[0].argp = &source_options_argp,
	};
	if (analysis)
		add_table(parser, analysis, true);
	for (size_t i = 0; !analysis && mm_analysis_at(i); i++)
		add_table(parser, mm_analysis_at(i), false);
}

/*
 * Finds the analysis: the first word apart from options and their values. In `report --cache slab
 * dax TRACE`, it is dax. If several analyses have an option of the same name, the option needs a
 * value in all of them or in none, so the scan works without knowing the analysis.
 */
static const struct mm_analysis *find_analysis(int argc, char **argv)
{
	struct known_words words;
	struct report_argp all;

	make_parser(&all, NULL);
	known_options_scan(&all.argp, argc, argv, &words);
	release_parser(&all);
	return words.first ? mm_analysis_find(words.first) : NULL;
}

/* Returns the full name of an option that belongs to any analysis, or NULL. */
static const char *find_foreign(const struct known_option *given)
{
	for (size_t i = 0; mm_analysis_at(i); i++)
		for (const struct mm_option *option = mm_options_table(mm_analysis_at(i)->options);
		     option->name; option++)
			if (given->letter ? option->letter == given->letter
					  : !strncmp(option->name, given->name, given->length))
				return option->name;
	return NULL;
}

/* Refuses an option that belongs only to other analyses. Returns 0, or -1 with @err set. */
static int refuse_foreign(const struct mm_analysis *analysis, const struct known_words *words,
			  struct mm_error *err)
{
	const char *name = words->has_unknown ? find_foreign(&words->unknown) : NULL;
	char names[128] = "";

	for (size_t i = 0; name && mm_analysis_at(i); i++)
		if (mm_option_find(mm_analysis_at(i)->options, name))
			mm_words_add(names, sizeof(names), mm_analysis_at(i)->name);
	return name ? mm_error_set(err, MM_EXIT_BAD_INPUT,
				   "report %s: --%s is for %s only; omit it", analysis->name, name,
				   names)
		    : 0;
}

/* Is the trace a stored report, made by --json? */
static bool is_report(const struct report_options *options)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct mm_report *report = NULL;

	if (mm_report_is_stored(options->trace))
		report = mm_report_read(options->trace, options->analysis->schema, &ignored);
	mm_report_destroy(report);
	return report;
}

/* Checks the common options. Returns 0, or -1 with @err set. */
static int check_common(const struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis;
	bool compare = options->compare;
	const struct mm_report_schema *schema;

	if (!compare && is_report(options))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: %s: a stored report, which can only be compared: lttng-mm report %s --compare OLD NEW",
			analysis->name, options->trace, analysis->name);
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
				? "report %s: --table and --json cannot be combined; the JSON form has all tables (jq .tables)"
				: "report %s: --table and --all cannot be combined",
			analysis->name);
	if (options->table && mm_render_check_table(schema, options->table, err))
		return -1;
	return options->sort ? mm_report_check_sort(schema, options->sort, err) : 0;
}

/* Reads the values of the analysis's options. Returns 0, or -1 with @err set. */
static int read_given(struct report_options *options, struct mm_error *err)
{
	const struct mm_analysis *analysis = options->analysis;

	options->report = mm_options_create(analysis->options);
	if (!options->report)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	options->report->compare = options->compare;
	for (size_t i = 0; i < options->given_count; i++) {
		const struct given_option *given = &options->given[i];

		if (mm_option_read(given->option, analysis->name, given->argument,
				   options->source.gmt, options->report, err))
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
	struct known_words words;
	struct report_argp parser;
	int ret = 0;

	*options = (struct report_options){ .analysis = find_analysis(argc, argv) };
	mm_source_options_init(&options->source);
	make_parser(&parser, options->analysis);
	known_options_scan(&parser.argp, argc, argv, &words);
	if (options->analysis)
		ret = refuse_foreign(options->analysis, &words, err);
	if (!ret)
		command_parse(&parser.argp, argc, argv, options);
	release_parser(&parser);
	if (ret)
		return ret;
	return options->analysis ? read_given(options, err)
				 : refuse_analysis(options->name, options->trace, err);
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

/* Returns the analysis in a command `lttng-mm report ...`, or NULL. */
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
