// SPDX-License-Identifier: LGPL-2.1-only
/* Adds, removes and lists the engine's triggers. */
#include "lttng-session/daemon/triggers/engine.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "lttng-session/daemon/triggers/definition/profile-trigger.h"
#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"
#include "util/clock.h"
#include "util/json-file.h"

struct engine *engine_create(sd_event *event, struct job_queue *queue, engine_watch *watch)
{
	struct engine *engine = calloc(1, sizeof(*engine));

	if (!engine)
		return NULL;
	engine->event = event;
	engine->queue = queue;
	engine->watch = watch;
	engine_limit_users(engine, ENGINE_USER_MAX, ENGINE_USER_MAX_NS);
	return engine;
}

void engine_persist(struct engine *engine)
{
	engine->persists = true;
	engine_forget_users(engine);
}

static void free_active(struct active_trigger *active)
{
	engine_stop_watcher(active);
	engine_stop_saving(active);
	engine_end_test(active);
	job_queue_forget(active->engine->queue, active);
	command_destroy(active->command);
	limits_release(&active->limits);
	trigger_destroy(active->trigger);
	json_decref(active->last);
	json_decref(active->run);
	free(active);
}

void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	engine_save_all(engine);
	while (engine->first) {
		struct active_trigger *active = engine->first;

		engine->first = active->next;
		free_active(active);
	}
	engine_users_release(engine);
	json_decref(engine->planned);
	free(engine);
}

static void look_up(const struct trigger *trigger, struct requester *requester)
{
	const struct passwd *user = getpwuid(trigger->uid);
	int count = REQUESTER_GROUPS_MAX;

	*requester = (struct requester){ .uid = trigger->uid, .gid = trigger->gid };
	if (user && getgrouplist(user->pw_name, trigger->gid, requester->groups, &count) >= 0)
		requester->group_count = (size_t)count;
}

static int fail(struct mm_error *err, enum mm_exit code, const char *name, const char *why)
{
	return mm_error_set(err, code, "trigger: %s: %s", name, why);
}

static struct active_trigger *make(struct engine *engine, const struct requester *requester,
				   struct trigger *trigger)
{
	struct active_trigger *active = calloc(1, sizeof(*active));

	if (!active)
		return NULL;
	active->engine = engine;
	active->trigger = trigger;
	active->test_socket = -1;
	active->socket = -1;
	active->limits = (struct snapshot_limits){
		.cooldown_ns = trigger->cooldown_ns,
		.warm_up_ns = trigger->warm_up_ns,
		.max = trigger->max,
		.max_ns = trigger->max_ns,
	};
	limits_start(&active->limits, engine_now_ns());
	if (requester)
		active->requester = *requester;
	else
		look_up(trigger, &active->requester);
	return active;
}

static struct active_trigger **find(const struct engine *engine, const char *name)
{
	struct active_trigger **at = (struct active_trigger **)&engine->first;

	while (*at && strcmp((*at)->trigger->name, name))
		at = &(*at)->next;
	return at;
}

bool engine_is_planned(const struct engine *engine, const char *name)
{
	const struct active_trigger *active = *find(engine, name);

	return active && active->planned;
}

int engine_check_name(const struct engine *engine, uid_t uid, const char *name,
		      const struct engine_pending *pending, struct mm_error *err)
{
	const struct active_trigger *found = *find(engine, name);
	size_t count = pending->all, own = pending->own, users = pending->all;

	if (found && found->planned && uid)
		return fail(
			err, MM_EXIT_BAD_INPUT, name,
			"a profile has a trigger of this name, which only root may replace; choose another name");
	if (found && !found->planned)
		return fail(err, MM_EXIT_BAD_INPUT, name,
			    "already exists; remove it first, or choose another name");
	for (const struct active_trigger *active = engine->first; active; active = active->next) {
		count++;
		own += active->trigger->uid == uid;
		users += active->trigger->uid != 0;
	}
	if (uid && own >= TRIGGERS_PER_USER)
		return fail(
			err, MM_EXIT_BAD_INPUT, name,
			"this user already has the maximum number of triggers; remove one first");
	if (count >= TRIGGERS_MAX || (uid && users >= TRIGGERS_OF_USERS_MAX))
		return fail(err, MM_EXIT_BAD_INPUT, name,
			    "there are too many triggers; remove one first");
	return 0;
}

static int add(struct engine *engine, const struct requester *requester, struct trigger *trigger,
	       const json_t *planned, struct mm_error *err)
{
	struct active_trigger *active = NULL;

	if (!engine_check_name(engine, trigger->uid, trigger->name,
			       &(struct engine_pending){ 0, 0 }, err)) {
		active = make(engine, requester, trigger);
		if (!active)
			fail(err, MM_EXIT_ENVIRONMENT, trigger->name, "out of memory");
	}
	if (!active) {
		trigger_destroy(trigger);
		return -1;
	}
	active->planned = planned;
	*find(engine, trigger->name) = active;
	/* Load the user's limits, which may still count snapshots of removed triggers. */
	engine_load_limits(active, requester);
	/* Save the limits now, because they include the start of the warm-up. */
	engine_save_limits(active);
	engine_start_watcher(active);
	return 0;
}

/*
 * Removes a trigger from the engine. Keeps its saved limits, because the trigger may be added
 * again.
 */
static void drop(struct active_trigger **at)
{
	struct active_trigger *active = *at;

	*at = active->next;
	free_active(active);
}

/* Removes profiles' triggers that are missing or different in the new plan. */
static void drop_planned(struct engine *engine)
{
	struct active_trigger **at = &engine->first;

	while (*at) {
		const json_t *planned;
		bool found = !(*at)->planned;
		size_t i;

		json_array_foreach(engine->planned, i, planned)
		{
			if (found || !json_equal((*at)->planned, planned))
				continue;
			(*at)->planned = planned;
			found = true;
		}
		if (found)
			at = &(*at)->next;
		else
			drop(at);
	}
}

static void add_planned(struct engine *engine, const json_t *planned, bool recorded)
{
	const char *profile = message_text(planned, "profile", "");
	const char *recorder = message_text(planned, "recorder", "");
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *trigger =
		trigger_from_plan(json_object_get(planned, "definition"), recorder, &err);
	const struct active_trigger *found = trigger ? *find(engine, trigger->name) : NULL;

	if (found && found->planned == planned) {
		trigger_destroy(trigger);
		return;
	}
	if (found) {
		journal_note(
			LOG_NOTICE,
			"the trigger `%s` of profile %s is disabled: another trigger has the same name",
			trigger->name, profile);
		trigger_destroy(trigger);
		return;
	}
	if (!trigger || add(engine, NULL, trigger, planned, &err)) {
		journal_note(LOG_WARNING, "profile: %s: %s", profile, err.message);
		return;
	}
	if (recorded)
		limits_start(&(*find(engine, trigger->name))->limits, engine_now_ns());
}

static void use_planned(struct engine *engine, bool recorded)
{
	const json_t *planned;
	size_t i;

	json_array_foreach(engine->planned, i, planned) add_planned(engine, planned, recorded);
}

void engine_set_planned(struct engine *engine, json_t *planned, bool recorded)
{
	json_t *before = engine->planned;

	engine->planned = json_incref(planned);
	drop_planned(engine);
	json_decref(before);
	use_planned(engine, recorded);
}

int engine_add(struct engine *engine, const struct requester *requester, struct trigger *trigger,
	       struct mm_error *err)
{
	struct active_trigger **at = find(engine, trigger->name);

	if (*at && (*at)->planned && !trigger->uid)
		drop(at);
	return add(engine, requester, trigger, NULL, err);
}

/* Returns 0 if @uid is the trigger's user or root. Otherwise, returns -1 with @err set. */
static int check_owner(const struct active_trigger *active, uid_t uid, const char *name,
		       struct mm_error *err)
{
	if (!active)
		return fail(err, MM_EXIT_BAD_INPUT, name, "there is no such trigger");
	if (uid && active->trigger->uid != uid)
		return fail(err, MM_EXIT_ENVIRONMENT, name,
			    "belongs to another user; only that user or root may do this");
	return 0;
}

int engine_begin_removal(struct engine *engine, uid_t uid, const char *name, struct mm_error *err)
{
	struct active_trigger *active = *find(engine, name);

	if (check_owner(active, uid, name, err))
		return -1;
	if (active->removing)
		return fail(err, MM_EXIT_ENVIRONMENT, name, "is being removed");
	active->removing = true;
	engine_suspend_saving(active);
	return 0;
}

void engine_end_removal(struct engine *engine, const char *name, bool removed)
{
	struct active_trigger **at = find(engine, name), *active = *at;

	if (!active || !active->removing)
		return;
	if (removed) {
		drop(at);
		/* A profile's trigger of this name can now become active. */
		use_planned(engine, true);
		return;
	}
	active->removing = false;
	if (active->write_again)
		engine_save_limits(active);
}

int engine_remove(struct engine *engine, uid_t uid, const char *name, struct mm_error *err)
{
	if (engine_begin_removal(engine, uid, name, err))
		return -1;
	engine_end_removal(engine, name, true);
	return 0;
}

static json_t *describe(struct active_trigger *active)
{
	static const char *const states[] = { "starting", "armed", "failed" };
	char limits[LIMITS_TEXT];
	json_t *json;

	engine_explain_limits(active, engine_now_ns(), limits, sizeof(limits));
	json = json_pack("{s:o?,s:s,s:I,s:b,s:I,s:I,s:s,s:O*,s:O*}", "definition",
			 trigger_to_json(active->trigger), "state", states[active->state],
			 "matches", (json_int_t)active->matches, "at_least", active->at_least,
			 "snapshots", (json_int_t)active->snapshots, "failures",
			 (json_int_t)active->failures, "limits", limits, "last", active->last,
			 "run", active->run);
	if (json && active->planned) {
		json_object_set(json, "profile", json_object_get(active->planned, "profile"));
		json_object_set(json, "recorder", json_object_get(active->planned, "recorder"));
	}
	if (json && active->state == WATCHER_FAILED)
		json_object_set_new(json, "why", mm_json_text(active->why));
	return json;
}

json_t *engine_list(const struct engine *engine)
{
	json_t *list = json_array();

	for (struct active_trigger *active = engine->first; active; active = active->next)
		json_array_append_new(list, describe(active));
	return list;
}

int engine_test(struct engine *engine, uid_t uid, const char *name, void *client,
		client_answer *answer, struct mm_error *err)
{
	struct active_trigger *active = *find(engine, name);

	if (check_owner(active, uid, name, err))
		return -1;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): check_owner() refuses NULL */
	if (active->tester)
		return fail(err, MM_EXIT_ENVIRONMENT, name, "is being tested; try again later");
	active->tester = client;
	active->test_answer = answer;
	engine_start_test(active);
	return 0;
}

void engine_forget(struct engine *engine, void *client)
{
	for (struct active_trigger *active = engine->first; active; active = active->next)
		if (active->tester == client)
			engine_end_test(active);
}

void engine_finish(struct engine *engine)
{
	engine->finishing = true;
}
