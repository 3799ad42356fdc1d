// SPDX-License-Identifier: LGPL-2.1-only
/* Describes what a session records: its filters, exclusions and trackers. */
#include "lttng-session/snapshot/describe.h"

#include <fnmatch.h>
#include <grp.h>
#include <lttng/lttng.h>
#include <lttng/tracker.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/freeze/tracked.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/restore.h"
#include "util/json-file.h"

static const char *filter_of(const struct lttng_event *rule)
{
	const char *filter = NULL;

	return lttng_event_get_filter_expression((struct lttng_event *)rule, &filter) ? NULL
										      : filter;
}

static int exclusions_of(const struct lttng_event *rule)
{
	int count = lttng_event_get_exclusion_name_count((struct lttng_event *)rule);

	return count > 0 ? count : 0;
}

/*
 * Does a rule without a filter select all events of @rule? The name in @rule may be a pattern.
 * fnmatch() works for patterns, too, because "*" also matches asterisks.
 */
static bool is_covered(const struct lttng_event *rules, int count, const struct lttng_event *rule)
{
	for (int i = 0; i < count; i++)
		if (rules[i].enabled && rules[i].type == rule->type && !filter_of(&rules[i]) &&
		    !exclusions_of(&rules[i]) && !fnmatch(rules[i].name, rule->name, FNM_NOESCAPE))
			return true;
	return false;
}

static json_t *exclusions_json(const struct lttng_event *rule)
{
	json_t *exclusions = json_array();
	const char *name;

	for (int i = 0; i < exclusions_of(rule); i++)
		if (!lttng_event_get_exclusion_name((struct lttng_event *)rule, (size_t)i, &name))
			json_array_append_new(exclusions, mm_json_text(name));
	return exclusions;
}

static void add_filters(const char *session, struct lttng_handle *handle, const char *channel,
			json_t *filters)
{
	struct lttng_event *rules = NULL;
	int count = lttng_list_events(handle, channel, &rules);

	for (int i = 0; i < count; i++) {
		const char *filter = filter_of(&rules[i]);
		json_t *entry;

		if (!rules[i].enabled || (!filter && !exclusions_of(&rules[i])) ||
		    is_covered(rules, count, &rules[i]))
			continue;
		entry = json_object();
		json_object_set_new(entry, "session", mm_json_text(session));
		json_object_set_new(entry, "channel", mm_json_text(channel));
		json_object_set_new(entry, "event", mm_json_text(rules[i].name));
		if (filter)
			json_object_set_new(entry, "filter", mm_json_text(filter));
		if (exclusions_of(&rules[i]))
			json_object_set_new(entry, "exclusions", exclusions_json(&rules[i]));
		json_array_append_new(filters, entry);
	}
	free(rules);
}

/*
 * Returns the ID that value @i of a tracker means, or -1. The value may be the name of a user or
 * group.
 */
static int64_t value_of(const struct lttng_process_attr_values *values, unsigned int i)
{
	const struct passwd *user;
	const struct group *group;
	const char *name = NULL;
	pid_t pid = -1;
	uid_t uid = (uid_t)-1;
	gid_t gid = (gid_t)-1;

	switch (lttng_process_attr_values_get_type_at_index(values, i)) {
	case LTTNG_PROCESS_ATTR_VALUE_TYPE_PID:
		lttng_process_attr_values_get_pid_at_index(values, i, &pid);
		return pid;
	case LTTNG_PROCESS_ATTR_VALUE_TYPE_UID:
		lttng_process_attr_values_get_uid_at_index(values, i, &uid);
		return uid;
	case LTTNG_PROCESS_ATTR_VALUE_TYPE_GID:
		lttng_process_attr_values_get_gid_at_index(values, i, &gid);
		return gid;
	case LTTNG_PROCESS_ATTR_VALUE_TYPE_USER_NAME:
		lttng_process_attr_values_get_user_name_at_index(values, i, &name);
		user = name ? getpwnam(name) : NULL;
		return user ? (int64_t)user->pw_uid : -1;
	case LTTNG_PROCESS_ATTR_VALUE_TYPE_GROUP_NAME:
		lttng_process_attr_values_get_group_name_at_index(values, i, &name);
		group = name ? getgrnam(name) : NULL;
		return group ? (int64_t)group->gr_gid : -1;
	default:
		return -1;
	}
}

static json_t *ids_json(struct lttng_process_attr_tracker_handle *tracker)
{
	const struct lttng_process_attr_values *values = NULL;
	json_t *ids = json_array();
	unsigned int count = 0;

	if (lttng_process_attr_tracker_handle_get_inclusion_set(tracker, &values) !=
		    LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK ||
	    lttng_process_attr_values_get_count(values, &count) !=
		    LTTNG_PROCESS_ATTR_VALUES_STATUS_OK)
		return ids;
	for (unsigned int i = 0; i < count; i++) {
		int64_t id = value_of(values, i);

		if (id >= 0 && id <= INT32_MAX)
			json_array_append_new(ids, json_integer(id));
	}
	return ids;
}

static void add_trackers(const char *session, json_t *filters)
{
	static const enum lttng_process_attr attributes[LTTNG_MM_FREEZE_TRACKERS] = {
		[LTTNG_MM_FREEZE_PID] = LTTNG_PROCESS_ATTR_PROCESS_ID,
		[LTTNG_MM_FREEZE_VPID] = LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
		[LTTNG_MM_FREEZE_UID] = LTTNG_PROCESS_ATTR_USER_ID,
		[LTTNG_MM_FREEZE_VUID] = LTTNG_PROCESS_ATTR_VIRTUAL_USER_ID,
		[LTTNG_MM_FREEZE_GID] = LTTNG_PROCESS_ATTR_GROUP_ID,
		[LTTNG_MM_FREEZE_VGID] = LTTNG_PROCESS_ATTR_VIRTUAL_GROUP_ID,
	};

	for (unsigned int i = 0; i < LTTNG_MM_FREEZE_TRACKERS; i++) {
		struct lttng_process_attr_tracker_handle *tracker = NULL;
		enum lttng_tracking_policy policy;
		json_t *entry;

		if (lttng_session_get_tracker_handle(session, LTTNG_DOMAIN_KERNEL, attributes[i],
						     &tracker) != LTTNG_OK)
			continue;
		if (lttng_process_attr_tracker_handle_get_tracking_policy(tracker, &policy) ==
			    LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK &&
		    policy != LTTNG_TRACKING_POLICY_INCLUDE_ALL) {
			entry = json_object();
			json_object_set_new(entry, "session", mm_json_text(session));
			json_object_set_new(
				entry, "tracker",
				json_string(tracked_name((enum lttng_mm_freeze_tracker)i)));
			json_object_set_new(entry, "ids", ids_json(tracker));
			json_array_append_new(filters, entry);
		}
		lttng_process_attr_tracker_handle_destroy(tracker);
	}
}

/* Adds a sentence to @less if events or channels that the plan lists are disabled. */
static void add_less(const char *session, json_t *less)
{
	struct mm_error ignored = MM_ERROR_INIT;
	const struct plan_session *planned;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return;
	planned = plan_find(&plan, session);
	if (planned && !restore_is_complete(planned))
		json_array_append_new(
			less,
			json_sprintf("%s: events that it should record are disabled.", session));
	plan_release(&plan);
}

void snapshot_describe_session(const char *session, json_t *filters, json_t *less, uint64_t *bytes)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;

	for (int i = 0; i < count; i++) {
		*bytes += channels[i].attr.subbuf_size * channels[i].attr.num_subbuf * cpus;
		add_filters(session, handle, channels[i].name, filters);
	}
	free(channels);
	lttng_destroy_handle(handle);
	add_trackers(session, filters);
	add_less(session, less);
}
