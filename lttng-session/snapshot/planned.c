// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes the sessions of the plan before the session daemon is asked anything. The plan and the
 * freeze module have all data for that. Afterwards, the session daemon is asked whether the plan is
 * right:
 *
 *   freeze the planned sessions, then ask the session daemon:
 *     it has the same sessions   -> done
 *     it has other sessions      -> start again with these
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
#include "lttng-session/system/daemon.h"

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
 * A question to the session daemon, and its answers. If the daemon never responds, the asking
 * thread uses the question until the process ends. Therefore the question contains copies of the
 * snapshot's members.
 */
struct question {
	struct snapshot_sessions rings, states;
	char recorder[RECORDER_NAME_MAX];
	bool in_plan;
	char by_session[RECORDER_NAME_MAX], by_profile[PROFILE_NAME_MAX];
	bool absent;	       /* the session daemon is not running */
	bool differs;	       /* the daemon's sessions differ from the plan, or cannot be frozen */
	struct mm_error error; /* code 0: no error */
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
static bool are_planned(const struct question *question)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct recorder_session *list = NULL;
	int count = recorder_sessions(question->recorder, &list, &ignored);
	bool same = count > 0 && are_sessions(&question->rings, false, list, count) &&
		    are_sessions(&question->states, true, list, count);

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

/* The session daemon may have sessions that are not in the plan, and make the choice ambiguous. */
static int check_choice(struct question *question)
{
	const char *session = *question->by_session ? question->by_session : NULL;
	const char *profile = *question->by_profile ? question->by_profile : NULL;
	char name[RECORDER_NAME_MAX];

	return question->in_plan ? recorder_find("snapshot", session, profile, name, sizeof(name),
						 &question->error)
				 : 0;
}

static void describe(const struct snapshot_sessions *sessions, struct question *question,
		     uint64_t *bytes)
{
	for (size_t i = 0; i < sessions->count; i++)
		snapshot_describe_session(sessions->all[i].name, question->filters, question->less,
					  bytes);
}

static void ask_all(void *data)
{
	struct question *question = data;
	uint64_t ignored = 0;

	question->absent = !daemon_answers();
	if (question->absent || check_choice(question))
		return;
	question->differs = !are_planned(question) || !are_freezable(&question->rings) ||
			    !are_freezable(&question->states);
	question->filters = json_array();
	question->less = json_array();
	if (question->differs || !question->filters || !question->less)
		return;
	describe(&question->rings, question, &question->ring_bytes);
	question->partial = json_array_size(question->filters) > 0;
	describe(&question->states, question, &ignored);
}

static struct question *make_question(const struct snapshot *snapshot)
{
	const struct snapshot_request *request = &snapshot->request;
	struct question *question = calloc(1, sizeof(*question));

	if (!question)
		return NULL;
	question->rings = snapshot->rings;
	question->states = snapshot->states;
	question->in_plan = request->in_plan;
	snprintf(question->recorder, sizeof(question->recorder), "%s", request->session);
	if (request->by_session)
		snprintf(question->by_session, sizeof(question->by_session), "%s",
			 request->by_session);
	if (request->by_profile)
		snprintf(question->by_profile, sizeof(question->by_profile), "%s",
			 request->by_profile);
	return question;
}

/* Continues without the session daemon's answers. Unknown filters may exclude events. */
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
	struct question *question = make_question(snapshot);
	int ret = 0;

	if (!question)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	/* If the session daemon hangs, the thread keeps the question. */
	if (!ask(ask_all, question)) {
		go_without(snapshot, notes);
		return 0;
	}
	if (question->absent) {
		go_without(snapshot, notes);
	} else if (question->error.code) {
		*err = question->error;
		ret = -1;
	} else if (question->differs) {
		ret = 1;
	} else {
		snapshot->filters = json_incref(question->filters);
		snapshot->less = json_incref(question->less);
		snapshot->partial = question->partial || !question->filters;
		snapshot->ring_bytes = question->ring_bytes;
	}
	json_decref(question->filters);
	json_decref(question->less);
	free(question);
	return ret;
}

/* Sessions whose state is dumped. Like a question, it may stay in use until the process ends. */
struct dump {
	struct snapshot_sessions states, rings;
	struct mm_error error;
};

static void dump_all(void *data)
{
	struct dump *dump = data;

	snapshot_dump_sessions(&dump->states, &dump->rings, &dump->error);
}

static struct dump *make_dump(const struct snapshot *snapshot)
{
	struct dump *dump = calloc(1, sizeof(*dump));

	if (dump) {
		dump->states = snapshot->states;
		dump->rings = snapshot->rings;
	}
	return dump;
}

void snapshot_start_dump(struct snapshot *snapshot)
{
	struct dump *dump = make_dump(snapshot);

	if (dump && ask_start(dump_all, dump))
		snapshot->dump = dump;
	else
		free(dump);
}

/* If the first dump failed, so does the second, which reports the error. */
void snapshot_await_dump(struct snapshot *snapshot)
{
	if (snapshot->dump && ask_wait(ASK_MS))
		free(snapshot->dump);
	snapshot->dump = NULL;
}

int snapshot_dump_again(struct snapshot *snapshot, struct snapshot_notes *notes,
			struct mm_error *err)
{
	struct dump *dump = make_dump(snapshot);
	int ret = 0;

	if (!dump)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	if (!ask(dump_all, dump)) {
		if (!snapshot->alone)
			go_without(snapshot, notes);
		return 0;
	}
	/* If the daemon did not respond before, its failure has been noted already. */
	if (dump->error.code && !snapshot->alone) {
		*err = dump->error;
		ret = -1;
	}
	free(dump);
	return ret;
}
