// SPDX-License-Identifier: LGPL-2.1-only
/* Writes frozen buffers as a CTF trace, in the files that LTTng's consumer daemon writes. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/folder.h"
#include "lttng-session/freeze-buffers.h"
#include "lttng-session/freeze.h"

/* LTTng's index files, version 1.1: numbers are big-endian. */
#define INDEX_MAGIC 0xc1f1dcc1u
#define INDEX_MAJOR 1
#define INDEX_MINOR 1

struct index_header {
	uint32_t magic, major, minor, packet_bytes;
};

struct index_packet {
	uint64_t offset, packet_size, content_size, timestamp_begin, timestamp_end;
	uint64_t events_discarded, stream_id, stream_instance_id, packet_seq_num;
};

static int write_file(int folder, const char *name, const void *data, size_t bytes)
{
	FILE *file = folder_make_file(folder, name);
	int error = 0;

	if (!file)
		return -1;
	if (fwrite(data, 1, bytes, file) != bytes || fflush(file) || fsync(fileno(file)))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

/*
 * Text metadata must start with a signature, where LTTng has packets. The metadata of CTF
 * 2 is JSON and has none.
 */
static int write_metadata(const struct freeze *freeze, int folder)
{
	static const char signature[] = "/* CTF 1.8 */\n\n";
	const size_t length = strlen(signature);
	char *text = malloc(length + freeze->metadata_bytes);
	size_t bytes = 0;
	int ret;

	if (!text)
		return -1;
	if (freeze->metadata[0] != '{' && freeze->metadata[0] != '\x1e') {
		memcpy(text, signature, length);
		bytes = length;
	}
	memcpy(text + bytes, freeze->metadata, freeze->metadata_bytes);
	ret = write_file(folder, "metadata", text, bytes + freeze->metadata_bytes);
	free(text);
	return ret;
}

static struct index_packet describe(const struct freeze_header *header, size_t offset)
{
	return (struct index_packet){
		.offset = htobe64(offset),
		.packet_size = htobe64(header->packet_size),
		.content_size = htobe64(header->content_size),
		.timestamp_begin = htobe64(header->timestamp_begin),
		.timestamp_end = htobe64(header->timestamp_end),
		.events_discarded = htobe64(header->events_discarded),
		.stream_id = htobe64(header->stream_id),
		.stream_instance_id = htobe64(header->stream_instance_id),
		.packet_seq_num = htobe64(header->packet_seq_num),
	};
}

static int write_index(int folder, const char *name, const struct freeze_stream *stream)
{
	const struct index_header first = { htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR),
					    htobe32(INDEX_MINOR),
					    htobe32(sizeof(struct index_packet)) };
	FILE *file = folder_make_file(folder, name);
	struct freeze_header header;
	int error = 0;

	if (!file)
		return -1;
	fwrite(&first, sizeof(first), 1, file);
	for (size_t at = 0; at < stream->bytes; at += header.packet_size / 8) {
		struct index_packet packet;

		memcpy(&header, stream->data + at, FREEZE_HEADER_BYTES);
		packet = describe(&header, at);
		fwrite(&packet, sizeof(packet), 1, file);
	}
	if (fflush(file) || ferror(file) || fsync(fileno(file)))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

static int write_stream(const struct freeze *freeze, const struct freeze_stream *stream, int folder,
			int index)
{
	char name[LTTNG_MM_FREEZE_NAME_MAX + 32], index_name[sizeof(name) + 4];

	if (freeze->channel_name[0])
		snprintf(name, sizeof(name), "%s_%u", freeze->channel_name, stream->buffer.cpu);
	else
		snprintf(name, sizeof(name), "channel%u_%u", stream->channel->id,
			 stream->buffer.cpu);
	snprintf(index_name, sizeof(index_name), "%s.idx", name);
	return write_file(folder, name, stream->data, stream->bytes) ||
			       write_index(index, index_name, stream)
		       ? -1
		       : 0;
}

int freeze_write(const struct freeze *freeze, int parent, const char *name, struct mm_error *err)
{
	int folder = folder_make(parent, name, 0750), index = -1, ret = -1;

	if (folder >= 0)
		index = folder_make(folder, "index", 0750);
	if (index >= 0)
		ret = write_metadata(freeze, folder);
	for (unsigned int i = 0; i < freeze->stream_count && !ret; i++)
		ret = write_stream(freeze, &freeze->streams[i], folder, index);
	if (!ret && (fsync(index) || fsync(folder)))
		ret = -1;
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s: %s", freeze->session,
			     name, strerror(errno));
	if (index >= 0)
		close(index);
	if (folder >= 0)
		close(folder);
	return ret;
}
