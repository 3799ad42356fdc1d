// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm record: starts a recorder and returns. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "lttng-session/boot.h"
#include "lttng-session/recorder.h"

struct record_options {
	const char *profile, *session;
	uint64_t subbuf_bytes, subbuf_count;
	bool dry_run, force, boot;
};

enum { OPTION_SUBBUF_SIZE = 256, OPTION_NUM_SUBBUF, OPTION_DRY_RUN, OPTION_FORCE, OPTION_BOOT };

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "name of the session (default: the profile's)", 0 },
	{ "subbuf-size", OPTION_SUBBUF_SIZE, "SIZE", 0,
	  "bytes of a sub-buffer, a power of two, k and M understood", 0 },
	{ "num-subbuf", OPTION_NUM_SUBBUF, "N", 0,
	  "sub-buffers for each CPU, a power of two from 2", 0 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "print the plain lttng commands instead", 0 },
	{ "boot", OPTION_BOOT, NULL, 0,
	  "record what the kernel's command line asks for; nothing asked: nothing done", 0 },
	{ "force", OPTION_FORCE, NULL, 0, "record even where nothing is mounted with DAX", 0 },
	{ 0 },
};

/* A power of two of at least @least, with k, M, G; 0 when it is none. */
static uint64_t parse_size(const char *text, uint64_t least)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	unsigned int shift = 0;

	if (end == text || *text == '-' || *text == '+')
		return 0;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (end[shift ? 1 : 0] || value > UINT64_MAX >> shift)
		return 0;
	value <<= shift;
	return value >= least && !(value & (value - 1)) ? value : 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case 's':
		options->session = arg;
		return 0;
	case OPTION_SUBBUF_SIZE:
		options->subbuf_bytes = parse_size(arg, 4096);
		if (!options->subbuf_bytes)
			argp_error(state, "--subbuf-size: '%s' is no power of two from 4k on", arg);
		return 0;
	case OPTION_NUM_SUBBUF:
		options->subbuf_count = parse_size(arg, 2);
		if (!options->subbuf_count)
			argp_error(state, "--num-subbuf: '%s' is no power of two from 2 on", arg);
		return 0;
	case OPTION_DRY_RUN:
		options->dry_run = true;
		return 0;
	case OPTION_BOOT:
		options->boot = true;
		return 0;
	case OPTION_FORCE:
		options->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->profile)
			argp_error(state, "one profile at a time");
		options->profile = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->boot && (options->profile || options->subbuf_count))
			argp_error(
				state,
				"--boot: profile and sub-buffers are the kernel command line's to say");
		if (!options->boot && !options->profile)
			argp_error(state, "no profile named; known: dax, slab");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Appends the profiles' defaults to the text of an option. argp frees what is not @text. */
static char *show_defaults(int key, const char *text, void *input)
{
	char all[512];
	size_t length = 0;

	(void)input;
	if (!text || (key != OPTION_SUBBUF_SIZE && key != OPTION_NUM_SUBBUF))
		return (char *)text;
	length = (size_t)snprintf(all, sizeof(all), "%s (default", text);
	for (const struct profile *p = profiles; p->name && length < sizeof(all); p++)
		length += (size_t)snprintf(
			all + length, sizeof(all) - length, "%s %s: %" PRIu64 "%s",
			p == profiles ? "" : ",", p->name,
			key == OPTION_NUM_SUBBUF ? p->subbuf_count : p->subbuf_bytes >> 20,
			key == OPTION_NUM_SUBBUF ? "" : "M");
	if (length < sizeof(all))
		snprintf(all + length, sizeof(all) - length, ")");
	return strdup(all);
}

static const struct argp parser = {
	.help_filter = show_defaults,
	.options = argp_options,
	.parser = parse,
	.args_doc = "PROFILE\n--boot",
	.doc = "Starts the flight recorder: an LTTng session in snapshot mode that keeps the recent "
	       "past in memory. Profiles: dax, slab."
	       "\vExamples:\n"
	       "  # lttng-mm record dax\n"
	       "  # lttng-mm record dax --num-subbuf=32     (keep four times as much)\n"
	       "  $ lttng-mm record dax --dry-run | less    (the same by plain lttng)\n",
};

/*
 * What the command line of the kernel asks for, as if it were given here. Returns 0 when there is
 * nothing to do.
 */
static int ask_boot(struct record_options *given, struct boot_request *request,
		    struct mm_error *err)
{
	if (boot_read(request, err) || !request->enabled)
		return 0;
	given->profile = request->profile;
	given->subbuf_count = request->subbuf_count;
	/* File systems are mounted later. */
	given->force = true;
	return 1;
}

int cmd_record(int argc, char **argv)
{
	struct record_options given = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct boot_request request;

	command_parse(&parser, argc, argv, &given);
	if (given.boot && !ask_boot(&given, &request, &err))
		return command_end(&err, MM_EXIT_OK);
	if (!recorder_options_init(&options, given.profile, given.session, &err)) {
		options.force = given.force;
		if (given.subbuf_bytes)
			options.subbuf_bytes = given.subbuf_bytes;
		if (given.subbuf_count)
			options.subbuf_count = given.subbuf_count;
		if (given.dry_run)
			recorder_print_commands(stdout, &options);
		else if (!recorder_start(&options, &err))
			printf("recording %s in session %s; `lttng-mm snapshot` keeps the recent past\n",
			       options.profile->name, options.session);
	}
	return command_end(&err, MM_EXIT_OK);
}
