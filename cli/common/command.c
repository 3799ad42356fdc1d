// SPDX-License-Identifier: LGPL-2.1-only
/* The common parts of the commands' parsers and of their exit. */
#include "cli/common/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/known-options.h"
#include "util/duration.h"

struct snapshot_times command_started;

void command_parse(const struct argp *parser, int argc, char **argv, void *input)
{
	struct mm_error err = MM_ERROR_INIT;

	if (known_options_check(parser, argc, argv, &err)) {
		fprintf(stderr, "%s: %s\nTry `%s --help' for the options.\n", argv[0], err.message,
			argv[0]);
		exit(argp_err_exit_status);
	}
	if (!argp_parse(parser, argc, argv, 0, NULL, input))
		return;
	fprintf(stderr, "lttng-mm: out of memory\n");
	exit(MM_EXIT_ENVIRONMENT);
}

uint64_t command_parse_bytes(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	static const char suffixes[] = "kMG";
	const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
	int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;

	if (*text < '0' || *text > '9' || end[suffix ? 1 : 0] ||
	    value > (uint64_t)INT64_MAX >> shift)
		return 0;
	return value << shift;
}

unsigned int command_parse_number(const char *arg, const char *name, unsigned int low,
				  unsigned int high, const struct argp_state *state)
{
	struct mm_error err = MM_ERROR_INIT;
	unsigned int number = 0;

	if (mm_number_read(arg, name, low, high, &number, &err))
		argp_error(state, "%s", err.message);
	return number;
}

char **command_split_line(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			argv[i] = NULL;
			*argc = i;
			return argv + i + 1;
		}
	return NULL;
}

error_t command_parse_recorder(int key, char *arg, struct argp_state *state,
			       struct command_recorder *recorder)
{
	switch (key) {
	case 's':
		recorder->session = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (recorder->count == recorder->max && recorder->max == 1)
			argp_error(state, "only one profile can be given");
		if (recorder->count == recorder->max)
			argp_error(state, "more than %zu profiles", recorder->max);
		recorder->profiles[recorder->count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

error_t command_parse_json(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key == 'j') {
		*json = true;
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		argp_error(state, "'%s': unexpected argument", arg);
	return ARGP_ERR_UNKNOWN;
}

int command_end(const struct mm_error *err, int status)
{
	if (!err->code)
		return status;
	fprintf(stderr, "lttng-mm: %s\n", err->message);
	return err->code;
}

/* The command reports a failed write itself, so command_finish() must not report it again. */
static bool output_failed;

int command_output_failed(struct mm_error *err)
{
	output_failed = true;
	return mm_error_set(err, errno == ENOMEM ? MM_EXIT_ENVIRONMENT : MM_EXIT_BAD_INPUT,
			    "standard output: cannot be written: %s", strerror(errno));
}

int command_finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (!output_failed)
		fprintf(stderr, "lttng-mm: standard output: cannot be written: %s\n",
			strerror(errno));
	return MM_EXIT_BAD_INPUT;
}
