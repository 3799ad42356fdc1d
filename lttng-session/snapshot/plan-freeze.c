// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes the sessions of the plan before it asks the session daemon anything: the plan and the
 * freeze module have all necessary data. Afterwards, asks the session daemon whether the plan is
 * right:
 *
 *   freeze the planned sessions, then ask the session daemon:
 *     it has the same sessions   -> done
 *     it has other sessions      -> start again with these sessions
 *     it does not respond        -> keep the frozen buffers, and add a note
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/snapshot/describe.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/sessions.h"
#include "lttng-session/snapshot/work.h"
#include "lttng-session/system/ask.h"
#include "lttng-session/system/session-daemon.h"

int snapshot_select(struct snapshot_request *request, const char *session, const char *profile,
		    char *name, size_t size, struct mm_error *err)
{
	int ret = request->method == SNAPSHOT_LTTNG
			  ? 1
			  : recorder_find_in_plan(session, profile, name, size, err);

	request->session = name;
	request->in_plan = !ret;
	request->by_session = session;
	request->by_profile = profile;
	return ret > 0 ? recorder_find("snapshot", session, profile, name, size, err) : ret;
}

int snapshot_find_planned(struct snapshot *snapshot)
{
	struct recorder_session *list = NULL;
	struct mm_error ignored = MM_ERROR_INIT;
	int count = recorder_sessions_in_plan(snapshot->request.session, &list, &ignored), ret;

	ret = count > 0 ? 0 : -1;
	for (int i = 0; i < count && !ret; i++)
		ret = snapshot_add_session(snapshot, &list[i], &ignored);
	free(list);
	return ret;
}

/*
 * Questions to the session daemon, and its answers. The members are copies, because the thread that
 * asks waits forever if the session daemon hangs, and may still use them when the snapshot has
 * ended.
 */
struct daemon_query {
	struct snapshot_sessions rings, states;
	char recorder[RECORDER_NAME_MAX];
	bool in_plan;
	char by_session[RECORDER_NAME_MAX], by_profile[PROFILE_NAME_MAX];
	bool absent; /* the session daemon is not running */
	/* the session daemon has other sessions than the plan, or sessions that cannot be frozen */
	bool differs;
	struct mm_error error; /* error of check_choice(); code 0: no error */
	json_t *filters, *less;
	bool partial;
	uint64_t ring_bytes;
};

static bool are_sessions(const struct snapshot_sessions *sessions, bool state,
			 const struct recorder_session *list, int count)
{
	size_t same = 0;

	for (int i = 0; i < count; i++) {
		if (list[i].state != state)
			continue;
		if (same == sessions->count || strcmp(sessions->all[same].name, list[i].name) != 0)
			return false;
		same++;
	}
	return same == sessions->count;
}

/* Does the session daemon have exactly the sessions of the plan, with the same creation times? */
static bool are_planned(const struct daemon_query *query)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct recorder_session *list = NULL;
	int count = recorder_sessions(query->recorder, &list, &ignored);
	bool same = count > 0 && are_sessions(&query->rings, false, list, count) &&
		    are_sessions(&query->states, true, list, count);

	free(list);
	return same;
}

static bool are_freezable(const struct snapshot_sessions *sessions)
{
	struct mm_error ignored = MM_ERROR_INIT;

	for (size_t i = 0; i < sessions->count; i++)
		if (freeze_check(sessions->all[i].name, &ignored))
			return false;
	return true;
}

/*
 * Selects the recorder again, because sessions outside the plan may make the selection ambiguous.
 */
static int check_choice(struct daemon_query *query)
{
	const char *session = *query->by_session ? query->by_session : NULL;
	const char *profile = *query->by_profile ? query->by_profile : NULL;
	char name[RECORDER_NAME_MAX];

	return query->in_plan ? recorder_find("snapshot", session, profile, name, sizeof(name),
					      &query->error)
			      : 0;
}

static void describe(const struct snapshot_sessions *sessions, struct daemon_query *query,
		     uint64_t *bytes)
{
	for (size_t i = 0; i < sessions->count; i++)
		snapshot_describe_session(sessions->all[i].name, query->filters, query->less,
					  bytes);
}

static void ask_all(void *data)
{
	struct daemon_query *query = data;
	uint64_t ignored = 0;

	query->absent = !daemon_answers();
	if (query->absent || check_choice(query))
		return;
	query->differs = !are_planned(query) || !are_freezable(&query->rings) ||
			 !are_freezable(&query->states);
	query->filters = json_array();
	query->less = json_array();
	if (query->differs || !query->filters || !query->less)
		return;
	describe(&query->rings, query, &query->ring_bytes);
	query->partial = json_array_size(query->filters) > 0;
	describe(&query->states, query, &ignored);
}

static struct daemon_query *make_question(const struct snapshot *snapshot)
{
	const struct snapshot_request *request = &snapshot->request;
	struct daemon_query *query = calloc(1, sizeof(*query));

	if (!query)
		return NULL;
	query->rings = snapshot->rings;
	query->states = snapshot->states;
	query->in_plan = request->in_plan;
	snprintf(query->recorder, sizeof(query->recorder), "%s", request->session);
	if (request->by_session)
		snprintf(query->by_session, sizeof(query->by_session), "%s", request->by_session);
	if (request->by_profile)
		snprintf(query->by_profile, sizeof(query->by_profile), "%s", request->by_profile);
	return query;
}

/*
 * Continues without answers of the session daemon. The filters are unknown, so events may be
 * missing.
 */
static void go_without(struct snapshot *snapshot, struct snapshot_notes *notes)
{
	snapshot->alone = true;
	snapshot->partial = true;
	snapshot->ring_bytes = freeze_bytes(snapshot->ring);
	snapshot_note(
		notes, true,
		"snapshot: %s: the session daemon does not answer: filters are not known, and threads and caches that are new since the last snapshot may have no names; see `systemctl status lttng-sessiond`",
		snapshot->request.session);
}

int snapshot_confirm(struct snapshot *snapshot, struct snapshot_notes *notes, struct mm_error *err)
{
	struct daemon_query *query = make_question(snapshot);
	int ret = 0;

	if (!query)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	/* The session daemon hangs. The thread still uses @query, so do not free it. */
	if (!ask(ask_all, query)) {
		go_without(snapshot, notes);
		return 0;
	}
	if (query->absent) {
		go_without(snapshot, notes);
	} else if (query->error.code) {
		*err = query->error;
		ret = -1;
	} else if (query->differs) {
		ret = 1;
	} else {
		snapshot->filters = json_incref(query->filters);
		snapshot->less = json_incref(query->less);
		snapshot->partial = query->partial || !query->filters;
		snapshot->ring_bytes = query->ring_bytes;
	}
	json_decref(query->filters);
	json_decref(query->less);
	free(query);
	return ret;
}

/*
 * A dump of the sessions' state, made by a thread. If the thread hangs, it uses this memory until
 * the process ends.
 */
struct state_dump {
	struct snapshot_sessions states, rings;
	struct mm_error error;
};

static void dump_all(void *data)
{
	struct state_dump *dump = data;

	snapshot_dump_sessions(&dump->states, &dump->rings, &dump->error);
}

static struct state_dump *make_dump(const struct snapshot *snapshot)
{
	struct state_dump *dump = calloc(1, sizeof(*dump));

	if (dump) {
		dump->states = snapshot->states;
		dump->rings = snapshot->rings;
	}
	return dump;
}

void snapshot_start_dump(struct snapshot *snapshot)
{
	struct state_dump *dump = make_dump(snapshot);

	if (dump && ask_start(dump_all, dump))
		snapshot->dump = dump;
	else
		free(dump);
}

/* Ignores an error of the first dump. The second dump will then fail, too, and report the error. */
void snapshot_await_dump(struct snapshot *snapshot)
{
	if (snapshot->dump && ask_wait(ASK_MS))
		free(snapshot->dump);
	snapshot->dump = NULL;
}

int snapshot_dump_again(struct snapshot *snapshot, struct snapshot_notes *notes,
			struct mm_error *err)
{
	struct state_dump *dump = make_dump(snapshot);
	int ret = 0;

	if (!dump)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	if (!ask(dump_all, dump)) {
		if (!snapshot->alone)
			go_without(snapshot, notes);
		return 0;
	}
	/* If the session daemon did not respond earlier, a note already states that. */
	if (dump->error.code && !snapshot->alone) {
		*err = dump->error;
		ret = -1;
	}
	free(dump);
	return ret;
}
