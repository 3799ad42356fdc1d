// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the time range that users request with the time range of the trace. */
#include "reader/open/range.h"

#include <stdio.h>
#include <stdlib.h>

#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet.h"
#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"
#include "reader/open/open-folders.h"
#include "reader/open/open.h"

#define NS_PER_S INT64_C(1000000000)

/* A range of timestamps. If it is empty, it is from INT64_MAX to INT64_MIN. */
struct time_extent {
	int64_t first_ns, last_ns;
};

/* The time range of a trace, and the boot time of its machine. */
struct trace_extent {
	/*
	 * A snapshot's state dumps are written after the recording. Only @with_state includes them.
	 */
	struct time_extent recorded, with_state;
	int64_t boot_ns;
	bool has_boot, boots_differ;
	bool timeless; /* some packets lack timestamps */
	bool damaged;  /* some packets are unreadable, and may be outside this range */
};

static void found_damage(void *user, const struct ctf_finding *finding)
{
	struct trace_extent *found = user;

	found->damaged |= finding->skipped || finding->truncated;
}

static void widen(struct time_extent *span, int64_t first_ns, int64_t last_ns)
{
	if (first_ns < span->first_ns)
		span->first_ns = first_ns;
	if (last_ns > span->last_ns)
		span->last_ns = last_ns;
}

static bool is_empty(const struct time_extent *span)
{
	return span->first_ns > span->last_ns;
}

static void see_packets(struct trace_extent *found, const struct ctf_stream *stream,
			uint64_t *slots, bool is_state)
{
	struct ctf_packet_iterator iterator;
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_packet packet;

	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found_damage;
	iterator.user = found;
	iterator.unchecked = true;
	while (ctf_packet_next(&iterator, &packet, &err) > 0) {
		if (packet.begin_ns == INT64_MIN || packet.end_ns == INT64_MAX) {
			found->timeless = true;
			return;
		}
		widen(&found->with_state, packet.begin_ns, packet.end_ns);
		if (!is_state)
			widen(&found->recorded, packet.begin_ns, packet.end_ns);
	}
}

/* Derives the boot time from a trace's clock, which starts at 0 when the machine boots. */
static void see_clock(struct trace_extent *found, const struct ctf_clock *clock)
{
	int64_t boot_ns;

	if (ctf_clock_to_ns(clock, 0, &boot_ns))
		return;
	/*
	 * LTTng measures the clock offset for each trace anew, so the offsets of traces from one
	 * boot differ slightly.
	 */
	if (found->has_boot && llabs(found->boot_ns / NS_PER_S - boot_ns / NS_PER_S) > 1)
		found->boots_differ = true;
	if (!found->has_boot)
		found->boot_ns = boot_ns;
	found->has_boot = true;
}

static int see_trace(struct trace_extent *found, const struct ctf_trace *trace)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	bool is_state = mm_trace_is_state(trace->folder);

	if (!slots)
		return -1;
	found->damaged |= trace->finding_count > 0;
	for (size_t i = 0; i < trace->stream_count; i++) {
		see_packets(found, &trace->streams[i], slots, is_state);
		if (trace->streams[i].class->clock)
			see_clock(found, trace->streams[i].class->clock);
	}
	free(slots);
	return 0;
}

static int see_events(void *user, const struct mm_event_type *type, const struct mm_event *events,
		      size_t count, struct mm_error *err)
{
	struct trace_extent *found = user;

	(void)err;
	for (size_t i = 0; i < count; i++) {
		widen(&found->with_state, events[i].time_ns, events[i].time_ns);
		if (!type->is_state)
			widen(&found->recorded, events[i].time_ns, events[i].time_ns);
	}
	return 0;
}

/* Reads all events to find the time range, because packets lack timestamps. */
static void read_events(struct trace_extent *found, const struct mm_source *source)
{
	const struct mm_handler handler = { .user = found, .events = see_events };
	struct mm_source_options options = source->options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_requests requests;
	struct mm_source *again;

	mm_source_options_select_all(&options);
	again = mm_source_open_folders(source->path, (const char *const *)source->folders,
				       source->folder_count, &options, &err);
	if (!again)
		return;
	mm_requests_init(&requests);
	if (!mm_requests_add(&requests, "*"))
		mm_source_run(again, &requests, &handler, &err);
	mm_requests_release(&requests);
	mm_source_destroy(again);
}

/*
 * Finds the time range. Returns 1 with @found set, 0 if the fast reader cannot read the trace, or
 * -1 with @err set.
 */
static int find(struct trace_extent *found, struct mm_source *source, struct mm_error *err)
{
	struct mm_source *fast = mm_ctf_source_is(source) ? source : NULL;
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace *const *traces;
	bool failed = false;
	size_t count = 0;

	*found = (struct trace_extent){
		.recorded = { INT64_MAX, INT64_MIN },
		.with_state = { INT64_MAX, INT64_MIN },
	};
	if (!fast)
		fast = mm_source_open_folders(source->path, (const char *const *)source->folders,
					      source->folder_count, &source->options, &why);
	traces = fast ? mm_ctf_source_traces(fast, &count, &why) : NULL;
	for (size_t i = 0; i < count && traces; i++)
		failed |= see_trace(found, traces[i]) != 0;
	if (found->timeless)
		read_events(found, source);
	if (is_empty(&found->recorded))
		found->recorded = found->with_state;
	if (fast != source)
		mm_source_destroy(fast);
	if (failed || why.code == MM_EXIT_ENVIRONMENT)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
				    source->path);
	return traces != NULL;
}

static struct mm_time_span span_of(const struct trace_extent *found)
{
	return (struct mm_time_span){
		.first_ns = found->recorded.first_ns,
		.last_ns = found->recorded.last_ns,
		.boot_ns = found->boot_ns,
		.has_last = !is_empty(&found->recorded),
		.has_boot = found->has_boot && !found->boots_differ,
	};
}

/* Sets the error that @what ("the requested time range ...") is outside the trace. Returns -1. */
static int outside(const struct mm_source *source, const struct time_extent *span, const char *what,
		   struct mm_error *err)
{
	char first[MM_TIME_TEXT], last[MM_TIME_TEXT];

	mm_time_format(first, sizeof(first), span->first_ns, source->options.gmt);
	mm_time_format(last, sizeof(last), span->last_ns, source->options.gmt);
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "trace: %s: %s is outside the trace, which is from %s to %s",
			    source->path, what, first, last);
}

/* Fails if no event can be in the requested time range. */
static int check_overlap(struct mm_source *source, const struct trace_extent *found,
			 struct mm_error *err)
{
	const struct mm_source_options *options = &source->options;
	const struct time_extent *span =
		options->with_state ? &found->with_state : &found->recorded;
	char begin[MM_TIME_TEXT] = "", end[MM_TIME_TEXT] = "";
	char what[2 * MM_TIME_TEXT + 64];

	if (options->begin_ns > INT64_MIN)
		mm_time_format(begin, sizeof(begin), options->begin_ns, options->gmt);
	if (options->end_ns < INT64_MAX)
		mm_time_format(end, sizeof(end), options->end_ns, options->gmt);
	if (options->begin_ns > options->end_ns)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the requested time range ends (%s) before it begins (%s)",
			source->path, end, begin);
	if (is_empty(span) || found->damaged ||
	    (options->begin_ns <= span->last_ns && options->end_ns >= span->first_ns))
		return 0;
	/*
	 * Do not fail if packets are missing. These packets may be in the requested range. The
	 * report mentions them.
	 */
	if (mm_missing_find(source, err))
		return -1;
	if (source->missing->count > source->missing->uncertain)
		return 0;
	/* Mention only the bounds that the user gave. */
	if (*begin && *end)
		snprintf(what, sizeof(what), "the requested time range, %s to %s,", begin, end);
	else
		snprintf(what, sizeof(what), "the requested time range, %s %s,",
			 *begin ? "from" : "up to", *begin ? begin : end);
	return outside(source, span, what, err);
}

int mm_range_resolve(struct mm_source *source, struct mm_error *err)
{
	struct mm_source_options *options = &source->options;
	struct mm_time_span span;
	struct trace_extent found;
	int ret;

	if (options->range_checked || !mm_source_options_windowed(options))
		return 0;
	ret = find(&found, source, err);
	if (ret <= 0)
		return ret;
	span = span_of(&found);
	if (mm_source_options_resolve(options, &span, err) || check_overlap(source, &found, err))
		return -1;
	options->range_checked = true;
	return 0;
}

int mm_range_check_since(struct mm_source *source, const struct mm_time *since, bool gmt,
			 const char *name, struct mm_error *err)
{
	char what[MM_TIME_TEXT + 64], text[MM_TIME_TEXT];
	struct mm_time_span span;
	struct trace_extent found;
	int64_t ns = 0;
	int ret = find(&found, source, err);

	if (ret > 0) {
		span = span_of(&found);
		ret = mm_time_resolve(since, &span, gmt, &ns, err);
		if (!ret && span.has_last && !found.damaged && ns > found.recorded.last_ns) {
			mm_time_format(text, sizeof(text), ns, gmt);
			snprintf(what, sizeof(what), "--%s, %s,", name, text);
			ret = outside(source, &found.recorded, what, err);
		}
	}
	return ret;
}
