// SPDX-License-Identifier: LGPL-2.1-only
/* Describes facts about a session that only the tracer knows; the trace lacks them. */
#include <jansson.h>
#include <string.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/freeze.h"
#include "lttng-session/freeze/tracked.h"

/* Returns the channel's name, or NULL when out of memory or if the name is not valid UTF-8. */
static json_t *channel_name(const struct freeze_channel *channel)
{
	return channel->name[0] ? json_string(channel->name)
				: json_sprintf("channel%u", channel->is.id);
}

static json_t *describe_stream(const struct freeze_stream *stream, const struct freeze_clock *clock,
			       int64_t since_ns)
{
	struct freeze_header first = { 0 };
	bool overwritten = stream->buffer.packet > 0;
	char file[FREEZE_FILE_MAX];
	uint64_t left_out;

	if (stream->released) {
		overwritten = stream->first > 0;
		left_out = stream->left_out;
	} else {
		if (stream->bytes) {
			memcpy(&first, stream->data, FREEZE_HEADER_BYTES);
			overwritten = first.packet_seq_num > 0;
		}
		freeze_bytes_before(stream, clock, since_ns, &left_out);
	}
	freeze_file_name(stream, file);
	return json_pack("{s:s, s:o, s:I, s:b, s:b, s:I, s:I, s:b}", "file", file, "channel",
			 channel_name(stream->channel), "cpu", (json_int_t)stream->buffer.cpu,
			 "online", (int)stream->buffer.online, "overwritten", (int)overwritten,
			 "packets_missed", (json_int_t)stream->missed, "packets_left_out",
			 (json_int_t)left_out, "last_left_out",
			 (int)freeze_leaves_out_last(stream));
}

static json_t *describe_streams(const struct freeze *freeze, size_t session, int64_t since_ns)
{
	json_t *streams = json_array();

	for (unsigned int i = 0; i < freeze->stream_count; i++)
		if (freeze->streams[i].channel->session == session &&
		    json_array_append_new(streams, describe_stream(&freeze->streams[i],
								   &freeze->sessions[session].clock,
								   since_ns))) {
			json_decref(streams);
			return NULL;
		}
	return streams;
}

/*
 * Was the session active at the freeze? For a @channel other than LTTNG_MM_FREEZE_SESSION: was the
 * channel with this stream class enabled?
 */
static bool state_of(const struct freeze *freeze, unsigned int session, unsigned int channel)
{
	for (unsigned int i = 0; i < freeze->stream_count; i++) {
		const struct freeze_stream *stream = &freeze->streams[i];

		if (stream->channel->session != session)
			continue;
		if (channel == LTTNG_MM_FREEZE_SESSION)
			return stream->buffer.active;
		if (stream->channel->is.id == channel)
			return stream->buffer.enabled;
	}
	return false;
}

static void remove_change(struct lttng_mm_freeze_watch *watch, unsigned int at)
{
	watch->count--;
	memmove(&watch->changes[at], &watch->changes[at + 1],
		(watch->count - at) * sizeof(*watch->changes));
}

/* Adds a change to the end of the list. If the list is full, drops the oldest change. */
static void add_change(struct lttng_mm_freeze_watch *watch, uint64_t clock, unsigned int channel,
		       bool active)
{
	if (watch->count == LTTNG_MM_FREEZE_CHANGES) {
		watch->since = watch->changes[0].clock;
		remove_change(watch, 0);
	}
	watch->changes[watch->count++] = (struct lttng_mm_freeze_change){ .clock = clock,
									  .channel = channel,
									  .active = active };
}

/*
 * Makes the list of changes agree with the state of @channel at the freeze. The timestamp of a stop
 * is taken on entry to the tracer's stop function; the stop is in progress until this function
 * returns. The timestamp of a start is taken after the start has taken effect. @started is true if
 * a start was recorded after the freeze, or is in progress:
 *
 *   inactive at the freeze, stop in progress    -> add this stop
 *   inactive, last change is a start, no stop   -> contradiction: set @since to 0 (unknown)
 *   active, last change is a stop, @started     -> add a start at the freeze
 *   active, last change is a stop               -> the stop had not taken effect: remove it
 */
static void settle(struct lttng_mm_freeze_watch *watch, uint64_t frozen, unsigned int channel,
		   bool active, bool started)
{
	const struct lttng_mm_freeze_change *pending = &watch->pending_change;
	const bool stopping = watch->pending && pending->channel == channel && !pending->active &&
			      pending->clock <= frozen;
	int last = (int)watch->count - 1;

	while (last >= 0 && (watch->changes[last].channel != channel ||
			     watch->changes[last].what != LTTNG_MM_FREEZE_STATE))
		last--;
	if (last < 0 ? active || !stopping : active == watch->changes[last].active)
		return;
	if (!active && stopping)
		add_change(watch, pending->clock, channel, false);
	else if (!active)
		watch->since = 0;
	else if (started)
		add_change(watch, frozen, channel, true);
	else
		remove_change(watch, (unsigned int)last);
}

void freeze_settle_changes(const struct freeze *freeze, unsigned int session,
			   struct lttng_mm_freeze_watch *watch)
{
	const uint64_t frozen = freeze->frozen.clock;
	const struct lttng_mm_freeze_change *pending = &watch->pending_change;
	unsigned int started[LTTNG_MM_FREEZE_CHANGES + 1], starts = 0;
	unsigned int scopes[LTTNG_MM_FREEZE_CHANNELS + 1], count = 0;

	if (watch->pending > 1 || watch->since > frozen)
		watch->since = 0;
	if (watch->pending && pending->active)
		started[starts++] = pending->channel;
	while (watch->count && watch->changes[watch->count - 1].clock > frozen) {
		watch->count--;
		if (watch->changes[watch->count].active &&
		    watch->changes[watch->count].what == LTTNG_MM_FREEZE_STATE)
			started[starts++] = watch->changes[watch->count].channel;
	}
	scopes[count++] = LTTNG_MM_FREEZE_SESSION;
	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (freeze->channels[i].session == session)
			scopes[count++] = freeze->channels[i].is.id;
	for (unsigned int i = 0; i < count; i++) {
		bool later = false;

		for (unsigned int k = 0; k < starts; k++)
			later = later || started[k] == scopes[i];
		settle(watch, frozen, scopes[i], state_of(freeze, session, scopes[i]), later);
	}
}

static json_t *name_scope(const struct freeze *freeze, unsigned int session, unsigned int channel)
{
	if (channel == LTTNG_MM_FREEZE_SESSION)
		return json_null();
	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (freeze->channels[i].session == session && freeze->channels[i].is.id == channel)
			return channel_name(&freeze->channels[i]);
	return json_sprintf("channel%u", channel);
}

static json_t *describe_changes(const struct freeze *freeze, unsigned int number,
				const struct lttng_mm_freeze_watch *watch)
{
	const struct freeze_session *session = &freeze->sessions[number];
	json_t *changes = json_array();

	for (unsigned int i = 0; changes && watch->since && i < watch->count; i++) {
		const struct lttng_mm_freeze_change *change = &watch->changes[i];
		json_int_t at = freeze_clock_ns(&session->clock, change->clock);
		json_t *described;

		if (change->what == LTTNG_MM_FREEZE_TRACKER)
			continue;
		described = json_pack("{s:I, s:o, s:b, s:b}", "at_ns", at, "channel",
				      name_scope(freeze, number, change->channel), "active",
				      (int)change->active, "events",
				      change->what == LTTNG_MM_FREEZE_EVENTS);

		if (json_array_append_new(changes, described)) {
			json_decref(changes);
			changes = NULL;
		}
	}
	return changes;
}

/* Returns the member "excluded" of the facts, or NULL when out of memory. */
static json_t *describe_exclusions(const struct freeze_clock *clock,
				   const struct tracked_range *ranges, size_t count)
{
	json_t *excluded = json_array();

	for (size_t i = 0; excluded && i < count; i++) {
		json_int_t start = freeze_clock_ns(clock, ranges[i].start);
		json_int_t end = freeze_clock_ns(clock, ranges[i].end);

		if (json_array_append_new(
			    excluded, json_pack("{s:I, s:I}", "start_ns", start, "end_ns", end))) {
			json_decref(excluded);
			excluded = NULL;
		}
	}
	return excluded;
}

/* Adds the members about trackers to the facts. Returns 0, or -1 when out of memory. */
static int add_trackers(json_t *facts, const struct freeze *freeze, size_t number,
			const struct freeze_promise *promise, bool watched)
{
	const struct freeze_session *session = &freeze->sessions[number];
	struct tracked_range ranges[LTTNG_MM_FREEZE_CHANGES + 1];
	struct tracked end;
	size_t count =
		tracked_exclusions(&session->watch, freeze->frozen.clock, promise, ranges, &end);

	return json_object_set_new(
		       facts, "excluded",
		       describe_exclusions(&session->clock, ranges, watched ? count : 0)) ||
			       json_object_set_new(facts, "limited_to",
						   tracked_limits(&end, promise)) ||
			       json_object_set_new(facts, "less",
						   tracked_less(session->name, &end, promise))
		       ? -1
		       : 0;
}

json_t *freeze_facts(const struct freeze *freeze, size_t session, int64_t since_ns,
		     const struct freeze_promise *promise)
{
	const unsigned int number = (unsigned int)session;
	const struct freeze_clock *clock = &freeze->sessions[session].clock;
	struct lttng_mm_freeze_watch watch = freeze->sessions[session].watch;
	json_t *since, *kept_since, *facts;

	freeze_settle_changes(freeze, number, &watch);
	if (!clock->known)
		watch.since = 0;
	since = watch.since ? json_integer(freeze_clock_ns(clock, watch.since)) : json_null();
	kept_since = since_ns == INT64_MIN ? json_null() : json_integer(since_ns);
	facts = json_pack("{s:o, s:o, s:o, s:b, s:o}", "streams",
			  describe_streams(freeze, session, since_ns), "since_ns", kept_since,
			  "watched_since_ns", since, "active",
			  (int)state_of(freeze, number, LTTNG_MM_FREEZE_SESSION), "changes",
			  describe_changes(freeze, number, &watch));
	if (!facts || !add_trackers(facts, freeze, session, promise, watch.since))
		return facts;
	json_decref(facts);
	return NULL;
}
