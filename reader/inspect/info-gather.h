/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data that ctf_info() gathers for each stream. */
#ifndef LTTNG_MM_INSPECT_INFO_GATHER_H
#define LTTNG_MM_INSPECT_INFO_GATHER_H

#include "reader/ctf/decode/plan.h"
#include "reader/ctf/packet/packet.h"
#include "reader/inspect/info.h"

/* Maximum numbers of gaps and damaged places listed for a stream; more are only counted. */
#define CTF_INFO_GAPS 256
#define CTF_INFO_DAMAGES 32

struct ctf_info_gap {
	int64_t since_ns, until_ns; /* INT64_MIN, INT64_MAX: not known */
	uint64_t packets, events;
};

struct ctf_info_damage {
	char *file, *what;
	uint64_t packet, offset;
	bool truncated; /* the file ends within the packet */
};

struct ctf_info_class {
	size_t index; /* index of the event class in its stream class */
	uint64_t events, bits;
};

struct ctf_info_stream {
	const struct ctf_stream *stream;
	struct ctf_plan *plan;
	/* this stream owns the plan; otherwise an earlier stream of the same class owns it */
	bool has_plan;
	uint64_t packets, bytes, content_bytes;
	int64_t begin_ns, end_ns; /* INT64_MIN, INT64_MAX: not known */
	uint64_t events_discarded, packets_lost, packets_truncated, packets_damaged;
	/* packets whose discarded-event count LTTng omitted */
	uint64_t packets_without_count;
	uint64_t pauses;
	struct ctf_info_gap *gaps;
	size_t gap_count;
	uint64_t gaps_seen;
	struct ctf_info_damage *damages;
	size_t damage_count;
	uint64_t damages_seen;
	char *note; /* a note that the index is damaged and ignored; NULL: no damage */
	/*
	 * if requested: number of all events, and for each event class, by index, the number of its
	 * events and of their bits
	 */
	uint64_t events, *class_events, *class_bits;
	/*
	 * At the end, replaces @class_events and @class_bits. Contains only classes with events, to
	 * save memory.
	 */
	struct ctf_info_class *classes;
	size_t class_count;
	struct mm_error error;
};

/*
 * Reads the packets of info->stream and, with @events, their events. Can be called on any thread.
 * Stores errors in info->error.
 */
void ctf_info_gather(struct ctf_info_stream *info, bool events);
void ctf_info_stream_done(struct ctf_info_stream *info);

/* Makes the report. Returns NULL when out of memory, or with @err set. */
struct mm_report *ctf_info_report(struct mm_source *source, struct ctf_trace *const *traces,
				  size_t trace_count, const struct ctf_info_stream *infos,
				  size_t info_count, const struct ctf_info_options *options,
				  struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_INFO_GATHER_H */
