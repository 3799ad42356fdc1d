// SPDX-License-Identifier: LGPL-2.1-only
/* Records page references to a folder or to buffers in memory. */
#include "cli/pageref/record-pageref.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/pageref/targets.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/session-daemon.h"

/* Time limit of a status request. */
#define STATUS_MS 500
/* Default of --max-overhead. */
#define PAGEREF_MAX_OVERHEAD "5%"
/* Maximum time to wait for the recorder daemon, which reads the plan once a second. */
#define AWAIT_MS 15000u
#define AWAIT_PAUSE_MS 100u

void record_pageref_split(struct record_pageref *pageref, int *argc, char **argv)
{
	bool is_named = false;

	for (int i = 1; i < *argc; i++) {
		is_named |= !strcmp(argv[i], PAGEREF_PROFILE);
		if (!is_named || strcmp(argv[i], "--") != 0)
			continue;
		pageref->command = argv + i + 1;
		argv[i] = NULL;
		*argc = i;
		argp_err_exit_status = RECORD_PAGEREF_FAILED;
		return;
	}
}

/* Returns the number of kinds of targets that the command line has. */
static int count_kinds(const struct record_pageref *pageref)
{
	return !!pageref->command + !!pageref->cgroup + !!pageref->ids->count[TRACKER_PID] +
	       !!pageref->ids->count[TRACKER_UID];
}

static void check_targets(const struct record_pageref *pageref, const struct argp_state *state)
{
	/* With other profiles, --pid and --uid are trackers, which do not include new processes. */
	if (!pageref->is_single)
		argp_error(
			state,
			"the profile " PAGEREF_PROFILE
			" selects its processes itself, and cannot be combined with other profiles or --events; use two commands");
	if (pageref->excess && pageref->output)
		argp_error(state,
			   "%s: has no effect on " PAGEREF_PROFILE
			   ", because it is recorded to a folder; omit it",
			   pageref->excess);
	if (pageref->command && !*pageref->command)
		argp_error(state, "no command follows --");
	/*
	 * A dry run without --output needs no targets: it also shows the sessions of the profile
	 * without them.
	 */
	if (count_kinds(pageref) != 1 &&
	    (count_kinds(pageref) || pageref->output || !pageref->dry_run))
		argp_error(state, PAGEREF_PROFILE " needs one of: %s--pid, --uid, --cgroup; %s",
			   pageref->output ? "-- COMMAND, " : "",
			   count_kinds(pageref) ? "give only one of these" : "none is given");
	if (pageref->ids->count[TRACKER_UID] > 1)
		argp_error(state, "--uid: " PAGEREF_PROFILE " can record one user only");
}

/* Reads "5%", "0.5%" or "none". Returns the limit in 1/10,000, or -1 if it is not valid. */
static int parse_limit(const char *text)
{
	unsigned int whole = 0, fraction = 0;
	int length = 0;

	if (!strcmp(text, "none"))
		return 0;
	if (*text < '0' || *text > '9' || strspn(text, "0123456789") > 3)
		return -1;
	for (; *text >= '0' && *text <= '9'; text++)
		whole = whole * 10 + (unsigned int)(*text - '0');
	if (*text == '.') {
		length = (int)strspn(text + 1, "0123456789");
		if (length < 1 || length > 2)
			return -1;
		fraction = (unsigned int)(text[1] - '0') * 10;
		fraction += length == 2 ? (unsigned int)(text[2] - '0') : 0;
		text += 1 + length;
	}
	whole = whole * 100 + fraction;
	return strcmp(text, "%") != 0 || !whole || whole > LTTNG_MM_PAGEREF_OVERHEAD_MAX
		       ? -1
		       : (int)whole;
}

static void check_sample(struct record_pageref *pageref, const struct argp_state *state)
{
	const int limit =
		parse_limit(pageref->max_overhead ? pageref->max_overhead : PAGEREF_MAX_OVERHEAD);

	if (limit < 0)
		argp_error(
			state,
			"--max-overhead: '%s' is neither a percentage from 0.01%% to 100%%, such as 5%%, nor none",
			pageref->max_overhead);
	pageref->limit = (unsigned int)limit;
	if (pageref->from_bytes && (pageref->from_bytes < LTTNG_MM_PAGEREF_FROM_MIN ||
				    pageref->from_bytes > LTTNG_MM_PAGEREF_FROM_MAX))
		argp_error(state, "--from: %" PRIu64 " bytes is not a size from 64k to 64T",
			   pageref->from_bytes);
}

void record_pageref_check(struct record_pageref *pageref, const struct argp_state *state)
{
	const char *own = pageref->interval_ms	  ? "--interval"
			  : pageref->cgroup	  ? "--cgroup"
			  : pageref->file_io	  ? "--file-io"
			  : pageref->dax	  ? "--dax"
			  : pageref->max_overhead ? "--max-overhead"
			  : pageref->from_bytes	  ? "--from"
						  : NULL;

	if (!pageref->given && own)
		argp_error(state, "%s: only the profile " PAGEREF_PROFILE " accepts this option",
			   own);
	if (pageref->given && pageref->command && !pageref->output)
		argp_error(state, "-- COMMAND needs a folder for the trace; give --output=DIR");
	if (pageref->given) {
		check_sample(pageref, state);
		check_targets(pageref, state);
	}
}

static void make_targets(struct pageref_targets *targets, const struct record_pageref *pageref)
{
	*targets = (struct pageref_targets){
		.ids = *pageref->ids,
		.cgroup = pageref->cgroup,
		.dax = pageref->dax,
		.max_overhead = pageref->limit,
		.from_bytes = pageref->from_bytes,
		.interval_ms =
			pageref->interval_ms ? pageref->interval_ms : LTTNG_MM_PAGEREF_INTERVAL_MS,
	};
}

static void make_request(struct pageref_request *request, const struct record_pageref *pageref,
			 const struct recorder_options *options)
{
	*request = (struct pageref_request){
		.recorder = options,
		.command = pageref->command,
		.output = pageref->output,
		.max_bytes = pageref->max_bytes,
	};
	make_targets(&request->targets, pageref);
}

/* Prints the share of pages that was recorded, if it is known. */
static void report_sample(const struct record_pageref *pageref,
			  const struct pageref_recorded *recorded)
{
	char sample[PAGEREF_PERCENT_TEXT], limit[PAGEREF_PERCENT_TEXT];

	if (!recorded->sample || !pageref->limit)
		return;
	pageref_percent_text(limit, pageref->limit, LTTNG_MM_PAGEREF_OVERHEAD_MAX);
	if (recorded->sample == LTTNG_MM_PAGEREF_SAMPLE_ALL)
		fprintf(stderr,
			"lttng-mm: note: all pages were recorded, with an overhead of at most %s\n",
			limit);
	else
		fprintf(stderr,
			"lttng-mm: note: to keep the overhead at %s, a sample of at least %s of the pages was recorded; --max-overhead=none records all\n",
			limit,
			pageref_percent_text(sample, recorded->sample,
					     LTTNG_MM_PAGEREF_SAMPLE_ALL));
}

/* Prints the result. Uses standard error if there is a command, which owns standard output. */
static void report(const struct record_pageref *pageref, const struct pageref_recorded *recorded,
		   const struct snapshot_notes *notes)
{
	if (recorded->full)
		fprintf(stderr,
			"lttng-mm: warning: --max-disk: recording stopped when the folder had %" PRIu64
			" bytes; later references are missing\n",
			pageref->max_bytes);
	if (recorded->discarded)
		fprintf(stderr,
			"lttng-mm: warning: %" PRIu64
			" events were discarded because the buffers were full; record with larger buffers (--subbuf-size, --num-subbuf) or a longer --interval\n",
			recorded->discarded);
	for (size_t i = 0; i < notes->count; i++)
		fprintf(stderr, "lttng-mm: %s: %s\n", notes->all[i].warning ? "warning" : "note",
			notes->all[i].text.message);
	report_sample(pageref, recorded);
	if (pageref->command)
		fprintf(stderr, "lttng-mm: recorded in %s\n", recorded->path);
	else
		printf("%s\n", recorded->path);
}

int record_pageref_fail(const struct record_pageref *pageref, const struct mm_error *err)
{
	const int status = command_end(err, MM_EXIT_OK);

	return status && pageref->command ? RECORD_PAGEREF_FAILED : status;
}

static int record(const struct record_pageref *pageref, const struct pageref_request *request)
{
	struct snapshot_notes notes = { .count = 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct pageref_recorded recorded;
	int ret = pageref_record(request, &recorded, &notes, &err);

	if (!ret || recorded.executed)
		report(pageref, &recorded, &notes);
	if (!ret)
		return recorded.status;
	/* The command could not be executed. */
	if (!recorded.executed && recorded.status) {
		command_end(&err, MM_EXIT_OK);
		return recorded.status;
	}
	return record_pageref_fail(pageref, &err);
}

int record_pageref(const struct record_pageref *pageref, const struct recorder_options *options)
{
	struct pageref_request request;

	make_request(&request, pageref, options);
	if (!pageref->dry_run)
		return record(pageref, &request);
	pageref_print_commands(stdout, &request);
	return MM_EXIT_OK;
}

void record_pageref_print(FILE *out, const struct record_pageref *pageref)
{
	struct pageref_targets targets;

	if (!count_kinds(pageref)) {
		fprintf(out, "# The targets are missing: give --pid, --uid or --cgroup.\n");
		return;
	}
	make_targets(&targets, pageref);
	fprintf(out, "# In a recording, the recorder daemon has the control file open instead of this shell.\n");
	pageref_control_print(out, &targets);
}

/*
 * With --no-daemon, requires a running recorder daemon. After this command has exited, only the
 * recorder daemon can keep the control file open.
 */
static int check_daemon(const struct record_pageref *pageref, struct mm_error *err)
{
	return pageref->no_daemon && !request_end(true)
		       ? mm_error_set(
				 err, MM_EXIT_BAD_INPUT,
				 "record: --no-daemon: " PAGEREF_PROFILE
				 " needs the recorder daemon, and none is running; omit the option, or start `lttng-mm serve`")
		       : 0;
}

int record_pageref_check_targets(struct record_pageref *pageref,
				 const struct recorder_options *options, struct mm_error *err)
{
	const struct profile *profile = options->profiles[0];
	struct pageref_targets targets;

	make_targets(&targets, pageref);
	if (plan_check_rights(err) || recorder_check_new(options, err) ||
	    pageref_control_check_plan(err) || check_daemon(pageref, err) ||
	    (profile->module && daemon_load_probe(profile->module, err)))
		return -1;
	pageref->control = pageref_control_open(err);
	if (pageref->control < 0)
		return -1;
	pageref->noted = pageref_targets_note(&targets, err);
	if (pageref->noted && !pageref_control_set(pageref->control, &targets, 0, err))
		return 0;
	close(pageref->control);
	json_decref(pageref->noted);
	return -1;
}

void record_pageref_plan(struct record_pageref *pageref, struct recorder_options *options)
{
	close(pageref->control);
	options->targets = pageref->noted;
}

/*
 * Asks the recorder daemon whether it has set the targets. Returns 1 if it has, 0 if it has not, or
 * -1 if no daemon is running. If the daemon knows why it cannot set them, sets @err.
 */
static int are_set(struct mm_error *err)
{
	json_t *status = NULL;
	int ret = request_status(false, STATUS_MS, &status, err);
	const json_t *state = json_object_get(json_object_get(status, "supervisor"), "page_ref");
	const char *problem = json_string_value(json_object_get(state, "problem"));
	bool held = json_is_true(json_object_get(state, "held"));

	if (problem)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s", problem);
	json_decref(status);
	return ret > 0 ? -1 : held;
}

/* Stops the new session, but no other session of the same recorder. */
static void undo(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	const struct plan_session *session;
	struct recorder_stopped stopped;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return;
	session = plan_find_targets(&plan);
	if (session)
		recorder_stop(session->name, &stopped, &ignored);
	plan_release(&plan);
}

int record_pageref_await(struct mm_error *err)
{
	const struct timespec pause = { .tv_nsec = AWAIT_PAUSE_MS * 1000000L };
	struct mm_error why = MM_ERROR_INIT;
	int set = are_set(&why);

	for (unsigned int waited = 0; !set && waited < AWAIT_MS; waited += AWAIT_PAUSE_MS) {
		nanosleep(&pause, NULL);
		mm_error_clear(&why);
		set = are_set(&why);
	}
	if (set > 0)
		return 0;
	if (!set) {
		fprintf(stderr,
			"lttng-mm: warning: no page is marked yet: the recorder daemon has not set the targets%s%s; `lttng-mm status` shows whether it has set them\n",
			why.code ? ": " : "", why.code ? why.message : "");
		return 0;
	}
	undo();
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"record: " PAGEREF_PROFILE
		" needs the recorder daemon, and none is running; start `lttng-mm serve`");
}
