// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm print: a trace's events, one a line. */
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/context.h"
#include "analysis/core/source.h"
#include "analysis/render/event-line.h"
#include "cli/command.h"
#include "cli/source-options.h"

struct print_options {
	const char *trace;
	const char *events;	/* comma-separated globs, NULL: all */
	enum mm_line_clock clock;
	struct mm_source_options source;
};

struct printer {
	const struct print_options *options;
	struct mm_context *context;
};

static const struct argp_option argp_options[] = {
	{ "events", 'e', "GLOB,...", 0, "only events whose name matches", 0 },
	{ "clock", 'c', "boot|wall", 0, "seconds since boot (default), or local date and time", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct print_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'e':
		options->events = arg;
		return 0;
	case 'c':
		if (!strcmp(arg, "wall"))
			options->clock = MM_LINE_CLOCK_WALL;
		else if (!strcmp(arg, "boot"))
			options->clock = MM_LINE_CLOCK_BOOT;
		else
			argp_error(state, "--clock: '%s' is neither boot nor wall", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (options->trace)
			argp_error(state, "one trace at a time");
		options->trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!options->trace)
			argp_error(state, "no trace named; give the folder that `lttng-mm snapshot` printed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child argp_children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = argp_children,
	.args_doc = "TRACE",
	.doc = "Prints the events of an LTTng kernel trace, one a line, oldest first."
	       "\vExamples:\n"
	       "  $ lttng-mm print /tmp/snapshot-1 | less\n"
	       "  $ lttng-mm print --events 'dax_pmd_*' --clock wall /tmp/snapshot-1\n",
};

static bool matches(const char *globs, const char *name)
{
	char glob[256];

	while (globs && *globs) {
		size_t length = strcspn(globs, ",");

		if (length < sizeof(glob)) {
			memcpy(glob, globs, length);
			glob[length] = '\0';
			if (!fnmatch(glob, name, 0))
				return true;
		}
		globs += length + (globs[length] == ',');
	}
	return false;
}

static int print_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct printer *printer = user;

	if (printer->options->events && !matches(printer->options->events, event->type->name))
		return 0;
	if (mm_event_line_print(stdout, event, printer->context, printer->options->clock))
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "standard output: cannot be written");
	return 0;
}

static void print_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	(void)user;
	(void)begin_ns;
	fflush(stdout);
	fprintf(stderr, "lttng-mm: trace: %s: events were lost here (%llu events, %llu packets so far)\n",
		loss->stream, (unsigned long long)loss->events_discarded,
		(unsigned long long)loss->packets_lost);
}

int cmd_print(int argc, char **argv)
{
	static const struct mm_want wants[] = { { "*", mm_event_line_fields }, { NULL, NULL } };
	struct print_options options = { .clock = MM_LINE_CLOCK_BOOT };
	struct mm_error err = MM_ERROR_INIT;
	struct printer printer = { .options = &options };
	struct mm_handler handler = { .user = &printer, .event = print_event, .lost = print_lost };
	struct mm_source *source;

	mm_source_options_init(&options.source);
	argp_parse(&parser, argc, argv, 0, NULL, &options);
	source = mm_source_open(options.trace, &options.source, &err);
	if (source) {
		printer.context = mm_context_load(options.trace);
		if (printer.context)
			mm_source_run(source, wants, &handler, &err);
		mm_context_destroy(printer.context);
	}
	mm_source_destroy(source);
	if (err.code) {
		fflush(stdout);
		fprintf(stderr, "lttng-mm: %s\n", err.message);
	}
	return err.code;
}
