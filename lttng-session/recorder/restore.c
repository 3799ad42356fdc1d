// SPDX-License-Identifier: LGPL-2.1-only
/* Creates sessions from their description in the plan. */
#include "lttng-session/recorder/restore.h"

#include <lttng/lttng.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/profile/profile.h"
#include "lttng-session/recorder/session.h"
#include "lttng-session/system/session-daemon-pid.h"
#include "lttng-session/system/session-daemon.h"

/* A session_plan with the arrays that it points to. The plan owns the strings. */
struct restored_session {
	struct session_plan session;
	const char *events[PLAN_CHANNELS_MAX][PROFILE_LIST_MAX + 1];
	const char *contexts[PLAN_CHANNELS_MAX][PROFILE_LIST_MAX + 1];
};

static int read_list(const json_t *array, const char **list)
{
	const json_t *item;
	size_t i;

	if (json_array_size(array) > PROFILE_LIST_MAX)
		return -1;
	json_array_foreach(array, i, item) list[i] = json_string_value(item);
	list[json_array_size(array)] = NULL;
	return 0;
}

static bool describe_channel(const struct plan_session *session, size_t number,
			     struct restored_session *described)
{
	const json_t *channels = json_object_get(session->json, "channels");
	const json_t *channel = json_array_get(channels, number);
	struct session_channel *to = &described->session.channels[number];

	*to = (struct session_channel){
		.subbuf_bytes = session->rings[number].subbuf_bytes,
		.subbuf_count = session->rings[number].subbuf_count,
		.events = described->events[number],
		.contexts = described->contexts[number],
		.filter = json_string_value(json_object_get(channel, "filter")),
	};
	snprintf(to->name, sizeof(to->name), "%s",
		 json_string_value(json_object_get(channel, "name")));
	return !read_list(json_object_get(channel, "events"), described->events[number]) &&
	       !read_list(json_object_get(channel, "contexts"), described->contexts[number]);
}

static int describe(const struct plan_session *session, struct restored_session *described,
		    struct mm_error *err)
{
	snprintf(described->session.session, sizeof(described->session.session), "%s",
		 session->name);
	described->session.channel_count = session->ring_count;
	described->session.trackers = session->trackers;
	for (size_t i = 0; i < session->ring_count; i++)
		if (!describe_channel(session, i, described))
			return mm_error_set(
				err, MM_EXIT_ENVIRONMENT,
				"session: %s: the session has more than %d events and cannot be restored; start it again with `lttng-mm record`",
				session->name, PROFILE_LIST_MAX);
	return 0;
}

int restore_start(const char *name, struct mm_error *err)
{
	int ret = lttng_start_tracing(name);

	return ret < 0 && ret != -LTTNG_ERR_TRACE_ALREADY_STARTED
		       ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: %s: %s", name,
				      lttng_strerror(ret))
		       : 0;
}

int restore_session(struct plan *plan, struct transaction *transaction, const char *name,
		    struct mm_error *err)
{
	const struct plan_session *session = plan_find(plan, name);
	struct mm_error ignored = MM_ERROR_INIT;
	struct restored_session described;
	struct profile *profile;
	int ret;

	if (!session || describe(session, &described, err))
		return -1;
	profile = profile_load(session->profile, &ignored);
	if (profile && profile->module)
		daemon_load_probe(profile->module, &ignored);
	profile_destroy(profile);
	/*
	 * If a session already records these events, adopt it: somebody has made it with the
	 * commands of `record --dry-run`. Otherwise, create a session. To make all events start at
	 * the same instant, `record` first starts a temporary session. This is not done here,
	 * because it would double the time without recording.
	 */
	ret = session_matches(&described.session)
		      ? restore_start(name, err)
		      : transaction_start(transaction, &described.session, err);
	return ret ? -1
		   : plan_set_since(plan, name, session_creation_time(name), daemon_started(), err);
}

int restore_events(const struct plan_session *session, struct mm_error *err)
{
	struct restored_session described;

	return describe(session, &described, err) ? -1 : session_enable(&described.session, err);
}

bool restore_is_complete(const struct plan_session *session)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct restored_session described;

	return describe(session, &described, &ignored) || session_is_enabled(&described.session);
}
