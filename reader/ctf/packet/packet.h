/* SPDX-License-Identifier: LGPL-2.1-only */
/* The streams and packets of a trace folder. */
#ifndef LTTNG_MM_CTF_PACKET_PACKET_H
#define LTTNG_MM_CTF_PACKET_PACKET_H

#include "reader/ctf/model/model.h"
#include "reader/ctf/packet/map.h"
#include "reader/events/source.h"

struct ctf_trace;
struct ctf_index;
struct ctf_sums;

/* One file of a stream. It is mapped as long as the trace is open. */
struct ctf_file {
	struct ctf_map *map;
	char *path;
	char *name;
	/* start of the first packet; the files of a stream are sorted by this time */
	int64_t first_ns;
	/* LTTng's index/NAME.idx; NULL if there is no usable one */
	struct ctf_index *index;
	/* checksums of the packets, verified while reading; NULL: none */
	struct ctf_sums *sums;
	uint32_t folder; /* index of the file's folder, if several folders form one trace */
};

/* A packet's place in its stream. */
struct ctf_packet_ref {
	uint64_t offset, number; /* offset in bytes, and number of the packet in the file */
	uint32_t file;		 /* index of the stream's file */
	/*
	 * number of the packet that this packet repeats; such a copy is skipped. CTF_NO_COPY: not a
	 * copy
	 */
	uint64_t copy_of;
};

#define CTF_NO_COPY UINT64_MAX

/* The order in which the packets of a stream are read. */
enum ctf_order {
	CTF_ORDER_FILE,	    /* the order of the files: time is monotonic */
	CTF_ORDER_SEQUENCE, /* sorted by sequence number, which makes time monotonic */
	CTF_ORDER_BEGIN,    /* sorted by start timestamp, which makes time monotonic */
	CTF_ORDER_RECORDED, /* the order of the checksums, because packets were moved */
	/*
	 * the order of the files; the clock went backwards, so time is not monotonic in any order
	 */
	CTF_ORDER_NONE,
};

/* A data stream: all files with one stream class and stream id, such as rotated files. */
struct ctf_stream {
	struct ctf_trace *trace;
	const struct ctf_stream_class *class;
	bool has_id;
	uint64_t id; /* stream_instance_id or data-stream-id of the packet header; else assigned */
	struct ctf_file *files;
	size_t file_count;
	uint32_t cpu;  /* CPU of the first packet, or MM_CPU_UNKNOWN */
	uint32_t rank; /* order of events with equal timestamps, as in babeltrace2 */
	char *name;    /* the first file's absolute path; used for losses and messages */
	/* set by ctf_traces_open(): */
	enum ctf_order order;
	struct ctf_packet_ref *refs; /* all packets, if they are sorted or some are copies */
	size_t ref_count;
	/* If damaged packets prevent sorting: the stream's copies, ordered by file and offset. */
	struct ctf_packet_ref *copies;
	size_t copy_count;
	bool overlaps; /* packets overlap by their timestamps, but events are in order */
	/* Messages about steps back in time, and about packets of other traces; NULL: none. */
	char *backward, *foreign;
	uint64_t backward_count, foreign_count; /* number of packets with each fault */
	struct ctf_packet *open_end; /* the last packet if its end is unknown; otherwise NULL */
	bool has_last_end;
	uint64_t last_end; /* clock value of the stream's end, set by ctf_traces_open_timed() */
};

/* Damage or an inconsistency, for reports and `verify`. */
struct ctf_finding {
	const char *file;
	uint64_t packet, offset; /* @packet: number in the file; @offset: bytes in the file */
	const char *what;
	bool skipped;	/* data was skipped; otherwise the data is only inconsistent */
	bool truncated; /* the file ends before the end of the packet */
	bool unseen;	/* only a checksum shows the damage, so other readers may accept the data */
	bool whole;	/* the skipped data is one whole packet of known size */
	bool other;	/* the skipped data is a packet of another stream */
	bool foreign;	/* the skipped data is a packet of another trace */
	bool backward;	/* time goes backwards here */
	/* a count, number or size in the header is wrong, but the events are right */
	bool counter;
	bool doubtful; /* index and header differ: skip the packet if iterator->wary is set */
	bool note;     /* the index is wrong, not the stream file; reported once per file */
};

/* An open trace. Several can be open at once. */
struct ctf_trace {
	char *folder;
	char *name; /* babeltrace2's name: host name, and the path below the opened folder */
	struct ctf_trace_class *class;
	struct ctf_stream *streams; /* sorted by rank */
	size_t stream_count;
	/* Files without a readable packet header. Their streams are unknown. */
	struct ctf_finding *findings;
	size_t finding_count;
};

enum ctf_packet_flag {
	CTF_PACKET_HAS_BEGIN = 1 << 0,
	CTF_PACKET_HAS_END = 1 << 1,
	CTF_PACKET_HAS_SEQ = 1 << 2,
	CTF_PACKET_HAS_DISCARDED = 1 << 3,
	CTF_PACKET_TRUNCATED = 1 << 4, /* the file ends before the end of the packet */
	CTF_PACKET_HAS_CPU = 1 << 5,
	/* LTTng omitted the discarded-event count; the next packet with a count includes it. */
	CTF_PACKET_WITHOUT_COUNT = 1 << 6,
	CTF_PACKET_HOLE = 1 << 7,	/* the content ends where a hole in the file begins */
	CTF_PACKET_INCOMPLETE = 1 << 8, /* truncated, and part of its content is missing */
	/*
	 * The recorded end is missing or wrong. @end was derived: it is the start of the next
	 * packet, or the last event.
	 */
	CTF_PACKET_END_DERIVED = 1 << 9,
	CTF_PACKET_LATE_BEGIN = 1 << 10, /* damaged header: the start is out of range */
	/* Empty packet of a flush without new events. Its sequence number is meaningless. */
	CTF_PACKET_UNNUMBERED = 1 << 11,
	/*
	 * The file ends within the packet, and no list contains the packets that may have followed
	 * it.
	 */
	CTF_PACKET_FILE_CUT = 1 << 12,
	/* The rest of the packet is missing, not damaged. */
	CTF_PACKET_CUT = CTF_PACKET_INCOMPLETE | CTF_PACKET_FILE_CUT,
};

struct ctf_packet {
	const struct ctf_stream *stream;
	const struct ctf_file *file;
	uint64_t number;
	uint64_t offset; /* bytes from the start of the file */
	const uint8_t *data;
	uint64_t size_bits;    /* size with padding; limited by the end of the file */
	uint64_t content_bits; /* size from the start of the packet to the end of the content */
	/* bits: end of the packet header; the packet context follows, after its alignment */
	uint64_t context_at;
	uint64_t events_at; /* bits: start of the first event, after header and context */
	/*
	 * The first class->packet_slots slots hold the header and context values that events may
	 * refer to. Readers of events use the other slots. NULL until a reader sets it.
	 */
	uint64_t *slots;
	uint64_t begin, end; /* clock values, extended to 64 bits */
	/*
	 * Nanoseconds since the clock's origin. If the start is unknown, @begin_ns is the previous
	 * packet's time or INT64_MIN. If the end is unknown or out of range, @end_ns is INT64_MAX.
	 */
	int64_t begin_ns, end_ns;
	/* as stored; @discarded counts from the start of the stream */
	uint64_t seq, discarded;
	uint32_t flags, cpu;
	/* packets lost before this packet; events lost before this packet or in it */
	uint64_t lost_events, lost_packets;
	int64_t lost_since_ns; /* end of the previous packet */
	/* number of previous packets without a count; @lost_events includes their losses */
	uint64_t without_count_before;
	int64_t counted_since_ns; /* end of the last packet that had a count */
};

typedef void (*ctf_finding_handler)(void *user, const struct ctf_finding *finding);

/*
 * Opens the trace in @folder. Reads the metadata, maps the stream files, and groups them into
 * streams, in babeltrace2's order. Adds @clock_shift_ns to all times. Returns NULL with @err set on
 * failure. Release with ctf_trace_close().
 */
struct ctf_trace *ctf_trace_open(const char *folder, int64_t clock_shift_ns, struct mm_error *err);
/*
 * Like ctf_trace_open(), but uses metadata that were read before. Takes ownership of the metadata
 * @class, also on failure.
 */
struct ctf_trace *ctf_trace_open_read(const char *folder, struct ctf_trace_class *class,
				      int64_t clock_shift_ns, struct mm_error *err);
/* Like ctf_trace_open_read(), but the clocks of @class already have the right offset. */
struct ctf_trace *ctf_trace_open_class(const char *folder, struct ctf_trace_class *class,
				       struct mm_error *err);
void ctf_trace_close(struct ctf_trace *trace);

/*
 * Opens all of @folders, which are below the folder @root. Parts of one trace are joined into
 * one, for example the chunks of a rotated session, or several snapshots of a session. Streams
 * with equal class and id are joined, too. A packet that is in several folders is read once. Checks
 * the order of each stream's packets (ctf_stream.order).
 *
 * @classes: metadata that were read before; may be NULL or have NULL entries. If an entry is used,
 * the function takes ownership of it and sets it to NULL.
 *
 * Returns an array of *@count traces to release with ctf_traces_close(), or NULL with @err set.
 */
struct ctf_trace **ctf_traces_open(const char *root, char *const *folders, size_t folder_count,
				   struct ctf_trace_class **classes, int64_t clock_shift_ns,
				   size_t *count, struct mm_error *err);
void ctf_traces_close(struct ctf_trace **traces, size_t count);

/*
 * Compares two streams, which may belong to different traces. Sorts them as babeltrace2 orders
 * events with equal timestamps: by the trace's namespace, name and UID (or UUID), then by stream
 * class and stream. Returns a value like strcmp().
 */
int ctf_stream_compare(const struct ctf_stream *a, const struct ctf_stream *b);

/*
 * Was the trace written by LTTng? In a stream of LTTng, each packet starts where the previous
 * packet ended, except after a pause or a flush.
 */
bool ctf_class_is_lttng(const struct ctf_trace_class *class);

/* Is it certain that packets of the stream do not overlap in time, as with LTTng? */
bool ctf_stream_is_exclusive(const struct ctf_stream *stream);

/* Does the order of reading the packets differ from file order? */
bool ctf_stream_is_sorted(const struct ctf_stream *stream);

/*
 * Returns one line that says how the packets of @stream are sorted, or NULL if they are read in
 * file order. The line is not escaped. Release it with free().
 */
char *ctf_stream_order_text(const struct ctf_stream *stream);

/*
 * Iterates over the packets of a stream in order, across all its files. Only a sorted stream needs
 * a list of its packets in memory.
 */
struct ctf_packet_iterator {
	const struct ctf_stream *stream;
	size_t file;
	size_t ref; /* index of the next packet in stream->refs */
	uint64_t offset, number;
	bool any; /* @last holds the previous packet */
	struct ctf_packet last;
	/*
	 * the last discarded-event count, the end of its packet, and the number of later packets
	 * without a count
	 */
	uint64_t discarded, without_count;
	int64_t counted_ns;
	uint64_t damaged; /* packets skipped since @last, which do not count as lost */
	bool unchecked;	  /* do not compare checksums: the caller needs only headers */
	bool indexed;	  /* compare packets without a checksum with LTTng's index */
	/* skip a packet without a checksum if its times contradict its neighbours' times */
	bool wary;
	/*
	 * the next packet must also be skipped, because it may be the packet with the wrong times
	 */
	bool doubted;
	uint64_t spent;	 /* work on data that is not a packet: see ctf_packet_head_read() */
	uint64_t *slots; /* receives the values of header and context */
	ctf_finding_handler finding; /* may be NULL */
	void *user;
};

/* @slots: trace->class->slot_count values, owned by the caller. */
void ctf_packet_iterator_init(struct ctf_packet_iterator *iterator, const struct ctf_stream *stream,
			      uint64_t *slots);

/*
 * Reads the next packet. Returns 1 with @packet filled; 0 at the end; or -1 with @err set if a file
 * shrank or cannot be read. Skips damaged packets if possible, otherwise the rest of the file, and
 * reports the damage to @finding. If a packet's checksum is wrong, not even its header is used.
 */
int ctf_packet_next(struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
		    struct mm_error *err);

/*
 * Moves to the first packet that ends at or after @begin_ns. Uses the index file if it agrees with
 * the packet that it points to, otherwise the packet headers. Call this before the first
 * ctf_packet_next(). Losses before the previous packet are not reported.
 */
int ctf_packet_seek(struct ctf_packet_iterator *iterator, int64_t begin_ns, struct mm_error *err);

/* Maps up to CTF_MAP_AHEAD bytes of @packet from byte @at before they are read. */
static inline void ctf_packet_need(const struct ctf_packet *packet, uint64_t at)
{
	const uint64_t left = packet->size_bits / 8 - at;

	ctf_map_need(packet->file->map, packet->offset + at,
		     left < CTF_MAP_AHEAD ? left : CTF_MAP_AHEAD);
}

/*
 * Releases the memory of @packet from byte @done up to byte @at, if this is a large part
 * (CTF_MAP_PART). Returns the number of bytes released.
 */
static inline uint64_t ctf_packet_done(const struct ctf_packet *packet, uint64_t done, uint64_t at)
{
	if (__builtin_expect(at - done < CTF_MAP_PART, 1))
		return 0;
	ctf_map_done(packet->file->map, packet->offset + done, at - done);
	return at - done;
}

/* Was anything lost before or in @packet, or is such a loss possible? */
static inline bool ctf_packet_has_loss(const struct ctf_packet *packet)
{
	return packet->lost_events || packet->lost_packets ||
	       packet->flags & CTF_PACKET_WITHOUT_COUNT;
}

/* Reads @packet's header and context again and stores their values in @slots. */
int ctf_packet_slots(const struct ctf_packet *packet, uint64_t *slots);

#endif /* LTTNG_MM_CTF_PACKET_PACKET_H */
