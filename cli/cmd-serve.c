// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm serve: the recorder daemon. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/common/command.h"
#include "cli/common/daemon.h"
#include "lttng-session/daemon/server/server.h"
#include "lttng-session/daemon/supervisor/settings.h"
#include "util/duration.h"

struct serve_options {
	bool daemonize, record, until_stop;
	uint64_t memory_bytes;
	int64_t write_ns;
};

enum {
	OPTION_DAEMONIZE = 256,
	OPTION_MEMORY,
	OPTION_RECORD,
	OPTION_UNTIL_STOP,
	OPTION_WRITE_TIMEOUT
};

static const struct argp_option argp_options[] = {
	{ "daemonize", OPTION_DAEMONIZE, NULL, 0,
	  "run in the background, and return when the daemon accepts requests", 0 },
	{ "memory", OPTION_MEMORY, "SIZE", 0,
	  "maximum memory of unwritten snapshots, with suffix k, M or G (default: a quarter of the machine's memory)",
	  0 },
	{ "record", OPTION_RECORD, NULL, 0, "start the recorder that " SETTINGS_FILE " describes",
	  0 },
	{ "until-stop", OPTION_UNTIL_STOP, NULL, 0,
	  "exit when `lttng-mm stop` stops the last recorder, or when lttng-mm.service starts", 0 },
	{ "write-timeout", OPTION_WRITE_TIMEOUT, "TIME", 0,
	  "abandon a snapshot after TIME without progress (at most twice TIME), such as 10m (default: 4m)",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct serve_options *options = state->input;
	struct mm_error err = MM_ERROR_INIT;

	switch (key) {
	case OPTION_DAEMONIZE:
		options->daemonize = true;
		return 0;
	case OPTION_RECORD:
		options->record = true;
		return 0;
	case OPTION_UNTIL_STOP:
		options->until_stop = true;
		return 0;
	case OPTION_MEMORY:
		options->memory_bytes = command_parse_bytes(arg);
		if (!options->memory_bytes)
			argp_error(state, "--memory: '%s' is not a number of bytes; example: 64M",
				   arg);
		return 0;
	case OPTION_WRITE_TIMEOUT:
		if (mm_duration_parse(arg, "--write-timeout", &options->write_ns, &err))
			argp_error(state, "%s", err.message);
		if (options->write_ns < 1000000000)
			argp_error(state, "--write-timeout: %s is too short; use at least 1s", arg);
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

/* Prints that the daemon is ready. Under systemd, the line goes to the journal. */
static void say_ready(void *user)
{
	(void)user;
	puts("The recorder daemon accepts requests from root and the group `tracing`, such as "
	     "`lttng-mm snapshot`, until it receives SIGTERM.");
	fflush(stdout);
}

int cmd_serve(int argc, char **argv)
{
	struct server_options server = { 0 };
	struct serve_options options = { 0 };
	struct mm_error err = MM_ERROR_INIT;

	command_parse(&parser, argc, argv, &options);
	if (options.record)
		server.settings = SETTINGS_FILE;
	server.memory_bytes = options.memory_bytes;
	server.write_us = (uint64_t)options.write_ns / 1000;
	server.with_recorder = options.until_stop;
	if (!options.daemonize) {
		server.ready = say_ready;
		server_run(&server, &err);
	} else if (!daemon_run_detached(&server, &err)) {
		puts(options.until_stop
			     ? "The recorder daemon runs in the background until the last recorder is stopped."
			     : "The recorder daemon runs in the background until it receives SIGTERM.");
	}
	return command_end(&err, MM_EXIT_OK);
}
