// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm stop: stops a recorder and frees its buffers. */
#include <argp.h>

#include "cli/command.h"
#include "cli/daemon.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/states-lock.h"
#include "util/escape.h"

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return command_parse_recorder(key, arg, state, state->input);
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[PROFILE...]",
	.doc = "Stops a recorder, or some of its profiles, and discards their buffers; take a snapshot "
	       "first to keep their contents. Other profiles keep theirs."
	       "\vExamples:\n"
	       "  # lttng-mm stop\n"
	       "  # lttng-mm stop dax\n",
};

/* Returns 0, or -1 with @err set. */
static int stop(const char *name, struct mm_error *err)
{
	struct recorder_stopped stopped;
	int ret = recorder_stop(name, &stopped, err);

	if (*stopped.sessions) {
		printf("stopped ");
		mm_escape_print(stdout, stopped.sessions);
		putchar('\n');
	}
	if (*stopped.gone) {
		fprintf(stderr, "lttng-mm: note: ");
		mm_escape_print(stderr, stopped.gone);
		fprintf(stderr,
			" was no longer there: destroyed by another program, or ended with the session daemon\n");
	}
	return ret;
}

int cmd_stop(int argc, char **argv)
{
	struct command_recorder options = { .max = RECORDER_PROFILES_MAX };
	struct mm_error err = MM_ERROR_INIT;
	char names[RECORDER_PROFILES_MAX][RECORDER_NAME_MAX];
	size_t count = 0, chosen;

	command_parse(&parser, argc, argv, &options);
	chosen = options.count ? options.count : 1;
	/* All of them are found before the first is stopped. */
	while (count < chosen && !recorder_find(options.session, options.profiles[count],
						names[count], sizeof(names[count]), &err))
		count++;
	/* `snapshot --no-wait` returns before the state is dumped. */
	if (count == chosen && !states_await(STATES_WAIT_MS))
		fprintf(stderr,
			"lttng-mm: note: a snapshot still waits for its state dump, which it will lack\n");
	for (size_t i = 0; count == chosen && i < count; i++)
		if (stop(names[i], &err))
			break;
	daemon_end();
	return command_end(&err, MM_EXIT_OK);
}
