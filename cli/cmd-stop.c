// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm stop: stops a recorder and frees its buffers. */
#include <argp.h>

#include "cli/command.h"
#include "lttng-session/recorder.h"
#include "util/escape.h"

struct stop_options {
	const char *profile, *session;
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stop_options *options = state->input;

	return command_parse_recorder(key, arg, state, &options->profile, &options->session);
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[PROFILE]",
	.doc = "Stops a recorder and discards its buffers; take a snapshot first to keep their contents."
	       "\vExamples:\n"
	       "  # lttng-mm stop\n"
	       "  # lttng-mm stop dax\n",
};

int cmd_stop(int argc, char **argv)
{
	struct stop_options options = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	char session[RECORDER_NAME_MAX];

	command_parse(&parser, argc, argv, &options);
	if (!recorder_find(options.session, options.profile, session, sizeof(session), &err) &&
	    !recorder_stop(session, &err)) {
		printf("stopped ");
		mm_escape_print(stdout, session);
		putchar('\n');
	}
	return command_end(&err, MM_EXIT_OK);
}
