// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm record: starts a recorder. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/buffers.h"
#include "cli/common/command.h"
#include "cli/common/daemon.h"
#include "cli/fn/record-fn.h"
#include "cli/pageref/record-pageref.h"
#include "cli/record-window.h"
#include "cli/trigger/record-triggers.h"
#include "instrumentation/wire/pageref.h"
#include "lttng-session/doctor.h"
#include "lttng-session/recorder/boot.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/session-daemon.h"
#include "util/duration.h"

/* Minimum of --window. For a shorter window, rates cannot be measured accurately enough. */
#define WINDOW_MIN_NS INT64_C(1000000000)

struct record_options {
	struct command_recorder recorder;
	struct record_fn fn;
	struct record_pageref pageref;
	struct record_triggers triggers;
	const char *events;
	uint64_t subbuf_bytes, subbuf_count, budget_bytes;
	const char *output;
	struct retention_limits limits;
	int64_t window_ns; /* 0: not given */
	struct trackers trackers;
	bool dry_run, force, boot, callstack, no_daemon, missing, no_triggers;
};

enum {
	OPTION_SUBBUF_SIZE = 256,
	OPTION_NUM_SUBBUF,
	OPTION_EVENTS,
	OPTION_BUDGET,
	OPTION_KEEP,
	OPTION_MAX_DISK,
	OPTION_MIN_FREE,
	OPTION_WINDOW,
	OPTION_PID,
	OPTION_UID,
	OPTION_CALLSTACK,
	OPTION_CALLS,
	OPTION_FILTER,
	OPTION_INTERVAL,
	OPTION_CGROUP,
	OPTION_DAX,
	OPTION_MAX_OVERHEAD,
	OPTION_FROM,
	OPTION_DRY_RUN,
	OPTION_NO_DAEMON,
	OPTION_MISSING,
	OPTION_NO_TRIGGERS,
	OPTION_FORCE,
	OPTION_FILE_IO,
	OPTION_BOOT
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0,
	  "name of the recorder and its session (default: lttng-mm-PROFILE)", 0 },
	{ "events", OPTION_EVENTS, "EVENT,...", 0,
	  "record events of LTTng, and system calls as syscall:NAME; snapshots are then not KASLR-safe (they reveal kernel addresses)",
	  0 },
	{ "budget", OPTION_BUDGET, "SIZE", 0,
	  "choose sub-buffers so that all buffers, and their copies during a snapshot, take at most SIZE bytes (suffix k, M or G)",
	  0 },
	{ "window", OPTION_WINDOW, "DURATION", 0,
	  "measure the event rate for some seconds, and choose sub-buffers so that all buffers reach back at least DURATION, such as 30s; `lttng-mm status` shows when they no longer do",
	  0 },
	{ "subbuf-size", OPTION_SUBBUF_SIZE, "SIZE", 0,
	  "size of a sub-buffer in bytes, a power of two, with suffix k or M", 0 },
	{ "num-subbuf", OPTION_NUM_SUBBUF, "N", 0,
	  "number of sub-buffers for each CPU, a power of two, at least 2", 0 },
	{ "output", 'o', "DIR", 0,
	  "the recorder's folder, for triggered snapshots (default: " RETENTION_OUTPUT
	  "); for page-ref: write the whole trace to this new folder, instead of to buffers in memory",
	  0 },
	{ "keep", OPTION_KEEP, "N", 0,
	  "keep at most N snapshots in the recorder's folder: the recorder daemon deletes the oldest ones, except those with a file `pin`",
	  0 },
	{ "max-disk", OPTION_MAX_DISK, "SIZE", 0,
	  "keep snapshots in the recorder's folder up to this total size, with suffix k, M or G; older ones are deleted; for page-ref with --output: stop recording at this size",
	  0 },
	{ "min-free", OPTION_MIN_FREE, "N%", 0,
	  "keep N% of the filesystem of the recorder's folder free: older snapshots are deleted, and if that does not suffice, no snapshot is written",
	  0 },
	{ "pid", OPTION_PID, "PID,...", 0,
	  "record only events of these processes, given by their ids in the initial PID namespace; state dumps still cover all processes",
	  0 },
	{ "uid", OPTION_UID, "USER,...", 0,
	  "record only events of these users, given by number or name", 0 },
	{ "callstack", OPTION_CALLSTACK, NULL, 0,
	  "for slab: record the kernel's call stack with each event; snapshots are then not KASLR-safe (they reveal kernel addresses)",
	  0 },
	{ "calls", OPTION_CALLS, NULL, 0,
	  "for fn: record one event for each call, fn_NAME_call, instead of two at the entry and the exit; implied by --slower, --errors and --filter",
	  0 },
	{ "filter", OPTION_FILTER, "EXPRESSION", 0,
	  "for fn: record only calls whose arguments, result and duration satisfy EXPRESSION, written like the filter of a trigger, such as 'flags & FAULT_FLAG_WRITE'; implies --calls",
	  0 },
	{ "interval", OPTION_INTERVAL, "MS", 0,
	  "for page-ref: time between two passes, in milliseconds (default: 500)", 0 },
	{ "cgroup", OPTION_CGROUP, "PATH", 0,
	  "for page-ref: record all processes of this cgroup and of the cgroups below it", 0 },
	{ "dax", OPTION_DAX, NULL, 0, "for page-ref: record mappings of DAX files, too", 0 },
	{ "file-io", OPTION_FILE_IO, NULL, 0,
	  "for page-ref: record one event for each read() and write() of a file through the page cache, too",
	  0 },
	{ "max-overhead", OPTION_MAX_OVERHEAD, "PCT%|none", 0,
	  "for page-ref: record a sample of the pages, as large as this overhead permits; none: record all pages (default: 5%)",
	  0 },
	{ "from", OPTION_FROM, "SIZE", 0,
	  "for page-ref: also mark all pages when half of SIZE was touched, so that `lttng-mm mrc` has results for memory of SIZE or more",
	  0 },
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "do not record; print the equivalent lttng commands",
	  0 },
	{ "boot", OPTION_BOOT, NULL, 0,
	  "record the profile that the kernel command line requests, if any", 0 },
	{ "no-daemon", OPTION_NO_DAEMON, NULL, 0, "do not start the recorder daemon", 0 },
	{ "missing", OPTION_MISSING, NULL, 0,
	  "leave out profiles that are already being recorded, and do not start any daemon, not even LTTng's",
	  0 },
	{ "no-triggers", OPTION_NO_TRIGGERS, NULL, 0,
	  "ignore the triggers in the profiles: the recorder daemon takes no snapshots when their conditions are met",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0, "record even if no filesystem is mounted with DAX", 0 },
	{ 0 },
};

/* Parses a number from 1 to @max, followed by @unit. Returns 0 if @text is invalid. */
static uint64_t parse_number(const char *text, const char *unit, uint64_t max)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	return *text >= '0' && *text <= '9' && !strcmp(end, unit) && value <= max ? value : 0;
}

static error_t parse_limit(int key, const char *arg, struct argp_state *state,
			   struct retention_limits *limits)
{
	switch (key) {
	case OPTION_KEEP:
		limits->count = parse_number(arg, "", 1000000);
		if (!limits->count)
			argp_error(state, "--keep: '%s' is not a number from 1 to 1000000", arg);
		return 0;
	case OPTION_MAX_DISK:
		limits->max_bytes = command_parse_bytes(arg);
		if (!limits->max_bytes)
			argp_error(state, "--max-disk: '%s' is not a number of bytes; example: 2G",
				   arg);
		return 0;
	case OPTION_MIN_FREE:
		limits->min_free_percent = (unsigned int)parse_number(arg, "%", 99);
		if (!limits->min_free_percent)
			argp_error(
				state,
				"--min-free: '%s' is not a percentage from 1%% to 99%%, such as 10%%",
				arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_window(const struct record_options *options, struct argp_state *state)
{
	if (!options->window_ns)
		return;
	if (options->budget_bytes || options->subbuf_bytes || options->subbuf_count)
		argp_error(
			state,
			"--window chooses the sub-buffers; omit --budget, --subbuf-size and --num-subbuf");
	if (options->dry_run || options->boot)
		argp_error(state,
			   "--window has to record to measure the rate; omit --dry-run and --boot");
}

static void check_pageref(struct record_options *options, const struct argp_state *state)
{
	struct record_pageref *pageref = &options->pageref;
	const struct {
		bool given;
		const char *name;
	} excess[] = {
		{ options->recorder.session, "--session" },
		{ options->budget_bytes, "--budget" },
		{ options->window_ns, "--window" },
		{ options->limits.count, "--keep" },
		{ options->limits.min_free_percent, "--min-free" },
		{ options->callstack, "--callstack" },
		{ options->missing, "--missing" },
	};

	for (size_t i = 0; i < options->recorder.count; i++)
		pageref->given |= !strcmp(options->recorder.profiles[i], PAGEREF_PROFILE);
	for (size_t i = 0; i < sizeof(excess) / sizeof(excess[0]); i++)
		if (excess[i].given && !pageref->excess)
			pageref->excess = excess[i].name;
	pageref->is_single = options->recorder.count == 1 && !options->events;
	pageref->output = options->output;
	pageref->max_bytes = options->limits.max_bytes;
	pageref->ids = &options->trackers;
	pageref->dry_run = options->dry_run;
	pageref->no_daemon = options->no_daemon && !options->missing;
	record_pageref_check(pageref, state);
}

static void check_end(struct record_options *options, struct argp_state *state)
{
	char *names;

	if (options->boot && (options->recorder.count || options->events || options->subbuf_count ||
			      options->budget_bytes || trackers_are_set(&options->trackers)))
		argp_error(
			state,
			"--boot takes the profile and the sub-buffers from the kernel command line; omit profiles, --events, --budget, --num-subbuf, --pid and --uid");
	if (options->budget_bytes && (options->subbuf_bytes || options->subbuf_count))
		argp_error(state,
			   "--budget chooses the sub-buffers; omit --subbuf-size and --num-subbuf");
	check_window(options, state);
	record_fn_check(&options->fn, state);
	check_pageref(options, state);
	if (options->boot || options->recorder.count || options->events)
		return;
	names = profile_names();
	argp_error(state, "no profile given; known: %s", names ? names : "");
	free(names);
}

/*
 * If @key is an option without a value, sets its flag and returns true. Otherwise, returns false.
 */
static bool parse_flag(int key, struct record_options *options)
{
	const struct {
		int key;
		bool *flag;
	} flags[] = {
		{ OPTION_CALLSTACK, &options->callstack },
		{ OPTION_CALLS, &options->fn.calls },
		{ OPTION_FILE_IO, &options->pageref.file_io },
		{ OPTION_DRY_RUN, &options->dry_run },
		{ OPTION_NO_DAEMON, &options->no_daemon },
		{ OPTION_MISSING, &options->missing },
		{ OPTION_NO_TRIGGERS, &options->no_triggers },
		{ OPTION_BOOT, &options->boot },
		{ OPTION_FORCE, &options->force },
		{ OPTION_DAX, &options->pageref.dax },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].key != key)
			continue;
		*flags[i].flag = true;
		return true;
	}
	return false;
}

/* Parses an argument. After `fn`, every argument is a SPEC, even the name of a profile. */
static error_t parse_argument(struct record_options *options, char *arg, struct argp_state *state)
{
	if (options->fn.given) {
		record_fn_add_spec(&options->fn, arg, state);
		return 0;
	}
	options->fn.given = !strcmp(arg, RECORD_FN);
	return command_parse_recorder(ARGP_KEY_ARG, arg, state, &options->recorder);
}

static void parse_pageref(int key, const char *arg, const struct argp_state *state,
			  struct record_pageref *pageref)
{
	if (key == OPTION_CGROUP) {
		pageref->cgroup = arg;
	} else if (key == OPTION_MAX_OVERHEAD) {
		pageref->max_overhead = arg;
	} else if (key == OPTION_FROM) {
		pageref->from_bytes = command_parse_bytes(arg);
		if (!pageref->from_bytes)
			argp_error(state, "--from: '%s' is not a number of bytes; example: 64M",
				   arg);
	} else {
		pageref->interval_ms =
			command_parse_number(arg, "--interval", LTTNG_MM_PAGEREF_INTERVAL_MIN_MS,
					     LTTNG_MM_PAGEREF_INTERVAL_MAX_MS, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;
	struct mm_error err = MM_ERROR_INIT;

	switch (key) {
	case ARGP_KEY_INIT:
		options->fn.of_functions.options = &options->fn.set;
		state->child_inputs[0] = &options->fn.of_functions;
		return 0;
	case OPTION_SUBBUF_SIZE:
		options->subbuf_bytes = buffers_parse_size(arg, state);
		return 0;
	case OPTION_NUM_SUBBUF:
		options->subbuf_count = buffers_parse_count(arg, state);
		return 0;
	case OPTION_FILTER:
		options->fn.filter = arg;
		return 0;
	case OPTION_INTERVAL:
	case OPTION_CGROUP:
	case OPTION_MAX_OVERHEAD:
	case OPTION_FROM:
		parse_pageref(key, arg, state, &options->pageref);
		return 0;
	case OPTION_EVENTS:
		options->events = arg;
		return 0;
	case OPTION_BUDGET:
		options->budget_bytes = command_parse_bytes(arg);
		if (!options->budget_bytes)
			argp_error(state, "--budget: '%s' is not a number of bytes; example: 64M",
				   arg);
		return 0;
	case OPTION_PID:
	case OPTION_UID:
		if (trackers_parse(&options->trackers,
				   key == OPTION_PID ? TRACKER_PID : TRACKER_UID, arg, &err))
			argp_error(state, "%s", err.message);
		return 0;
	case 'o':
		options->output = arg;
		return 0;
	case OPTION_KEEP:
	case OPTION_MAX_DISK:
	case OPTION_MIN_FREE:
		return parse_limit(key, arg, state, &options->limits);
	case OPTION_WINDOW:
		if (mm_duration_parse(arg, "--window", &options->window_ns, &err))
			argp_error(state, "%s", err.message);
		if (options->window_ns < WINDOW_MIN_NS)
			argp_error(state, "--window: '%s' is less than 1s", arg);
		return 0;
	case ARGP_KEY_ARG:
		return parse_argument(options, arg, state);
	case ARGP_KEY_END:
		options->no_daemon |= options->missing;
		check_end(options, state);
		return 0;
	default:
		return parse_flag(key, options)
			       ? 0
			       : command_parse_recorder(key, arg, state, &options->recorder);
	}
}

/* Prints the profile's default for an option. Returns false if the profile cannot be read. */
static bool show_default(FILE *out, int key, char comma, const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile = profile_load(name, &err);
	uint64_t number;

	if (!profile)
		return false;
	number = key == OPTION_NUM_SUBBUF ? profile->channels[0].subbuf_count
					  : profile->channels[0].subbuf_bytes >> 10;
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
 * Help filter. Appends the names of the profiles to the first paragraph, and the profiles' defaults
 * to the help of two options. argp frees the returned text unless it is @text.
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
	.children = fn_function_parsers,
	.args_doc =
		"PROFILE...\n[PROFILE...] fn [SPEC...]\npage-ref --output=DIR -- COMMAND [ARG...]\n--events=EVENT,...\n--boot",
	.doc = "Starts the flight recorder, which keeps recent events in memory: an LTTng session in "
	       "snapshot mode for each profile. If the recorder is running, adds profiles to it."
	       "\vExamples:\n"
	       "  # lttng-mm record dax\n"
	       "  # lttng-mm record dax slab --budget=256M  (both, in at most 256 MiB)\n"
	       "  # lttng-mm record slab --window=30s       (reach back 30 s at the current rate)\n"
	       "  # lttng-mm record fn handle_mm_fault 'ext4:ext4_dax_*'  (calls of functions)\n"
	       "  # lttng-mm record page-ref --cgroup=/system.slice/db.service  (pages of a service)\n"
	       "  # lttng-mm record page-ref --output=/var/tmp/gcc -- gcc -c x.c\n"
	       "  # lttng-mm record --events=sched_switch,syscall:openat\n"
	       "  # lttng-mm record slab --keep=20 --min-free=10%\n"
	       "  # lttng-mm record dax --num-subbuf=32     (keep four times as much)\n"
	       "  $ lttng-mm record dax --dry-run | less    (the equivalent lttng commands)\n",
};

/*
 * Sets options from the kernel command line. Returns 1 on success. Returns 0 if the command line
 * requests nothing or is invalid; if it is invalid, @err is set.
 */
static int add_boot_request(struct record_options *given, struct boot_request *request,
			    struct mm_error *err)
{
	if (boot_read(request, err) || !request->enabled)
		return 0;
	if (!strcmp(request->profile, PAGEREF_PROFILE)) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"kernel command line: lttng_mm.profile: " PAGEREF_PROFILE
			" needs targets; name them in recorder.conf, as in `record = " PAGEREF_PROFILE
			" --uid=1000`");
		return 0;
	}
	given->recorder.profiles[given->recorder.count++] = request->profile;
	given->subbuf_count = request->subbuf_count;
	/* Do not require a DAX filesystem, because one may be mounted after the boot. */
	given->force = true;
	return 1;
}

static int use_options(struct recorder_options *options, struct record_options *given,
		       struct mm_error *err)
{
	if (recorder_options_init(options, given->recorder.session, err))
		return -1;
	options->file_io = given->pageref.file_io;
	for (size_t i = 0; i < given->recorder.count; i++)
		if (recorder_options_add(options, given->recorder.profiles[i], NULL, err))
			return -1;
	if (given->events && recorder_options_add(options, NULL, given->events, err))
		return -1;
	options->no_session_daemon = given->missing;
	options->force = given->force;
	options->subbuf_bytes = given->subbuf_bytes;
	options->subbuf_count = given->subbuf_count;
	options->budget_bytes = given->budget_bytes;
	options->limits = given->limits;
	/*
	 * The probe of page references selects processes itself, so its session needs no trackers.
	 */
	if (!given->pageref.given)
		options->trackers = given->trackers;
	if (options->file_io && recorder_options_check_file_io(options, err))
		return -1;
	if (given->fn.calls && recorder_options_calls(options, err))
		return -1;
	if (given->fn.filter)
		snprintf(options->filter, sizeof(options->filter), "%s", given->fn.filter);
	if (given->callstack && recorder_options_callstack(options, err))
		return -1;
	if (given->missing && recorder_options_leave_recorded(options, err))
		return -1;
	/*
	 * With --missing or --boot, bad triggers must not prevent recording. The daemon reports
	 * them.
	 */
	given->triggers.unchecked = given->missing || given->boot;
	return given->no_triggers ? 0 : record_triggers_use(&given->triggers, options, err);
}

/* Creates the recorder's folder. Refuses a folder if a user other than root can change it. */
static int use_output(struct recorder_options *options, const char *output, struct mm_error *err)
{
	int fd = output_open_recorder(output, options->limits.output,
				      sizeof(options->limits.output), err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

struct record_start {
	struct record_options *given;
	struct mm_error err;
};

static void keep_functions(void *user)
{
	struct record_start *start = user;

	record_fn_keep(&start->given->fn, &start->err);
}

static void start(struct recorder_options *options, struct record_options *given,
		  struct mm_error *err)
{
	struct record_start start = { .given = given, .err = MM_ERROR_INIT };
	struct recorder_started started;

	options->recording = keep_functions;
	options->recording_user = &start;
	if ((given->output && use_output(options, given->output, err)) ||
	    recorder_start(options, &started, err)) {
		record_fn_undo(&given->fn);
		return;
	}
	record_fn_print_added(&given->fn);
	if (start.err.code)
		fprintf(stderr, "lttng-mm: note: %s; add it again\n", start.err.message);
	if (started.other_boot)
		fprintf(stderr,
			"lttng-mm: note: replaced the plan in /run/lttng-mm, which was from another boot\n");
	if (*started.replaced)
		fprintf(stderr,
			"lttng-mm: note: %s was already gone: another program destroyed it, or the session daemon exited\n",
			started.replaced);
	printf("recording ");
	for (size_t i = 0; i < options->count; i++)
		printf("%s%s", i ? ", " : "", options->profiles[i]->name);
	printf(" in session %s; `lttng-mm snapshot` writes a snapshot\n", started.sessions);
	if (started.budget.takes)
		printf("buffers and their copies during a snapshot take up to %" PRIu64
		       " KiB on %u CPUs; the next larger sub-buffers would take %" PRIu64 " KiB\n",
		       started.budget.takes >> 10, started.cpus, started.budget.next >> 10);
	record_triggers_report(stdout, stderr, &given->triggers);
}

static void print_commands(const struct recorder_options *options,
			   const struct record_options *given, struct mm_error *err)
{
	if (record_fn_check_filter(&given->fn, err))
		return;
	if (given->fn.filter)
		printf("# `record` also replaces labels in the filter by numbers, and rewrites comparisons of unsigned 64-bit fields.\n");
	if (record_fn_print(stdout, &given->fn, err) ||
	    recorder_print_commands(stdout, options, err))
		return;
	if (given->pageref.given)
		record_pageref_print(stdout, &given->pageref);
	record_triggers_print(stdout, &given->triggers);
}

/* If the environment caused @err, prints other missing requirements, except the permission. */
static void print_missing(const struct mm_error *err)
{
	struct doctor_result results[DOCTOR_RESULTS_MAX];
	size_t count;

	/*
	 * If a session daemon is running, do not call doctor. doctor asks the daemon for its
	 * sessions, and the daemon may hang.
	 */
	if (err->code != MM_EXIT_ENVIRONMENT || daemon_answers())
		return;
	count = doctor_run(results);
	for (size_t i = 0; i < count; i++)
		if (results[i].state == DOCTOR_MISSING && strcmp(results[i].name, "permission") &&
		    !strstr(err->message, results[i].remedy))
			fprintf(stderr, "lttng-mm: also missing: %s; %s\n", results[i].text,
				results[i].remedy);
}

static void record(struct recorder_options *options, struct record_options *given,
		   struct mm_error *err)
{
	const bool pageref = given->pageref.given;

	if (record_fn_add(&given->fn, options, err) ||
	    (pageref && record_pageref_check_targets(&given->pageref, options, err)))
		return;
	if (given->window_ns)
		record_window_choose(options, given->window_ns, err);
	if (pageref)
		record_pageref_plan(&given->pageref, options);
	if (err->code)
		record_fn_undo(&given->fn);
	else
		start(options, given, err);
	/* At boot, systemd starts the recorder daemon. */
	if (!err->code && !given->boot && !given->no_daemon)
		daemon_start();
	/*
	 * With --missing, the caller is the recorder daemon, which will set the targets. Do not
	 * wait for it.
	 */
	if (!err->code && pageref && !given->missing)
		record_pageref_await(err);
}

int cmd_record(int argc, char **argv)
{
	struct record_options given = { .recorder.max = RECORDER_PROFILES_MAX };
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct boot_request request;
	int status = MM_EXIT_OK;

	record_fn_init(&given.fn);
	record_pageref_split(&given.pageref, &argc, argv);
	command_parse(&parser, argc, argv, &given);
	if (given.boot && !add_boot_request(&given, &request, &err))
		return command_end(&err, MM_EXIT_OK);
	/* With --missing, all profiles may already be recorded. */
	if (!use_options(&options, &given, &err) && options.count) {
		if (given.pageref.given && given.pageref.output)
			status = record_pageref(&given.pageref, &options);
		else if (given.dry_run)
			print_commands(&options, &given, &err);
		else
			record(&options, &given, &err);
	}
	record_fn_release(&given.fn);
	record_triggers_release(&given.triggers);
	recorder_options_release(&options);
	if (err.code) {
		status = record_pageref_fail(&given.pageref, &err);
		if (!given.dry_run && !given.boot && !given.missing)
			print_missing(&err);
	}
	return status;
}
