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
	bool dry_run, force, boot, callstack;
};

enum {
	OPTION_SUBBUF_SIZE = 256,
	OPTION_NUM_SUBBUF,
	OPTION_CALLSTACK,
	OPTION_DRY_RUN,
	OPTION_FORCE,
	OPTION_BOOT
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "name of the session (default: lttng-mm-PROFILE)", 0 },
	{ "subbuf-size", OPTION_SUBBUF_SIZE, "SIZE", 0,
	  "size of a sub-buffer in bytes, a power of two, with suffix k or M", 0 },
	{ "num-subbuf", OPTION_NUM_SUBBUF, "N", 0,
	  "number of sub-buffers for each CPU, a power of two of at least 2", 0 },
	{ "callstack", OPTION_CALLSTACK, NULL, 0,
	  "record the kernel's call stack with each event, for slab; snapshots then reveal the layout that KASLR chose",
	  0 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "print the equivalent lttng commands instead", 0 },
	{ "boot", OPTION_BOOT, NULL, 0, "record as the kernel command line requests, if it does",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0, "record even if no filesystem is mounted with DAX", 0 },
	{ 0 },
};

/* Returns a power of two of at least @least, with suffix k, M or G, or 0 if @text is not one. */
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
	case OPTION_SUBBUF_SIZE:
		options->subbuf_bytes = parse_size(arg, 4096);
		if (!options->subbuf_bytes)
			argp_error(state,
				   "--subbuf-size: '%s' is not a power of two of at least 4k", arg);
		return 0;
	case OPTION_NUM_SUBBUF:
		options->subbuf_count = parse_size(arg, 2);
		if (!options->subbuf_count)
			argp_error(state, "--num-subbuf: '%s' is not a power of two of at least 2",
				   arg);
		return 0;
	case OPTION_CALLSTACK:
		options->callstack = true;
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
	case ARGP_KEY_END:
		if (options->boot && (options->profile || options->subbuf_count))
			argp_error(
				state,
				"--boot: the kernel command line determines the profile and the sub-buffers");
		if (!options->boot && !options->profile)
			argp_error(state, "no profile given; known: %s", mm_subsystem_names());
		return 0;
	default:
		return command_parse_recorder(key, arg, state, &options->profile,
					      &options->session);
	}
}

/*
 * Appends the profiles to the first text, and their defaults to that of an option. argp frees what
 * is not @text.
 */
static char *show_defaults(int key, const char *text, void *input)
{
	char all[512];
	size_t length = 0;

	(void)input;
	if (text && key == ARGP_KEY_HELP_PRE_DOC) {
		snprintf(all, sizeof(all), "%s Profiles: %s.", text, mm_subsystem_names());
		return strdup(all);
	}
	if (!text || (key != OPTION_SUBBUF_SIZE && key != OPTION_NUM_SUBBUF))
		return (char *)text;
	length = (size_t)snprintf(all, sizeof(all), "%s (default", text);
	for (size_t i = 0; mm_subsystems[i] && length < sizeof(all); i++) {
		const struct mm_profile *p = &mm_subsystems[i]->profile;
		uint64_t number = p->subbuf_count;
		const char *suffix = "";

		if (key == OPTION_SUBBUF_SIZE) {
			bool is_mib = p->subbuf_bytes >= 1 << 20;

			number = p->subbuf_bytes >> (is_mib ? 20 : 10);
			suffix = is_mib ? "M" : "k";
		}
		length +=
			(size_t)snprintf(all + length, sizeof(all) - length, "%s %s: %" PRIu64 "%s",
					 i ? "," : "", p->name, number, suffix);
	}
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
	       "past in memory."
	       "\vExamples:\n"
	       "  # lttng-mm record dax\n"
	       "  # lttng-mm record dax --num-subbuf=32     (keep four times as much)\n"
	       "  $ lttng-mm record dax --dry-run | less    (the equivalent lttng commands)\n",
};

/*
 * Requests from the kernel command line, as if given as options. Returns 0 if there is nothing to
 * do.
 */
static int add_boot_request(struct record_options *given, struct boot_request *request,
			    struct mm_error *err)
{
	if (boot_read(request, err) || !request->enabled)
		return 0;
	given->profile = request->profile;
	given->subbuf_count = request->subbuf_count;
	/* Filesystems are mounted later. */
	given->force = true;
	return 1;
}

static void use_options(struct recorder_options *options, const struct record_options *given)
{
	options->force = given->force;
	if (given->subbuf_bytes)
		options->subbuf_bytes = given->subbuf_bytes;
	if (given->subbuf_count)
		options->subbuf_count = given->subbuf_count;
}

int cmd_record(int argc, char **argv)
{
	struct record_options given = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct boot_request request;

	command_parse(&parser, argc, argv, &given);
	if (given.boot && !add_boot_request(&given, &request, &err))
		return command_end(&err, MM_EXIT_OK);
	if (!recorder_options_init(&options, given.profile, given.session, &err) &&
	    (!given.callstack || !recorder_options_callstack(&options, &err))) {
		use_options(&options, &given);
		if (given.dry_run)
			recorder_print_commands(stdout, &options);
		else if (!recorder_start(&options, &err))
			printf("recording %s in session %s; `lttng-mm snapshot` writes a snapshot\n",
			       options.profile->name, options.session);
	}
	return command_end(&err, MM_EXIT_OK);
}
