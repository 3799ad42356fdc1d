/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of a conversion of messages. events.c handles the messages of events, streams.c creates
 * the streams of the messages, and packets.c handles the messages of packets and losses.
 */
#ifndef LTTNG_MM_BT2_EVENTS_PRIVATE_H
#define LTTNG_MM_BT2_EVENTS_PRIVATE_H

#include <babeltrace2/babeltrace.h>

#include "reader/bt2/status.h"
#include "reader/bt2/table.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/events/source-base.h"

/* A stream. Holds a reference to @native. */
struct mm_bt2_stream {
	const bt_stream *native;
	size_t loss;	    /* index into the source's losses, whose array may move */
	uint64_t frequency; /* frequency of the stream's clock; 0: no clock */
	bool lttng;	    /* LTTng's packets may lack the discarded-event count */
	uint64_t discarded; /* discarded events since the first packet */
	/* events that the next count repeats: 15 if the counter went 10 15 0 22; usually 0 */
	uint64_t again;
	uint64_t early; /* events that an earlier count included, and later counts repeat */
	bool has_count; /* a message after the last packet has counted discarded events */
	uint32_t cpu;	/* CPU of the current packet */
	bool has_cpu;
	uint64_t cpu_index; /* index of cpu_id in the packet context */
	bool open;	    /* the current packet does not start after the requested time range */
	int64_t last_ns;    /* time of the last event that was examined */
	bool counted;	    /* events up to @counted_until_ns were read before the graph ran */
	int64_t counted_until_ns;
	const struct mm_missing *missing; /* missing packets at the stream's start or end */
};

struct mm_bt2_events {
	struct mm_source *source;
	const struct mm_requests *requests;
	const struct mm_handler *handler;
	struct mm_pauses pauses; /* wraps the consumer's handler to report pauses */
	/* the source that has read the state streams, or NULL */
	const struct mm_source *counted;
	bool timed; /* only a time range is requested */
	/* all later messages are after the requested time range */
	bool done;
	bool resolved;		     /* times of day have been converted to timestamps */
	int64_t first_ns;	     /* first timestamp of the state streams, until @resolved */
	bool started;		     /* a message other than a stream beginning has arrived */
	struct mm_bt2_table layouts; /* struct mm_bt2_layout of each event class */
	struct mm_bt2_table streams;
	/* number of declared events of each stream class */
	struct mm_bt2_table declared;
	struct mm_bt2_stream *first; /* the stream that arrived first */
	struct mm_text text;	     /* receives the text of the handler's render() */
	union mm_scalar *fields;     /* values of the current event */
	unsigned int field_room;
};

static inline enum mm_bt2_status mm_bt2_no_memory(struct mm_error *err)
{
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	return MM_BT2_FAILED;
}

/* Returns the time of @snapshot, or @unknown. */
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
