// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm serve: the recorder daemon. */
#include <argp.h>
#include <stdbool.h>

#include "cli/background.h"
#include "cli/command.h"
#include "lttng-session/serve/server.h"

struct serve_options {
	bool daemonize;
};

enum { OPTION_DAEMONIZE = 256 };

static const struct argp_option argp_options[] = {
	{ "daemonize", OPTION_DAEMONIZE, NULL, 0, "run in the background", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct serve_options *options = state->input;

	switch (key) {
	case OPTION_DAEMONIZE:
		options->daemonize = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': unexpected argument", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.doc = "Runs the recorder daemon, which takes snapshots for root and the members of the group "
	       "`tracing`. The systemd unit lttng-mm.service starts it."
	       "\vExamples:\n"
	       "  # systemctl start lttng-mm\n",
};

int cmd_serve(int argc, char **argv)
{
	const struct server_options server = { 0 };
	struct serve_options options = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	int pid = 0;

	command_parse(&parser, argc, argv, &options);
	if (options.daemonize)
		pid = background_start();
	if (pid < 0)
		mm_error_set(&err, MM_EXIT_ENVIRONMENT,
			     "recorder daemon: no process can be started");
	else if (!pid)
		server_run(&server, &err);
	return command_end(&err, MM_EXIT_OK);
}
