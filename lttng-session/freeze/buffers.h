/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files freeze*.c share: sessions, their channels, and the copies of their buffers. */
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

/* The packet header and packet context that LTTng's kernel tracer writes. */
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

/* Its bytes without the padding at the end of the structure. */
#define FREEZE_HEADER_BYTES (offsetof(struct freeze_header, cpu_id) + sizeof(uint32_t))

/* The clock of a trace as its metadata declares it: (clock + offset) / frequency + offset_s. */
struct freeze_clock {
	bool known;
	uint64_t frequency;
	int64_t offset_s, offset;
};

struct freeze_session {
	char name[LTTNG_MM_FREEZE_NAME_MAX];
	char channel_names[NAME_MAX + 1]; /* as in struct freeze_session_name */
	unsigned char uuid[16];
	bool found;	       /* @uuid is set */
	unsigned int channel;  /* the number of one of its channels */
	unsigned int channels; /* how many it has */
	char *metadata;	       /* terminated */
	size_t metadata_bytes;
	struct freeze_clock clock;
	struct lttng_mm_freeze_watch watch;
};

struct freeze_channel {
	struct lttng_mm_freeze_channel is;
	unsigned int session;
	char name[NAME_MAX + 1];
};

/* A per-CPU buffer: its packets in the order of their sequence numbers. */
struct freeze_stream {
	struct lttng_mm_freeze_buffer buffer;
	const struct freeze_channel *channel;
	unsigned char *data; /* the packets, one after another */
	size_t bytes;
	uint64_t packets;
	uint64_t missed; /* packets that were overwritten before they could be copied */
	/* Of a stream of which packets have been released: see freeze_write_once(). */
	bool released;
	uint64_t first;		  /* the sequence number of the first packet */
	uint64_t left_out;	  /* packets that were not written */
	struct mm_checksums sums; /* of those that were written */
};

/*
 * Is the packet that was being written at the freeze left out? An NMI interrupted a record in it,
 * so that it has no end; earlier packets have one.
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
	unsigned int stream_count, room; /* of both arrays */
	/* For the data of the streams; the second: of CPUs that came online meanwhile. */
	struct freeze_memory memory, more;
	bool named;		   /* freeze_name_channels() was called */
	struct freeze_hooks hooks; /* NULL: none */
	bool once;		   /* freeze_write_once() was called */
	/* The buffers when they were last looked at. */
	struct lttng_mm_freeze_position *seen;
	unsigned int seen_count;
};

/*
 * In copy.c: freezes the buffers, and copies their packets. Returns 0, or -1 with errno set.
 */
int freeze_copy(struct freeze *freeze);

/*
 * Bytes that the limits of the control group @group, and of those above it, leave. Control groups
 * are mounted at @root. The page cache of files is free: it is reclaimed before memory is
 * refused. SIZE_MAX: there is no limit. @group, which starts with a slash, is overwritten.
 */
size_t freeze_group_room(const char *root, char *group);

/* In memory.c: memory for the streams of all channels. Fails as freeze_open(). */
int freeze_allocate(struct freeze *freeze, struct mm_error *err);
/* Makes room for @count buffers. Returns 0, or -1 with errno set. */
int freeze_grow(struct freeze *freeze, unsigned int count);
/* Divides the memory among the streams. Returns 0, or -1 with errno set. */
int freeze_place(struct freeze *freeze);
/* Has the kernel populate the memory of the next @bytes of the stream at once. */
void freeze_populate(const struct freeze_stream *stream, size_t bytes);
/* Gives memory of the stream back to the kernel; what precedes @from has been given back. */
void freeze_release_part(const struct freeze_stream *stream, size_t from, size_t end);
void freeze_release(struct freeze *freeze);

/* In metadata.c: reads the metadata of a session. Returns 0, or -1 with errno set. */
int freeze_read_metadata(const struct freeze *freeze, struct freeze_session *session);
/* Reads the clock that the metadata declares. */
void freeze_parse_clock(struct freeze_session *session);
/*
 * Rewrites the metadata of all sessions to have the offset of @clock. Sessions whose clock is not
 * known or has another frequency are left as they are. Returns 0, or -1 with errno set.
 */
int freeze_use_clock(struct freeze *freeze, const struct freeze_clock *clock);
/* A clock value in nanoseconds since the Epoch. */
int64_t freeze_clock_ns(const struct freeze_clock *clock, uint64_t value);

/* In freeze.c: opens the device; @load: root loads the module for it. Fails as freeze_open(). */
int freeze_open_device(bool load, struct mm_error *err);

/*
 * In channels.c: calls @visit for each kernel channel of the session daemon, with what the module
 * says of it and a copy of its descriptor, which is closed afterwards, until it returns -1. Returns
 * 0, or -1 with @err set; err->code is 0 if the channels are not accessible. Does not wait for the
 * session daemon, which may be stopped.
 */
typedef int freeze_visit_channel(void *user, struct lttng_mm_freeze_channel *is, int fd,
				 struct mm_error *err);
int freeze_each_channel(int device, freeze_visit_channel *visit, void *user, struct mm_error *err);
/* Finds and adds the channels of all sessions. Fails as freeze_open(). */
int freeze_find_channels(struct freeze *freeze, struct mm_error *err);
/*
 * In names.c: names the channels of all sessions. The name of a channel stays empty if it
 * cannot be determined.
 */
void freeze_name_channels(struct freeze *freeze);

/* A channel as the session daemon lists it. */
struct freeze_listed {
	const char *name;
	const struct lttng_channel_attr *attr;
	struct lttng_event *rules; /* @count of them: the events that it records */
	int count;
	bool used; /* the name has been given to a channel */
};
/*
 * Names those channels of a session that can only be one of the @count listed ones, at most
 * LTTNG_MM_FREEZE_CHANNELS, by their buffers and events. Returns 0, or -1: out of memory.
 */
int freeze_match_names(struct freeze *freeze, const struct freeze_session *session,
		       struct freeze_listed *listed, int count);

/*
 * In look.c: has @now less contents than it must have after @before, apart from what the writer has
 * overwritten? The buffer has @subbufs sub-buffers.
 */
bool freeze_was_cleared(const struct lttng_mm_freeze_position *before,
			const struct lttng_mm_freeze_position *now, unsigned int subbufs);

/*
 * In facts.c: reduces what was noted of starts and stops to the changes that had taken
 * effect at the freeze; @since is 0 if they contradict the state at the freeze.
 */
void freeze_settle_changes(const struct freeze *freeze, unsigned int session,
			   struct lttng_mm_freeze_watch *watch);

/* The file of a stream; @name has FREEZE_FILE_MAX bytes. */
#define FREEZE_FILE_MAX (NAME_MAX + 32)
void freeze_file_name(const struct freeze_stream *stream, char *name);

/*
 * In write.c: the bytes of the leading packets that end before @since_ns (INT64_MIN: none),
 * and their number in *@packets.
 */
size_t freeze_bytes_before(const struct freeze_stream *stream, const struct freeze_clock *clock,
			   int64_t since_ns, uint64_t *packets);

#endif /* LTTNG_MM_SESSION_FREEZE_BUFFERS_H */
