// SPDX-License-Identifier: LGPL-2.1-only
/* Freezes the buffers of sessions, and writes their contents. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/sessions.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/snapshot/limits.h"
#include "lttng-session/snapshot/work.h"

static struct freeze *open_sessions(const struct snapshot_sessions *sessions, struct mm_error *err)
{
	struct freeze_session_name names[SNAPSHOT_SESSIONS_MAX];

	for (size_t i = 0; i < sessions->count; i++)
		names[i] = (struct freeze_session_name){ sessions->all[i].name,
							 sessions->all[i].channels };
	return freeze_open(names, sessions->count, err);
}

/* Sets the exit code in @why, which so far has only the reason for the failure. Returns -1. */
static int explain(struct mm_error *why)
{
	char reason[sizeof(why->message)];

	snprintf(reason, sizeof(reason), "%s", why->message);
	mm_error_clear(why);
	return mm_error_set(why, MM_EXIT_ENVIRONMENT, "%s", reason);
}

static void start_dump(void *user)
{
	snapshot_start_dump(user);
}

/*
 * Waits for the state dump. freeze_take() calls this before it asks the session daemon for channel
 * names, because only one thread at a time may ask the session daemon.
 */
static void await_dump(void *user)
{
	snapshot_await_dump(user);
}

int snapshot_open_rings(struct snapshot *snapshot, struct mm_error *why)
{
	snapshot->ring = open_sessions(&snapshot->rings, why);
	if (!snapshot->ring)
		return why->code ? -1 : explain(why);
	return 0;
}

/*
 * Freezes the rings (work.h). At the freeze, starts a state dump in a thread, which runs while the
 * buffers are copied. This dump has the names of threads that exit soon after the freeze. A second
 * dump follows after the copy, and lists caches that were created meanwhile.
 */
int snapshot_freeze_rings(struct snapshot *snapshot, struct mm_error *why)
{
	const struct freeze_hooks hooks = { start_dump, await_dump, snapshot };
	int ret;

	freeze_set_hooks(snapshot->ring, &hooks);
	ret = freeze_take(snapshot->ring, why);
	snapshot_await_dump(snapshot);
	if (!ret)
		return 0;
	freeze_close(snapshot->ring);
	snapshot->ring = NULL;
	return -1;
}

int snapshot_freeze_states(struct snapshot *snapshot, struct mm_error *err)
{
	if (!snapshot->states.count)
		return 0;
	snapshot->state = open_sessions(&snapshot->states, err);
	if (!snapshot->state && !err->code) {
		mm_error_clear(err);
		return 1;
	}
	return !snapshot->state || freeze_take(snapshot->state, err) ||
			       freeze_follow_clock(snapshot->state, snapshot->ring, err)
		       ? -1
		       : 0;
}

bool snapshot_has_records(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->rings.count; i++)
		if (freeze_has_records(snapshot->ring, i))
			return true;
	return false;
}

void snapshot_frozen_times(const struct snapshot *snapshot, struct snapshot_times *times)
{
	struct freeze_times frozen;

	freeze_times(snapshot->ring, &frozen);
	*times = (struct snapshot_times){
		.realtime_ns = frozen.realtime_ns,
		.monotonic_ns = frozen.monotonic_ns,
		.boottime_ns = frozen.boottime_ns,
	};
}

void snapshot_frozen_clock(const struct snapshot *snapshot, struct snapshot_clock *clock)
{
	struct freeze_times frozen;

	freeze_times(snapshot->ring, &frozen);
	clock->trace_ns = frozen.trace_ns;
	clock->realtime_ns = frozen.realtime_ns;
}

int64_t snapshot_frozen_request(const struct snapshot *snapshot)
{
	struct freeze_times frozen;

	freeze_times(snapshot->ring, &frozen);
	return frozen.trace_ns == INT64_MIN
		       ? INT64_MIN
		       : frozen.trace_ns -
				 (frozen.monotonic_ns - snapshot->request.requested.monotonic_ns);
}

/* Returns the start of the requested time range. The snapshot omits packets that end before it. */
static int64_t find_since(const struct snapshot *snapshot)
{
	int64_t requested_ns = snapshot_frozen_request(snapshot);

	return snapshot->request.last_ns < 0 || requested_ns == INT64_MIN
		       ? INT64_MIN
		       : requested_ns - snapshot->request.last_ns;
}

/* Returns the facts about the session rings.all[@number], or NULL when out of memory. */
static json_t *find_facts(const struct snapshot *snapshot, size_t number)
{
	const char *session = snapshot->rings.all[number].name;
	struct snapshot_promise promise;
	json_t *facts;

	snapshot_promise_read(session, &promise);
	facts = snapshot->ring ? freeze_facts(snapshot->ring, number, find_since(snapshot),
					      promise.planned ? &promise.trackers : NULL)
			       : json_object();
	if (facts && snapshot_limits_add(facts, session, &promise, snapshot->filters,
					 snapshot->less, snapshot->ring)) {
		json_decref(facts);
		facts = NULL;
	}
	snapshot_promise_release(&promise);
	return facts;
}

json_t *snapshot_facts(const struct snapshot *snapshot)
{
	json_t *facts = json_object();
	char trace[RECORDER_NAME_MAX + 64];

	for (size_t i = 0; i < snapshot->rings.count; i++) {
		const char *folder = snapshot->rings.all[i].folder;

		if (snapshot->rings.count == 1)
			snprintf(trace, sizeof(trace), "%s", SNAPSHOT_RING_FOLDER);
		else
			snprintf(trace, sizeof(trace), "%s/%s", SNAPSHOT_RING_FOLDER, folder);
		/*
		 * When out of memory, the trace gets no facts. Readers then assume that the
		 * recording of this trace may have paused at any time.
		 */
		json_object_set_new(facts, trace, find_facts(snapshot, i));
	}
	return facts;
}

static int write_sessions(struct freeze *freeze, const struct snapshot_sessions *sessions,
			  const char *folder, int64_t since_ns, int made, struct mm_error *err)
{
	char name[NAME_MAX + 1];
	int ret = 0;

	freeze_write_once(freeze);
	for (size_t i = 0; i < sessions->count && !ret; i++) {
		int parent = snapshot_open_parent(sessions, i, folder, made, name);

		if (parent < 0)
			return snapshot_fail(err, folder);
		ret = freeze_write(freeze, i, since_ns, parent, name, err);
		close(parent);
	}
	return ret;
}

int snapshot_write_frozen(const struct snapshot *snapshot, int made, struct mm_error *err)
{
	if (write_sessions(snapshot->ring, &snapshot->rings, SNAPSHOT_RING_FOLDER,
			   find_since(snapshot), made, err))
		return -1;
	return snapshot->state ? write_sessions(snapshot->state, &snapshot->states,
						SNAPSHOT_STATE_FOLDER, INT64_MIN, made, err)
			       : 0;
}

static int write_checksums(const struct freeze *freeze, const struct snapshot_sessions *sessions,
			   const char *folder, int made, struct mm_error *err)
{
	char name[NAME_MAX + 1];
	int ret = 0;

	for (size_t i = 0; i < sessions->count && !ret; i++) {
		int parent = snapshot_open_parent(sessions, i, folder, made, name);
		int trace = parent < 0 ? -1 : folder_open(parent, name);

		ret = trace < 0 ? snapshot_fail(err, name)
				: freeze_write_checksums(freeze, i, trace, err);
		if (trace >= 0)
			close(trace);
		if (parent >= 0)
			close(parent);
	}
	return ret;
}

int snapshot_write_frozen_checksums(const struct snapshot *snapshot, int made, struct mm_error *err)
{
	if (snapshot->ring &&
	    write_checksums(snapshot->ring, &snapshot->rings, SNAPSHOT_RING_FOLDER, made, err))
		return -1;
	return snapshot->state ? write_checksums(snapshot->state, &snapshot->states,
						 SNAPSHOT_STATE_FOLDER, made, err)
			       : 0;
}
