// SPDX-License-Identifier: LGPL-2.1-only
/* Records a command from before its start until after its end. */
#include "lttng-session/run/record-run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "instrumentation/wire/pageref.h"
#include "lttng-session/pageref/control.h"
#include "lttng-session/system/launch.h"
#include "lttng-session/system/process.h"
#include "reader/coverage/certificate.h"
#include "util/json-file.h"

/*
 * May the ring buffer have overwritten events since the start, when it was empty? When the snapshot
 * is requested, a buffer that has wrapped has two packets at least: a full one, and the current
 * one. A single packet shows that nothing was overwritten, even if its first event is long after
 * the start. A very small buffer may wrap again before it is copied, and then have one packet that
 * starts after the request.
 */
static bool may_have_wrapped(const json_t *stream, int64_t start_ns, int64_t requested_ns)
{
	const json_t *packets = json_object_get(stream, "packets"),
		     *start = json_object_get(stream, "start_ns");
	const bool single = json_is_integer(packets) && json_integer_value(packets) == 1;

	if (!json_is_integer(start))
		return !single;
	return json_integer_value(start) > (single ? requested_ns : start_ns);
}

/*
 * Checks that the snapshot contains all events since @since_ns (CLOCK_MONOTONIC). If it does not,
 * sets result->inconclusive to the reason. If a ring buffer has wrapped, this reason replaces the
 * reason that the certificate states.
 */
static void check_start(struct record_run_result *result, int64_t since_ns, int64_t requested_ns)
{
	char path[sizeof(result->path) + 32], why[256];
	const json_t *requested, *streams, *stream;
	const char *fault = NULL;
	json_t *json = NULL;
	bool wrapped = false;
	size_t i;

	snprintf(path, sizeof(path), "%s/" MM_SNAPSHOT_FILE, result->path);
	if (mm_json_load(path, &json, why, sizeof(why)) || !json)
		fault = "the snapshot has no certificate that can be read";
	requested = json_object_get(json, "requested_trace_ns");
	streams = json_object_get(json_object_get(json, "certificate"), "streams");
	if (!fault && (!json_is_integer(requested) || !json_array_size(streams)))
		fault = "the certificate does not state since when the trace is complete";
	/*
	 * Convert @since_ns to the trace's clock. The time of the request is known on both clocks.
	 */
	json_array_foreach(streams, i, stream) wrapped |=
		!fault &&
		may_have_wrapped(stream, json_integer_value(requested) - (requested_ns - since_ns),
				 json_integer_value(requested));
	if (wrapped)
		snprintf(
			result->inconclusive, sizeof(result->inconclusive),
			"the ring buffers wrapped, so events from the start of the command were overwritten; record with larger buffers (--num-subbuf, --subbuf-size)");
	else if (fault && !*result->inconclusive)
		snprintf(result->inconclusive, sizeof(result->inconclusive), "%s", fault);
	json_decref(json);
}

static int take_snapshot(const struct record_run *run, struct record_run_result *result,
			 int64_t since_ns, struct snapshot_notes *notes, struct mm_error *err)
{
	struct snapshot_request request = { .output = run->output,
					    .name = "trace",
					    .last_ns = SNAPSHOT_NOT_GIVEN,
					    .after_ns = SNAPSHOT_NOT_GIVEN };
	struct snapshot_result written;
	char session[RECORDER_NAME_MAX];
	struct snapshot *snapshot;
	int ret;

	snapshot_now(&request.requested);
	if (snapshot_select(&request, RECORD_RUN_NAME, NULL, session, sizeof(session), err))
		return -1;
	snapshot = snapshot_begin(&request, notes, err);
	ret = snapshot ? snapshot_finish(snapshot, &written, notes, err) : -1;
	snapshot_end(snapshot);
	if (ret)
		return -1;
	snprintf(result->path, sizeof(result->path), "%s", written.path);
	if (!written.complete)
		snprintf(result->inconclusive, sizeof(result->inconclusive), "%s",
			 written.why.message);
	check_start(result, since_ns, request.requested.monotonic_ns);
	return 0;
}

/* Returns 0, or -1 with @err set if the command failed. */
static int check_status(const struct record_run *run, const struct record_run_result *result,
			struct mm_error *err)
{
	const char *program = run->command[0];

	if (result->timed_out)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"run: %s: did not end within %" PRId64
			" s, and was killed; there is no result (--timeout allows more time)",
			program, run->timeout_ns / 1000000000);
	if (result->interrupted)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "run: %s: interrupted by %s; there is no result", program,
				    strsignal(result->interrupted));
	if (result->status > 128)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "run: %s: killed by %s; there is no result", program,
				    strsignal(result->status - 128));
	if (result->status)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "run: %s: failed with status %d; there is no result", program,
				    result->status);
	return 0;
}

/*
 * Marks the pages of the waiting process, and of its descendants. Returns the control file, or -1
 * with @err set. The pages stay marked until the caller closes the control file.
 */
static int mark_pages(const struct launch *launch, struct mm_error *err)
{
	const struct pageref_targets targets = {
		.interval_ms = LTTNG_MM_PAGEREF_INTERVAL_MS,
		/* Mark all pages: a sample would differ from run to run. */
		.max_overhead = 0,
	};
	const int control = pageref_control_open(err);

	if (control < 0 || !pageref_control_set(control, &targets, launch->pid, err))
		return control;
	close(control);
	return -1;
}

/* Runs the command while the recorder is active. Returns 0, or -1 with @err set. */
static int execute(const struct record_run *run, struct launch *launch,
		   struct record_run_result *result, struct mm_error *err)
{
	const struct launch_wait wait = { .timeout_ns = run->timeout_ns };
	const int control = run->has_pageref ? mark_pages(launch, err) : -1;
	struct launch_end end;

	if (run->has_pageref && control < 0) {
		launch_cancel(launch);
		return -1;
	}
	if (launch_go(launch)) {
		result->status = errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "run: %s: %s", run->command[0],
			     strerror(errno));
	} else {
		result->executed = true;
		launch_await(launch, &wait, &end);
		result->status = end.status;
		result->timed_out = end.timed_out;
		result->interrupted = end.interrupted;
		result->elapsed_ns = end.elapsed_ns;
		check_status(run, result, err);
	}
	if (control >= 0)
		close(control);
	return err->code ? -1 : 0;
}

/* Runs the command, and takes the snapshot if the command succeeds. */
static int record(const struct record_run *run, struct launch *launch,
		  struct record_run_result *result, struct snapshot_notes *notes,
		  struct mm_error *err)
{
	struct snapshot_times since;

	snapshot_now(&since);
	return execute(run, launch, result, err)
		       ? -1
		       : take_snapshot(run, result, since.monotonic_ns, notes, err);
}

int record_run(const struct record_run *run, struct record_run_result *result,
	       struct snapshot_notes *notes, struct mm_error *err)
{
	struct launch launch = { .pid = 0 };
	struct mm_error ignored = MM_ERROR_INIT;
	struct recorder_started started;
	struct recorder_stopped stopped;
	sigset_t before, child;
	int ret;

	memset(result, 0, sizeof(*result));
	if (run->has_pageref && pageref_control_check_plan(err))
		return -1;
	process_block_signals(&before);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	if (launch_prepare(&launch, run->command, &before)) {
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "run: no process can be started: %s",
				   strerror(errno));
		goto end;
	}
	result->pid = launch.pid;
	ret = recorder_start(run->recorder, &started, err);
	if (ret) {
		launch_cancel(&launch);
		goto end;
	}
	ret = record(run, &launch, result, notes, err);
	recorder_stop(RECORD_RUN_NAME, &stopped, ret ? &ignored : err);
end:
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err->code ? -1 : ret;
}
