// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the options for the reader, its threads and the time range. */
#include "cli/common/source-options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "util/time.h"

enum { OPTION_READER = 0x1000, OPTION_JOBS, OPTION_BEGIN, OPTION_END, OPTION_TIMERANGE };

/* Times that are not parsed yet, because a later option may change their meaning. */
struct time_options {
	const char *begin, *end, *range;
};

static const struct argp_option argp_options[] = {
	{ NULL, 0, NULL, 0, "Reading:", 10 },
	{ "reader", OPTION_READER, "auto|fast|babeltrace2", 0,
	  "the reader to use (default auto: fast for folders, babeltrace2 for lttng-live URLs)",
	  10 },
	{ "begin", OPTION_BEGIN, "TIME", 0,
	  "ignore earlier events: YYYY-MM-DDThh:mm:ss[.n][ZONE] as reports show times, hh:mm[:ss[.n]], "
	  "seconds since boot as in kernel messages, or -10s: 10 seconds before the end of the trace",
	  10 },
	{ "end", OPTION_END, "TIME", 0, "ignore later events", 10 },
	{ "timerange", OPTION_TIMERANGE, "BEGIN,END", 0,
	  "--begin and --end in one option; also in the form [BEGIN,END]", 10 },
	{ "jobs", OPTION_JOBS, "N", 0,
	  "number of threads (default: one per core); does not affect the result", 10 },
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
	argp_error(state, "--reader: '%s' is not one of auto, fast, babeltrace2", arg);
}

unsigned int source_options_jobs(const char *arg, struct argp_state *state)
{
	return command_parse_number(arg, "--jobs", 1, MM_JOBS_MAX, state);
}

static enum mm_time_style style_of(const struct mm_source_options *options)
{
	return (options->gmt ? MM_TIME_GMT : 0) | (options->epoch_seconds ? MM_TIME_EPOCH_ONLY : 0);
}

/*
 * `print` and the kernel log round times since boot to microseconds. If a range starts or ends at a
 * rounded time, the range includes all events whose times round to it.
 */
#define ROUNDED_DOWN_NS 499
#define ROUNDED_UP_NS 500

static bool is_rounded(const struct mm_time *time)
{
	return time->base.kind == MM_TIME_SINCE_BOOT && time->ns % 1000 == 0;
}

static void set_begin(struct mm_source_options *options, const struct mm_time *time)
{
	options->begin_base = time->base;
	options->begin_ns = time->ns - (is_rounded(time) ? ROUNDED_UP_NS : 0);
}

static void set_end(struct mm_source_options *options, const struct mm_time *time)
{
	options->end_base = time->base;
	options->end_ns = time->ns + (is_rounded(time) ? ROUNDED_DOWN_NS : 0);
}

/* Do the options show that the range ends before it begins? */
static bool is_reversed(const struct mm_source_options *options)
{
	const struct mm_time_base *begin = &options->begin_base, *end = &options->end_base;

	if (begin->kind != end->kind || begin->has_zone != end->has_zone ||
	    begin->east_s != end->east_s)
		return false;
	return begin->kind == MM_TIME_BEFORE_END ? options->begin_ns < options->end_ns
						 : options->begin_ns > options->end_ns;
}

static void parse_times(struct mm_source_options *options, struct argp_state *state)
{
	const struct time_options *times = state->hook;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_time begin, end;

	if (times->range && (times->begin || times->end))
		argp_error(state, "--timerange cannot be combined with --begin or --end");
	if ((times->begin &&
	     mm_time_parse(times->begin, style_of(options), "--begin", &begin, &err)) ||
	    (times->end && mm_time_parse(times->end, style_of(options), "--end", &end, &err)) ||
	    (times->range && mm_time_parse_range(times->range, style_of(options), "--timerange",
						 &begin, &end, &err)))
		argp_error(state, "%s", err.message);
	if (times->begin || times->range)
		set_begin(options, &begin);
	if (times->end || times->range)
		set_end(options, &end);
	options->range_text = times->range;
	options->begin_text = times->begin;
	options->end_text = times->end;
	if (!is_reversed(options))
		return;
	if (times->range)
		argp_error(state, "--timerange: %s: ends before it begins", times->range);
	else
		argp_error(state, "--end=%s is before --begin=%s; swap the times", times->end,
			   times->begin);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct mm_source_options *options = state->input;
	struct time_options *times = state->hook;

	switch (key) {
	case ARGP_KEY_INIT:
		state->hook = calloc(1, sizeof(*times));
		return state->hook ? 0 : ENOMEM;
	case ARGP_KEY_FINI:
		free(times);
		return 0;
	case ARGP_KEY_END:
		parse_times(options, state);
		return 0;
	case OPTION_BEGIN:
		times->begin = arg;
		return 0;
	case OPTION_END:
		times->end = arg;
		return 0;
	case OPTION_TIMERANGE:
		times->range = arg;
		return 0;
	case OPTION_READER:
		parse_reader(options, arg, state);
		return 0;
	case OPTION_JOBS:
		options->jobs = source_options_jobs(arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp source_options_argp = {
	.options = argp_options,
	.parser = parse,
};
