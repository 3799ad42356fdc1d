// SPDX-License-Identifier: LGPL-2.1-only
/* Holds the buffers of a recorder, and writes rescue snapshots. */
#include "lttng-session/daemon/supervisor/held-buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/folder-quota.h"
#include "lttng-session/daemon/supervisor/rescues.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/snapshot/turn.h"
#include "lttng-session/system/message.h"

/* Maximum time that a rescue may take to copy the buffers to memory. */
#define FROZEN_MS 10000
#define RESCUE_NICE 10
/* Percentage of the filesystem that a rescue leaves free. */
#define RESERVE_PERCENT 5
/* Maximum size of a snapshot's system information; most of it is symbols. */
#define SYSINFO_BYTES (UINT64_C(16) << 20)

void held_buffers_release(struct held_buffers *held)
{
	freeze_close(held->ring);
	freeze_close(held->state);
	memset(held, 0, sizeof(*held));
}

/* Adds the recorder's sessions for events or, with @state, its sessions for state dumps. */
static void add_sessions(struct held_buffers *held, const struct plan *plan, bool state)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_session *planned = &plan->sessions[i];
		struct recorder_session *session = &held->sessions[held->count];

		if (strcmp(planned->recorder, held->recorder) != 0 || planned->state != state ||
		    held->count == HELD_SESSIONS_MAX)
			continue;
		snprintf(session->name, sizeof(session->name), "%s", planned->name);
		snprintf(session->profile, sizeof(session->profile), "%s", planned->profile);
		snprintf(session->channels, sizeof(session->channels), "%s", planned->channels);
		session->state = state;
		held->since[held->count++] = planned->since;
	}
}

static void list_sessions(struct held_buffers *held, const struct plan *plan, const char *recorder)
{
	struct retention_limits limits;

	memset(held, 0, sizeof(*held));
	snprintf(held->recorder, sizeof(held->recorder), "%s", recorder);
	add_sessions(held, plan, false);
	held->rings = held->count;
	plan_get_limits(plan, recorder, &limits);
	snprintf(held->output, sizeof(held->output), "%s",
		 *limits.output ? limits.output : RETENTION_OUTPUT);
	add_sessions(held, plan, true);
}

static bool are_same(const struct held_buffers *a, const struct held_buffers *b)
{
	bool same = a->count == b->count && a->rings == b->rings;

	for (size_t i = 0; i < a->count && same; i++)
		same = a->since[i] == b->since[i] &&
		       !strcmp(a->sessions[i].name, b->sessions[i].name);
	return same;
}

static struct freeze *hold(const struct held_buffers *held, size_t first, size_t end,
			   struct mm_error *err)
{
	struct freeze_session_name names[HELD_SESSIONS_MAX];

	for (size_t i = first; i < end; i++)
		names[i - first] = (struct freeze_session_name){ held->sessions[i].name,
								 held->sessions[i].channels };
	return freeze_hold(names, end - first, err);
}

int held_buffers_hold(struct held_buffers *held, const struct plan *plan, const char *recorder,
		      struct mm_error *err)
{
	struct held_buffers new;

	list_sessions(&new, plan, recorder);
	if (held->ring && are_same(held, &new)) {
		memcpy(held->output, new.output, sizeof(held->output));
		return 0;
	}
	held_buffers_release(held);
	if (new.rings)
		new.ring = hold(&new, 0, new.rings, err);
	if (new.ring &&new.count > new.rings)
		new.state = hold(&new, new.rings, new.count, err);
	if (!new.ring || (new.count > new.rings && !new.state)) {
		held_buffers_release(&new);
		return -1;
	}
	*held = new;
	return 0;
}

int held_buffers_look(struct held_buffers *held)
{
	if (!held->ring)
		return 0;
	return freeze_look(held->ring, held->progress) ||
			       (held->state &&
				freeze_look(held->state, held->progress + held->rings))
		       ? -1
		       : 0;
}

const struct freeze_progress *held_buffers_progress(const struct held_buffers *held,
						    const char *session)
{
	for (size_t i = 0; held->ring && i < held->count; i++)
		if (!strcmp(held->sessions[i].name, session))
			return &held->progress[i];
	return NULL;
}

void held_buffers_send_rescue(int report, const char *what, int64_t at_ns, const char *key,
			      const char *text)
{
	json_t *message = json_pack("{s:{s:s,s:s,s:I}}", "rescue", key, text, "what", what, "at_ns",
				    (json_int_t)at_ns);

	message_send(report, message, -1);
	json_decref(message);
}

/*
 * Checks that the rescue leaves RESERVE_PERCENT of the filesystem free. A rescue happens without a
 * request, so this check applies even if the recorder has no limit.
 */
static int check_reserve(int output, const char *path, uint64_t bytes, struct mm_error *err)
{
	struct statvfs space;
	uint64_t free_bytes, reserve;

	if (fstatvfs(output, &space))
		return 0;
	free_bytes = (uint64_t)space.f_frsize * space.f_bavail;
	reserve = (uint64_t)space.f_frsize * space.f_blocks / 100 * RESERVE_PERCENT;
	if (free_bytes >= reserve + bytes)
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: %" PRIu64
		" bytes are free, but a rescue snapshot needs up to %" PRIu64
		" bytes and must leave %d%% of the filesystem free; remove files, or let `lttng-mm record --min-free` remove old snapshots",
		path, free_bytes, bytes, RESERVE_PERCENT);
}

/* Writes the snapshot within the limits of the recorder's folder. */
static int finish(const struct held_buffers *held, struct snapshot *snapshot, const json_t *cause,
		  struct snapshot_result *result, struct snapshot_notes *notes,
		  struct mm_error *err)
{
	const int output = snapshot_output(snapshot);
	const uint64_t bytes = snapshot_bytes(snapshot) + SYSINFO_BYTES;
	struct folder_quota quota;

	/* Rescues write one after another: this lock is held until the process exits. */
	rescues_take_turn();
	folder_quota_init(&quota, held->recorder, output, held->output, cause);
	if (quota.active && quota.limits.min_free_percent) {
		if (folder_quota_make_room(&quota, bytes, err))
			return -1;
	} else if (check_reserve(output, held->output, bytes, err)) {
		return -1;
	}
	if (snapshot_finish(snapshot, result, notes, err))
		return -1;
	folder_quota_enforce(&quota, strrchr(result->path, '/') + 1);
	return 0;
}

/*
 * Runs in the child process. When the buffers are copied to memory, writes the time of the freeze
 * to the pipe @frozen and closes it.
 */
static void rescue(struct held_buffers *held, const char *what, int report, int frozen)
{
	const struct snapshot_held source = { .ring = held->ring,
					      .state = held->state,
					      .sessions = held->sessions,
					      .count = held->count };
	json_t *cause = json_pack("{s:s,s:s}", "kind", "rescue", "what", what);
	struct snapshot_request request = { .session = held->recorder,
					    .output = held->output,
					    .name = "rescue",
					    .reason = what,
					    .last_ns = SNAPSHOT_NOT_GIVEN,
					    .after_ns = SNAPSHOT_NOT_GIVEN,
					    .cause = cause,
					    .held = &source };
	struct snapshot_notes notes = { .count = 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct snapshot_result result;
	struct freeze_times times;
	struct snapshot *snapshot;
	int turn;

	/*
	 * Do not wait until the recorder's budget has room for another copy (turn.h): the buffers
	 * could be lost during the wait.
	 */
	turn_take(held->recorder, 0, &turn);
	snapshot_now(&request.requested);
	times.realtime_ns = request.requested.realtime_ns;
	snapshot = snapshot_begin(&request, &notes, &err);
	if (snapshot) {
		freeze_times(source.ring, &times);
		if (write(frozen, &times.realtime_ns, sizeof(times.realtime_ns)) < 0)
			times.realtime_ns = request.requested.realtime_ns;
	}
	close(frozen);
	/*
	 * The supervisor now restarts recording. From here on, this process must not slow it down.
	 */
	setpriority(PRIO_PROCESS, 0, RESCUE_NICE);
	if (snapshot && !finish(held, snapshot, cause, &result, &notes, &err))
		held_buffers_send_rescue(report, what, times.realtime_ns, "path", result.path);
	else
		held_buffers_send_rescue(report, what, times.realtime_ns, "error", err.message);
	snapshot_end(snapshot);
	json_decref(cause);
}

int64_t held_buffers_rescue(struct held_buffers *held, const char *what, int report)
{
	struct pollfd frozen = { .events = POLLIN };
	int64_t frozen_ns = HELD_NOT_FROZEN;
	struct snapshot_times now;
	int fds[2], under_way;
	pid_t pid;

	if (!held->ring || pipe2(fds, O_CLOEXEC))
		return HELD_NOT_FROZEN;
	under_way = rescues_begin();
	pid = fork();
	if (!pid) {
		/* Complete the rescue even if the supervisor is killed. */
		prctl(PR_SET_PDEATHSIG, 0);
		prctl(PR_SET_NAME, "lttng-mm-rescue");
		close(fds[0]);
		rescue(held, what, report, fds[1]);
		_exit(0);
	}
	close(fds[1]);
	if (under_way >= 0)
		close(under_way);
	frozen.fd = fds[0];
	snapshot_now(&now);
	if (pid < 0)
		held_buffers_send_rescue(report, what, now.realtime_ns, "error",
					 "no process can be started");
	else if (poll(&frozen, 1, FROZEN_MS) > 0 &&
		 read(fds[0], &frozen_ns, sizeof(frozen_ns)) != sizeof(frozen_ns))
		frozen_ns = HELD_NOT_FROZEN;
	close(fds[0]);
	held_buffers_release(held);
	return frozen_ns;
}
