// SPDX-License-Identifier: LGPL-2.1-only
/* Does a session record all events, or did somebody add a tracker or a filter? */
#include <lttng/lttng.h>
#include <stdlib.h>

#include "lttng-session/recorder.h"

static bool is_tracked(const char *session)
{
	static const enum lttng_process_attr attributes[] = {
		LTTNG_PROCESS_ATTR_PROCESS_ID, LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
		LTTNG_PROCESS_ATTR_USER_ID,    LTTNG_PROCESS_ATTR_VIRTUAL_USER_ID,
		LTTNG_PROCESS_ATTR_GROUP_ID,   LTTNG_PROCESS_ATTR_VIRTUAL_GROUP_ID,
	};
	bool tracked = false;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		struct lttng_process_attr_tracker_handle *tracker = NULL;
		enum lttng_tracking_policy policy;

		if (lttng_session_get_tracker_handle(session, LTTNG_DOMAIN_KERNEL, attributes[i],
						     &tracker) != LTTNG_OK)
			continue;
		tracked |=
			lttng_process_attr_tracker_handle_get_tracking_policy(tracker, &policy) ==
				LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK &&
			policy != LTTNG_TRACKING_POLICY_INCLUDE_ALL;
		lttng_process_attr_tracker_handle_destroy(tracker);
	}
	return tracked;
}

static bool has_filter(struct lttng_handle *handle, const char *channel)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);
	const char *filter = NULL;

	for (int i = 0; i < count && !filter; i++)
		lttng_event_get_filter_expression(&events[i], &filter);
	free(events);
	return filter;
}

bool recorder_is_partial(const char *session)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	bool partial = is_tracked(session);

	for (int i = 0; i < count; i++)
		partial |= has_filter(handle, channels[i].name);
	free(channels);
	lttng_destroy_handle(handle);
	return partial;
}
