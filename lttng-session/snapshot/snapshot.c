// SPDX-License-Identifier: LGPL-2.1-only
/* Takes a snapshot: freezes the buffers, or makes the session daemon write them. */
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/sessions.h"
#include "util/clock.h"

#include <errno.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/process.h"
#include "lttng-session/system/urgent.h"
#include "lttng-session/snapshot/describe.h"
#include "lttng-session/snapshot/space.h"
#include "lttng-session/snapshot/states-lock.h"
#include "lttng-session/snapshot/work.h"

/*
 * Maximum number of bytes that the session daemon appends to the given path and the snapshot's
 * name: a time, a number, and `/kernel/index/lttng-mm-state_NNNN.idx`. The result must fit in
 * PATH_MAX.
 */
#define DAEMON_MAX 128

#define NS_PER_S INT64_C(1000000000)

static int find_sessions(struct snapshot *snapshot, struct mm_error *err)
{
	const struct snapshot_request *request = &snapshot->request;
	struct recorder_session *list = NULL;
	char name[RECORDER_NAME_MAX];
	int count, ret = 0;

	if (request->in_plan && recorder_find("snapshot", request->by_session, request->by_profile,
					      name, sizeof(name), err))
		return -1;
	count = recorder_sessions(request->session, &list, err);
	for (int i = 0; i < count && !ret; i++)
		ret = snapshot_add_session(snapshot, &list[i], err);
	free(list);
	if (count >= 0 && !ret && !snapshot->rings.count)
		ret = mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: recorder %s: all LTTng sessions of this recorder are gone; `lttng-mm status` lists the recorders",
			snapshot->request.session);
	return count < 0 ? -1 : ret;
}

/*
 * Finds the signals that would end this process. Ignored signals do not: nohup(1) makes a process
 * ignore SIGHUP.
 */
static void find_deadly(sigset_t *deadly)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	sigemptyset(deadly);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction action;

		if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(deadly, signals[i]);
	}
}

/*
 * Waits until the given time. Returns -1 with @err set if a signal arrives first that would end the
 * process.
 */
static int wait_until(int64_t monotonic_ns, struct mm_error *err)
{
	int64_t left;
	sigset_t deadly;

	find_deadly(&deadly);
	while ((left = monotonic_ns - mm_clock_ns(CLOCK_MONOTONIC)) > 0) {
		const struct timespec time = { .tv_sec = left / NS_PER_S,
					       .tv_nsec = left % NS_PER_S };
		int number = sigtimedwait(&deadly, NULL, &time);

		if (number <= 0)
			continue;
		/*
		 * Send the signal to this process again. It ends the process when signals are
		 * unblocked.
		 */
		kill(getpid(), number);
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: interrupted while waiting; nothing has been written");
	}
	return 0;
}

/* Opens the output folder. Checks that its path leaves room for the session daemon's file names. */
static int open_output(struct snapshot *snapshot, struct mm_error *err)
{
	size_t room = sizeof(STAGING_NAME) + sizeof("/" SNAPSHOT_STATE_FOLDER "/") +
		      strlen(snapshot->request.name) + DAEMON_MAX;

	/*
	 * Only the recorder daemon sets request.held. It writes these buffers to the recorder's
	 * folder.
	 */
	snapshot->output = (snapshot->request.held ? output_open_recorder : output_open)(
		snapshot->request.output, snapshot->path, sizeof(snapshot->path), err);
	if (snapshot->output < 0)
		return -1;
	/*
	 * Parts that are appended to the path start with a slash, so the root directory has an
	 * empty path.
	 */
	snapshot->path_length = strcmp(snapshot->path, "/") ? strlen(snapshot->path) : 0;
	if (snapshot->path_length + room <= sizeof(snapshot->path))
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: a path of %zu bytes leaves the session daemon no room for file names; choose an --output of at most %zu bytes",
		snapshot->path, snapshot->path_length, sizeof(snapshot->path) - room);
}

/* Removes staging folders of killed processes, and creates a new one. */
static int open_staging(struct snapshot *snapshot, struct snapshot_notes *notes,
			struct mm_error *err)
{
	unsigned int swept = staging_sweep(snapshot->output);

	if (swept)
		snapshot_note(
			notes, false,
			"snapshot: %s: removed %u unfinished snapshots of processes that were killed",
			snapshot->path, swept);
	if (staging_make(&snapshot->staging, snapshot->output))
		return space_fail_folder(snapshot->path, strerror(errno), err);
	snapshot->staged = true;
	snapshot->modules = sysinfo_modules_read();
	return snapshot->modules
		       ? 0
		       : mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
}

/* Resets the snapshot to its state before the search for sessions. */
static void start_again(struct snapshot *snapshot)
{
	freeze_close(snapshot->ring);
	snapshot->ring = NULL;
	snapshot->rings.count = snapshot->states.count = 0;
}

/*
 * Freezes the sessions of the plan without asking the session daemon. Returns 0 on success, 1 if
 * the data in the plan is not sufficient, or -1 with @err set.
 */
static int freeze_planned(struct snapshot *snapshot, int64_t until, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	if (snapshot->request.method == SNAPSHOT_LTTNG)
		return 1;
	if (!snapshot_find_planned(snapshot) && !snapshot_open_rings(snapshot, &why)) {
		if (wait_until(until, err))
			return -1;
		if (!snapshot_freeze_rings(snapshot, &why))
			return 0;
	}
	start_again(snapshot);
	return 1;
}

/*
 * Freezes the sessions that the session daemon has listed. Returns 0 on success, 1 if only the
 * session daemon can write the buffers, or -1 with @err set.
 */
static int freeze(struct snapshot *snapshot, int64_t until, struct snapshot_notes *notes,
		  struct mm_error *err)
{
	const char *session = snapshot->request.session;
	struct mm_error why = MM_ERROR_INIT;

	bool opened =
		snapshot->request.method != SNAPSHOT_LTTNG && !snapshot_open_rings(snapshot, &why);

	if (wait_until(until, err))
		return -1;
	if (snapshot->request.method == SNAPSHOT_LTTNG)
		return 1;
	if (!opened || snapshot_freeze_rings(snapshot, &why)) {
		if (snapshot->request.method == SNAPSHOT_FREEZE)
			return mm_error_set(
				err, MM_EXIT_ENVIRONMENT,
				"snapshot: --method=freeze: %s: %s; omit the option to have the session daemon copy the buffers",
				session, why.message);
		snapshot_note(
			notes, false,
			"snapshot: %s: the buffers cannot be frozen: %s; the session daemon writes them instead, one CPU after another: the time ranges of the CPUs differ, and each buffer loses one sub-buffer of history",
			session, why.message);
		return 1;
	}
	return 0;
}

/* Asks for the filters and buffer sizes of all sessions now, while the sessions exist. */
static int describe(struct snapshot *snapshot, struct mm_error *err)
{
	uint64_t ignored = 0;

	snapshot->filters = json_array();
	snapshot->less = json_array();
	if (!snapshot->filters || !snapshot->less)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	for (size_t i = 0; i < snapshot->rings.count; i++)
		snapshot_describe_session(snapshot->rings.all[i].name, snapshot->filters,
					  snapshot->less, &snapshot->ring_bytes);
	snapshot->partial = json_array_size(snapshot->filters) > 0;
	for (size_t i = 0; i < snapshot->states.count; i++)
		snapshot_describe_session(snapshot->states.all[i].name, snapshot->filters,
					  snapshot->less, &ignored);
	return 0;
}

void snapshot_remark(struct snapshot *snapshot, struct snapshot_notes *notes,
		     const struct mm_error *warning, const char *remark)
{
	snapshot_note(notes, true, "%s; %s", warning->message, remark);
	if (!snapshot->notes)
		snapshot->notes = json_array();
	json_array_append_new(snapshot->notes, json_string(remark));
}

/* Freezes the state sessions. If that fails, the snapshot lacks the trace of the state dumps. */
static void take_states(struct snapshot *snapshot, struct snapshot_notes *notes)
{
	struct mm_error why = MM_ERROR_INIT;
	int ret = snapshot_freeze_states(snapshot, &why);

	/*
	 * If the state sessions cannot be frozen, the session daemon can write their buffers,
	 * provided that it responds.
	 */
	if (ret > 0 && !snapshot->alone)
		ret = snapshot_record_states(snapshot, &why);
	if (!ret)
		return;
	freeze_close(snapshot->state);
	snapshot->state = NULL;
	snapshot->states.count = 0;
	snapshot_remark(
		snapshot, notes, &why,
		"The trace of state dumps is missing: threads and caches may have no names.");
}

/* Gives the snapshot the name that the session daemon would give it. */
static void name_snapshot(struct snapshot *snapshot)
{
	const struct snapshot_request *request = &snapshot->request;
	struct snapshot_times frozen;
	char date[32];
	struct tm local;
	time_t seconds;

	snapshot_frozen_times(snapshot, &frozen);
	seconds = (time_t)(frozen.realtime_ns / NS_PER_S);
	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	/*
	 * The suffix of the staging folder makes the name unique, because the staging folder exists
	 * until the snapshot appears.
	 */
	snprintf(snapshot->name, sizeof(snapshot->name), "%s-%s-0%s%s", request->name, date,
		 request->promise ? "-" : "",
		 request->promise ? staging_suffix(&snapshot->staging) : "");
	if (request->promise)
		snprintf(snapshot->promised, sizeof(snapshot->promised), "%.*s/%s",
			 (int)snapshot->path_length, snapshot->path, snapshot->name);
}

/*
 * Dumps the state after the freeze, then freezes the state sessions. If the session daemon fails,
 * the snapshot continues without a new state dump.
 */
static int take_frozen(struct snapshot *snapshot, struct snapshot_notes *notes,
		       struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	int lock;

	if (!snapshot_has_records(snapshot))
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: no events have been recorded yet; try again later",
			snapshot->request.session);
	if (open_staging(snapshot, notes, err))
		return -1;
	name_snapshot(snapshot);
	lock = states_lock();
	if (snapshot->promised[0] && snapshot->request.promised)
		snapshot->request.promised(snapshot->request.user, snapshot->promised, notes);
	if (snapshot_dump_again(snapshot, notes, &why))
		snapshot_remark(
			snapshot, notes, &why,
			"The state could not be dumped: threads and caches that are newer than the last dump may have no names.");
	take_states(snapshot, notes);
	if (lock >= 0)
		close(lock);
	return 0;
}

static int take_recorded(struct snapshot *snapshot, struct snapshot_notes *notes,
			 struct mm_error *err)
{
	if (snapshot->request.last_ns >= 0)
		snapshot_note(
			notes, false,
			"snapshot: --last has no effect: the session daemon writes everything in the buffers");
	if (open_staging(snapshot, notes, err))
		return -1;
	if (snapshot_record_rings(snapshot, err) || snapshot_dump_state(snapshot, err) ||
	    snapshot_record_states(snapshot, err))
		return snapshot_has_room(snapshot)
			       ? -1
			       : snapshot_fail_full(snapshot, SNAPSHOT_DAEMON_FULL, err);
	return 0;
}

/* Freezes request.held. Does not dump the state, because the session daemon may have exited. */
static int take_held(struct snapshot *snapshot, struct snapshot_notes *notes, struct mm_error *err)
{
	const struct snapshot_held *held = snapshot->request.held;
	int ret = 0;

	for (size_t i = 0; i < held->count && !ret; i++)
		ret = snapshot_add_session(snapshot, &held->sessions[i], err);
	if (ret || freeze_prepare(snapshot->ring, err) || freeze_take(snapshot->ring, err))
		return -1;
	if (snapshot->state &&
	    (freeze_prepare(snapshot->state, err) || freeze_take(snapshot->state, err) ||
	     freeze_follow_clock(snapshot->state, snapshot->ring, err)))
		return -1;
	freeze_let_go(snapshot->ring);
	if (snapshot->state)
		freeze_let_go(snapshot->state);
	snapshot->ring_bytes = freeze_bytes(snapshot->ring) +
			       (snapshot->state ? freeze_bytes(snapshot->state) : 0);
	if (!snapshot_has_records(snapshot))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: no events have been recorded",
				    snapshot->request.session);
	return open_staging(snapshot, notes, err);
}

/*
 * Freezes as early as possible, because new events overwrite old ones until the freeze. Returns the
 * same values as freeze().
 */
static int freeze_soon(struct snapshot *snapshot, int64_t until, struct snapshot_notes *notes,
		       struct mm_error *err)
{
	struct urgent urgent;
	int ret;

	urgent_begin(&urgent);
	ret = freeze_planned(snapshot, until, err);
	/* Use urgent_end_all(), because the caller may have called urgent_begin(), too. */
	urgent_end_all();
	if (!ret)
		ret = snapshot_confirm(snapshot, notes, err);
	if (ret <= 0)
		return ret;
	start_again(snapshot);
	urgent_begin(&urgent);
	ret = find_sessions(snapshot, err) ? -1 : freeze(snapshot, until, notes, err);
	urgent_end_all();
	return ret < 0 || describe(snapshot, err) ? -1 : ret;
}

static int begin(struct snapshot *snapshot, struct snapshot_notes *notes, struct mm_error *err)
{
	const struct snapshot_request *request = &snapshot->request;
	int64_t wait_ns = request->after_ns > 0 ? request->after_ns : 0;
	int64_t until = request->requested.monotonic_ns + wait_ns;
	int ret;

	if (request->held) {
		snapshot->ring = request->held->ring;
		snapshot->state = request->held->state;
		if (open_output(snapshot, err) || take_held(snapshot, notes, err))
			return -1;
		name_snapshot(snapshot);
		return 0;
	}
	/* Wait before freeze_soon() allocates the memory for the copy. */
	if (access_check(request->access, err) || open_output(snapshot, err) ||
	    wait_until(until - SNAPSHOT_PREPARATION_NS, err))
		return -1;
	ret = freeze_soon(snapshot, until, notes, err);
	if (ret < 0)
		return -1;
	if (ret)
		return take_recorded(snapshot, notes, err);
	return take_frozen(snapshot, notes, err);
}

struct snapshot *snapshot_begin(const struct snapshot_request *request,
				struct snapshot_notes *notes, struct mm_error *err)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
		return NULL;
	}
	snapshot->request = *request;
	snapshot->output = -1;
	/*
	 * Block signals, so that Ctrl-C takes effect only when the folder is complete or removed.
	 */
	process_block_signals(&snapshot->before);
	if (!begin(snapshot, notes, err))
		return snapshot;
	snapshot_explain_full(snapshot, err);
	snapshot_end(snapshot);
	return NULL;
}

int snapshot_output(const struct snapshot *snapshot)
{
	return snapshot->output;
}

const char *snapshot_promised(const struct snapshot *snapshot)
{
	return snapshot->promised[0] ? snapshot->promised : NULL;
}

static void release(struct snapshot *snapshot)
{
	sigset_t before = snapshot->before;

	sysinfo_modules_destroy(snapshot->modules);
	freeze_close(snapshot->ring);
	freeze_close(snapshot->state);
	json_decref(snapshot->filters);
	json_decref(snapshot->less);
	json_decref(snapshot->notes);
	if (snapshot->output >= 0)
		close(snapshot->output);
	free(snapshot);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void snapshot_end(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	if (snapshot->staged)
		staging_remove(&snapshot->staging);
	release(snapshot);
}
