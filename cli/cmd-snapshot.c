// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm snapshot: writes the contents of the buffers to disk and prints the path. */
#include <argp.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "lttng-session/sysinfo.h"
#include "lttng-session/recorder.h"
#include "util/escape.h"

struct snapshot_options {
	const char *profile, *session, *output, *name;
	bool freeze;
};

enum { OPTION_FREEZE = 256 };

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ "output", 'o', "DIR", 0,
	  "parent folder of the snapshot (default: the current one); root must not use a folder that other users control",
	  0 },
	{ "freeze", OPTION_FREEZE, NULL, 0,
	  "freeze the buffers of all CPUs at one instant, without using up anything in them (root)",
	  0 },
	{ "name", 'n', "NAME", 0, "start of the folder's name (default: snapshot)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct snapshot_options *options = state->input;

	switch (key) {
	case 'o':
		options->output = arg;
		return 0;
	case OPTION_FREEZE:
		options->freeze = true;
		return 0;
	case 'n':
		options->name = arg;
		if (!*arg || *arg == '.' || strchr(arg, '/') || strlen(arg) > 100)
			argp_error(
				state,
				"--name: '%s' cannot start the name of a folder; use at most 100 bytes without a slash or a leading dot",
				arg);
		return 0;
	default:
		return command_parse_recorder(key, arg, state, &options->profile,
					      &options->session);
	}
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[PROFILE]",
	.doc = "Writes the contents of the recorder's buffers to a new folder and prints its path. The "
	       "recorder continues. The folder sysinfo next to the trace contains system information: "
	       "kernel, modules, symbols, mounts, mapped files and process names."
	       "\vExamples:\n"
	       "  # trace=$(lttng-mm snapshot --output /var/tmp)\n"
	       "  $ lttng-mm report dax \"$trace\"\n",
};

int cmd_snapshot(int argc, char **argv)
{
	struct snapshot_options options = { .output = ".", .name = "snapshot" };
	struct mm_error err = MM_ERROR_INIT;
	struct sysinfo_gaps gaps;
	char session[RECORDER_NAME_MAX], path[PATH_MAX + 512];

	command_parse(&parser, argc, argv, &options);
	if (!recorder_find(options.session, options.profile, session, sizeof(session), &err) &&
	    !recorder_snapshot(session, options.output, options.name, options.freeze, path,
			       sizeof(path), &gaps, &err)) {
		/* Scripts need the exact path; other users may have named the folders above. */
		if (isatty(STDOUT_FILENO))
			mm_escape_print(stdout, path);
		else
			fputs(path, stdout);
		putchar('\n');
		if (gaps.kaslr == SYSINFO_KASLR_REVEALED)
			fprintf(stderr,
				"lttng-mm: note: the snapshot is not KASLR-safe: its call stacks and sysinfo/addresses.json reveal where the kernel is in memory; do not give it to others\n");
		for (size_t i = 0; i < gaps.count; i++)
			fprintf(stderr, "lttng-mm: warning: %s\n", gaps.all[i].err.message);
	}
	return command_end(&err, MM_EXIT_OK);
}
