// SPDX-License-Identifier: LGPL-2.1-only
/* Reads LTTng's index files, and compares them with the packets. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/ctf/packet/packet-read.h"

#define INDEX_MAGIC 0xc1f1dcc1u
#define INDEX_HEADER_BYTES 16
#define ENTRY_BYTES_1_0 56
#define ENTRY_BYTES_1_1 72

struct ctf_index {
	struct ctf_map *map;
	uint64_t count;
	uint32_t length; /* size of an entry in bytes */
	bool has_more;	 /* entries have the fields of version 1.1 */
};

static uint32_t load32(const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return be32toh(value);
}

static uint64_t load64(const uint8_t *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return be64toh(value);
}

/* Copies the header before checking it, because the file may change in between. */
static bool read_header(struct ctf_index *index)
{
	uint64_t size = ctf_map_size(index->map);
	uint8_t header[INDEX_HEADER_BYTES];

	if (size < sizeof(header))
		return false;
	ctf_map_copy(index->map, 0, header, sizeof(header));
	index->length = load32(header + 12);
	if (load32(header) != INDEX_MAGIC || load32(header + 4) != 1 ||
	    index->length < ENTRY_BYTES_1_0 || (size - INDEX_HEADER_BYTES) % index->length)
		return false;
	index->count = (size - INDEX_HEADER_BYTES) / index->length;
	index->has_more = load32(header + 8) >= 1 && index->length >= ENTRY_BYTES_1_1;
	return true;
}

struct ctf_index *ctf_index_open(const char *folder, const char *name)
{
	struct ctf_index *index = calloc(1, sizeof(*index));
	struct stat status;
	char *path;

	if (!index || asprintf(&path, "%s/index/%s.idx", folder, name) < 0) {
		free(index);
		return NULL;
	}
	/* The index is optional. If it is missing or damaged, readers use the packet headers. */
	if (!stat(path, &status) && S_ISREG(status.st_mode))
		index->map = ctf_map_open(path, NULL);
	free(path);
	if (!index->map || !read_header(index)) {
		ctf_index_close(index);
		return NULL;
	}
	return index;
}

void ctf_index_close(struct ctf_index *index)
{
	if (!index)
		return;
	ctf_map_close(index->map);
	free(index);
}

uint64_t ctf_index_count(const struct ctf_index *index)
{
	return index->count;
}

void ctf_index_read(const struct ctf_index *index, uint64_t number, struct ctf_index_entry *entry)
{
	uint8_t from[ENTRY_BYTES_1_1];

	ctf_map_copy(index->map, ctf_index_offset(index, number), from,
		     index->has_more ? ENTRY_BYTES_1_1 : ENTRY_BYTES_1_0);
	*entry = (struct ctf_index_entry){
		.offset = load64(from),
		.size_bits = load64(from + 8),
		.content_bits = load64(from + 16),
		.begin = load64(from + 24),
		.end = load64(from + 32),
		.discarded = load64(from + 40),
		.stream_class_id = load64(from + 48),
		.has_more = index->has_more,
	};
	if (entry->has_more) {
		entry->stream_id = load64(from + 56);
		entry->seq = load64(from + 64);
	}
}

uint64_t ctf_index_offset(const struct ctf_index *index, uint64_t number)
{
	return INDEX_HEADER_BYTES + number * index->length;
}

uint64_t ctf_index_end(const struct ctf_index *index)
{
	uint64_t count = ctf_index_count(index);
	struct ctf_index_entry entry = { 0 };

	if (count)
		ctf_index_read(index, count - 1, &entry);
	return entry.offset + entry.size_bits / 8;
}

bool ctf_index_is_contiguous(const struct ctf_index *index)
{
	uint64_t count = ctf_index_count(index), end = 0;
	struct ctf_index_entry entry;

	for (uint64_t i = 0; i < count; i++) {
		ctf_index_read(index, i, &entry);
		if (entry.offset != end)
			return false;
		end += entry.size_bits / 8;
	}
	return count;
}

bool ctf_index_is_other(const struct ctf_index_entry *entry, const struct ctf_stream *stream)
{
	return entry->stream_class_id != stream->class->id ||
	       (entry->has_more && stream->has_id && entry->stream_id != stream->id);
}

const char *ctf_index_differs(const struct ctf_index_entry *entry, const struct ctf_packet *packet)
{
	const struct ctf_stream *stream = packet->stream;
	uint32_t flags = packet->flags;

	if (entry->offset != packet->offset)
		return "offset";
	if (!(flags & CTF_PACKET_TRUNCATED) && entry->size_bits != packet->size_bits)
		return "packet_size";
	if (!(flags & CTF_PACKET_TRUNCATED) && entry->content_bits != packet->content_bits)
		return "content_size";
	if ((flags & CTF_PACKET_HAS_BEGIN) && entry->begin != packet->begin)
		return "timestamp_begin";
	if ((flags & CTF_PACKET_HAS_END) && !(flags & CTF_PACKET_END_DERIVED) &&
	    entry->end != packet->end)
		return "timestamp_end";
	/*
	 * A 32-bit machine writes the counter with 32 bits to the packets, but with 64 bits to the
	 * index. So accept a packet's counter that equals the lowest 32 bits of the index's.
	 */
	if ((flags & CTF_PACKET_HAS_DISCARDED) && entry->discarded != packet->discarded &&
	    (uint32_t)entry->discarded != packet->discarded)
		return "events_discarded";
	if (entry->stream_class_id != stream->class->id)
		return "stream_id";
	if (entry->has_more && stream->has_id && entry->stream_id != stream->id)
		return "stream_instance_id";
	if (entry->has_more && (flags & CTF_PACKET_HAS_SEQ) && entry->seq != packet->seq)
		return "packet_seq_num";
	return NULL;
}

const char *ctf_index_check(const struct ctf_stream *stream, const struct ctf_file *file,
			    uint64_t *slots)
{
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);
	const uint64_t size = ctf_map_size(file->map);
	uint64_t end = 0, count = file->index ? ctf_index_count(file->index) : 0;

	for (uint64_t i = 0; i < count && end < size; i++) {
		const char *field = NULL;
		struct ctf_index_entry entry;
		struct ctf_packet_head head;
		struct ctf_packet packet;

		ctf_index_read(file->index, i, &entry);
		if (entry.offset != end)
			return "offset";
		/* Faults of the packets are reported when the packets are read. */
		if (ctf_packet_head_read(stream->trace, plan, file->map, end, NULL, slots, &head))
			return NULL;
		ctf_packet_fill(&packet, stream, file, end, &head, NULL);
		/*
		 * Do not compare timestamps of less than 64 bits, because their high bits come from
		 * earlier packets.
		 */
		if (plan->begin_width < 64 || plan->end_width < 64)
			packet.flags &= ~(uint32_t)(CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END);
		field = ctf_index_differs(&entry, &packet);
		if (field)
			return field;
		end += packet.size_bits / 8;
	}
	return NULL;
}
