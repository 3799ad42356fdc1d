// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the options that say which reader opens a trace, how, and which part of it. */
#include "cli/source-options.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_READER = 0x1000, OPTION_JOBS };

static const struct argp_option argp_options[] = {
	{ NULL, 0, NULL, 0, "Reading:", 10 },
	{ "reader", OPTION_READER, "auto|fast|babeltrace2", 0,
	  "what opens the trace (default auto: fast for folders, babeltrace2 for lttng-live URLs)", 10 },
	{ "jobs", OPTION_JOBS, "N", 0, "threads that read (default: the cores; the result is the same)",
	  10 },
	{ 0 },
};

static const struct {
	const char *name;
	enum mm_reader reader;
} readers[] = {
	{ "auto", MM_READER_AUTO },
	{ "fast", MM_READER_FAST },
	{ "babeltrace2", MM_READER_BABELTRACE2 },
};

static void parse_reader(struct mm_source_options *options, const char *arg,
			 struct argp_state *state)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		if (!strcmp(readers[i].name, arg)) {
			options->reader = readers[i].reader;
			return;
		}
	}
	argp_error(state, "--reader: '%s' is none of auto, fast, babeltrace2", arg);
}

static void parse_jobs(struct mm_source_options *options, const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long jobs = strtoul(arg, &end, 10);

	if (*end || *arg < '0' || *arg > '9' || jobs < 1 || jobs > MM_JOBS_MAX)
		argp_error(state, "--jobs: '%s' is no number from 1 to %d", arg, MM_JOBS_MAX);
	options->jobs = (unsigned int)jobs;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct mm_source_options *options = state->input;

	switch (key) {
	case OPTION_READER:
		parse_reader(options, arg, state);
		return 0;
	case OPTION_JOBS:
		parse_jobs(options, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp source_options_argp = {
	.options = argp_options,
	.parser = parse,
};
