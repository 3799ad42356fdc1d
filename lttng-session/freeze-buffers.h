/* SPDX-License-Identifier: LGPL-2.1-only */
/* What freeze.c reads and freeze-write.c writes. */
#ifndef LTTNG_MM_SESSION_FREEZE_BUFFERS_H
#define LTTNG_MM_SESSION_FREEZE_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"

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

/* A per-CPU buffer: its packets in the order of their sequence numbers. */
struct freeze_stream {
	struct lttng_mm_freeze_buffer buffer;
	const struct lttng_mm_freeze_channel *channel;
	unsigned char *data; /* the packets, one after another */
	size_t bytes;
	uint64_t packets;
	uint64_t overwritten; /* packets that were overwritten before they could be copied */
};

struct freeze {
	int device;
	char session[LTTNG_MM_FREEZE_NAME_MAX];
	char channel_name[LTTNG_MM_FREEZE_NAME_MAX]; /* empty: there are several */
	struct lttng_mm_freeze_channel channels[LTTNG_MM_FREEZE_CHANNELS];
	unsigned int channel_count;
	struct lttng_mm_freeze frozen;
	struct freeze_stream *streams;
	unsigned int stream_count;
	unsigned char *memory; /* of @memory_bytes, for the data of all streams */
	size_t memory_bytes;
	char *metadata;
	size_t metadata_bytes;
};

/*
 * In freeze-copy.c: freezes the buffers, and copies their packets. Returns 0, or -1 with errno set.
 */
int freeze_copy(struct freeze *freeze);

#endif /* LTTNG_MM_SESSION_FREEZE_BUFFERS_H */
