// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Coverage between packets: distinguishes idle time, pauses and gaps.
 *
 * LTTng ends a packet and starts the next one at the same timestamp, so that packets of a busy
 * stream follow one another without a gap. A flush (for a plain snapshot, or when a session stops)
 * ends a packet, and only the next event starts another packet. For the time in between:
 *
 * - If another stream of the trace has a packet at that time, the session was recording, and the
 *   stream had no events. (LTTng flushes all streams when a session stops.)
 * - If the tracer's facts are known for that time, they say whether the session was recording.
 * - Otherwise nothing shows whether the session was recording, and the time is called a gap.
 *
 * Packets do not show whether events were disabled, or whether a tracker excluded processes. In a
 * trace of the recorder, all time when the recorder did not watch the session is therefore a gap.
 * Traces of other programs are assumed to contain all events that their session was to record.
 *
 * A stream whose first packet has number 0 had no events before this packet, as far back as another
 * stream of the trace has packets. Streams of rare events start late.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/certify/certify-internal.h"
#include "reader/coverage/missing.h"

static bool get_ns(const json_t *facts, const char *key, int64_t *ns)
{
	const json_t *value = json_object_get(facts, key);

	*ns = json_integer_value(value);
	return json_is_integer(value);
}

/*
 * If @channel is NULL, does @change start or stop the session? Otherwise, does it start or stop
 * @channel? With @events, does it start or stop only some events of @channel?
 */
static bool concerns(const json_t *change, const char *channel, bool events)
{
	const char *name = json_string_value(json_object_get(change, "channel"));

	if (events != json_is_true(json_object_get(change, "events")))
		return false;
	return channel ? name && !strcmp(name, channel) : !name;
}

/*
 * Adds the times from @since_ns on when @channel did not record. If @channel is NULL, adds the
 * times when the session did not record. With @events, adds the times when some events of @channel
 * were disabled. Returns 0, or -1 when out of memory.
 */
static int add_pauses(struct mm_ranges *pauses, const json_t *facts, const char *channel,
		      bool events, int64_t since_ns, int64_t end_ns)
{
	/*
	 * Without changes, a channel was active all the time. The state of the session is in the
	 * member "active".
	 */
	bool active = channel || json_is_true(json_object_get(facts, "active")), any = false;
	const json_t *changes = json_object_get(facts, "changes");
	int64_t paused_ns = since_ns, at_ns;

	for (size_t i = 0; i < json_array_size(changes); i++) {
		const json_t *change = json_array_get(changes, i);
		bool now = json_is_true(json_object_get(change, "active"));

		if (!concerns(change, channel, events) || !get_ns(change, "at_ns", &at_ns))
			continue;
		/* Before the first change, the state was the opposite. */
		if (!any)
			active = !now;
		any = true;
		if (active && !now)
			paused_ns = at_ns;
		if (!active && now && mm_ranges_add(pauses, paused_ns, at_ns))
			return -1;
		active = now;
	}
	if (active)
		return 0;
	return mm_ranges_add(pauses, paused_ns, paused_ns > end_ns ? paused_ns : end_ns);
}

static int add_part(struct mm_certified_stream *stream, int64_t start_ns, int64_t end_ns,
		    enum mm_hole_kind kind)
{
	if (start_ns < stream->start_ns)
		start_ns = stream->start_ns;
	if (end_ns > stream->end_ns)
		end_ns = stream->end_ns;
	return start_ns < end_ns ? mm_certified_stream_add_hole(stream, start_ns, end_ns, kind) : 0;
}

/* Is the time between two packets too short for a pause? */
static bool follows(int64_t from_ns, int64_t to_ns)
{
	return from_ns < to_ns && (uint64_t)to_ns - (uint64_t)from_ns < MM_PAUSE_NS;
}

/*
 * Adds the times before @until_ns when no stream of the trace has a packet. Skips a time between
 * two packets if it is too short for a pause.
 */
static int add_gaps(const struct certify_trace *trace, struct mm_certified_stream *stream,
		    int64_t until_ns)
{
	int64_t from_ns = INT64_MIN;

	for (size_t i = 0; i <= trace->packets.count; i++) {
		const struct mm_range *next =
			i < trace->packets.count ? &trace->packets.all[i] : NULL;
		int64_t to_ns = next && next->start_ns < until_ns ? next->start_ns : until_ns;

		if (from_ns < to_ns && !(i && next && follows(from_ns, next->start_ns)) &&
		    add_part(stream, from_ns, to_ns, MM_HOLE_GAP))
			return -1;
		if (next)
			from_ns = next->end_ns;
	}
	return 0;
}

/* If the coverage starts with pauses and gaps, starts it after them and removes these holes. */
static void trim_start(struct mm_certified_stream *stream)
{
	size_t first = 0;

	mm_certified_stream_sort_holes(stream);
	while (first < stream->hole_count && stream->holes[first].start_ns <= stream->start_ns &&
	       stream->holes[first].end_ns < stream->end_ns &&
	       (stream->holes[first].kind == MM_HOLE_PAUSE ||
		stream->holes[first].kind == MM_HOLE_GAP)) {
		if (stream->holes[first].end_ns > stream->start_ns)
			stream->start_ns = stream->holes[first].end_ns;
		first++;
	}
	stream->hole_count -= first;
	if (first)
		memmove(stream->holes, stream->holes + first,
			stream->hole_count * sizeof(*stream->holes));
}

static const json_t *facts_of(const struct certify_trace *trace, const char *file)
{
	const json_t *streams = json_object_get(trace->facts, "streams");

	for (size_t i = 0; i < json_array_size(streams); i++) {
		const json_t *entry = json_array_get(streams, i);
		const char *name = json_string_value(json_object_get(entry, "file"));

		if (name && !strcmp(name, file))
			return entry;
	}
	return NULL;
}

/*
 * Extends the coverage of a stream as far as the facts allow: back over the time before the first
 * packet, and forward to the freeze.
 */
static void extend(const struct certify_trace *trace, const struct certify_stream *more,
		   struct mm_certified_stream *stream, const json_t *facts, int64_t end_ns)
{
	bool missed = json_integer_value(json_object_get(facts, "packets_missed")) > 0;
	bool left_out = json_integer_value(json_object_get(facts, "packets_left_out")) > 0;
	bool first = json_is_false(json_object_get(facts, "overwritten")) && !missed && !left_out;
	bool last = !json_is_true(json_object_get(facts, "last_left_out"));
	int64_t start_ns;
	bool known = false;

	if (left_out && !missed)
		known = get_ns(trace->facts, "since_ns", &start_ns);
	if (first && (!stream->packets || more->from_start)) {
		known = get_ns(trace->facts, "watched_since_ns", &start_ns);
		if (trace->packets.count && (!known || trace->packets.all[0].start_ns < start_ns)) {
			start_ns = trace->packets.all[0].start_ns;
			known = true;
		}
	}
	if (!stream->packets && (!known || !last))
		return;
	if (known && (!stream->packets || (stream->covered && start_ns < stream->start_ns)))
		stream->start_ns = start_ns;
	/*
	 * Do not extend the end if the last packets lack discarded-event counts, or were not
	 * copied.
	 */
	if (!stream->packets || (last && stream->covered && stream->events_discarded_known))
		stream->end_ns = end_ns;
	if (!stream->packets)
		stream->covered = stream->start_ns <= end_ns;
}

/*
 * Extends a stream without facts back to the trace's start. This is correct only if the stream's
 * first packet has number 0.
 */
static void extend_unwatched(const struct certify_trace *trace, const struct certify_stream *more,
			     struct mm_certified_stream *stream)
{
	if (trace->contiguous && stream->covered && more->from_start && more->is_numbered &&
	    trace->packets.count && trace->packets.all[0].start_ns < stream->start_ns)
		stream->start_ns = trace->packets.all[0].start_ns;
}

/*
 * Adds a reason if the stream ends before the request because its last packet was not copied.
 * Returns 0, or -1 when out of memory.
 */
static int explain_end(struct mm_certificate *certificate, const struct mm_certified_stream *stream,
		       const json_t *facts)
{
	if (!json_is_true(json_object_get(facts, "last_left_out")) ||
	    mm_trace_is_state(stream->trace) ||
	    (stream->covered && stream->end_ns >= certificate->requested_ns))
		return 0;
	return mm_certificate_reason(
		certificate, true,
		"%s/%s: the packet that was being written is omitted, because an event in it was incomplete.",
		stream->trace, stream->file);
}

/*
 * Adds @pauses as holes of @kind, and releases @pauses. If @failed is set, only releases them and
 * returns -1. Returns 0, or -1 when out of memory.
 */
static int add_holes(struct mm_certified_stream *stream, struct mm_ranges *pauses,
		     enum mm_hole_kind kind, int failed)
{
	mm_ranges_join(pauses);
	for (size_t i = 0; i < pauses->count && !failed; i++)
		failed = add_part(stream, pauses->all[i].start_ns, pauses->all[i].end_ns, kind);
	free(pauses->all);
	return failed ? -1 : 0;
}

static int apply_pauses(const struct certify_trace *trace, struct mm_certified_stream *stream,
			int64_t since_ns, int64_t end_ns)
{
	struct mm_ranges pauses = { NULL };
	int ret = add_pauses(&pauses, trace->facts, NULL, false, since_ns, end_ns);

	if (!ret && stream->channel)
		ret = add_pauses(&pauses, trace->facts, stream->channel, false, since_ns, end_ns);
	return add_holes(stream, &pauses, MM_HOLE_PAUSE, ret);
}

/* Adds the times in which the session recorded only some of its events. */
static int apply_exclusions(const struct certify_trace *trace, struct mm_certified_stream *stream,
			    int64_t since_ns, int64_t end_ns)
{
	const json_t *excluded = json_object_get(trace->facts, "excluded");
	struct mm_ranges disabled = { NULL };
	int64_t from_ns, to_ns;
	int ret = 0;

	for (size_t i = 0; i < json_array_size(excluded) && !ret; i++)
		if (get_ns(json_array_get(excluded, i), "start_ns", &from_ns) &&
		    get_ns(json_array_get(excluded, i), "end_ns", &to_ns))
			ret = add_part(stream, from_ns, to_ns, MM_HOLE_EXCLUDED);
	if (!ret && stream->channel)
		ret = add_pauses(&disabled, trace->facts, stream->channel, true, since_ns, end_ns);
	return add_holes(stream, &disabled, MM_HOLE_DISABLED, ret);
}

/*
 * Adds a gap for the time before @until_ns, when the recorder did not watch the session. Even if
 * there are packets, events may have been disabled or excluded in this time. The gap starts at the
 * trace's first packet, so that it is equal for all streams.
 */
static int add_unwatched(const struct certify_trace *trace, struct mm_certified_stream *stream,
			 int64_t until_ns)
{
	const struct mm_ranges *packets = &trace->packets;
	int64_t from_ns = packets->count && packets->all[0].start_ns < stream->start_ns
				  ? packets->all[0].start_ns
				  : stream->start_ns;
	int64_t last_ns = packets->count ? packets->all[packets->count - 1].end_ns : stream->end_ns;

	if (last_ns < stream->end_ns)
		last_ns = stream->end_ns;
	if (until_ns > last_ns)
		until_ns = last_ns;
	return stream->start_ns < until_ns
		       ? mm_certified_stream_add_hole(stream, from_ns, until_ns, MM_HOLE_GAP)
		       : 0;
}

/* Adds holes that the packets of a covered stream do not show. */
static int apply_holes(const struct certify_trace *trace, struct mm_certified_stream *stream,
		       bool has_facts, int64_t end_ns)
{
	int64_t since_ns = INT64_MAX;
	bool watched = get_ns(trace->facts, "watched_since_ns", &since_ns) && has_facts;
	int ret = 0;

	if (!watched)
		since_ns = INT64_MAX;
	if (trace->contiguous && !trace->recorded)
		ret = add_gaps(trace, stream, since_ns);
	if (!ret && watched)
		ret = apply_pauses(trace, stream, since_ns, end_ns);
	trim_start(stream);
	if (!ret && trace->recorded && !mm_trace_is_state(stream->trace))
		ret = add_unwatched(trace, stream, since_ns);
	if (!ret && watched)
		ret = apply_exclusions(trace, stream, since_ns, end_ns);
	mm_certified_stream_sort_holes(stream);
	return ret;
}

/*
 * Adds the limits of the recording. Also adds reasons for events that are missing within these
 * limits.
 */
static int apply_limits(const struct certify_trace *trace, struct mm_certificate *certificate)
{
	const json_t *limits = json_object_get(trace->facts, "limited_to");
	const json_t *less = json_object_get(trace->facts, "less");
	int ret = 0;

	for (size_t i = 0; i < json_array_size(limits) && !ret; i++)
		if (json_is_string(json_array_get(limits, i)))
			ret = mm_certificate_limit(certificate,
						   json_string_value(json_array_get(limits, i)));
	for (size_t i = 0; i < json_array_size(less) && !ret; i++)
		if (json_is_string(json_array_get(less, i)))
			ret = mm_certificate_reason(certificate, true, "%s",
						    json_string_value(json_array_get(less, i)));
	return ret;
}

int certify_apply(struct certify_trace *trace, struct mm_certificate *certificate, int64_t end_ns)
{
	int ret = apply_limits(trace, certificate);

	mm_ranges_join(&trace->packets);
	for (size_t i = 0; i < trace->stream_count && !ret; i++) {
		struct certify_stream *more = &trace->streams[i];
		struct mm_certified_stream *stream = &certificate->streams[more->number];
		const json_t *facts = facts_of(trace, stream->file);
		const char *channel = json_string_value(json_object_get(facts, "channel"));
		const json_t *online = json_object_get(facts, "online");
		const json_t *cpu = json_object_get(facts, "cpu");

		more->has_facts = facts != NULL;
		if (channel) {
			free(stream->channel);
			stream->channel = strdup(channel);
			ret = stream->channel ? 0 : -1;
		}
		if (json_is_boolean(online))
			stream->online = json_is_true(online);
		if (json_is_integer(cpu) && stream->cpu == UINT32_MAX)
			stream->cpu = (uint32_t)json_integer_value(cpu);
		if (facts) {
			extend(trace, more, stream, facts, end_ns);
			ret = ret || explain_end(certificate, stream, facts) ? -1 : 0;
		} else {
			extend_unwatched(trace, more, stream);
		}
		if (stream->covered && !ret)
			ret = apply_holes(trace, stream, facts, end_ns);
	}
	return ret;
}
