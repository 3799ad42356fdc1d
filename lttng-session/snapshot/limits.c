// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the trackers and filters that limit a session. If the session is not in the plan, takes
 * them from the session itself.
 */
#include "lttng-session/snapshot/limits.h"

#include <stdio.h>
#include <string.h>

#include "lttng-session/freeze/tracked.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/recorder/plan.h"

static void add_ids(struct snapshot_promise *promise, const struct trackers *trackers,
		    enum tracker_kind kind, enum lttng_mm_freeze_tracker tracker)
{
	if (trackers->count[kind])
		promise->trackers.restricted |= 1u << tracker;
	for (size_t i = 0; i < trackers->count[kind]; i++)
		promise->ids[promise->trackers.count++] = (struct lttng_mm_freeze_tracked){
			.tracker = tracker,
			.id = (int)trackers->ids[kind][i],
		};
}

static json_t *filter_text(const char *event, const char *filter)
{
	return json_sprintf("%s with %s", event, filter);
}

/*
 * Adds the filters of the session's channels in the plan. They apply only to events of function
 * calls.
 */
static void add_planned_filters(json_t *limits, const json_t *channels)
{
	const json_t *channel, *event;
	size_t i, k;

	json_array_foreach(channels, i, channel)
	{
		const char *filter = json_string_value(json_object_get(channel, "filter"));

		json_array_foreach(json_object_get(channel, "events"), k, event)
		{
			const char *name = json_string_value(event);
			struct function_event call;

			if (filter && name && function_event_parse(name, &call) &&
			    !strcmp(call.form, FUNCTION_EVENT_CALL))
				json_array_append_new(limits, filter_text(name, filter));
		}
	}
}

void snapshot_promise_read(const char *session, struct snapshot_promise *promise)
{
	struct mm_error ignored = MM_ERROR_INIT;
	const struct plan_session *planned;
	struct plan plan;

	memset(promise, 0, sizeof(*promise));
	promise->trackers.ids = promise->ids;
	if (plan_read(&plan, &ignored))
		return;
	planned = plan_find(&plan, session);
	if (planned) {
		promise->planned = true;
		add_ids(promise, &planned->trackers, TRACKER_PID, LTTNG_MM_FREEZE_PID);
		add_ids(promise, &planned->trackers, TRACKER_UID, LTTNG_MM_FREEZE_UID);
		promise->limits = json_array();
		add_planned_filters(promise->limits, json_object_get(planned->json, "channels"));
	}
	plan_release(&plan);
}

void snapshot_promise_release(struct snapshot_promise *promise)
{
	json_decref(promise->limits);
}

static bool is_of(const json_t *entry, const char *session)
{
	const char *name = json_string_value(json_object_get(entry, "session"));

	return name && !strcmp(name, session);
}

static json_t *entry_text(const json_t *entry)
{
	const json_t *exclusions = json_object_get(entry, "exclusions");
	const char *event = json_string_value(json_object_get(entry, "event"));
	const char *filter = json_string_value(json_object_get(entry, "filter"));
	char except[512] = "";
	size_t length = 0;

	for (size_t i = 0; i < json_array_size(exclusions) && length < sizeof(except); i++)
		length += (size_t)snprintf(except + length, sizeof(except) - length, "%s%s",
					   i	    ? ", "
					   : filter ? ", except "
						    : " except ",
					   json_string_value(json_array_get(exclusions, i)));
	return json_sprintf("%s%s%s%s", event ? event : "", filter ? " with " : "",
			    filter ? filter : "", except);
}

static void read_trackers(const json_t *filters, const char *session, struct tracked *tracked)
{
	const json_t *entry, *id;
	size_t i, k;

	tracked->restricted = 0;
	tracked->count = 0;
	json_array_foreach(filters, i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "tracker"));
		unsigned int tracker = 0;

		while (tracker < LTTNG_MM_FREEZE_TRACKERS && name &&
		       strcmp(name, tracked_name((enum lttng_mm_freeze_tracker)tracker)) != 0)
			tracker++;
		if (!name || tracker == LTTNG_MM_FREEZE_TRACKERS || !is_of(entry, session))
			continue;
		tracked->restricted |= 1u << tracker;
		json_array_foreach(json_object_get(entry, "ids"), k, id)
		{
			if (tracked->count < TRACKED_ROOM)
				tracked->ids[tracked->count++] = (struct lttng_mm_freeze_tracked){
					.tracker = tracker,
					.id = (int)json_integer_value(id),
				};
		}
	}
}

/*
 * Adds the trackers. This is for snapshots without a freeze, for which only the current trackers
 * are known.
 */
static int add_trackers(json_t *facts, const char *session, const struct snapshot_promise *promise,
			const json_t *filters)
{
	const struct freeze_promise *planned = promise->planned ? &promise->trackers : NULL;
	struct tracked tracked;

	read_trackers(filters, session, &tracked);
	return json_object_set_new(facts, "limited_to", tracked_limits(&tracked, planned)) ||
			       json_object_set_new(facts, "less",
						   tracked_less(session, &tracked, planned))
		       ? -1
		       : 0;
}

int snapshot_limits_add(json_t *facts, const char *session, const struct snapshot_promise *promise,
			const json_t *filters, const json_t *less, bool frozen)
{
	const size_t length = strlen(session);
	json_t *limits, *all_less, *entry;
	size_t i;

	if (!frozen && add_trackers(facts, session, promise, filters))
		return -1;
	limits = json_object_get(facts, "limited_to");
	all_less = json_object_get(facts, "less");
	json_array_foreach(filters, i, entry)
	{
		if (is_of(entry, session) && json_object_get(entry, "event") &&
		    json_array_append_new(limits, entry_text(entry)))
			return -1;
	}
	if (!filters && promise->limits && json_array_extend(limits, promise->limits))
		return -1;
	json_array_foreach(less, i, entry)
	{
		const char *text = json_string_value(entry);

		if (!strncmp(text, session, length) && text[length] == ':' &&
		    json_array_append(all_less, entry))
			return -1;
	}
	return 0;
}
