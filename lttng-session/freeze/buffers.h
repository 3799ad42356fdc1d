/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by the files of this folder: sessions, their channels, and the copies of their buffers. */
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

/* Packet header and packet context as LTTng's kernel tracer writes them. */
struct freeze_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t timestamp_begin, timestamp_end;
	uint64_t content_size, packet_size; /* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
};

/* Size of the header without the padding at the end of the structure. */
#define FREEZE_HEADER_BYTES (offsetof(struct freeze_header, cpu_id) + sizeof(uint32_t))

/*
 * Clock of a trace as its metadata declares it: ns since the Epoch = (value + offset) / frequency +
 * offset_s.
 */
struct freeze_clock {
	bool known;
	uint64_t frequency;
	int64_t offset_s, offset;
};

struct freeze_session {
	char name[LTTNG_MM_FREEZE_NAME_MAX];
	char channel_names[NAME_MAX + 1]; /* as in struct freeze_session_name */
	unsigned char uuid[16];
	bool found;	       /* @uuid is valid */
	unsigned int channel;  /* index of any one of the session's channels */
	unsigned int channels; /* count of the session's channels */
	char *metadata;	       /* ends with a NUL */
	size_t metadata_bytes;
	struct freeze_clock clock;
	struct lttng_mm_freeze_watch watch;
};

struct freeze_channel {
	struct lttng_mm_freeze_channel is;
	unsigned int session;
	char name[NAME_MAX + 1];
};

/* Copy of a per-CPU buffer: its packets in the order of their sequence numbers. */
struct freeze_stream {
	struct lttng_mm_freeze_buffer buffer;
	const struct freeze_channel *channel;
	unsigned char *data; /* the packets, one after another */
	size_t bytes;
	uint64_t packets;
	uint64_t missed; /* packets that were overwritten before they could be copied */
	/* freeze_write() has released the packets. Only then, @first and @left_out are set. */
	bool released;
	uint64_t first;		  /* sequence number of the first packet */
	uint64_t left_out;	  /* packets that were not written */
	struct mm_checksums sums; /* checksums of the packets that were written */
};

/*
 * Is the packet that was being written at the freeze omitted? It contains an incomplete record (an
 * NMI may interrupt a record), so its content has no defined end.
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
	unsigned int stream_count, room; /* @room: capacity of @buffers and @streams */
	/* Memory for the streams; @more: for CPUs that came online after freeze_allocate(). */
	struct freeze_memory memory, more;
	bool named;		   /* freeze_name_channels() was called */
	struct freeze_hooks hooks; /* functions may be NULL */
	bool once;		   /* freeze_write_once() was called */
	/* Positions of the buffers at the last freeze_look(). */
	struct lttng_mm_freeze_position *seen;
	unsigned int seen_count;
};

/* copy.c: freezes the buffers and copies their packets. Returns 0, or -1 with errno set. */
int freeze_copy(struct freeze *freeze);

/*
 * Returns the bytes that the limits of the control group @group and its ancestors leave, or
 * SIZE_MAX without limits. Control groups are mounted at @root. The page cache of files counts as
 * free, because the kernel reclaims it before it refuses memory. Overwrites @group, which starts
 * with a slash.
 */
size_t freeze_group_room(const char *root, char *group);

/* memory.c: allocates memory for the streams of all channels. Fails like freeze_open(). */
int freeze_allocate(struct freeze *freeze, struct mm_error *err);
/* Makes room for @count buffers. Returns 0, or -1 with errno set. */
int freeze_grow(struct freeze *freeze, unsigned int count);
/* Assigns each stream its part of the memory. Returns 0, or -1 with errno set. */
int freeze_place(struct freeze *freeze);
/* Populates the memory for the next @bytes of the stream with pages, in one call. */
void freeze_populate(const struct freeze_stream *stream, size_t bytes);
/*
 * Returns the memory of the stream up to @end to the kernel; the memory before @from was returned
 * earlier.
 */
void freeze_release_part(const struct freeze_stream *stream, size_t from, size_t end);
void freeze_release(struct freeze *freeze);

/* metadata.c: reads the metadata of a session. Returns 0, or -1 with errno set. */
int freeze_read_metadata(const struct freeze *freeze, struct freeze_session *session);
/* Parses the clock that the metadata declares. */
void freeze_parse_clock(struct freeze_session *session);
/*
 * Changes the clock offset in the metadata of all sessions to the offset of @clock. Does not change
 * sessions whose clock is unknown or has another frequency. Returns 0, or -1 with errno set.
 */
int freeze_use_clock(struct freeze *freeze, const struct freeze_clock *clock);
/* Converts a clock value to nanoseconds since the Epoch. */
int64_t freeze_clock_ns(const struct freeze_clock *clock, uint64_t value);

/*
 * freeze.c: opens the device. With @load, root loads the module if needed. Fails like
 * freeze_open().
 */
int freeze_open_device(bool load, struct mm_error *err);

/*
 * channels.c: calls @visit for each kernel channel of the session daemon, with the module's
 * description of the channel and a copy of its descriptor, which this function closes. Stops when
 * @visit returns -1. Returns 0, or -1 with @err set; err->code is 0 if the channels are not
 * accessible. Does not wait for the session daemon, which may be stopped.
 */
typedef int freeze_visit_channel(void *user, struct lttng_mm_freeze_channel *is, int fd,
				 struct mm_error *err);
int freeze_each_channel(int device, freeze_visit_channel *visit, void *user, struct mm_error *err);
/* Finds and adds the channels of all sessions. Fails like freeze_open(). */
int freeze_find_channels(struct freeze *freeze, struct mm_error *err);
/*
 * names.c: names the channels of all sessions. The name of a channel stays empty if it cannot be
 * determined.
 */
void freeze_name_channels(struct freeze *freeze);

/* A channel in the list of the session daemon. */
struct freeze_listed {
	const char *name;
	const struct lttng_channel_attr *attr;
	struct lttng_event *rules; /* @count rules: the events that the channel records */
	int count;
	bool used; /* the name has been assigned to a channel */
};
/*
 * Names each channel of a session whose buffers and events match only one of the @count (at most
 * LTTNG_MM_FREEZE_CHANNELS) listed channels. Returns 0, or -1 when out of memory.
 */
int freeze_match_names(struct freeze *freeze, const struct freeze_session *session,
		       struct freeze_listed *listed, int count);

/*
 * progress.c: were contents of the buffer, which has @subbufs sub-buffers, discarded between
 * @before and @now other than by overwriting?
 */
bool freeze_was_cleared(const struct lttng_mm_freeze_position *before,
			const struct lttng_mm_freeze_position *now, unsigned int subbufs);

/*
 * facts.c: removes starts and stops from @watch that had not taken effect at the freeze. Sets
 * @since to 0 if the remaining changes contradict the state at the freeze.
 */
void freeze_settle_changes(const struct freeze *freeze, unsigned int session,
			   struct lttng_mm_freeze_watch *watch);

/* Writes the file name of a stream to @name, which has FREEZE_FILE_MAX bytes. */
#define FREEZE_FILE_MAX (NAME_MAX + 32)
void freeze_file_name(const struct freeze_stream *stream, char *name);

/*
 * write.c: returns the bytes of the leading packets that end before @since_ns (INT64_MIN: none),
 * and sets *@packets to their number.
 */
size_t freeze_bytes_before(const struct freeze_stream *stream, const struct freeze_clock *clock,
			   int64_t since_ns, uint64_t *packets);

#endif /* LTTNG_MM_SESSION_FREEZE_BUFFERS_H */
