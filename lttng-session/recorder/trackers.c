// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads, sets and formats LTTng's trackers, which select the processes and users that a session
 * records.
 */
#include "lttng-session/recorder/trackers.h"

#include <lttng/lttng.h>
#include <lttng/tracker.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

/* Names of the kinds: as options of `record` and lttng-track(1), and as members of the plan. */
static const char *const names[TRACKER_KINDS] = { [TRACKER_PID] = "pid", [TRACKER_UID] = "uid" };

/* Is the ID valid? It must fit in an int, because LTTng stores IDs as int. */
static bool is_id(json_int_t value, enum tracker_kind kind)
{
	return value >= (kind == TRACKER_PID) && value <= INT32_MAX;
}

/* Parses an ID or a user name. Returns -1 if @text is neither. */
static int64_t parse_id(const char *text, enum tracker_kind kind)
{
	char *end;
	long long value = strtoll(text, &end, 10);
	const struct passwd *user;

	if (*text >= '0' && *text <= '9' && !*end)
		return is_id(value, kind) ? value : -1;
	user = kind == TRACKER_UID && *text ? getpwnam(text) : NULL;
	return user && is_id(user->pw_uid, kind) ? (int64_t)user->pw_uid : -1;
}

/* Adds an ID, unless it is already there. Returns false if there are too many IDs. */
static bool add(struct trackers *trackers, enum tracker_kind kind, uint32_t id)
{
	size_t *count = &trackers->count[kind];

	for (size_t i = 0; i < *count; i++)
		if (trackers->ids[kind][i] == id)
			return true;
	if (*count == TRACKED_MAX)
		return false;
	trackers->ids[kind][(*count)++] = id;
	return true;
}

int trackers_parse(struct trackers *trackers, enum tracker_kind kind, const char *list,
		   struct mm_error *err)
{
	char word[64];

	do {
		size_t length = strcspn(list, ",");
		int64_t id;

		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		id = length < sizeof(word) ? parse_id(word, kind) : -1;
		if (id < 0)
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT, "--%s: '%s' is not %s", names[kind], word,
				kind == TRACKER_PID ? "a process id"
						    : "a user ID or the name of a user");
		if (!add(trackers, kind, (uint32_t)id))
			return mm_error_set(err, MM_EXIT_BAD_INPUT, "--%s: more than %d ids",
					    names[kind], TRACKED_MAX);
		list += length;
	} while (*list++);
	return 0;
}

bool trackers_are_set(const struct trackers *trackers)
{
	return trackers->count[TRACKER_PID] || trackers->count[TRACKER_UID];
}

static enum lttng_process_attr_tracker_handle_status
include(const struct lttng_process_attr_tracker_handle *handle, enum tracker_kind kind, uint32_t id)
{
	return kind == TRACKER_PID
		       ? lttng_process_attr_process_id_tracker_handle_add_pid(handle, (pid_t)id)
		       : lttng_process_attr_user_id_tracker_handle_add_uid(handle, id);
}

static int apply(const struct trackers *trackers, enum tracker_kind kind, const char *session,
		 struct mm_error *err)
{
	static const enum lttng_process_attr attributes[] = {
		[TRACKER_PID] = LTTNG_PROCESS_ATTR_PROCESS_ID,
		[TRACKER_UID] = LTTNG_PROCESS_ATTR_USER_ID,
	};
	struct lttng_process_attr_tracker_handle *handle = NULL;
	enum lttng_process_attr_tracker_handle_status status;
	enum lttng_error_code code = lttng_session_get_tracker_handle(session, LTTNG_DOMAIN_KERNEL,
								      attributes[kind], &handle);

	if (code != LTTNG_OK)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: %s: --%s: %s", session,
				    names[kind], lttng_strerror(-(int)code));
	status = lttng_process_attr_tracker_handle_set_tracking_policy(
		handle, LTTNG_TRACKING_POLICY_INCLUDE_SET);
	for (size_t i = 0;
	     i < trackers->count[kind] && status >= LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;
	     i++)
		status = include(handle, kind, trackers->ids[kind][i]);
	lttng_process_attr_tracker_handle_destroy(handle);
	/* A positive status means that the ID is already tracked, which is fine. */
	return status < LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK
		       ? mm_error_set(err, MM_EXIT_ENVIRONMENT,
				      "session: %s: --%s: LTTng refuses the tracker (status %d)",
				      session, names[kind], (int)status)
		       : 0;
}

int trackers_apply(const struct trackers *trackers, const char *session, struct mm_error *err)
{
	for (int kind = 0; kind < TRACKER_KINDS; kind++)
		if (trackers->count[kind] && apply(trackers, kind, session, err))
			return -1;
	return 0;
}

void trackers_print(FILE *out, const struct trackers *trackers, const char *session)
{
	for (int kind = 0; kind < TRACKER_KINDS; kind++) {
		if (!trackers->count[kind])
			continue;
		fprintf(out, "lttng track --kernel --session=%s --%s=", session, names[kind]);
		for (size_t i = 0; i < trackers->count[kind]; i++)
			fprintf(out, "%s%u", i ? "," : "", trackers->ids[kind][i]);
		fputc('\n', out);
	}
}

static json_t *ids_to_json(const struct trackers *trackers, enum tracker_kind kind)
{
	json_t *ids = json_array();

	for (size_t i = 0; i < trackers->count[kind]; i++)
		if (json_array_append_new(ids, json_integer(trackers->ids[kind][i]))) {
			json_decref(ids);
			return NULL;
		}
	return ids;
}

json_t *trackers_to_json(const struct trackers *trackers)
{
	json_t *json = json_object();

	for (int kind = 0; kind < TRACKER_KINDS; kind++)
		if (trackers->count[kind] &&
		    json_object_set_new(json, names[kind], ids_to_json(trackers, kind))) {
			json_decref(json);
			return NULL;
		}
	return json;
}

static bool read_ids(const json_t *ids, enum tracker_kind kind, struct trackers *trackers)
{
	const json_t *id;
	size_t i;

	json_array_foreach(ids, i, id)
	{
		if (!json_is_integer(id) || !is_id(json_integer_value(id), kind) ||
		    !add(trackers, kind, (uint32_t)json_integer_value(id)))
			return false;
	}
	/* Refuse a kind with an empty list, because a tracker without IDs would record nothing. */
	return json_array_size(ids) > 0;
}

bool trackers_from_json(const json_t *json, struct trackers *trackers)
{
	*trackers = (struct trackers){ .count = { 0 } };
	if (json && !json_is_object(json))
		return false;
	for (int kind = 0; kind < TRACKER_KINDS; kind++) {
		const json_t *ids = json_object_get(json, names[kind]);

		if (ids && !read_ids(ids, kind, trackers))
			return false;
	}
	return true;
}

void trackers_text(const struct trackers *trackers, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (int kind = 0; kind < TRACKER_KINDS; kind++)
		for (size_t i = 0; i < trackers->count[kind] && length < size; i++)
			length += (size_t)snprintf(text + length, size - length, "%s%s%s%u",
						   length ? ", " : "", i ? "" : names[kind],
						   i ? "" : " ", trackers->ids[kind][i]);
}
