// SPDX-License-Identifier: LGPL-2.1-only
/* Stops a recorder or some of its sessions. */
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/system/process.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/recorder/transaction.h"
#include "util/text.h"

/* Destroys a session. Returns 0, or 1 if the session does not exist, or -1 with @err set. */
static int destroy(const char *session, struct mm_error *err)
{
	int ret;

	lttng_stop_tracing(session);
	ret = lttng_destroy_session(session);
	if (ret == -LTTNG_ERR_SESS_NOT_FOUND || ret == -LTTNG_ERR_NO_SESSIOND)
		return 1;
	return ret < 0 ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: %s: %s", session,
				      lttng_strerror(ret))
		       : 0;
}

/* Is the planned session gone? A later session of the same name does not count. */
static bool is_gone(const struct plan_session *session)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	bool gone = !recorder_find_planned(session, sessions, count);

	free(sessions);
	return gone;
}

static bool is_meant(const struct plan_session *session, const char *recorder)
{
	return !session->state &&
	       (!strcmp(session->name, recorder) || !strcmp(session->recorder, recorder));
}

static const struct plan_session *find_meant(const struct plan *plan, const char *recorder)
{
	for (size_t i = 0; i < plan->count; i++)
		if (is_meant(&plan->sessions[i], recorder))
			return &plan->sessions[i];
	return NULL;
}

/*
 * Removes @profile from the state sessions of @recorder. A state session that serves no other
 * profile is destroyed.
 */
static int leave_state(struct plan *plan, const char *recorder, const char *profile,
		       struct mm_error *err)
{
	for (size_t i = 0; i < plan->count;) {
		const struct plan_session *session = &plan->sessions[i];
		char name[PLAN_NAME_MAX];

		if (!session->state || strcmp(session->recorder, recorder) != 0 ||
		    !plan_session_is_for(session, profile)) {
			i++;
			continue;
		}
		snprintf(name, sizeof(name), "%s", session->name);
		if (json_array_size(json_object_get(session->json, "profiles")) > 1) {
			if (plan_share_state(plan, name, profile, false, err))
				return -1;
			i++;
		} else if (transaction_remove(plan, name, err)) {
			return -1;
		}
	}
	return 0;
}

/* Moves the sessions in @plan to the list of sessions to destroy. Does not write the file. */
static int remove_planned(struct plan *plan, const char *recorder, struct recorder_stopped *stopped,
			  struct mm_error *err)
{
	const struct plan_session *session;

	while ((session = find_meant(plan, recorder))) {
		struct plan_session copy = *session;

		if (is_gone(session))
			mm_words_add(stopped->gone, sizeof(stopped->gone), copy.name);
		else
			mm_words_add(stopped->sessions, sizeof(stopped->sessions), copy.name);
		if (transaction_remove(plan, copy.name, err) ||
		    leave_state(plan, copy.recorder, copy.profile, err))
			return -1;
	}
	return 0;
}

/*
 * Stops planned sessions. Writes the plan before destroying them. From then on, the recorder daemon
 * does not restore the sessions, and if this command is killed, the next command destroys them.
 */
static int stop_planned(struct plan *plan, const char *recorder, struct recorder_stopped *stopped,
			struct mm_error *err)
{
	/*
	 * transaction_clear() also destroys unfinished sessions of earlier commands. If it cannot
	 * destroy a session, it continues with the next.
	 */
	if (!remove_planned(plan, recorder, stopped, err) && !plan_write(plan, err))
		return transaction_clear(plan, err);
	*stopped = (struct recorder_stopped){ .sessions = "" };
	return -1;
}

/*
 * Stops a session outside the plan. Also stops its state session, unless another session needs it.
 */
static int stop_other(const char *session, struct recorder_stopped *stopped, struct mm_error *err)
{
	struct recorder_session *list = NULL;
	struct recorder_status *all = NULL;
	int count = recorder_sessions(session, &list, err), all_count = 0, ret;

	if (count < 0)
		mm_error_clear(err);
	ret = destroy(session, err);
	if (!ret)
		mm_words_add(stopped->sessions, sizeof(stopped->sessions), session);
	else if (ret > 0)
		mm_words_add(stopped->gone, sizeof(stopped->gone), session);
	if (ret >= 0 && count > 0)
		all_count = recorder_list(&all, NULL, err);
	for (int i = 0; ret >= 0 && i < count; i++) {
		bool needed = !list[i].state;

		/* The state session of another recorder must stay. */
		for (int other = 0; other < all_count; other++)
			if (!strcmp(all[other].session, list[i].name))
				needed |= all[other].owned;
		if (!needed && destroy(list[i].name, err) < 0)
			ret = -1;
	}
	free(all);
	free(list);
	return ret < 0 ? -1 : 0;
}

static int stop(const char *recorder, struct recorder_stopped *stopped, struct mm_error *err)
{
	int lock = -1, ret;
	struct plan plan;

	if (plan_read(&plan, err))
		return -1;
	if (!find_meant(&plan, recorder)) {
		plan_release(&plan);
		return stop_other(recorder, stopped, err);
	}
	plan_release(&plan);
	lock = plan_lock(PLAN_WAIT_MS, err);
	if (lock < 0)
		return -1;
	ret = plan_read(&plan, err);
	if (!ret) {
		ret = stop_planned(&plan, recorder, stopped, err);
		plan_release(&plan);
	}
	plan_unlock(lock);
	return ret;
}

int recorder_stop(const char *recorder, struct recorder_stopped *stopped, struct mm_error *err)
{
	sigset_t before;
	int ret;

	memset(stopped, 0, sizeof(*stopped));
	/*
	 * Block signals, so that Ctrl-C takes effect only when the plan lists exactly the remaining
	 * sessions.
	 */
	process_block_signals(&before);
	ret = stop(recorder, stopped, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
