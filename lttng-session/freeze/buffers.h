/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Structures and functions that the files of this folder share: sessions, their channels, and the
 * copies of their buffers.
 */
#ifndef LTTNG_MM_SESSION_FREEZE_BUFFERS_H
#define LTTNG_MM_SESSION_FREEZE_BUFFERS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "lttng-session/freeze/freeze.h"
#include "util/checksums.h"
#include "util/error.h"

struct lttng_channel_attr;
struct lttng_event;

/* Packet header and packet context, as LTTng's kernel tracer writes them. */
struct freeze_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t timestamp_begin, timestamp_end;
	uint64_t content_size, packet_size; /* numbers of bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
};

/* Size of the header in the trace, without the padding at the end of this structure. */
#define FREEZE_HEADER_BYTES (offsetof(struct freeze_header, cpu_id) + sizeof(uint32_t))

/*
 * The clock of a trace, as its metadata declares it. A clock value V stands for (V + offset) /
 * frequency + offset_s seconds since the Epoch.
 */
struct freeze_clock {
	bool known;
	uint64_t frequency;
	int64_t offset_s, offset;
};

struct freeze_session {
	char name[LTTNG_MM_FREEZE_NAME_MAX];
	/* the channels' names, as in struct freeze_session_name */
	char channel_names[NAME_MAX + 1];
	unsigned char uuid[16];
	bool found;	       /* a channel of the session was found, and @uuid is valid */
	unsigned int channel;  /* index of any channel of the session */
	unsigned int channels; /* number of the session's channels */
	char *metadata;	       /* text, terminated by a NUL */
	size_t metadata_bytes;
	struct freeze_clock clock;
	struct lttng_mm_freeze_watch watch;
};

struct freeze_channel {
	struct lttng_mm_freeze_channel is;
	unsigned int session;
	char name[NAME_MAX + 1];
};

/* The copy of a per-CPU buffer, with its packets in sequence. */
struct freeze_stream {
	struct lttng_mm_freeze_buffer buffer;
	const struct freeze_channel *channel;
	unsigned char *data; /* the packets, one after another */
	size_t bytes;
	uint64_t packets;
	uint64_t missed; /* number of packets overwritten before they could be copied */
	/* freeze_write() has released the packets. Only then are @first and @left_out set. */
	bool released;
	uint64_t first;		  /* sequence number of the first packet */
	uint64_t left_out;	  /* number of packets that were not written */
	struct mm_checksums sums; /* checksums of the packets that were written */
};

/*
 * Must the packet that was being written at the freeze be omitted? It must if it contains an
 * incomplete record, because the end of its content is then unknown. For example, an NMI may have
 * interrupted the record.
 */
static inline bool freeze_leaves_out_last(const struct freeze_stream *stream)
{
	return stream->buffer.used && stream->buffer.unsettled;
}

struct freeze_memory {
	unsigned char *at;
	size_t bytes;
};

struct freeze {
	int device;
	struct freeze_session *sessions;
	unsigned int session_count;
	struct freeze_channel channels[LTTNG_MM_FREEZE_CHANNELS];
	unsigned int channel_count;
	struct lttng_mm_freeze frozen;
	struct lttng_mm_freeze_buffer *buffers;
	struct freeze_stream *streams;
	/* number of used @streams; capacity of @buffers and @streams */
	unsigned int stream_count, room;
	/*
	 * Memory for the copies of the buffers. @more is for CPUs that came online after
	 * freeze_allocate().
	 */
	struct freeze_memory memory, more;
	bool named;		   /* freeze_name_channels() was called */
	struct freeze_hooks hooks; /* its functions may be NULL */
	bool once;		   /* freeze_write_once() was called */
	/* positions of the buffers at the last freeze_look() */
	struct lttng_mm_freeze_position *seen;
	unsigned int seen_count;
};

/*
 * Defined in copy.c. Freezes the buffers and copies their packets. Returns 0, or -1 with errno set.
 */
int freeze_copy(struct freeze *freeze);

/*
 * Returns how many more bytes the control group @group can use within its memory limit and the
 * limits of its ancestors, or SIZE_MAX if there are no limits. @root is the mountpoint of the
 * control groups. The page cache of files counts as free, because the kernel reclaims it before it
 * refuses memory. @group starts with a slash, and is overwritten.
 */
size_t freeze_group_room(const char *root, char *group);

/*
 * Defined in memory.c. Allocates memory for the streams of all channels. Returns 0, or -1 with @err
 * set as by freeze_open().
 */
int freeze_allocate(struct freeze *freeze, struct mm_error *err);
/* Makes room for @count buffers. Returns 0, or -1 with errno set. */
int freeze_grow(struct freeze *freeze, unsigned int count);
/* Assigns each stream a part of the memory. Returns 0, or -1 with errno set. */
int freeze_place(struct freeze *freeze);
/* Populates the memory for the next @bytes of the stream with pages, in a single call. */
void freeze_populate(const struct freeze_stream *stream, size_t bytes);
/*
 * Gives the pages of the stream's memory back to the kernel, up to the offset @end. The pages
 * before @from were given back earlier.
 */
void freeze_release_part(const struct freeze_stream *stream, size_t from, size_t end);
void freeze_release(struct freeze *freeze);

/* Defined in metadata.c. Reads the metadata of a session. Returns 0, or -1 with errno set. */
int freeze_read_metadata(const struct freeze *freeze, struct freeze_session *session);
/* Parses the clock that the metadata declares. */
void freeze_parse_clock(struct freeze_session *session);
/*
 * Gives the metadata of all sessions the clock offset of @clock. Skips sessions whose clock is
 * unknown or has another frequency. Returns 0, or -1 with errno set.
 */
int freeze_use_clock(struct freeze *freeze, const struct freeze_clock *clock);
/* Converts a clock value to nanoseconds since the Epoch. */
int64_t freeze_clock_ns(const struct freeze_clock *clock, uint64_t value);

/*
 * Defined in freeze.c. Opens the device of the module lttng-mm-freeze. With @load, first loads the
 * module if needed; only root can load it. Returns a descriptor, or -1 with @err set as by
 * freeze_open().
 */
int freeze_open_device(bool load, struct mm_error *err);

/*
 * Defined in channels.c. Calls @visit for each kernel channel of the session daemon. The module has
 * filled in @is, which describes the channel. @fd is a copy of the session daemon's descriptor.
 * freeze_each_channel() closes @fd. It stops when @visit returns -1. It does not wait for the
 * session daemon, which may be stopped. Returns 0, or -1 with @err set. If the channels are not
 * accessible, err->code is 0.
 */
typedef int freeze_visit_channel(void *user, struct lttng_mm_freeze_channel *is, int fd,
				 struct mm_error *err);
int freeze_each_channel(int device, freeze_visit_channel *visit, void *user, struct mm_error *err);
/* Finds the channels of all sessions and adds them. On failure, sets @err like freeze_open(). */
int freeze_find_channels(struct freeze *freeze, struct mm_error *err);
/*
 * Defined in names.c. Sets the names of the channels of all sessions. An unknown name stays empty.
 */
void freeze_name_channels(struct freeze *freeze);

/* A channel as the session daemon lists it. */
struct freeze_listed {
	const char *name;
	const struct lttng_channel_attr *attr;
	struct lttng_event *rules; /* the @count event rules of the channel */
	int count;
	bool used; /* a channel already has this name */
};
/*
 * Sets the names of a session's channels. A channel gets a name only if its buffers and events
 * match exactly one of the @count listed channels (at most LTTNG_MM_FREEZE_CHANNELS). Returns 0, or
 * -1 when out of memory.
 */
int freeze_match_names(struct freeze *freeze, const struct freeze_session *session,
		       struct freeze_listed *listed, int count);

/*
 * Defined in progress.c. Was the buffer cleared between the positions @before and @now? Overwriting
 * does not count as clearing. @subbufs is the buffer's number of sub-buffers.
 */
bool freeze_was_cleared(const struct lttng_mm_freeze_position *before,
			const struct lttng_mm_freeze_position *now, unsigned int subbufs);

/*
 * Defined in facts.c. Removes from @watch the starts and stops that took effect only after the
 * freeze. If the remaining changes contradict the state at the freeze, sets watch->since to 0.
 */
void freeze_settle_changes(const struct freeze *freeze, unsigned int session,
			   struct lttng_mm_freeze_watch *watch);

/* Formats the file name of a stream. */
#define FREEZE_FILE_MAX (NAME_MAX + 32)
void freeze_file_name(const struct freeze_stream *stream, char *name);

/*
 * Defined in write.c. Returns the total size of those packets that end before @since_ns (INT64_MIN:
 * no packets). Sets *@packets to their number. They are the first packets of the stream.
 */
size_t freeze_bytes_before(const struct freeze_stream *stream, const struct freeze_clock *clock,
			   int64_t since_ns, uint64_t *packets);

#endif /* LTTNG_MM_SESSION_FREEZE_BUFFERS_H */
