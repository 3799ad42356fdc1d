/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * State of converting libbabeltrace2's messages to events. events.c handles event messages,
 * streams.c creates streams, and packets.c handles packets and losses.
 */
#ifndef LTTNG_MM_BT2_EVENTS_PRIVATE_H
#define LTTNG_MM_BT2_EVENTS_PRIVATE_H

#include <babeltrace2/babeltrace.h>

#include "reader/bt2/status.h"
#include "reader/bt2/table.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/events/source-base.h"

/* A stream of the graph. Owns a reference to @native. */
struct mm_bt2_stream {
	const bt_stream *native;
	size_t loss; /* index in the source's losses; not a pointer, because that array may move */
	uint64_t frequency; /* frequency of the stream's clock in Hz; 0: no clock */
	/* recorded by LTTng, so packets may lack the discarded-event count */
	bool lttng;
	uint64_t discarded; /* discarded events since the first packet */
	/*
	 * If the last packet lacks the count, this is the count of the packet before it; otherwise
	 * 0. For example, if the counts of four packets are 10, 15, 0 and 22, @again is 15 after
	 * the third packet. The count 22 includes these 15 events, so only 7 events are new.
	 */
	uint64_t again;
	/* events that LTTng counted too early, to subtract from the next messages' counts */
	uint64_t early;
	/* a message about discarded events has arrived since the last packet's end */
	bool has_count;
	uint32_t cpu;
	bool has_cpu;
	uint64_t cpu_index; /* index of cpu_id in the packet context */
	/* inside a packet that does not start after the requested time range */
	bool open;
	int64_t last_ns; /* time of the last event that was examined */
	bool counted;	 /* a separate graph has read the events up to @counted_until_ns */
	int64_t counted_until_ns;
	const struct mm_missing *missing; /* missing packets at the stream's start or end */
};

struct mm_bt2_events {
	struct mm_source *source;
	const struct mm_requests *requests;
	const struct mm_handler *handler;
	struct mm_pauses pauses; /* wraps the consumer's handler to report pauses */
	/* source that has already read the state streams; NULL: none */
	const struct mm_source *counted;
	bool timed; /* a time range is requested, not the whole trace */
	/* all later messages are after the requested time range */
	bool done;
	bool resolved;	  /* times of day have been converted to timestamps */
	int64_t first_ns; /* before @resolved: earliest timestamp so far */
	bool started;	  /* start() was called */
	struct mm_bt2_table layouts;
	struct mm_bt2_table streams;
	/* for each stream class: number of events declared so far */
	struct mm_bt2_table declared;
	struct mm_bt2_stream *first;
	struct mm_text text;	 /* receives the text of the handler's render() */
	union mm_scalar *fields; /* values of the current event */
	unsigned int field_room;
};

static inline enum mm_bt2_status mm_bt2_no_memory(struct mm_error *err)
{
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	return MM_BT2_FAILED;
}

/* Returns the time of @snapshot, or @unknown if @snapshot is NULL or its time overflows. */
static inline int64_t mm_bt2_snapshot_ns(const struct mm_bt2_events *events,
					 const bt_clock_snapshot *snapshot, int64_t unknown)
{
	int64_t ns;

	return snapshot && !bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) &&
			       !__builtin_add_overflow(ns, events->source->clock_shift_ns, &ns)
		       ? ns
		       : unknown;
}

#endif /* LTTNG_MM_BT2_EVENTS_PRIVATE_H */
