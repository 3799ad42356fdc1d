/* SPDX-License-Identifier: LGPL-2.1-only */
/* A trace folder's streams and their packets: files mapped, headers read, losses counted. */
#ifndef LTTNG_MM_PACKET_PACKET_H
#define LTTNG_MM_PACKET_PACKET_H

#include "analysis/ctf/model/model.h"
#include "analysis/ctf/packet/map.h"
#include "analysis/trace/source.h"

struct ctf_trace;
struct ctf_index;

/* One file of a stream, mapped for as long as the trace is open. */
struct ctf_file {
	struct ctf_map *map;
	char *path;
	char *name;	  /* without the folders */
	int64_t first_ns; /* begin of its first packet: files of a stream are in that order */
	/* LTTng's index/NAME.idx, NULL where there is none that can be used */
	struct ctf_index *index;
	uint32_t folder; /* number of the folder it is in, when several are one trace */
};

/* A data stream: the files that share stream class and stream id (LTTng's rotated trace files). */
struct ctf_stream {
	struct ctf_trace *trace;
	const struct ctf_stream_class *class;
	bool has_id;
	uint64_t id; /* the packet header's stream_instance_id / data-stream-id; else made up */
	struct ctf_file *files;
	size_t file_count;
	uint32_t cpu;  /* of the first packet; MM_CPU_UNKNOWN */
	uint32_t rank; /* order among streams for events of equal time: babeltrace2's */
	char *name;    /* as losses and messages name it: the first file's absolute path */
};

/* Damage that reading went past, for reports and `verify`. */
struct ctf_finding {
	const char *file;
	uint64_t packet, offset; /* number in the file; bytes from the file's begin */
	const char *what;
	bool passed_over; /* something is not read for that; else it just is not as it should be */
	bool truncated;	  /* the file ends before the packet does */
};

/* Several CTF folders can be open at once; each is a trace of its own. */
struct ctf_trace {
	char *folder;
	char *name; /* babeltrace2's: host name, and where the folder is below the one opened */
	struct ctf_trace_class *class;
	struct ctf_stream *streams; /* by rank */
	size_t stream_count;
	/* Files that belong to no stream, because not one packet's header in them can be read. */
	struct ctf_finding *findings;
	size_t finding_count;
};

enum ctf_packet_flag {
	CTF_PACKET_HAS_BEGIN = 1 << 0,
	CTF_PACKET_HAS_END = 1 << 1,
	CTF_PACKET_HAS_SEQ = 1 << 2,
	CTF_PACKET_HAS_DISCARDED = 1 << 3,
	CTF_PACKET_TRUNCATED = 1 << 4, /* the file ends before the packet does */
	CTF_PACKET_HAS_CPU = 1 << 5,
	/*
	 * LTTng left its count of discarded events out; the next packet that has one counts them
	 * too.
	 */
	CTF_PACKET_UNCOUNTED = 1 << 6,
	CTF_PACKET_HOLE = 1 << 7, /* the content ends where a hole in the file begins */
	CTF_PACKET_CUT = 1 << 8,  /* truncated, and some of its content is not there */
};

struct ctf_packet {
	const struct ctf_stream *stream;
	const struct ctf_file *file;
	uint64_t number; /* in the file, from 0 */
	uint64_t offset; /* in the file, bytes */
	const uint8_t *data;
	uint64_t size_bits;    /* with padding; cut at the file's end */
	uint64_t content_bits; /* from the packet's begin; never more than size_bits */
	uint64_t context_at;   /* bits: where the packet context begins, aligned by itself */
	uint64_t events_at;    /* bits: where the first event begins, after header and context */
	/*
	 * For events that refer to the header or the context: slots (class->packet_slots of them)
	 * with their values. The others are for whoever reads an event. NULL until a reader sets
	 * it.
	 */
	uint64_t *slots;
	uint64_t begin, end; /* clock values, 64 bits wide even where the fields are narrower */
	int64_t begin_ns, end_ns; /* since the clock's origin; the stream's edges where not known */
	uint64_t seq, discarded;  /* as stored; @discarded counts from the stream's start */
	uint32_t flags, cpu;
	/* What was lost between the packet before and this one (or in this one: events). */
	uint64_t lost_events, lost_packets;
	int64_t lost_since_ns; /* end of the packet before */
	/* @lost_events is of so many packets before this one too, that are without a count. */
	uint64_t uncounted_before;
	int64_t counted_since_ns; /* end of the last packet that had a count */
};

typedef void (*ctf_finding_handler)(void *user, const struct ctf_finding *finding);

/*
 * Opens the trace in @folder: reads metadata, maps stream files, groups them to streams, in
 * babeltrace2's order of streams. NULL and @err set on failure.
 */
struct ctf_trace *ctf_trace_open(const char *folder, struct mm_error *err);
/* The same when the metadata has been read; takes over @class, destroys it on failure. */
struct ctf_trace *ctf_trace_open_class(const char *folder, struct ctf_trace_class *class,
				       struct mm_error *err);
void ctf_trace_close(struct ctf_trace *trace);

/*
 * Opens all of @folders, found in folder @root. Those that are parts of one trace, such as the
 * folders of a rotated session or several snapshots of it, become one: streams of the same class
 * and number are joined, and a packet that is in several of them is read once. Returns an array of
 * *@count to be closed with ctf_traces_close(), or NULL with @err set.
 */
struct ctf_trace **ctf_traces_open(const char *root, char *const *folders, size_t folder_count,
				   size_t *count, struct mm_error *err);
void ctf_traces_close(struct ctf_trace **traces, size_t count);

/*
 * babeltrace2's order of the streams of one or several traces, for events of equal time: by the
 * trace's namespace, name and UID (or UUID), then by stream class and stream. Negative, 0 or
 * positive, as strcmp().
 */
int ctf_stream_compare(const struct ctf_stream *a, const struct ctf_stream *b);

/* Goes through the packets of a stream in order, over all its files; nothing is kept in memory. */
struct ctf_packet_iterator {
	const struct ctf_stream *stream;
	size_t file;
	uint64_t offset, number;
	bool any; /* @last holds the packet before */
	struct ctf_packet last;
	/*
	 * The last count of discarded events, when that packet ended, how many were without one
	 * since.
	 */
	uint64_t discarded, uncounted;
	int64_t counted_ns;
	uint64_t spent;	 /* work on places of the file without a packet: ctf_packet_head_read() */
	uint64_t *slots; /* the decoder's; header and context leave their values there */
	ctf_finding_handler finding; /* may be NULL */
	void *user;
};

/* @slots: trace->class->slot_count values, the caller's. */
void ctf_packet_iterator_init(struct ctf_packet_iterator *iterator, const struct ctf_stream *stream,
			      uint64_t *slots);

/*
 * The next packet. 1: @packet filled; 0: no more; -1: @err set (the file shrank or cannot be read).
 * Damaged packets are passed over as far as the format allows, each told to @finding; where the
 * rest of a file cannot be walked the next file is taken.
 */
int ctf_packet_next(struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
		    struct mm_error *err);

/*
 * Moves to the first packet whose end is not before @begin_ns, by the index file where there is one
 * that agrees with the packet it points at, else over packet headers. To be called before the first
 * ctf_packet_next(). Losses up to the packet before that one are not told.
 */
int ctf_packet_seek(struct ctf_packet_iterator *iterator, int64_t begin_ns, struct mm_error *err);

/*
 * Of a packet whose first @done bytes were given back and that has been read up to byte @at: gives
 * back the next ones if they are many. Returns their number.
 */
static inline uint64_t ctf_packet_done(const struct ctf_packet *packet, uint64_t done, uint64_t at)
{
	if (__builtin_expect(at - done < CTF_MAP_PART, 1))
		return 0;
	ctf_map_done(packet->file->map, packet->offset + done, at - done);
	return at - done;
}

/* Was anything lost before or in @packet, or may have been? */
static inline bool ctf_packet_has_loss(const struct ctf_packet *packet)
{
	return packet->lost_events || packet->lost_packets || packet->flags & CTF_PACKET_UNCOUNTED;
}

/* Reads @packet's header and context again and leaves their values in @slots. */
int ctf_packet_slots(const struct ctf_packet *packet, uint64_t *slots);

#endif /* LTTNG_MM_PACKET_PACKET_H */
