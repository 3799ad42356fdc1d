// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm snapshot: writes the contents of the buffers to disk and prints the path. */
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "cli/common/background.h"
#include "cli/snapshot-request.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/turn.h"

/* Prints a message to standard error. In the background, writes it to the system's log instead. */
static void say(bool background, bool warning, const char *message)
{
	if (background)
		background_log(warning ? LOG_WARNING : LOG_NOTICE, message);
	else
		snapshot_print_note(warning, message);
}

static void print_notes(bool background, struct snapshot_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		say(background, notes->all[i].warning, notes->all[i].text.message);
	notes->count = 0;
}

struct leave_result {
	/* no background process could be started, so this process writes the snapshot */
	bool failed;
	bool in_background;
};

/*
 * Callback for --no-wait, called when the buffers have been copied to memory. Forks a background
 * process that writes the snapshot. The foreground process prints the path and exits. The function
 * returns only in the background process, or if the fork fails.
 */
static void leave(void *user, const char *path, struct snapshot_notes *notes)
{
	struct leave_result *leaving = user;
	int pid = background_start();

	if (pid > 0) {
		snapshot_print_path(path);
		print_notes(false, notes);
		/* Skip the cleanup. The folder now belongs to the background process. */
		_exit(command_finish(MM_EXIT_OK));
	}
	leaving->failed = pid < 0;
	leaving->in_background = !pid;
	/* The foreground process has printed the notes. */
	if (!pid)
		notes->count = 0;
	if (leaving->failed)
		say(false, false,
		    "--no-wait: cannot start a process that writes the snapshot; waiting until it is written");
}

/*
 * Completes the snapshot in the background process, and exits. If @snapshot is NULL, the snapshot
 * has failed: logs @err and exits.
 */
static void finish_in_background(struct snapshot *snapshot, struct snapshot_notes *notes,
				 struct mm_error *err)
{
	struct mm_error written = MM_ERROR_INIT;
	struct snapshot_result result;

	if (!snapshot || snapshot_finish(snapshot, &result, notes, err)) {
		background_log(LOG_ERR, err->message);
	} else {
		mm_error_set(&written, MM_EXIT_OK, "snapshot: %s: written", result.path);
		background_log(LOG_INFO, written.message);
	}
	print_notes(true, notes);
	snapshot_end(snapshot);
	_exit(err->code);
}

static int finish(struct snapshot *snapshot, const struct snapshot_options *options,
		  struct snapshot_notes *notes, struct mm_error *err)
{
	struct snapshot_result result;
	int status = MM_EXIT_OK;

	if (!snapshot_finish(snapshot, &result, notes, err)) {
		snapshot_print_path(result.path);
		print_notes(false, notes);
		if (options->require_complete && !result.complete) {
			fprintf(stderr, "lttng-mm: --require-complete: %s\n", result.why.message);
			status = MM_EXIT_INCOMPLETE;
		}
	}
	snapshot_end(snapshot);
	return status;
}

/* Waits until no other process takes a snapshot of the same recorder (turn.h). */
static int await_turn(const char *session, int *turn, struct mm_error *err)
{
	if (turn_take(session, 0, turn))
		return 0;
	say(false, false, TURN_TAKEN "; waiting");
	if (turn_take(session, TURN_MS, turn))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "snapshot: %s: " TURN_TAKEN "; try again later", session);
}

/* Reads the limits of the selected recorder. Sets the output folder to the recorder's folder. */
static int find_folder(struct snapshot_options *options, struct retention_limits *limits,
		       struct mm_error *err)
{
	char session[RECORDER_NAME_MAX];

	if (snapshot_select(&options->request, options->recorder.session,
			    options->recorder.profiles[0], session, sizeof(session), err) ||
	    plan_read_limits(session, limits, err))
		return -1;
	options->request.output = limits->output;
	return 0;
}

int cmd_snapshot(int argc, char **argv)
{
	struct snapshot_notes notes = { .count = 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct snapshot_options options;
	struct snapshot *snapshot = NULL;
	char session[RECORDER_NAME_MAX];
	struct leave_result leaving = { .failed = false };
	struct retention_limits limits;
	json_t *cause;
	int status = MM_EXIT_OK, turn; /* @turn: lock (turn.h), open until exit */

	snapshot_options_parse(argc, argv, &options);
	if (options.recorder_folder && find_folder(&options, &limits, &err))
		return command_end(&err, status);
	/* main.c cannot ask the daemon in these two cases. In other cases, it has asked already. */
	if ((options.request.access == SNAPSHOT_ACCESS_GROUP || options.recorder_folder) &&
	    snapshot_by_daemon(&options, &status, &err))
		return command_end(&err, status);
	cause = snapshot_cause(&options);
	options.request.cause = cause;
	if (options.no_wait) {
		options.request.promise = true;
		options.request.promised = leave;
		options.request.user = &leaving;
		background_prepare();
	}
	if (!snapshot_select(&options.request, options.recorder.session,
			     options.recorder.profiles[0], session, sizeof(session), &err) &&
	    !await_turn(session, &turn, &err))
		snapshot = snapshot_begin(&options.request, &notes, &err);
	if (leaving.in_background)
		finish_in_background(snapshot, &notes, &err);
	if (snapshot && options.no_wait && !leaving.failed)
		say(false, false,
		    "--no-wait: the buffers are not frozen, so they must be written now; waiting");
	if (snapshot)
		status = finish(snapshot, &options, &notes, &err);
	json_decref(cause);
	return command_end(&err, status);
}
