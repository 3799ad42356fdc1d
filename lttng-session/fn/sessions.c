// SPDX-License-Identifier: LGPL-2.1-only
/* Searches the event rules of all sessions for events of a function. */
#include "lttng-session/fn/sessions.h"

#include <fnmatch.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAX 256 /* size of a name such as fn_NAME_entry */

static bool is_event(const struct lttng_event *rule, const char *name)
{
	static const char *const forms[] = { "entry", "exit", "call" };
	char event[EVENT_MAX];

	if (rule->type != LTTNG_EVENT_TRACEPOINT && rule->type != LTTNG_EVENT_ALL)
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(event, sizeof(event), "fn_%s_%s", name, forms[i]);
		if (!fnmatch(rule->name, event, 0))
			return true;
	}
	return false;
}

static bool has_event(struct lttng_handle *handle, const char *channel, const char *name)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);
	bool found = false;

	for (int i = 0; i < count && !found; i++)
		found = is_event(&events[i], name);
	free(events);
	return found;
}

static bool records(const char *session, const char *name)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	bool found = false;

	for (int i = 0; i < count && !found; i++)
		found = has_event(handle, channels[i].name, name);
	free(channels);
	lttng_destroy_handle(handle);
	return found;
}

bool fn_sessions_find(const char *name, int64_t before_s, char *session, size_t size)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_session_daemon_alive() == 1 ? lttng_list_sessions(&sessions) : 0;
	bool found = false;

	for (int i = 0; i < count && !found; i++) {
		uint64_t created_s = 0;

		if (before_s &&
		    lttng_session_get_creation_time(&sessions[i], &created_s) == LTTNG_OK &&
		    created_s > (uint64_t)before_s)
			continue;
		found = records(sessions[i].name, name);
		if (found)
			snprintf(session, size, "%s", sessions[i].name);
	}
	free(sessions);
	return found;
}
