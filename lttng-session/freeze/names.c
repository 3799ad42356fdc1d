// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the names of a session's channels. The tracer numbers channels, but the session daemon
 * lists them by name in its own order. If there are several channels, a channel gets a listed name
 * only if its buffers and events match no other listed channel.
 */
#include <fnmatch.h>
#include <jansson.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/freeze/buffers.h"

static bool matches(const struct lttng_event *rule, const char *event)
{
	static const char *const prefixes[] = { "compat_", "syscall_", "entry_", "exit_" };

	if (rule->type == LTTNG_EVENT_SYSCALL || rule->type == LTTNG_EVENT_ALL)
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
			if (!strncmp(event, prefixes[i], strlen(prefixes[i])))
				event += strlen(prefixes[i]);
	/* A rule of this type fires events named NAME_entry and NAME_return. */
	if (rule->type == LTTNG_EVENT_FUNCTION)
		return !strncmp(event, rule->name, strlen(rule->name));
	return !fnmatch(rule->name, event, 0);
}

static bool has_rule(const struct freeze_listed *listed, const char *event)
{
	for (int i = 0; i < listed->count; i++)
		if (matches(&listed->rules[i], event))
			return true;
	return false;
}

/*
 * Finds the next declaration of an event after @at in text metadata. Returns the position after it,
 * or NULL at the end.
 */
static const char *next_event(const char *at, char *name, size_t size, unsigned int *stream)
{
	char format[64];

	snprintf(format, sizeof(format),
		 "event { name = \"%%%zu[^\"]\"; id = %%*u; stream_id = %%u", size - 1);
	while ((at = strstr(at, "event {"))) {
		if (sscanf(at, format, name, stream) == 2)
			return at + 1;
		at++;
	}
	return NULL;
}

/*
 * Finds the next event class in CTF 2 metadata, which is a sequence of JSON objects, each after a
 * record separator.
 */
static const char *next_event_class(const char *at, char *name, size_t size, unsigned int *stream)
{
	while ((at = strchr(at, '\x1e'))) {
		json_t *fragment = json_loadb(at + 1, strcspn(at + 1, "\x1e"), 0, NULL);
		const json_t *id = json_object_get(fragment, "data-stream-class-id");
		const char *type = json_string_value(json_object_get(fragment, "type"));
		const char *named = json_string_value(json_object_get(fragment, "name"));
		const bool found = type && named && !strcmp(type, "event-record-class");

		if (found) {
			snprintf(name, size, "%s", named);
			*stream = (unsigned int)json_integer_value(id);
		}
		json_decref(fragment);
		at++;
		if (found)
			return at;
	}
	return NULL;
}

/*
 * The comparison of the module's channels with the session daemon's list. @excluded[i][k] means
 * that channel i of the module cannot be the listed channel k.
 */
struct channel_match {
	struct freeze *freeze;
	const struct freeze_session *session;
	struct freeze_listed *listed;
	int count; /* number of @listed channels; at most LTTNG_MM_FREEZE_CHANNELS */
	bool excluded[LTTNG_MM_FREEZE_CHANNELS][LTTNG_MM_FREEZE_CHANNELS];
};

/* Excludes pairs with different buffers. A buffer has one page set per sub-buffer, and one more. */
static void compare_buffers(struct channel_match *match)
{
	const struct freeze *freeze = match->freeze;

	for (unsigned int i = 0; i < freeze->channel_count; i++)
		for (int k = 0; k < match->count; k++) {
			const struct lttng_channel_attr *attr = match->listed[k].attr;
			const struct lttng_mm_freeze_channel *is = &freeze->channels[i].is;

			match->excluded[i][k] =
				&freeze->sessions[freeze->channels[i].session] != match->session ||
				!attr->overwrite || attr->subbuf_size != is->set_bytes ||
				attr->num_subbuf + 1 != is->sets;
		}
}

/*
 * Excludes a pair if the trace declares an event in the module's channel that the listed channel
 * does not record.
 */
static void compare_events(struct channel_match *match)
{
	const char *at = match->session->metadata;
	const bool json = at[0] == '\x1e';
	char name[LTTNG_SYMBOL_NAME_LEN];
	unsigned int stream;

	while ((at = json ? next_event_class(at, name, sizeof(name), &stream)
			  : next_event(at, name, sizeof(name), &stream)))
		for (int k = 0; k < match->count; k++) {
			if (has_rule(&match->listed[k], name))
				continue;
			for (unsigned int i = 0; i < match->freeze->channel_count; i++)
				if (match->freeze->channels[i].is.id == stream)
					match->excluded[i][k] = true;
		}
}

static bool name_one(struct channel_match *match, unsigned int i)
{
	struct freeze_channel *channel = &match->freeze->channels[i];
	struct freeze_listed *only = NULL;

	for (int k = 0; k < match->count; k++) {
		if (match->excluded[i][k] || match->listed[k].used)
			continue;
		if (only)
			return false;
		only = &match->listed[k];
	}
	if (!only)
		return false;
	snprintf(channel->name, sizeof(channel->name), "%s", only->name);
	only->used = true;
	return true;
}

/*
 * Names all channels that have a single candidate. Repeats this until nothing changes, because a
 * named channel is no longer a candidate for the others.
 */
static void name_all(struct channel_match *match)
{
	bool again = true;

	while (again) {
		again = false;
		for (unsigned int i = 0; i < match->freeze->channel_count; i++)
			if (!match->freeze->channels[i].name[0] && name_one(match, i))
				again = true;
	}
}

int freeze_match_names(struct freeze *freeze, const struct freeze_session *session,
		       struct freeze_listed *listed, int count)
{
	struct channel_match *match = calloc(1, sizeof(*match));

	if (!match)
		return -1;
	match->freeze = freeze;
	match->session = session;
	match->listed = listed;
	match->count = count;
	compare_buffers(match);
	compare_events(match);
	name_all(match);
	free(match);
	return 0;
}

/*
 * Names the channels of a session with several channels. When out of memory, leaves them unnamed.
 */
static void name_several(struct freeze *freeze, struct freeze_session *session,
			 struct lttng_handle *handle, const struct lttng_channel *channels,
			 int count)
{
	struct freeze_listed *listed = calloc((size_t)count, sizeof(*listed));

	for (int i = 0; listed && i < count; i++) {
		listed[i].name = channels[i].name;
		listed[i].attr = &channels[i].attr;
		listed[i].count = lttng_list_events(handle, channels[i].name, &listed[i].rules);
	}
	if (listed && !freeze_read_metadata(freeze, session))
		freeze_match_names(freeze, session, listed, count);
	for (int i = 0; listed && i < count; i++)
		free(listed[i].rules);
	free(listed);
}

static void name_only(struct freeze *freeze, const struct freeze_session *session, const char *name)
{
	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (&freeze->sessions[freeze->channels[i].session] == session)
			snprintf(freeze->channels[i].name, sizeof(freeze->channels[i].name), "%s",
				 name);
}

static void ask_for_names(struct freeze *freeze, struct freeze_session *session)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL };
	struct lttng_handle *handle = lttng_create_handle(session->name, &domain);
	struct lttng_channel *channels = NULL;
	int count;

	if (freeze->hooks.asks)
		freeze->hooks.asks(freeze->hooks.user);
	count = handle ? lttng_list_channels(handle, &channels) : 0;
	if (count == 1 && session->channels == 1)
		name_only(freeze, session, channels[0].name);
	else if (count > 1 && count <= LTTNG_MM_FREEZE_CHANNELS)
		name_several(freeze, session, handle, channels, count);
	free(channels);
	lttng_destroy_handle(handle);
}

const char *freeze_channel_name(const char *names, unsigned int channels, unsigned int id)
{
	const unsigned int number = channels == 1 ? 0 : id;
	const char *found = NULL;
	unsigned int count = 0;

	for (; *names; names += strcspn(names, ","), names += *names == ',')
		if (count++ == number)
			found = names;
	return count == channels ? found : NULL;
}

static void name_by_plan(struct freeze *freeze, const struct freeze_session *session)
{
	for (unsigned int i = 0; i < freeze->channel_count; i++) {
		struct freeze_channel *channel = &freeze->channels[i];
		const char *name;

		if (&freeze->sessions[channel->session] != session)
			continue;
		name = freeze_channel_name(session->channel_names, session->channels,
					   channel->is.id);
		if (name)
			snprintf(channel->name, sizeof(channel->name), "%.*s",
				 (int)strcspn(name, ","), name);
	}
}

static void name_session(struct freeze *freeze, struct freeze_session *session)
{
	if (session->channel_names[0])
		name_by_plan(freeze, session);
	else
		ask_for_names(freeze, session);
}

void freeze_name_channels(struct freeze *freeze)
{
	freeze->named = true;
	for (unsigned int i = 0; i < freeze->session_count; i++)
		name_session(freeze, &freeze->sessions[i]);
	/* Drop names that are unsafe as file names. Such names do not come from LTTng. */
	for (unsigned int i = 0; i < freeze->channel_count; i++) {
		char *name = freeze->channels[i].name;

		if (strchr(name, '/') || name[0] == '.')
			name[0] = '\0';
	}
}

void freeze_file_name(const struct freeze_stream *stream, char *name)
{
	const struct freeze_channel *channel = stream->channel;

	if (channel->name[0])
		snprintf(name, FREEZE_FILE_MAX, "%s_%u", channel->name, stream->buffer.cpu);
	else
		snprintf(name, FREEZE_FILE_MAX, "channel%u_%u", channel->is.id, stream->buffer.cpu);
}
