// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Limits the snapshots of all triggers of one user together. Users choose the limits of each of
 * their triggers, so only this limit bounds how much a user can write to the recorder's folder.
 * Root has no such limit.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/daemon/triggers/active-trigger.h"

/* Prefix of the names of users' saved limits. Names of triggers never start with a dot. */
#define USER_FILE ".user-"

struct engine_user {
	struct engine_user *next;
	uid_t uid;
	struct snapshot_limits limits;
};

void engine_limit_users(struct engine *engine, uint64_t max, int64_t max_ns)
{
	engine->user_max = max;
	engine->user_max_ns = max_ns;
}

void engine_users_release(struct engine *engine)
{
	while (engine->users) {
		struct engine_user *user = engine->users;

		engine->users = user->next;
		limits_release(&user->limits);
		free(user);
	}
}

struct snapshot_limits *engine_user_limits(const struct active_trigger *active)
{
	struct engine *engine = active->engine;
	const uid_t uid = active->trigger->uid;
	struct engine_user *user = engine->users;

	if (!uid || engine->user_max_ns <= 0)
		return NULL;
	while (user && user->uid != uid)
		user = user->next;
	if (user)
		return &user->limits;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	*user = (struct engine_user){ .next = engine->users,
				      .uid = uid,
				      .limits = { .max = engine->user_max,
						  .max_ns = engine->user_max_ns } };
	limits_start(&user->limits, engine_now_ns());
	engine->users = user;
	return &user->limits;
}

void engine_user_file(uid_t uid, char name[TRIGGER_NAME_MAX])
{
	snprintf(name, TRIGGER_NAME_MAX, USER_FILE "%lu", (unsigned long)uid);
}

void engine_forget_users(const struct engine *engine)
{
	trigger_store_forget_limits(USER_FILE, engine->user_max_ns / 1000000000);
}

enum limits_verdict engine_check_limits(struct active_trigger *active, int64_t now_ns)
{
	struct snapshot_limits *user = engine_user_limits(active);
	enum limits_verdict verdict = limits_check(&active->limits, now_ns);

	return verdict == LIMITS_TAKE && user ? limits_check(user, now_ns) : verdict;
}

int engine_take_limits(struct active_trigger *active, int64_t now_ns, uint64_t *matches,
		       bool *at_least)
{
	struct snapshot_limits *user = engine_user_limits(active);
	uint64_t others;
	bool others_at_least;

	if (user && limits_take(user, now_ns, &others, &others_at_least))
		return -1;
	return limits_take(&active->limits, now_ns, matches, at_least);
}

int64_t engine_next_limits(struct active_trigger *active, int64_t now_ns)
{
	struct snapshot_limits *user = engine_user_limits(active);
	int64_t own_ns = limits_next(&active->limits, now_ns);
	int64_t user_ns = user ? limits_next(user, now_ns) : now_ns;

	return user_ns > own_ns ? user_ns : own_ns;
}

void engine_explain_limits(struct active_trigger *active, int64_t now_ns, char *text, size_t size)
{
	struct snapshot_limits *user = engine_user_limits(active);
	char more[MM_DURATION_TEXT];

	limits_explain(&active->limits, now_ns, text, size);
	if (!user || limits_check(&active->limits, now_ns) != LIMITS_TAKE ||
	    limits_check(user, now_ns) == LIMITS_TAKE)
		return;
	mm_duration_format(more, sizeof(more), limits_next(user, now_ns) - now_ns);
	snprintf(text, size,
		 "at the maximum of snapshots for all triggers of this user, for %s more", more);
}
