// SPDX-License-Identifier: LGPL-2.1-only
/* Computes rates, windows and losses of recorders from the positions of their buffers. */
#include "lttng-session/status/rates.h"

#include <string.h>

#include "lttng-session/freeze/freeze.h"

#define NS_PER_S 1000000000ull

uint64_t rates_bytes_per_s(uint64_t before, uint64_t after, uint64_t interval_ns)
{
	unsigned __int128 bytes = (unsigned __int128)(after - before) * NS_PER_S;

	return interval_ns ? (uint64_t)(bytes / interval_ns) : 0;
}

static int64_t span_ns(uint64_t from, uint64_t to)
{
	return from && from < to ? (int64_t)(to - from) : 0;
}

/* Does the buffer contain every packet that was written to it, and have room for another one? */
static bool is_filling(const struct lttng_mm_freeze_position *position)
{
	return !position->first && !position->overwrites;
}

int64_t rates_window_ns(const struct lttng_mm_freeze_position *position, uint64_t started,
			uint64_t clock)
{
	uint64_t oldest = position->oldest, lasting = position->lasting;
	int64_t before, next;

	if (!position->active || !position->enabled)
		return 0;
	/* Nothing was overwritten, so the buffer contains everything since the session's start. */
	if (is_filling(position) && started)
		return span_ns(started, clock);
	if (is_filling(position) && !lasting)
		return RATES_UNLIMITED;
	if (lasting && lasting < started)
		lasting = started;
	if (oldest && oldest < started)
		oldest = started;
	next = span_ns(lasting, clock);
	before = span_ns(oldest, position->latest);
	return next > before ? next : before;
}

/* Sums over all buffers of a channel or of a recorder. */
struct rate_sums {
	uint64_t bytes_per_s, discarded, overwritten, ring_bytes;
	int64_t window_ns;
	double events_per_s;
	bool has_rate, has_events, holds;
};

static const struct rate_sums empty = {
	.window_ns = RATES_UNLIMITED, .has_rate = true, .has_events = true, .holds = true
};

static void add(struct rate_sums *to, const struct rate_sums *from)
{
	to->bytes_per_s += from->bytes_per_s;
	to->events_per_s += from->events_per_s;
	to->discarded += from->discarded;
	to->overwritten += from->overwritten;
	to->ring_bytes += from->ring_bytes;
	if (from->window_ns < to->window_ns)
		to->window_ns = from->window_ns;
	to->has_rate &= from->has_rate;
	to->has_events &= from->has_events;
	to->holds &= from->holds;
}

struct rate_interval {
	const struct rates_session *sessions;
	size_t count;
	const struct positions *before, *after;
	const double *event_bytes;
	uint64_t interval_ns;
};

static bool is_same(const struct positions *a, const struct lttng_mm_freeze_position *x,
		    const struct positions *b, const struct lttng_mm_freeze_position *y)
{
	const struct lttng_mm_freeze_channel *one = &a->channels[x->channel].is;
	const struct lttng_mm_freeze_channel *other = &b->channels[y->channel].is;

	return x->cpu == y->cpu && one->id == other->id &&
	       !memcmp(one->uuid, other->uuid, sizeof(one->uuid));
}

/*
 * Returns the position that the buffer of after->all[@number] had in @before. Returns NULL if
 * @before is NULL or lacks the buffer.
 */
static const struct lttng_mm_freeze_position *
find_before(const struct positions *before, const struct positions *after, unsigned int number)
{
	const struct lttng_mm_freeze_position *now = &after->all[number];

	if (!before)
		return NULL;
	if (number < before->taken.count && is_same(before, &before->all[number], after, now))
		return &before->all[number];
	for (unsigned int i = 0; i < before->taken.count; i++)
		if (is_same(before, &before->all[i], after, now))
			return &before->all[i];
	return NULL;
}

static struct rate_sums sum_buffer(const struct rate_interval *interval, unsigned int number)
{
	const struct lttng_mm_freeze_position *now = &interval->after->all[number];
	const struct lttng_mm_freeze_position *then =
		find_before(interval->before, interval->after, number);
	const struct positions_channel *channel = &interval->after->channels[now->channel];
	int64_t promised = interval->sessions[channel->session].promised_ns;
	struct rate_sums sums = {
		.discarded = now->discarded,
		.overwritten = now->first,
		.ring_bytes = channel->is.set_bytes * channel->is.sets,
		.window_ns = rates_window_ns(now, channel->started, interval->after->taken.clock),
		.has_rate = then && interval->interval_ns,
	};

	if (sums.has_rate)
		sums.bytes_per_s =
			rates_bytes_per_s(then->written, now->written, interval->interval_ns);
	sums.holds = now->active && now->enabled && (is_filling(now) || sums.window_ns >= promised);
	return sums;
}

static json_t *number_or_null(bool known, uint64_t value)
{
	return known ? json_integer((json_int_t)value) : json_null();
}

static json_t *window_json(int64_t ns)
{
	return number_or_null(ns != RATES_UNLIMITED, (uint64_t)ns);
}

static json_t *events_json(const struct rate_sums *sums)
{
	return sums->has_events && sums->has_rate ? json_real(sums->events_per_s) : json_null();
}

static json_t *cpu_json(const struct lttng_mm_freeze_position *position,
			const struct rate_sums *sums)
{
	return json_pack(
		"{s:I,s:b,s:I,s:o,s:o,s:I,s:I}", "cpu", (json_int_t)position->cpu, "online",
		(int)position->online, "written_bytes", (json_int_t)(position->written & INT64_MAX),
		"bytes_per_s", number_or_null(sums->has_rate, sums->bytes_per_s), "window_ns",
		window_json(sums->window_ns), "discarded_events", (json_int_t)sums->discarded,
		"overwritten_packets", (json_int_t)sums->overwritten);
}

static json_t *channel_name(const struct rate_interval *interval,
			    const struct positions_channel *channel)
{
	const char *names = interval->sessions[channel->session].channels, *name;
	unsigned int count = 0;

	for (unsigned int i = 0; i < interval->after->channel_count; i++)
		count += interval->after->channels[i].session == channel->session;
	name = freeze_channel_name(names, count, channel->is.id);
	return name ? json_stringn(name, strcspn(name, ","))
		    : json_sprintf("channel%u", channel->is.id);
}

/* Returns the object of channel @number. Adds the sums of its buffers to @sums. */
static json_t *channel_json(const struct rate_interval *interval, unsigned int number,
			    struct rate_sums *sums)
{
	const struct positions_channel *channel = &interval->after->channels[number];
	const struct rates_session *session = &interval->sessions[channel->session];
	double event_bytes = interval->event_bytes ? interval->event_bytes[number] : 0;
	struct rate_sums all = empty;
	bool recording = true;
	json_t *cpus = json_array();

	for (unsigned int i = 0; i < interval->after->taken.count; i++) {
		const struct lttng_mm_freeze_position *position = &interval->after->all[i];
		struct rate_sums one;

		if (position->channel != number)
			continue;
		one = sum_buffer(interval, i);
		recording &= position->active && position->enabled;
		json_array_append_new(cpus, cpu_json(position, &one));
		one.has_events = true;
		add(&all, &one);
	}
	all.has_events = event_bytes > 0 || (all.has_rate && !all.bytes_per_s);
	all.events_per_s = event_bytes > 0 ? (double)all.bytes_per_s / event_bytes : 0;
	add(sums, &all);
	return json_pack("{s:s,s:s,s:o,s:b,s:o,s:o,s:b,s:o,s:I,s:I,s:I,s:o}", "session",
			 session->name, "role", session->state ? "state" : "events", "channel",
			 channel_name(interval, channel), "recording", (int)recording,
			 "bytes_per_s", number_or_null(all.has_rate, all.bytes_per_s),
			 "events_per_s", events_json(&all), "events_estimated", 1, "window_ns",
			 window_json(all.window_ns), "discarded_events", (json_int_t)all.discarded,
			 "overwritten_packets", (json_int_t)all.overwritten, "ring_bytes",
			 (json_int_t)all.ring_bytes, "cpus", cpus);
}

/*
 * Do both sessions belong to the same recorder? A session outside the plan counts as a separate
 * recorder.
 */
static bool is_same_recorder(const struct rates_session *a, const struct rates_session *b)
{
	return a == b || (*a->recorder && !strcmp(a->recorder, b->recorder));
}

/* Returns the object of the recorder that has @first as its first session. */
static json_t *recorder_json(const struct rate_interval *interval, size_t first)
{
	const struct rates_session *recorder = &interval->sessions[first];
	struct rate_sums all = empty, events = empty;
	json_t *channels = json_array(), *json;
	bool complete = true;

	for (size_t s = first; s < interval->count; s++) {
		bool found = false;

		if (!is_same_recorder(recorder, &interval->sessions[s]))
			continue;
		for (unsigned int i = 0; i < interval->after->channel_count; i++) {
			struct rate_sums sums = empty;

			if (interval->after->channels[i].session != s)
				continue;
			found = true;
			json_array_append_new(channels, channel_json(interval, i, &sums));
			add(&all, &sums);
			if (!interval->sessions[s].state)
				add(&events, &sums);
		}
		complete &= found || interval->sessions[s].state;
	}
	json = json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I}", "recorder",
		*recorder->recorder ? json_string(recorder->recorder) : json_null(), "bytes_per_s",
		number_or_null(all.has_rate, all.bytes_per_s), "events_per_s", events_json(&all),
		"window_ns", complete ? window_json(events.window_ns) : json_integer(0),
		"window_promised_ns",
		number_or_null(recorder->promised_ns, (uint64_t)recorder->promised_ns),
		"window_holds",
		recorder->promised_ns ? json_boolean(complete && events.holds) : json_null(),
		"discarded_events", (json_int_t)all.discarded, "overwritten_packets",
		(json_int_t)all.overwritten, "ring_bytes", (json_int_t)all.ring_bytes);
	json_object_set_new(json, "channels", channels);
	return json;
}

/* Returns by how much CLOCK_MONOTONIC advanced between two readings, or 0 if @before is NULL. */
static uint64_t interval_between(const struct positions *before, const struct positions *after)
{
	return before && after->taken.monotonic_ns > before->taken.monotonic_ns
		       ? after->taken.monotonic_ns - before->taken.monotonic_ns
		       : 0;
}

json_t *rates_json(const struct rates_session *sessions, size_t count,
		   const struct positions *before, const struct positions *after,
		   const double *event_bytes)
{
	const struct rate_interval interval = { sessions,    count,
						before,	     after,
						event_bytes, interval_between(before, after) };
	json_t *recorders = json_array();

	for (size_t i = 0; i < count; i++) {
		size_t first = 0;

		while (!is_same_recorder(&sessions[first], &sessions[i]))
			first++;
		if (first == i)
			json_array_append_new(recorders, recorder_json(&interval, i));
	}
	return json_pack("{s:o,s:o}", "interval_ns",
			 number_or_null(interval.interval_ns, interval.interval_ns), "recorders",
			 recorders);
}

void rates_greatest(const struct positions *before, const struct positions *after, uint64_t *rates,
		    size_t count, size_t channels)
{
	uint64_t interval_ns = interval_between(before, after);

	memset(rates, 0, count * channels * sizeof(*rates));
	for (unsigned int i = 0; i < after->taken.count; i++) {
		const struct lttng_mm_freeze_position *then = find_before(before, after, i);
		const struct positions_channel *channel = &after->channels[after->all[i].channel];
		size_t number = channel->session * channels + channel->is.id;
		uint64_t rate;

		if (!then || channel->session >= count || channel->is.id >= channels)
			continue;
		rate = rates_bytes_per_s(then->written, after->all[i].written, interval_ns);
		if (rate > rates[number])
			rates[number] = rate;
	}
}
