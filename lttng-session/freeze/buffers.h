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

/* Packet header and packet context, as LTTng's kernel tracer writes them. */
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
 * Clock of a trace, as its metadata declares it: ns since the Epoch = (value + offset) / frequency
 * + offset_s.
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
	unsigned int channel;  /* index of one of the session's channels */
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

/* Copy of a per-CPU buffer, with its packets in sequence. */
struct freeze_stream {
	struct lttng_mm_freeze_buffer buffer;
	const struct freeze_channel *channel;
	unsigned char *data; /* the packets, one after another */
	size_t bytes;
	uint64_t packets;
	uint64_t missed; /* number of packets overwritten before they could be copied */
	/* freeze_write() has released the packets. @first and @left_out are set only then. */
	bool released;
	uint64_t first;		  /* sequence number of the first packet */
	uint64_t left_out;	  /* packets that were not written */
	struct mm_checksums sums; /* checksums of the packets that were written */
};

/*
 * Is the packet that was being written at the freeze left out? If it contains an incomplete record
 * (an NMI may interrupt one), nobody knows where its content ends.
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
	/* memory for the streams; @more: for CPUs that came online after freeze_allocate() */
	struct freeze_memory memory, more;
	bool named;		   /* freeze_name_channels() was called */
	struct freeze_hooks hooks; /* functions may be NULL */
	bool once;		   /* freeze_write_once() was called */
	/* positions of the buffers at the last freeze_look() */
	struct lttng_mm_freeze_position *seen;
	unsigned int seen_count;
};

/* copy.c: freezes the buffers and copies their packets. Returns 0, or -1 with errno set. */
int freeze_copy(struct freeze *freeze);

/*
 * Returns how many more bytes the control group @group can use within its memory limit and the
 * limits of its ancestors, or SIZE_MAX if there are no limits. Control groups are mounted at @root.
 * The page cache of files counts as free, because the kernel reclaims it before refusing memory.
 * Overwrites @group, which starts with a slash.
 */
size_t freeze_group_room(const char *root, char *group);

/*
 * memory.c: allocates memory for the streams of all channels. Returns as freeze_open() on failure.
 */
int freeze_allocate(struct freeze *freeze, struct mm_error *err);
/* Makes room for @count buffers. Returns 0, or -1 with errno set. */
int freeze_grow(struct freeze *freeze, unsigned int count);
/* Assigns each stream its part of the memory. Returns 0, or -1 with errno set. */
int freeze_place(struct freeze *freeze);
/* Populates the memory for the stream's next @bytes with pages, in one call. */
void freeze_populate(const struct freeze_stream *stream, size_t bytes);
/* Returns the stream's memory up to @end to the kernel. Memory before @from is already returned. */
void freeze_release_part(const struct freeze_stream *stream, size_t from, size_t end);
void freeze_release(struct freeze *freeze);

/* metadata.c: reads the metadata of a session. Returns 0, or -1 with errno set. */
int freeze_read_metadata(const struct freeze *freeze, struct freeze_session *session);
/* Parses the clock that the metadata declares. */
void freeze_parse_clock(struct freeze_session *session);
/*
 * Gives the metadata of all sessions the clock offset of @clock. Leaves sessions with an unknown
 * clock or another frequency unchanged. Returns 0, or -1 with errno set.
 */
int freeze_use_clock(struct freeze *freeze, const struct freeze_clock *clock);
/* Converts a clock value to nanoseconds since the Epoch. */
int64_t freeze_clock_ns(const struct freeze_clock *clock, uint64_t value);

/*
 * freeze.c: opens the device. @load: loads the module if needed (root only). Returns as
 * freeze_open() on failure.
 */
int freeze_open_device(bool load, struct mm_error *err);

/*
 * channels.c: calls @visit for each kernel channel of the session daemon. Passes the module's
 * description of it and a copied descriptor, which this function closes. Stops when @visit returns
 * -1. Does not wait for the session daemon, which may be stopped. Returns 0, or -1 with @err set.
 * err->code is 0 if the channels are not accessible.
 */
typedef int freeze_visit_channel(void *user, struct lttng_mm_freeze_channel *is, int fd,
				 struct mm_error *err);
int freeze_each_channel(int device, freeze_visit_channel *visit, void *user, struct mm_error *err);
/* Finds and adds the channels of all sessions. Returns as freeze_open() on failure. */
int freeze_find_channels(struct freeze *freeze, struct mm_error *err);
/* names.c: names the channels of all sessions. An unknown name stays empty. */
void freeze_name_channels(struct freeze *freeze);

/* A channel in the list of the session daemon. */
struct freeze_listed {
	const char *name;
	const struct lttng_channel_attr *attr;
	struct lttng_event *rules; /* @count rules: the events that the channel records */
	int count;
	bool used; /* the name is assigned to a channel */
};
/*
 * Names the channels of a session. Buffers and events must match exactly one of the @count listed
 * channels (at most LTTNG_MM_FREEZE_CHANNELS). Returns 0, or -1 when out of memory.
 */
int freeze_match_names(struct freeze *freeze, const struct freeze_session *session,
		       struct freeze_listed *listed, int count);

/*
 * progress.c: were contents of the buffer discarded between @before and @now, other than by
 * overwriting? @subbufs: its number of sub-buffers.
 */
bool freeze_was_cleared(const struct lttng_mm_freeze_position *before,
			const struct lttng_mm_freeze_position *now, unsigned int subbufs);

/*
 * facts.c: removes starts and stops from @watch that had not taken effect at the freeze. If the
 * remaining changes contradict the state at the freeze, sets @since to 0.
 */
void freeze_settle_changes(const struct freeze *freeze, unsigned int session,
			   struct lttng_mm_freeze_watch *watch);

/* Writes the file name of a stream to @name, which has FREEZE_FILE_MAX bytes. */
#define FREEZE_FILE_MAX (NAME_MAX + 32)
void freeze_file_name(const struct freeze_stream *stream, char *name);

/*
 * write.c: returns the size of the leading packets that end before @since_ns (INT64_MIN: none).
 * *@packets becomes their number.
 */
size_t freeze_bytes_before(const struct freeze_stream *stream, const struct freeze_clock *clock,
			   int64_t since_ns, uint64_t *packets);

#endif /* LTTNG_MM_SESSION_FREEZE_BUFFERS_H */
