// SPDX-License-Identifier: LGPL-2.1-only
/* Records a command from before its start until after its end. */
#include "lttng-session/run/record-run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lttng-session/system/launch.h"
#include "lttng-session/system/process.h"
#include "reader/coverage/certificate.h"
#include "util/json-file.h"

/* A command that ignores SIGTERM is killed after this time. */
#define KILL_NS INT64_C(5000000000)

static int64_t monotonic_now(void)
{
	struct snapshot_times now;

	snapshot_now(&now);
	return now.monotonic_ns;
}

/* Waits for a signal or until @until_ns (0: no limit). Returns the signal, or 0. */
static int wait_signal(const sigset_t *signals, int64_t until_ns, siginfo_t *info)
{
	int64_t left_ns = until_ns - monotonic_now();
	struct timespec wait;
	int number;

	if (left_ns < 0)
		left_ns = 0;
	wait = (struct timespec){ .tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000 };
	number = until_ns ? sigtimedwait(signals, info, &wait) : sigwaitinfo(signals, info);
	return number > 0 ? number : 0;
}

/* Waits until the command has ended. Forwards signals to it, and enforces the time limit. */
static void await_end(struct launch *launch, const sigset_t *signals, int64_t timeout_ns,
		      struct record_run_result *result)
{
	const int64_t started_ns = monotonic_now();
	int64_t until_ns = timeout_ns ? started_ns + timeout_ns : 0;

	while (!launch_reap(launch, &result->status)) {
		siginfo_t info;
		int number = wait_signal(signals, until_ns, &info);

		if (number && number != SIGCHLD) {
			result->interrupted = number;
			/* The terminal has sent its signals to the command, too. */
			if (info.si_code != SI_KERNEL)
				kill(launch->pid, number);
		} else if (!number && until_ns && monotonic_now() >= until_ns) {
			kill(launch->pid, result->timed_out ? SIGKILL : SIGTERM);
			result->timed_out = true;
			until_ns = monotonic_now() + KILL_NS;
		}
	}
	result->elapsed_ns = monotonic_now() - started_ns;
}

/*
 * May the ring buffer have overwritten events since the start? It was empty then, so it has not
 * wrapped as long as its events are in one packet: the first event, which begins the packet, may be
 * long after the start. A buffer that has wrapped has a full packet at least, and the current one.
 */
static bool may_have_wrapped(const json_t *stream, int64_t start_ns)
{
	const json_t *packets = json_object_get(stream, "packets"),
		     *start = json_object_get(stream, "start_ns");

	if (json_is_integer(packets) && json_integer_value(packets) == 1)
		return false;
	return !json_is_integer(start) || json_integer_value(start) > start_ns;
}

/*
 * Does the snapshot contain all events since @since_ns (CLOCK_MONOTONIC)? Otherwise, sets
 * result->inconclusive.
 */
static void check_start(struct record_run_result *result, int64_t since_ns, int64_t requested_ns)
{
	char path[sizeof(result->path) + 32], why[256];
	const json_t *requested, *streams, *stream;
	json_t *json;
	size_t i;

	snprintf(path, sizeof(path), "%s/" MM_SNAPSHOT_FILE, result->path);
	if (mm_json_load(path, &json, why, sizeof(why)) || !json) {
		snprintf(result->inconclusive, sizeof(result->inconclusive),
			 "the snapshot has no certificate that can be read");
		return;
	}
	requested = json_object_get(json, "requested_trace_ns");
	streams = json_object_get(json_object_get(json, "certificate"), "streams");
	if (!json_is_integer(requested) || !json_array_size(streams))
		snprintf(result->inconclusive, sizeof(result->inconclusive),
			 "the certificate does not state since when the trace is complete");
	json_array_foreach(streams, i, stream)
		/* The trace's clock is not the monotonic one; both have the request's time. */
		if (!*result->inconclusive &&
		    may_have_wrapped(stream,
				     json_integer_value(requested) - (requested_ns - since_ns)))
			snprintf(
				result->inconclusive, sizeof(result->inconclusive),
				"the ring buffers wrapped while the command ran; record with larger ones (--num-subbuf, --subbuf-size)");
	json_decref(json);
}

static int take_snapshot(const struct record_run *run, struct record_run_result *result,
			 int64_t since_ns, struct snapshot_notes *notes, struct mm_error *err)
{
	struct snapshot_request request = { .output = run->output, .name = "trace" };
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
	else
		check_start(result, since_ns, request.requested.monotonic_ns);
	return 0;
}

/* Sets @err if the command failed. Returns 0 or -1. */
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

/* Runs the command, and takes the snapshot if it succeeds. The recorder is active. */
static int execute(const struct record_run *run, struct launch *launch, const sigset_t *signals,
		   struct record_run_result *result, struct snapshot_notes *notes,
		   struct mm_error *err)
{
	const int64_t since_ns = monotonic_now();

	if (launch_go(launch)) {
		result->status = errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "run: %s: %s", run->command[0],
				    strerror(errno));
	}
	result->executed = true;
	await_end(launch, signals, run->timeout_ns, result);
	return check_status(run, result, err) ? -1
					      : take_snapshot(run, result, since_ns, notes, err);
}

int record_run(const struct record_run *run, struct record_run_result *result,
	       struct snapshot_notes *notes, struct mm_error *err)
{
	struct launch launch = { .pid = 0 };
	struct mm_error ignored = MM_ERROR_INIT;
	struct recorder_started started;
	struct recorder_stopped stopped;
	sigset_t before, signals;
	int ret;

	memset(result, 0, sizeof(*result));
	process_block_signals(&before);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
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
	ret = execute(run, &launch, &signals, result, notes, err);
	recorder_stop(RECORD_RUN_NAME, &stopped, ret ? &ignored : err);
end:
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err->code ? -1 : ret;
}
