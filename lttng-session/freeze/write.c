// SPDX-License-Identifier: LGPL-2.1-only
/* Writes frozen buffers as a CTF trace, with the files that LTTng's consumer daemon would write. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/freeze.h"

/* LTTng's index files, version 1.1. Numbers are big-endian. */
#define INDEX_MAGIC 0xc1f1dcc1u
#define INDEX_MAJOR 1
#define INDEX_MINOR 1

#define PART_BYTES 65536

struct index_header {
	uint32_t magic, major, minor, packet_bytes;
};

struct index_packet {
	uint64_t offset, packet_size, content_size, timestamp_begin, timestamp_end;
	uint64_t events_discarded, stream_id, stream_instance_id, packet_seq_num;
};

/*
 * Gives a new file or folder the mode that LTTng would use, and the group of the folder @folder. A
 * user who may read the folder may then also read the trace.
 */
static int share(int fd, int folder, mode_t mode)
{
	struct stat parent, own;

	if (fstat(folder, &parent) || fstat(fd, &own))
		return -1;
	if (own.st_gid != parent.st_gid && fchown(fd, (uid_t)-1, parent.st_gid))
		return -1;
	return fchmod(fd, mode);
}

static int make_folder(int parent, const char *name)
{
	int fd = folder_make(parent, name, 0700);

	if (fd >= 0 && share(fd, parent, 0750)) {
		close(fd);
		return -1;
	}
	return fd;
}

static FILE *make_file(int folder, const char *name)
{
	FILE *file = folder_make_file(folder, name);

	if (file && share(fileno(file), folder, 0640)) {
		fclose(file);
		return NULL;
	}
	return file;
}

/*
 * Writes @bytes of @data. Stores the first error number in *@error, because later calls for @file
 * do not return it again.
 */
static void put(FILE *file, const void *data, size_t bytes, int *error)
{
	errno = 0;
	if (fwrite(data, 1, bytes, file) != bytes && !*error)
		*error = errno ? errno : EIO;
}

/*
 * Closes @file. Returns 0 if its contents were written, or -1 with errno set. If @error is not 0,
 * sets errno to @error. Does not sync the file, because the caller of freeze_write() syncs all
 * files together.
 */
static int finish_file(FILE *file, int error)
{
	if (!error && fflush(file))
		error = errno;
	if (fclose(file) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

/*
 * Writes the metadata. Text metadata without LTTng's packet headers must start with a signature.
 * CTF 2 metadata is JSON, and needs no signature.
 */
static int write_metadata(const struct freeze_session *session, int folder)
{
	const char *signature = session->metadata[0] == '\x1e' ? "" : "/* CTF 1.8 */\n\n";
	FILE *file = make_file(folder, "metadata");
	int error = 0;

	if (!file)
		return -1;
	put(file, signature, strlen(signature), &error);
	put(file, session->metadata, session->metadata_bytes, &error);
	return finish_file(file, error);
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

/* Creates an index file with its header. Returns NULL with errno set on failure. */
static FILE *start_index(int folder, const char *name, int *error)
{
	const struct index_header first = { htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR),
					    htobe32(INDEX_MINOR),
					    htobe32(sizeof(struct index_packet)) };
	FILE *file = make_file(folder, name);

	if (file)
		put(file, &first, sizeof(first), error);
	return file;
}

size_t freeze_bytes_before(const struct freeze_stream *stream, const struct freeze_clock *clock,
			   int64_t since_ns, uint64_t *packets)
{
	struct freeze_header header;
	size_t at = 0;

	*packets = 0;
	while (clock->known && since_ns != INT64_MIN && at < stream->bytes) {
		memcpy(&header, stream->data + at, FREEZE_HEADER_BYTES);
		if (freeze_clock_ns(clock, header.timestamp_end) >= since_ns)
			break;
		at += header.packet_size / 8;
		++*packets;
	}
	return at;
}

/* Writes a packet in parts. Computes the checksum of each part while it is in the CPU cache. */
static void put_packet(struct freeze_stream *stream, const unsigned char *data, size_t bytes,
		       FILE *file, int *error)
{
	uint32_t crc = 0;

	for (size_t at = 0; at < bytes && !*error; at += PART_BYTES) {
		const size_t part = bytes - at < PART_BYTES ? bytes - at : PART_BYTES;

		crc = mm_crc32c(crc, data + at, part);
		put(file, data + at, part, error);
	}
	if (mm_checksums_add(&stream->sums, bytes, crc) && !*error)
		*error = ENOMEM;
}

/*
 * Writes the packets of the stream from offset @from on, with checksums and index entries. With
 * @release, releases the memory of each written packet.
 */
static void write_packets(struct freeze_stream *stream, size_t from, bool release, FILE *file,
			  FILE *index, int *error)
{
	struct freeze_header header;
	size_t released = 0;

	for (size_t at = from; at < stream->bytes && !*error; at += header.packet_size / 8) {
		struct index_packet packet;

		memcpy(&header, stream->data + at, FREEZE_HEADER_BYTES);
		packet = describe(&header, at - from);
		put_packet(stream, stream->data + at, header.packet_size / 8, file, error);
		put(index, &packet, sizeof(packet), error);
		if (!release)
			continue;
		freeze_release_part(stream, released, at + header.packet_size / 8);
		released = at + header.packet_size / 8;
	}
}

static int write_stream(struct freeze_stream *stream, size_t from, bool release, int folder,
			int index)
{
	char name[FREEZE_FILE_MAX], index_name[sizeof(name) + 4];
	FILE *packets, *numbers;
	int error = 0;

	mm_checksums_release(&stream->sums);
	stream->sums.of_memory = true;
	freeze_file_name(stream, name);
	snprintf(index_name, sizeof(index_name), "%s.idx", name);
	packets = make_file(folder, name);
	if (!packets)
		return -1;
	numbers = start_index(index, index_name, &error);
	if (!numbers)
		error = errno;
	else
		write_packets(stream, from, release, packets, numbers, &error);
	if (numbers && finish_file(numbers, error) && !error)
		error = errno;
	return finish_file(packets, error);
}

void freeze_write_once(struct freeze *freeze)
{
	freeze->once = true;
}

/* Stores the facts that freeze_facts() needs from the packets, before the packets are released. */
static void note_facts(struct freeze_stream *stream, uint64_t left_out)
{
	struct freeze_header first = { .packet_seq_num = stream->buffer.packet };

	if (stream->bytes)
		memcpy(&first, stream->data, FREEZE_HEADER_BYTES);
	stream->released = true;
	stream->first = first.packet_seq_num;
	stream->left_out = left_out;
}

int freeze_write(struct freeze *freeze, size_t number, int64_t since_ns, int parent,
		 const char *name, struct mm_error *err)
{
	const struct freeze_session *session = &freeze->sessions[number];
	int folder = make_folder(parent, name), index = -1, ret = -1;

	if (folder >= 0)
		index = make_folder(folder, "index");
	if (index >= 0)
		ret = write_metadata(session, folder);
	for (unsigned int i = 0; i < freeze->stream_count && !ret; i++) {
		struct freeze_stream *stream = &freeze->streams[i];
		uint64_t left_out;
		size_t from;

		if (stream->channel->session != number)
			continue;
		from = freeze_bytes_before(stream, &session->clock, since_ns, &left_out);
		if (freeze->once)
			note_facts(stream, left_out);
		ret = write_stream(stream, from, freeze->once, folder, index);
	}
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s: %s", session->name, name,
			     strerror(errno));
	if (index >= 0)
		close(index);
	if (folder >= 0)
		close(folder);
	return ret;
}

/* Writes the checksums of one stream to the folder @index. Returns 0, or -1 with errno set. */
static int write_sums(const struct freeze_stream *stream, int index)
{
	char name[FREEZE_FILE_MAX], sums_name[sizeof(name) + sizeof(MM_CHECKSUMS_SUFFIX)];
	FILE *file;
	int error;

	freeze_file_name(stream, name);
	snprintf(sums_name, sizeof(sums_name), "%s" MM_CHECKSUMS_SUFFIX, name);
	file = make_file(index, sums_name);
	if (!file)
		return -1;
	error = mm_checksums_write(&stream->sums, file) ? errno : 0;
	return finish_file(file, error);
}

int freeze_write_checksums(const struct freeze *freeze, size_t number, int folder,
			   struct mm_error *err)
{
	int index = folder_open(folder, "index"), ret = index < 0 ? -1 : 0;

	for (unsigned int i = 0; i < freeze->stream_count && !ret; i++)
		if (freeze->streams[i].channel->session == number)
			ret = write_sums(&freeze->streams[i], index);
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: checksums: %s",
			     freeze->sessions[number].name, strerror(errno));
	if (index >= 0)
		close(index);
	return ret;
}
