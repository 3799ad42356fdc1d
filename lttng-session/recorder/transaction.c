// SPDX-License-Identifier: LGPL-2.1-only
/* Adds sessions to the plan's list of unfinished sessions before they are created or destroyed. */
#include "lttng-session/recorder/transaction.h"

#include <lttng/lttng.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/session.h"

static int no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "plan: out of memory");
}

int transaction_begin(struct transaction *transaction, const struct plan *plan,
		      struct mm_error *err)
{
	transaction->file = json_deep_copy(plan->json);
	return transaction->file ? 0 : no_memory(err);
}

void transaction_end(struct transaction *transaction)
{
	json_decref(transaction->file);
	transaction->file = NULL;
}

/*
 * Adds an entry to the list of unfinished sessions of @plan. @since is NULL for a session that does
 * not exist yet.
 */
static json_t *note(json_t *plan, const char *session, json_t *since)
{
	json_t *list = json_object_get(plan, PLAN_UNFINISHED);
	json_t *entry =
		json_pack("{s:s,s:o}", "name", session, "since", since ? since : json_null());

	if (!list) {
		list = json_array();
		if (json_object_set_new(plan, PLAN_UNFINISHED, list))
			list = NULL;
	}
	return json_array_append_new(list, entry) ? NULL : entry;
}

static bool exists(const char *name)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	bool found = false;

	for (int i = 0; i < count; i++)
		found |= !strcmp(sessions[i].name, name);
	free(sessions);
	return found;
}

int transaction_start(struct transaction *transaction, const struct session_plan *session,
		      struct mm_error *err)
{
	json_t *entry;

	/*
	 * A session that exists already belongs to another program. It must not get an entry,
	 * because it would then be destroyed.
	 */
	if (exists(session->session))
		return session_fail_exists(session->session, err);
	entry = note(transaction->file, session->session, NULL);
	if (!entry)
		return no_memory(err);
	if (plan_write_json(transaction->file, err) || session_create(session, err))
		return -1;
	/* Write the creation time before adding a channel: is_noted() relies on this order. */
	json_object_set_new(entry, "since", json_integer(session_creation_time(session->session)));
	return plan_write_json(transaction->file, err) || session_start(session, err) ? -1 : 0;
}

/*
 * Does the entry mean this session? If the entry has no creation time, its command was killed
 * before writing the time, and the session has no channels yet. So a session with channels is
 * another session of the same name.
 */
static bool is_noted(const json_t *entry, const struct lttng_session *session)
{
	const char *name = json_string_value(json_object_get(entry, "name"));
	const json_t *since = json_object_get(entry, "since");
	struct lttng_domain *domains = NULL;
	uint64_t created;
	int count;

	if (!name || strcmp(name, session->name) != 0)
		return false;
	if (json_is_integer(since))
		return lttng_session_get_creation_time(session, &created) != LTTNG_OK ||
		       (json_int_t)created == json_integer_value(since);
	if (!session->snapshot_mode)
		return false;
	count = lttng_list_domains(name, &domains);
	free(domains);
	return !count;
}

bool transaction_has(const struct plan *plan, const struct lttng_session *session)
{
	const json_t *list = json_object_get(plan->json, PLAN_UNFINISHED), *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		if (is_noted(entry, session))
			return true;
	}
	return false;
}

static int destroy(const json_t *entry, const struct lttng_session *sessions, int count,
		   struct mm_error *err)
{
	for (int i = 0; i < count; i++) {
		int ret;

		if (!is_noted(entry, &sessions[i]))
			continue;
		lttng_stop_tracing(sessions[i].name);
		ret = lttng_destroy_session(sessions[i].name);
		if (ret < 0 && ret != -LTTNG_ERR_SESS_NOT_FOUND && ret != -LTTNG_ERR_NO_SESSIOND)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: %s: %s",
					    sessions[i].name, lttng_strerror(ret));
	}
	return 0;
}

void transaction_abandon(struct transaction *transaction, const char *session)
{
	const json_t *list = json_object_get(transaction->file, PLAN_UNFINISHED), *entry;
	struct mm_error ignored = MM_ERROR_INIT;
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	size_t i;

	json_array_foreach(list, i, entry)
	{
		if (!strcmp(json_string_value(json_object_get(entry, "name")), session))
			destroy(entry, sessions, count, &ignored);
	}
	free(sessions);
}

/* Destroys the unfinished sessions of @plan, newest first, and removes their entries. */
static int destroy_all(json_t *plan, struct mm_error *err)
{
	json_t *list = json_object_get(plan, PLAN_UNFINISHED);
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions), ret = 0;

	if (count < 0 && lttng_session_daemon_alive() == 1)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session daemon: sessions: %s",
				    lttng_strerror(count));
	for (size_t i = json_array_size(list); i > 0; i--) {
		if (destroy(json_array_get(list, i - 1), sessions, count, err))
			ret = -1;
		else
			json_array_remove(list, i - 1);
	}
	if (!json_array_size(list))
		json_object_del(plan, PLAN_UNFINISHED);
	free(sessions);
	return ret;
}

void transaction_roll_back(struct transaction *transaction)
{
	struct mm_error ignored = MM_ERROR_INIT;

	/* A session that cannot be destroyed stays in the list for the next command. */
	if (json_object_get(transaction->file, PLAN_UNFINISHED)) {
		destroy_all(transaction->file, &ignored);
		plan_write_json(transaction->file, &ignored);
	}
	transaction_end(transaction);
}

int transaction_remove(struct plan *plan, const char *session, struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);

	if (found && !note(plan->json, session, json_integer(found->since)))
		return no_memory(err);
	return plan_remove(plan, session, err);
}

int transaction_clear(struct plan *plan, struct mm_error *err)
{
	int ret;

	if (!json_object_get(plan->json, PLAN_UNFINISHED))
		return 0;
	ret = destroy_all(plan->json, err);
	return plan_write(plan, err) || ret ? -1 : 0;
}

/* Does the plan list unfinished sessions? The command that listed them may still be running. */
static bool is_needed(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct plan plan;
	bool needed;

	if (plan_read(&plan, &ignored))
		return false;
	needed = json_object_get(plan.json, PLAN_UNFINISHED);
	plan_release(&plan);
	return needed;
}

void transaction_settle(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct plan plan;
	int lock;

	if (!is_needed())
		return;
	lock = plan_lock(0, &ignored);
	if (lock < 0)
		return;
	if (!plan_read(&plan, &ignored)) {
		transaction_clear(&plan, &ignored);
		plan_release(&plan);
	}
	plan_unlock(lock);
}
