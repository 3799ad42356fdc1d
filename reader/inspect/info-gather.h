/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data that ctf_info() gathers per stream. */
#ifndef LTTNG_MM_INSPECT_INFO_GATHER_H
#define LTTNG_MM_INSPECT_INFO_GATHER_H

#include "reader/ctf/decode/plan.h"
#include "reader/ctf/packet/packet.h"
#include "reader/inspect/info.h"

/* Limits on what is listed per stream; more is only counted. */
#define CTF_INFO_GAPS 256
#define CTF_INFO_DAMAGES 32

struct ctf_info_gap {
	int64_t since_ns, until_ns; /* INT64_MIN, INT64_MAX: not known */
	uint64_t packets, events;
};

struct ctf_info_damage {
	char *file, *what;
	uint64_t packet, offset;
	bool truncated; /* the packet is truncated by the end of the file */
};

struct ctf_info_class {
	size_t index; /* index of the event class */
	uint64_t events, bits;
};

struct ctf_info_stream {
	const struct ctf_stream *stream;
	struct ctf_plan *plan;
	/* owns the plan, instead of sharing that of a previous stream of the same class */
	bool has_plan;
	uint64_t packets, bytes, content_bytes;
	int64_t begin_ns, end_ns; /* INT64_MIN, INT64_MAX: not known */
	uint64_t events_discarded, packets_lost, packets_truncated, packets_damaged;
	/* packets from which LTTng omitted the discarded-event count */
	uint64_t packets_without_count;
	uint64_t pauses; /* times at which it was not recorded, by the certificate */
	struct ctf_info_gap *gaps;
	size_t gap_count;
	uint64_t gaps_seen;
	struct ctf_info_damage *damages;
	size_t damage_count;
	uint64_t damages_seen;
	char *note; /* about an index that is damaged, and not used; NULL: there is none */
	/* By index of the event class; only if events are requested. */
	uint64_t events, *class_events, *class_bits;
	/* The non-zero ones of these, to save memory with many streams and classes. */
	struct ctf_info_class *classes;
	size_t class_count;
	struct mm_error error;
};

/*
 * Reads the packets of info->stream, and their events if @events. Can be called from any thread.
 * Errors are stored in info->error.
 */
void ctf_info_gather(struct ctf_info_stream *info, bool events);
void ctf_info_stream_done(struct ctf_info_stream *info);

/* Makes the report. Returns NULL when out of memory, or with @err set. */
struct mm_report *ctf_info_report(struct mm_source *source, struct ctf_trace *const *traces,
				  size_t trace_count, const struct ctf_info_stream *infos,
				  size_t info_count, const struct ctf_info_options *options,
				  struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_INFO_GATHER_H */
