// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads and changes the plan. Checks every member that it reads, because the file may contain
 * anything.
 */
#include "lttng-session/recorder/plan.h"

#include <stdio.h>
#include <string.h>

#include "lttng-session/recorder/retention-limits.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/system/session-daemon-pid.h"
#include "lttng-session/profile/trigger-text.h"
#include "util/mounts.h"

#define VERSION 1
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define WHERE "plan: /run/lttng-mm/" PLAN_FILE ": "
#define REMEDY "; remove the file, and the sessions with `lttng destroy`"

static int malformed(struct mm_error *err, const char *what)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, WHERE "%s" REMEDY, what);
}

static int no_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "plan: out of memory");
}

/*
 * Copies a name. Accepts only characters that are safe in shell commands and valid in LTTng's
 * session names.
 */
static bool copy_name(char *name, size_t size, const json_t *json)
{
	const char *text = json_string_value(json);
	size_t length = json_string_length(json);

	if (!text || !length || length >= size || *text == '-' || *text == '.' ||
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
		    length)
		return false;
	memcpy(name, text, length + 1);
	return true;
}

static bool is_power(json_int_t value)
{
	return value > 0 && value <= (json_int_t)1 << 40 && !(value & (value - 1));
}

static bool are_strings(const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (!json_is_string(item) || json_string_length(item) >= PLAN_NAME_MAX)
			return false;
	}
	return json_is_array(array);
}

static bool read_channel(struct plan_session *session, const json_t *channel)
{
	json_int_t bytes = json_integer_value(json_object_get(channel, "subbuf_bytes"));
	json_int_t count = json_integer_value(json_object_get(channel, "subbuf_count"));
	const json_t *filter = json_object_get(channel, "filter");
	struct budget_ring *ring = &session->rings[session->ring_count];
	char name[PLAN_NAME_MAX];
	size_t length = strlen(session->channels);

	if (session->ring_count == PLAN_CHANNELS_MAX ||
	    !copy_name(name, sizeof(name), json_object_get(channel, "name")) || !is_power(bytes) ||
	    !is_power(count) || count > 1 << 20 ||
	    !are_strings(json_object_get(channel, "events")) ||
	    !are_strings(json_object_get(channel, "contexts")) ||
	    (filter && !json_is_string(filter)))
		return false;
	*ring = (struct budget_ring){ .subbuf_bytes = (uint64_t)bytes,
				      .subbuf_count = (uint64_t)count,
				      .fixed = true };
	session->ring_bytes += ring->subbuf_bytes * (ring->subbuf_count + 1);
	/* If the names do not fit, @channels becomes empty, and no further names are added. */
	if ((length || !session->ring_count) &&
	    snprintf(session->channels + length, sizeof(session->channels) - length, "%s%s",
		     length ? "," : "", name) >= (int)(sizeof(session->channels) - length))
		*session->channels = '\0';
	session->ring_count++;
	return true;
}

static bool read_channels(struct plan_session *session, const json_t *channels)
{
	const json_t *channel;
	size_t i;

	json_array_foreach(channels, i, channel) if (!read_channel(session, channel)) return false;
	return session->ring_count;
}

/* Do all triggers of the session have a valid name? Does not check the other members. */
static bool has_valid_triggers(const json_t *session)
{
	const json_t *triggers = json_object_get(session, "triggers"), *trigger;
	size_t i;

	json_array_foreach(triggers, i, trigger)
	{
		const json_t *name = json_object_get(trigger, "name");
		const char *text = json_string_value(name);

		if (!text || strlen(text) != json_string_length(name) ||
		    !trigger_name_is_valid(text))
			return false;
	}
	return !triggers ||
	       (json_is_array(triggers) && json_array_size(triggers) <= PLAN_TRIGGERS_MAX);
}

static bool read_session(struct plan_session *session, const json_t *json)
{
	const char *role = json_string_value(json_object_get(json, "role"));
	const json_t *profiles = json_object_get(json, "profiles");
	const json_t *since = json_object_get(json, "since");
	const json_t *callstack = json_object_get(json, "callstack");
	const json_t *safe = json_object_get(json, "kaslr_safe");
	const json_t *targets = json_object_get(json, "targets");

	session->json = json;
	session->since = json_integer_value(since);
	session->daemon = json_integer_value(json_object_get(json, "daemon_started"));
	session->callstack = json_is_true(callstack);
	session->kaslr_safe = json_is_true(safe);
	if (!role || (strcmp(role, "events") != 0 && strcmp(role, "state") != 0))
		return false;
	session->state = *role == 's';
	return copy_name(session->name, sizeof(session->name), json_object_get(json, "name")) &&
	       are_strings(profiles) &&
	       copy_name(session->profile, sizeof(session->profile), json_array_get(profiles, 0)) &&
	       json_is_integer(since) && json_is_boolean(callstack) && json_is_boolean(safe) &&
	       has_valid_triggers(json) && (!targets || json_is_object(targets)) &&
	       trackers_from_json(json_object_get(json, "trackers"), &session->trackers) &&
	       read_channels(session, json_object_get(json, "channels"));
}

static int read_recorder(struct plan *plan, const json_t *json, struct mm_error *err)
{
	const json_t *sessions = json_object_get(json, "sessions"), *item;
	const json_t *budget = json_object_get(json, "budget_bytes");
	const json_t *window = json_object_get(json, "window_ns");
	char name[PLAN_NAME_MAX];
	size_t i;

	if (!copy_name(name, sizeof(name), json_object_get(json, "name")))
		return malformed(err, "a recorder has no valid name");
	if (plan_has_recorder(plan, name))
		return malformed(err, "two recorders have the same name");
	if (!json_is_null(budget) && json_integer_value(budget) <= 0)
		return malformed(err, "the budget of a recorder is neither a number nor null");
	if (!retention_limits_are_valid(json))
		return malformed(err,
				 "the output folder or the limits of a recorder are not valid");
	if (window && !json_is_null(window) && json_integer_value(window) <= 0)
		return malformed(err, "the window of a recorder is neither a number nor null");
	if (!json_is_array(sessions))
		return malformed(err, "a recorder has no sessions");
	json_array_foreach(sessions, i, item)
	{
		struct plan_session *session = &plan->sessions[plan->count];

		if (plan->count == PLAN_SESSIONS_MAX)
			return malformed(err, "too many sessions");
		memset(session, 0, sizeof(*session));
		if (!read_session(session, item))
			return malformed(err, "a session has a missing or invalid member");
		if (plan_find(plan, session->name))
			return malformed(err, "two sessions have the same name");
		snprintf(session->recorder, sizeof(session->recorder), "%s", name);
		plan->count++;
	}
	return 0;
}

/* Is the list of unfinished sessions absent or valid? */
static bool has_valid_unfinished(const json_t *plan)
{
	const json_t *list = json_object_get(plan, PLAN_UNFINISHED), *entry;
	char name[PLAN_NAME_MAX];
	size_t i;

	json_array_foreach(list, i, entry)
	{
		const json_t *since = json_object_get(entry, "since");

		if (!copy_name(name, sizeof(name), json_object_get(entry, "name")) ||
		    (!json_is_integer(since) && !json_is_null(since)))
			return false;
	}
	return !list || (json_is_array(list) && json_array_size(list) <= PLAN_UNFINISHED_MAX);
}

static int interpret(struct plan *plan, struct mm_error *err)
{
	const json_t *recorders = json_object_get(plan->json, "recorders"), *item;
	size_t i;

	plan->count = 0;
	if (json_integer_value(json_object_get(plan->json, "version")) != VERSION)
		return malformed(err, "it was written by another version of lttng-mm");
	if (!json_is_array(recorders))
		return malformed(err, "it has no list of recorders");
	if (!has_valid_unfinished(plan->json))
		return malformed(err, "its list of unfinished sessions is not valid");
	json_array_foreach(recorders, i, item) if (read_recorder(plan, item, err)) return -1;
	return 0;
}

static json_t *make_plan(void)
{
	char id[64];

	mounts_read_line(BOOT_ID, id, sizeof(id));
	return json_pack("{s:i,s:s,s:[]}", "version", VERSION, "boot_id", id, "recorders");
}

int plan_read(struct plan *plan, struct mm_error *err)
{
	const char *id;
	char now[64];
	int ret;

	memset(plan, 0, sizeof(*plan));
	ret = plan_file_read(&plan->json, err);
	mounts_read_line(BOOT_ID, now, sizeof(now));
	id = json_string_value(json_object_get(plan->json, "boot_id"));
	if (plan->json && !id)
		ret = malformed(err, "it has no boot ID");
	if (!ret && id && strcmp(id, now) != 0) {
		plan->other_boot = true;
		json_decref(plan->json);
		plan->json = NULL;
	}
	if (!ret && !plan->json && !(plan->json = make_plan()))
		ret = no_memory(err);
	if (!ret)
		ret = interpret(plan, err);
	if (ret)
		plan_release(plan);
	return ret;
}

void plan_release(struct plan *plan)
{
	json_decref(plan->json);
	memset(plan, 0, sizeof(*plan));
}

int plan_write_json(const json_t *json, struct mm_error *err)
{
	bool needed = json_array_size(json_object_get(json, "recorders")) ||
		      json_array_size(json_object_get(json, PLAN_UNFINISHED));

	return plan_file_write(needed ? json : NULL, err);
}

int plan_write(const struct plan *plan, struct mm_error *err)
{
	return plan_write_json(plan->json, err);
}

static json_t *strings(const char *const *list, const char *const *more)
{
	json_t *array = json_array();

	for (; list && *list; list++)
		if (json_array_append_new(array, json_string(*list)))
			goto fail;
	for (; more && *more; more++)
		if (json_array_append_new(array, json_string(*more)))
			goto fail;
	return array;
fail:
	json_decref(array);
	return NULL;
}

static bool has_callstack(const char *const *contexts)
{
	for (; contexts && *contexts; contexts++)
		if (!strcmp(*contexts, "callstack-kernel"))
			return true;
	return false;
}

static json_t *make_channels(const struct session_plan *session)
{
	json_t *channels = json_array();

	for (size_t i = 0; i < session->channel_count; i++) {
		const struct session_channel *channel = &session->channels[i];

		if (json_array_append_new(
			    channels,
			    json_pack("{s:s,s:I,s:I,s:o,s:o}", "name", channel->name,
				      "subbuf_bytes", (json_int_t)channel->subbuf_bytes,
				      "subbuf_count", (json_int_t)channel->subbuf_count, "events",
				      strings(channel->events, NULL), "contexts",
				      strings(channel->contexts, channel->more_contexts))) ||
		    (channel->filter && json_object_set_new(json_array_get(channels, i), "filter",
							    json_string(channel->filter)))) {
			json_decref(channels);
			return NULL;
		}
	}
	return channels;
}

json_t *plan_make_session(const struct session_plan *session, bool state,
			  const char *const *profiles, int64_t since, bool kaslr_safe)
{
	bool callstack = false;
	json_t *json;

	for (size_t i = 0; i < session->channel_count; i++)
		callstack |= has_callstack(session->channels[i].contexts) ||
			     has_callstack(session->channels[i].more_contexts);
	json = json_pack("{s:s,s:s,s:o,s:I,s:b,s:b,s:o}", "name", session->session, "role",
			 state ? "state" : "events", "profiles", strings(profiles, NULL), "since",
			 (json_int_t)since, "callstack", callstack, "kaslr_safe",
			 kaslr_safe && !callstack, "channels", make_channels(session));
	if (trackers_are_set(&session->trackers) &&
	    json_object_set_new(json, "trackers", trackers_to_json(&session->trackers))) {
		json_decref(json);
		return NULL;
	}
	return json;
}

/* Returns the recorder's object, or NULL if the file has none. */
static json_t *find_recorder(const struct plan *plan, const char *recorder)
{
	const json_t *recorders = json_object_get(plan->json, "recorders");
	json_t *item;
	size_t i;

	json_array_foreach(recorders, i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));

		if (name && !strcmp(name, recorder))
			return item;
	}
	return NULL;
}

/* Returns the recorder's object, adding it if necessary, or NULL when out of memory. */
static json_t *need_recorder(struct plan *plan, const char *recorder)
{
	json_t *found = find_recorder(plan, recorder);

	if (found)
		return found;
	found = json_pack("{s:s,s:n,s:[]}", "name", recorder, "budget_bytes", "sessions");
	return json_array_append_new(json_object_get(plan->json, "recorders"), found) ? NULL
										      : found;
}

int plan_add(struct plan *plan, const char *recorder, json_t *session, struct mm_error *err)
{
	json_t *of = session ? need_recorder(plan, recorder) : NULL;

	if (!of) {
		json_decref(session);
		return no_memory(err);
	}
	if (json_array_append_new(json_object_get(of, "sessions"), session))
		return no_memory(err);
	return interpret(plan, err);
}

int plan_remove(struct plan *plan, const char *session, struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);
	json_t *recorders = json_object_get(plan->json, "recorders"), *recorder, *sessions;

	recorder = found ? find_recorder(plan, found->recorder) : NULL;
	sessions = json_object_get(recorder, "sessions");
	for (size_t i = 0; found && i < json_array_size(sessions); i++)
		if (json_array_get(sessions, i) == found->json) {
			json_array_remove(sessions, i);
			break;
		}
	for (size_t i = 0; recorder && !json_array_size(sessions); i++)
		if (json_array_get(recorders, i) == recorder) {
			json_array_remove(recorders, i);
			break;
		}
	return interpret(plan, err);
}

const struct plan_session *plan_find(const struct plan *plan, const char *session)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->sessions[i].name, session))
			return &plan->sessions[i];
	return NULL;
}

bool plan_has_recorder(const struct plan *plan, const char *recorder)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->sessions[i].recorder, recorder))
			return true;
	return false;
}

/*
 * Returns the index of @text in an array of strings, or the array's size if the array lacks @text.
 */
static size_t place(const json_t *array, const char *text)
{
	size_t i;

	for (i = 0; i < json_array_size(array); i++) {
		const char *item = json_string_value(json_array_get(array, i));

		if (item && !strcmp(item, text))
			break;
	}
	return i;
}

bool plan_session_is_for(const struct plan_session *session, const char *profile)
{
	const json_t *profiles = json_object_get(session->json, "profiles");

	return place(profiles, profile) < json_array_size(profiles);
}

int plan_share_state(struct plan *plan, const char *session, const char *profile, bool share,
		     struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);
	json_t *profiles = found ? json_object_get(found->json, "profiles") : NULL;
	size_t at = place(profiles, profile);

	if (share && at == json_array_size(profiles)) {
		if (json_array_append_new(profiles, json_string(profile)))
			return no_memory(err);
	} else if (!share) {
		json_array_remove(profiles, at);
	}
	return interpret(plan, err);
}

int plan_set_since(struct plan *plan, const char *session, int64_t since, int64_t daemon,
		   struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);

	/* found->json belongs to @plan, so it may be changed here although it is const. */
	if (found &&
	    (json_object_set_new((json_t *)found->json, "since", json_integer(since)) ||
	     json_object_set_new((json_t *)found->json, "daemon_started", json_integer(daemon))))
		return no_memory(err);
	return interpret(plan, err);
}

int plan_set_revealing(struct plan *plan, const char *session, struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);

	if (found && json_object_set_new((json_t *)found->json, "kaslr_safe", json_false()))
		return no_memory(err);
	return interpret(plan, err);
}

int plan_set_triggers(struct plan *plan, const char *session, json_t *triggers,
		      struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);

	if (found && json_object_set((json_t *)found->json, "triggers", triggers))
		return no_memory(err);
	return interpret(plan, err);
}

const json_t *plan_session_triggers(const struct plan_session *session)
{
	return json_object_get(session->json, "triggers");
}

int plan_set_targets(struct plan *plan, const char *session, json_t *targets, struct mm_error *err)
{
	const struct plan_session *found = plan_find(plan, session);

	if (found && json_object_set((json_t *)found->json, "targets", targets))
		return no_memory(err);
	return interpret(plan, err);
}

const json_t *plan_session_targets(const struct plan_session *session)
{
	return json_object_get(session->json, "targets");
}

const struct plan_session *plan_find_targets(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan_session_targets(&plan->sessions[i]))
			return &plan->sessions[i];
	return NULL;
}

int plan_remove_trigger(struct plan *plan, const char *name, struct mm_error *err)
{
	bool removed = false;

	for (size_t i = 0; i < plan->count; i++) {
		json_t *triggers = json_object_get(plan->sessions[i].json, "triggers");

		for (size_t at = json_array_size(triggers); at > 0; at--) {
			const json_t *trigger = json_array_get(triggers, at - 1);

			if (strcmp(json_string_value(json_object_get(trigger, "name")), name) != 0)
				continue;
			json_array_remove(triggers, at - 1);
			removed = true;
		}
	}
	return interpret(plan, err) ? -1 : removed;
}

bool plan_session_records(const struct plan_session *session, const char *event)
{
	const json_t *channels = json_object_get(session->json, "channels"), *channel;
	size_t i;

	json_array_foreach(channels, i, channel)
	{
		const json_t *events = json_object_get(channel, "events");

		if (place(events, event) < json_array_size(events))
			return true;
	}
	return false;
}

bool plan_session_dumps(const struct plan_session *session)
{
	const json_t *channels = json_object_get(session->json, "channels"), *channel, *event;
	size_t i, k;

	json_array_foreach(channels, i, channel)
	{
		json_array_foreach(json_object_get(channel, "events"), k, event)
		{
			if (strstr(json_string_value(event), PLAN_STATE_DUMP))
				return true;
		}
	}
	return false;
}

json_t *plan_recorder_json(const struct plan *plan, const char *name)
{
	const struct plan_session *session;
	json_t *found = find_recorder(plan, name);

	if (found)
		return found;
	session = plan_find(plan, name);
	return session ? find_recorder(plan, session->recorder) : NULL;
}

uint64_t plan_budget(const struct plan *plan, const char *recorder)
{
	json_int_t bytes =
		json_integer_value(json_object_get(find_recorder(plan, recorder), "budget_bytes"));

	return bytes > 0 ? (uint64_t)bytes : 0;
}

int plan_set_budget(struct plan *plan, const char *recorder, uint64_t bytes, struct mm_error *err)
{
	json_t *of = need_recorder(plan, recorder);

	if (!of || json_object_set_new(of, "budget_bytes", json_integer((json_int_t)bytes)))
		return no_memory(err);
	return interpret(plan, err);
}

int64_t plan_window(const struct plan *plan, const char *recorder)
{
	return json_integer_value(json_object_get(find_recorder(plan, recorder), "window_ns"));
}

int plan_set_window(struct plan *plan, const char *recorder, int64_t ns, struct mm_error *err)
{
	json_t *of = need_recorder(plan, recorder);

	if (!of || json_object_set_new(of, "window_ns", json_integer(ns)))
		return no_memory(err);
	return interpret(plan, err);
}
