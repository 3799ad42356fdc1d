// SPDX-License-Identifier: LGPL-2.1-only
/* Records page references to a folder. */
#include "cli/pageref/record-pageref.h"

#include <inttypes.h>
#include <string.h>

#include "cli/common/command.h"
#include "instrumentation/wire/pageref.h"

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

/* Returns the number of kinds of targets that are given. */
static int count_kinds(const struct record_pageref *pageref)
{
	return !!pageref->command + !!pageref->cgroup + !!pageref->ids->count[TRACKER_PID] +
	       !!pageref->ids->count[TRACKER_UID];
}

static void check_folder(const struct record_pageref *pageref, const struct argp_state *state)
{
	if (!pageref->is_single)
		argp_error(
			state,
			"the profile " PAGEREF_PROFILE
			" is recorded to a folder, and cannot be combined with other profiles or --events; start a recorder for these first");
	if (pageref->excess)
		argp_error(state,
			   "%s: has no effect on " PAGEREF_PROFILE
			   ", which is recorded to a folder; omit it",
			   pageref->excess);
	if (pageref->command && !*pageref->command)
		argp_error(state, "no command follows --");
	if (count_kinds(pageref) != 1)
		argp_error(state,
			   PAGEREF_PROFILE " needs one of: -- COMMAND, --pid, --uid, --cgroup; %s",
			   count_kinds(pageref) ? "give only one of these" : "none is given");
	if (pageref->ids->count[TRACKER_UID] > 1)
		argp_error(state, "--uid: " PAGEREF_PROFILE " can record one user only");
}

void record_pageref_check(const struct record_pageref *pageref, const struct argp_state *state)
{
	const char *own = pageref->interval_ms ? "--interval"
			  : pageref->cgroup    ? "--cgroup"
			  : pageref->dax       ? "--dax"
					       : NULL;

	if (!pageref->given && own)
		argp_error(state, "%s: only the profile " PAGEREF_PROFILE " accepts this option",
			   own);
	if (pageref->given && pageref->command && !pageref->output)
		argp_error(state, "-- COMMAND needs a folder for the trace; give --output=DIR");
	if (pageref->given && pageref->output)
		check_folder(pageref, state);
}

static int refuse_memory(struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"record: " PAGEREF_PROFILE
		": page references can be recorded to a folder only, not to buffers in memory; give --output=DIR and a command, as in `lttng-mm record " PAGEREF_PROFILE
		" --output=DIR -- COMMAND`, or --output=DIR with --pid, --uid or --cgroup");
}

static void make_request(struct pageref_request *request, const struct record_pageref *pageref,
			 const struct recorder_options *options)
{
	*request = (struct pageref_request){
		.recorder = options,
		.targets = { .ids = *pageref->ids,
			     .cgroup = pageref->cgroup,
			     .dax = pageref->dax,
			     .interval_ms = pageref->interval_ms ? pageref->interval_ms
								 : LTTNG_MM_PAGEREF_INTERVAL_MS },
		.command = pageref->command,
		.output = pageref->output,
		.max_bytes = pageref->max_bytes,
	};
}

/* Prints the result. Standard output belongs to the command, if there is one. */
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
	struct mm_error err = MM_ERROR_INIT;
	struct pageref_request request;

	make_request(&request, pageref, options);
	if (pageref->output && pageref->dry_run) {
		pageref_print_commands(stdout, &request);
		return MM_EXIT_OK;
	}
	if (pageref->output)
		return record(pageref, &request);
	if (!pageref->dry_run)
		refuse_memory(&err);
	else if (!recorder_print_commands(stdout, options, &err))
		pageref_control_print(stdout, &request.targets);
	return record_pageref_fail(pageref, &err);
}
