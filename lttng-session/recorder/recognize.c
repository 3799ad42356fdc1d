// SPDX-License-Identifier: LGPL-2.1-only
/* Identifies the profile of a session by comparing its events with the events of all profiles. */
#include "lttng-session/recorder/recognize.h"

#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/event-names.h"
#include "lttng-session/recorder/plan.h"
#include "util/text.h"

static void add_profile(struct recognizer *recognizer, struct profile *profile)
{
	struct profile **grown =
		reallocarray(recognizer->profiles, recognizer->count + 1, sizeof(*grown));

	if (!grown) {
		profile_destroy(profile);
		return;
	}
	recognizer->profiles = grown;
	grown[recognizer->count++] = profile;
}

void recognizer_init(struct recognizer *recognizer)
{
	char *names = profile_names(), *rest = names, *name;

	*recognizer = (struct recognizer){ .count = 0 };
	while (rest && (name = strsep(&rest, ", "))) {
		struct mm_error err = MM_ERROR_INIT;
		struct profile *profile = *name ? profile_load(name, &err) : NULL;
		/* Also add a copy of the profile with the changes that `record --calls` makes. */
		struct profile *calls =
			profile && profile_has_functions(profile) ? profile_load(name, &err) : NULL;

		if (profile)
			add_profile(recognizer, profile);
		if (calls && !profile_use_calls(calls, &err))
			add_profile(recognizer, calls);
		else
			profile_destroy(calls);
	}
	free(names);
}

void recognizer_release(struct recognizer *recognizer)
{
	for (size_t i = 0; i < recognizer->count; i++)
		profile_destroy(recognizer->profiles[i]);
	free(recognizer->profiles);
	*recognizer = (struct recognizer){ .count = 0 };
}

static void add_channel(struct lttng_handle *handle, const char *channel, struct event_names *into)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);

	for (int i = 0; i < count; i++) {
		char name[sizeof(events->name) + sizeof(PROFILE_SYSCALL)];

		if (!events[i].enabled)
			continue;
		snprintf(name, sizeof(name), "%s%.*s",
			 events[i].type == LTTNG_EVENT_SYSCALL ? PROFILE_SYSCALL : "",
			 (int)sizeof(events[i].name), events[i].name);
		mm_strings_add(&into->names, &into->count, name);
	}
	free(events);
}

/*
 * Reads the enabled events of all kernel channels. These are the names and patterns that the user
 * has given.
 */
static void read_events(const char *session, struct event_names *into)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;

	*into = (struct event_names){ .count = 0 };
	for (int i = 0; i < count; i++)
		add_channel(handle, channels[i].name, into);
	free(channels);
	lttng_destroy_handle(handle);
}

static bool has(const struct event_names *events, const char *name)
{
	for (size_t i = 0; i < events->count; i++)
		if (!strcmp(events->names[i], name))
			return true;
	return false;
}

static bool has_all(const struct event_names *events, const struct profile_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!has(events, list->names[i]))
			return false;
	return list->count;
}

/*
 * Does the session have any of these events? Does not require all events, because another version
 * of the profile may have had fewer events.
 */
static bool has_any(const struct event_names *events, const struct profile_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (has(events, list->names[i]))
			return true;
	return false;
}

/*
 * Returns the number of the profile's events (or state events, with @state) if the session has all
 * of them; otherwise 0.
 */
static size_t count_events(const struct event_names *events, const struct profile *profile,
			   bool state)
{
	size_t count = 0;

	if (state)
		return has_all(events, &profile->state_events) ? profile->state_events.count : 0;
	for (size_t c = 0; c < profile->channel_count; c++) {
		const struct profile_list *list = &profile->channels[c].events;

		if (!has_all(events, list))
			return 0;
		count += list->count;
	}
	return count;
}

void recognize(const struct recognizer *recognizer, const char *session,
	       struct recognized *recognized)
{
	struct event_names events;
	size_t most = 0;

	read_events(session, &events);
	*recognized = (struct recognized){ .profile = "?", .safe = true, .state = events.count };
	recognized->events = events.count;
	for (size_t i = 0; i < events.count; i++) {
		bool dump = strstr(events.names[i], PLAN_STATE_DUMP);

		recognized->dumps |= dump;
		recognized->state &= dump;
		recognized->safe &= event_name_is_safe(events.names[i]);
	}
	for (size_t i = 0; i < recognizer->count; i++) {
		const struct profile *profile = recognizer->profiles[i];
		size_t count = count_events(&events, profile, recognized->state);

		if (count <= most)
			continue;
		most = count;
		recognized->found = true;
		snprintf(recognized->profile, sizeof(recognized->profile), "%s", profile->name);
	}
	event_names_release(&events);
}

bool recognize_state_of(const struct recognizer *recognizer, const char *session,
			const char *profile)
{
	struct event_names events;
	bool found = false;

	read_events(session, &events);
	for (size_t i = 0; i < recognizer->count; i++) {
		const struct profile *other = recognizer->profiles[i];

		if (!strcmp(profile, other->name) || *profile == '?')
			found |= has_any(&events, &other->state_events);
	}
	event_names_release(&events);
	return found;
}
