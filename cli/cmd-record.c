// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm record: starts a recorder and returns. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "lttng-session/recorder/boot.h"
#include "lttng-session/recorder/recorder.h"

struct record_options {
	struct command_recorder recorder;
	const char *events;
	uint64_t subbuf_bytes, subbuf_count, budget_bytes;
	bool dry_run, force, boot, callstack;
};

enum {
	OPTION_SUBBUF_SIZE = 256,
	OPTION_NUM_SUBBUF,
	OPTION_EVENTS,
	OPTION_BUDGET,
	OPTION_CALLSTACK,
	OPTION_DRY_RUN,
	OPTION_FORCE,
	OPTION_BOOT
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0,
	  "name of the recorder and its session (default: lttng-mm-PROFILE)", 0 },
	{ "events", OPTION_EVENTS, "EVENT,...", 0,
	  "LTTng's own events, and system calls as syscall:NAME; snapshots may then reveal the layout that KASLR chose",
	  0 },
	{ "budget", OPTION_BUDGET, "SIZE", 0,
	  "choose the sizes so that all buffers, and their copies during a snapshot, take at most this memory, with suffix k, M or G",
	  0 },
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

/* Returns a number of bytes, with suffix k, M or G, or 0 if @text is not one. */
static uint64_t parse_budget(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	static const char suffixes[] = "kMG";
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;

	if (*text < '0' || *text > '9' || end[suffix ? 1 : 0] ||
	    value > (uint64_t)INT64_MAX >> shift)
		return 0;
	return value << shift;
}

static void check_end(const struct record_options *options, struct argp_state *state)
{
	char *names;

	if (options->boot && (options->recorder.count || options->events || options->subbuf_count ||
			      options->budget_bytes))
		argp_error(
			state,
			"--boot: the kernel command line determines the profile and the sub-buffers");
	if (options->budget_bytes && (options->subbuf_bytes || options->subbuf_count))
		argp_error(state,
			   "--budget chooses the sub-buffers; omit --subbuf-size and --num-subbuf");
	if (options->boot || options->recorder.count || options->events)
		return;
	names = profile_names();
	argp_error(state, "no profile given; known: %s", names ? names : "");
	free(names);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case OPTION_SUBBUF_SIZE:
		options->subbuf_bytes = profile_parse_size(arg, 4096);
		if (!options->subbuf_bytes)
			argp_error(state,
				   "--subbuf-size: '%s' is not a power of two of at least 4k", arg);
		return 0;
	case OPTION_NUM_SUBBUF:
		options->subbuf_count = profile_parse_size(arg, 2);
		if (!options->subbuf_count)
			argp_error(state, "--num-subbuf: '%s' is not a power of two of at least 2",
				   arg);
		return 0;
	case OPTION_EVENTS:
		options->events = arg;
		return 0;
	case OPTION_BUDGET:
		options->budget_bytes = parse_budget(arg);
		if (!options->budget_bytes)
			argp_error(state, "--budget: '%s' is not a number of bytes, such as 64M",
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
		check_end(options, state);
		return 0;
	default:
		return command_parse_recorder(key, arg, state, &options->recorder);
	}
}

/* Returns whether the profile can be read. */
static bool show_default(FILE *out, int key, char comma, const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = profile_load(name, &err);
	uint64_t number;

	if (!profile)
		return false;
	number = key == OPTION_NUM_SUBBUF ? profile->subbuf_count : profile->subbuf_bytes >> 10;
	fprintf(out, comma == ',' ? ", " : " (default ");
	if (key == OPTION_NUM_SUBBUF)
		fprintf(out, "%s: %" PRIu64, name, number);
	else if (number >= 1 << 10)
		fprintf(out, "%s: %" PRIu64 "M", name, number >> 10);
	else
		fprintf(out, "%s: %" PRIu64 "k", name, number);
	profile_destroy(profile);
	return true;
}

/*
 * Appends the profiles to the first text, and their defaults to that of an option. argp frees what
 * is not @text.
 */
static char *show_defaults(int key, const char *text, void *input)
{
	char *names, *rest, *name, *all = NULL, comma = '(';
	size_t size;
	FILE *out;

	(void)input;
	if (!text ||
	    (key != ARGP_KEY_HELP_PRE_DOC && key != OPTION_SUBBUF_SIZE && key != OPTION_NUM_SUBBUF))
		return (char *)text;
	names = rest = profile_names();
	out = open_memstream(&all, &size);
	if (!out) {
		free(names);
		return (char *)text;
	}
	fprintf(out, "%s", text);
	if (key == ARGP_KEY_HELP_PRE_DOC)
		fprintf(out, " Profiles: %s.", names ? names : "none is installed");
	while (key != ARGP_KEY_HELP_PRE_DOC && rest && (name = strsep(&rest, ", ")))
		if (*name && show_default(out, key, comma, name))
			comma = ',';
	if (comma == ',')
		fprintf(out, ")");
	free(names);
	return fclose(out) ? (char *)text : all;
}

static const struct argp parser = {
	.help_filter = show_defaults,
	.options = argp_options,
	.parser = parse,
	.args_doc = "PROFILE...\n--events=EVENT,...\n--boot",
	.doc = "Starts the flight recorder, which keeps the recent past in memory: an LTTng session in "
	       "snapshot mode for each profile. If it is active, adds profiles to it."
	       "\vExamples:\n"
	       "  # lttng-mm record dax\n"
	       "  # lttng-mm record dax slab --budget=256M  (both, in at most 256 MiB)\n"
	       "  # lttng-mm record --events=sched_switch,syscall:openat\n"
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
	given->recorder.profiles[given->recorder.count++] = request->profile;
	given->subbuf_count = request->subbuf_count;
	/* Filesystems are mounted later. */
	given->force = true;
	return 1;
}

static int use_options(struct recorder_options *options, const struct record_options *given,
		       struct mm_error *err)
{
	if (recorder_options_init(options, given->recorder.session, err))
		return -1;
	for (size_t i = 0; i < given->recorder.count; i++)
		if (recorder_options_add(options, given->recorder.profiles[i], NULL, err))
			return -1;
	if (given->events && recorder_options_add(options, NULL, given->events, err))
		return -1;
	options->force = given->force;
	options->subbuf_bytes = given->subbuf_bytes;
	options->subbuf_count = given->subbuf_count;
	options->budget_bytes = given->budget_bytes;
	return given->callstack ? recorder_options_callstack(options, err) : 0;
}

static void start(const struct recorder_options *options, struct mm_error *err)
{
	struct recorder_started started;

	if (recorder_start(options, &started, err))
		return;
	if (started.other_boot)
		fprintf(stderr,
			"lttng-mm: note: the plan in /run/lttng-mm was of another boot; it was replaced\n");
	if (*started.replaced)
		fprintf(stderr,
			"lttng-mm: note: %s was no longer there: destroyed by another program, or ended with the session daemon\n",
			started.replaced);
	printf("recording ");
	for (size_t i = 0; i < options->count; i++)
		printf("%s%s", i ? ", " : "", options->profiles[i]->name);
	printf(" in session %s; `lttng-mm snapshot` writes a snapshot\n", started.sessions);
	if (started.budget.takes)
		printf("buffers and their copies during a snapshot take up to %" PRIu64
		       " KiB on %u CPUs; the next larger sub-buffers would take %" PRIu64 " KiB\n",
		       started.budget.takes >> 10, started.cpus, started.budget.next >> 10);
}

int cmd_record(int argc, char **argv)
{
	struct record_options given = { .recorder.max = RECORDER_PROFILES_MAX };
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct boot_request request;

	command_parse(&parser, argc, argv, &given);
	if (given.boot && !add_boot_request(&given, &request, &err))
		return command_end(&err, MM_EXIT_OK);
	if (!use_options(&options, &given, &err)) {
		if (given.dry_run)
			recorder_print_commands(stdout, &options, &err);
		else
			start(&options, &err);
	}
	recorder_options_release(&options);
	return command_end(&err, MM_EXIT_OK);
}
