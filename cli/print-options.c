// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses the options of lttng-mm print. The options of --format=babeltrace have the same names as
 * in babeltrace2.
 */
#include "cli/print-options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/source-options.h"

enum {
	OPTION_FORMAT = 256,
	OPTION_CLOCK_CYCLES,
	OPTION_CLOCK_DATE,
	OPTION_CLOCK_GMT,
	OPTION_CLOCK_OFFSET,
	OPTION_CLOCK_OFFSET_NS,
	OPTION_CLOCK_SECONDS,
	OPTION_NO_DELTA,
	OPTION_NUMERIC,
	OPTION_PID,
	OPTION_FILE,
	OPTION_REQUIRE_COMPLETE,
};

static const struct argp_option argp_options[] = {
	{ "format", OPTION_FORMAT, "ftrace|babeltrace", 0,
	  "print lines like ftrace (default), or the output of `babeltrace2 TRACE`, version 2.1",
	  0 },
	{ "events", 'e', "GLOB,...", 0, "print only events whose name matches", 0 },
	{ "pid", OPTION_PID, "PID", 0, "ftrace: print only events of threads of this process", 0 },
	{ "file", OPTION_FILE, "PATTERN", 0,
	  "ftrace: print only events of files whose path, file name, or inode number (0x...) matches the shell pattern",
	  0 },
	{ "clock", 'c', "boot|wall", 0,
	  "ftrace: seconds since boot (default), or local date and time", 0 },
	{ "numeric", OPTION_NUMERIC, NULL, 0,
	  "ftrace: print threads and call sites as recorded, without the names from the state dump and "
	  "system information",
	  0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0, COMMAND_REQUIRE_COMPLETE, 0 },
	{ NULL, 0, NULL, 0, "With --format=babeltrace, as in babeltrace2:", 1 },
	{ "names", 'n', "NAME,...", 0,
	  "names to print: payload, context, scope, header, all, none (default payload,context)",
	  1 },
	{ "fields", 'f', "FIELD,...", 0,
	  "fields to print: trace, trace:hostname, trace:domain, trace:procname, trace:vpid, "
	  "loglevel, emf, all (default trace:hostname,trace:procname,trace:vpid)",
	  1 },
	{ "no-delta", OPTION_NO_DELTA, NULL, 0, "do not print the time since the previous event",
	  1 },
	{ "clock-cycles", OPTION_CLOCK_CYCLES, NULL, 0, "timestamps in cycles of the trace's clock",
	  1 },
	{ "clock-date", OPTION_CLOCK_DATE, NULL, 0, "timestamps with the date", 1 },
	{ "clock-gmt", OPTION_CLOCK_GMT, NULL, 0,
	  "timestamps, --begin and --end in UTC instead of local time", 1 },
	{ "clock-seconds", OPTION_CLOCK_SECONDS, NULL, 0, "timestamps in seconds since the Epoch",
	  1 },
	{ "clock-offset", OPTION_CLOCK_OFFSET, "SECONDS", 0, "offset to add to the clock", 1 },
	{ "clock-offset-ns", OPTION_CLOCK_OFFSET_NS, "NS", 0, "offset to add to the clock", 1 },
	{ 0 },
};

/*
 * Sets the reader's shift to the sum of --clock-offset and --clock-offset-ns, which are added to
 * the timestamps in the output. --begin and --end are timestamps in the output, so the reader
 * subtracts the shift from them.
 */
static void shift_times(struct print_options *options, struct argp_state *state)
{
	const struct mm_babeltrace_options *text = &options->babeltrace;
	int64_t *shift = &options->source.shift_ns;

	if (__builtin_mul_overflow(text->offset_s, 1000000000, shift) ||
	    __builtin_add_overflow(*shift, text->offset_ns, shift))
		argp_error(state, "--clock-offset: more than 292 years");
}

static int64_t parse_offset(const char *name, const char *arg, struct argp_state *state)
{
	char *end;
	int64_t value;

	errno = 0;
	value = strtoll(arg, &end, 0);
	if (errno || end == arg || *end)
		argp_error(state, "--%s: '%s' is not an integer", name, arg);
	return value;
}

static error_t parse_babeltrace(int key, char *arg, struct argp_state *state)
{
	struct print_options *options = state->input;
	struct mm_babeltrace_options *text = &options->babeltrace;
	struct mm_error err = MM_ERROR_INIT;

	switch (key) {
	case 'n':
		if (mm_babeltrace_set_names(text, arg, &err))
			argp_error(state, "%s", err.message);
		options->babeltrace_only = "--names";
		return 0;
	case 'f':
		if (mm_babeltrace_set_fields(text, arg, &err))
			argp_error(state, "%s", err.message);
		options->babeltrace_only = "--fields";
		return 0;
	case OPTION_NO_DELTA:
		text->no_delta = true;
		options->babeltrace_only = "--no-delta";
		return 0;
	case OPTION_CLOCK_CYCLES:
		text->clock_cycles = true;
		options->babeltrace_only = "--clock-cycles";
		return 0;
	case OPTION_CLOCK_DATE:
		text->clock_date = true;
		options->babeltrace_only = "--clock-date";
		return 0;
	case OPTION_CLOCK_GMT:
		text->clock_gmt = options->source.gmt = true;
		options->babeltrace_only = "--clock-gmt";
		return 0;
	case OPTION_CLOCK_SECONDS:
		text->clock_seconds = true;
		options->babeltrace_only = "--clock-seconds";
		return 0;
	case OPTION_CLOCK_OFFSET:
		text->offset_s = parse_offset("clock-offset", arg, state);
		options->babeltrace_only = "--clock-offset";
		return 0;
	case OPTION_CLOCK_OFFSET_NS:
		text->offset_ns = parse_offset("clock-offset-ns", arg, state);
		options->babeltrace_only = "--clock-offset-ns";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check(struct print_options *options, struct argp_state *state)
{
	command_require_trace(options->trace, state);
	/*
	 * Like babeltrace2, all formats except ftrace ignore changes of the wall clock during the
	 * recording.
	 */
	options->source.metadata_clock = options->format != PRINT_FTRACE;
	if (options->format == PRINT_FTRACE && options->babeltrace_only)
		argp_error(state, "%s requires --format=babeltrace", options->babeltrace_only);
	if (options->format == PRINT_BABELTRACE && options->ftrace_only)
		argp_error(state, "%s requires --format=ftrace", options->ftrace_only);
	if (options->format == PRINT_BABELTRACE &&
	    (options->source.reader == MM_READER_BABELTRACE2 ||
	     (options->trace && strstr(options->trace, "://"))))
		argp_error(state, "--format=babeltrace requires the fast reader and a folder; "
				  "use babeltrace2 for other inputs");
	if (options->by_pid && options->trace && strstr(options->trace, "://"))
		argp_error(
			state,
			"--pid requires a folder: the whole trace is read to find the threads of a process");
	shift_times(options, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct print_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'e':
		options->events = options->babeltrace.events = arg;
		return 0;
	case 'c':
		if (!strcmp(arg, "wall"))
			options->clock = MM_LINE_CLOCK_WALL;
		else if (!strcmp(arg, "boot"))
			options->clock = MM_LINE_CLOCK_BOOT;
		else
			argp_error(state, "--clock: '%s' is neither boot nor wall", arg);
		options->ftrace_only = "--clock";
		return 0;
	case OPTION_PID:
		options->pid = command_parse_number(arg, "--pid", 0, INT32_MAX, state);
		options->by_pid = true;
		options->ftrace_only = "--pid";
		return 0;
	case OPTION_FILE:
		options->files = arg;
		options->ftrace_only = "--file";
		return 0;
	case OPTION_NUMERIC:
		options->numeric = true;
		options->ftrace_only = "--numeric";
		return 0;
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case OPTION_FORMAT:
		options->source.epoch_seconds = !strcmp(arg, "babeltrace");
		if (options->source.epoch_seconds)
			options->format = PRINT_BABELTRACE;
		else if (!strcmp(arg, "ftrace"))
			options->format = PRINT_FTRACE;
		else
			argp_error(state, "--format: '%s' is neither ftrace nor babeltrace", arg);
		return 0;
	case ARGP_KEY_ARG:
		return command_parse_trace(key, arg, state, &options->trace);
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return parse_babeltrace(key, arg, state);
	}
}

static const struct argp_child argp_children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = argp_children,
	.args_doc = "TRACE",
	.doc = "Prints the events of an LTTng trace, one per line, oldest first."
	       "\vExamples:\n"
	       "  $ lttng-mm print /tmp/snapshot-1 | less\n"
	       "  $ lttng-mm print --events 'dax_pmd_*' --clock wall /tmp/snapshot-1\n"
	       "  $ lttng-mm print --events 'slab_k*' --numeric /tmp/snapshot-1\n"
	       "  $ lttng-mm print --pid 4711 --begin=-10s /tmp/snapshot-1\n"
	       "  $ lttng-mm print --format babeltrace --begin 22:14 /tmp/snapshot-1\n",
};

void print_options_parse(struct print_options *options, int argc, char **argv)
{
	*options = (struct print_options){ .clock = MM_LINE_CLOCK_BOOT };
	mm_source_options_init(&options->source);
	options->source.with_state = true;
	command_parse(&parser, argc, argv, options);
}
