// SPDX-License-Identifier: LGPL-2.1-only
// Detects the format of a trace's metadata, joins its packets, and calls the parser.

#include "reader/ctf/metadata/metadata.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/json/parse.h"
#include "reader/ctf/tsdl/parse.h"
#include "util/checksums.h"

#define PACKET_MAGIC UINT32_C(0x75d11d57)
#define RECORD_SEPARATOR '\x1e' /* first byte of CTF 2's JSON text sequence */

struct metadata_packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum, content_size, packet_size;
	uint8_t compression, encryption, checksum_scheme, major, minor;
} __attribute__((packed));

/* The packets of a file, and their common properties. */
struct packetized_metadata {
	const uint8_t *data;
	size_t size, offset;
	const char *file;
	struct mm_error *err;
	bool swap; /* the byte order is not this machine's */
	uint64_t number;
	struct metadata_packet_header first;
	char *text;
	size_t length;
};

static int packet_fail(const struct packetized_metadata *packets, const char *why,
		       const char *remedy)
{
	return mm_error_set(packets->err, MM_EXIT_BAD_INPUT,
			    "trace: %s: metadata packet %" PRIu64 " at byte %zu: %s; %s",
			    packets->file, packets->number, packets->offset, why, remedy);
}

static uint32_t load(const struct packetized_metadata *packets, uint32_t value)
{
	return packets->swap ? __builtin_bswap32(value) : value;
}

static int check_header(struct packetized_metadata *packets,
			const struct metadata_packet_header *header)
{
	static const char damaged[] = "the file is damaged", record[] = "record without this";
	uint64_t content = load(packets, header->content_size);

	if (load(packets, header->magic) != PACKET_MAGIC)
		return packet_fail(packets, "wrong magic number", damaged);
	if (header->compression || header->encryption)
		return packet_fail(packets, "compressed or encrypted", record);
	if (header->checksum || header->checksum_scheme)
		return packet_fail(packets, "has a checksum that cannot be verified", record);
	if (!(header->major == 1 && header->minor == 8) && !(header->major == 2 && !header->minor))
		return packet_fail(packets, "its CTF version is neither 1.8 nor 2.0",
				   "only these versions can be read");
	if (memcmp(header->uuid, packets->first.uuid, sizeof(header->uuid)) != 0 ||
	    header->major != packets->first.major)
		return packet_fail(packets, "belongs to a different trace than the first packet",
				   damaged);
	if (content / 8 < sizeof(*header) || content > load(packets, header->packet_size))
		return packet_fail(packets, "an impossible content size", damaged);
	if (content / 8 > packets->size - packets->offset)
		return packet_fail(packets, "truncated", damaged);
	return 0;
}

static int join_packet(struct packetized_metadata *packets)
{
	size_t left = packets->size - packets->offset, content;
	struct metadata_packet_header header;

	if (left < sizeof(header))
		return packet_fail(packets, "truncated", "the file is damaged");
	memcpy(&header, packets->data + packets->offset, sizeof(header));
	if (!packets->number)
		packets->first = header;
	if (check_header(packets, &header) < 0)
		return -1;
	content = load(packets, header.content_size) / 8 - sizeof(header);
	memcpy(packets->text + packets->length, packets->data + packets->offset + sizeof(header),
	       content);
	/* The content may end with null bytes, which are padding, too. */
	packets->length += strnlen(packets->text + packets->length, content);
	/* The last packet may lack its padding. */
	packets->offset += load(packets, header.packet_size) / 8;
	packets->number++;
	return 0;
}

static int join_packets(struct packetized_metadata *packets)
{
	packets->text = malloc(packets->size);
	if (!packets->text)
		return mm_error_set(
			packets->err, MM_EXIT_ENVIRONMENT,
			"trace: %s: out of memory for the metadata; free some memory and try again",
			packets->file);
	while (packets->offset < packets->size)
		if (join_packet(packets) < 0)
			return -1;
	return 0;
}

static int parse_text(const char *text, size_t length, const char *file,
		      struct ctf_trace_class *trace, struct mm_error *err)
{
	if (length && *text == RECORD_SEPARATOR)
		return ctf_json_parse(text, length, file, trace, err);
	return ctf_tsdl_parse(text, length, file, trace, err);
}

static int parse(const void *data, size_t size, const char *file, struct ctf_trace_class *trace,
		 struct mm_error *err)
{
	struct packetized_metadata packets = {
		.data = data, .size = size, .file = file, .err = err
	};
	uint32_t magic = 0;
	int ret;

	memcpy(&magic, data, size < sizeof(magic) ? size : sizeof(magic));
	packets.swap = magic == __builtin_bswap32(PACKET_MAGIC);
	if (magic != PACKET_MAGIC && !packets.swap)
		return parse_text(data, size, file, trace, err);
	ret = join_packets(&packets);
	if (!ret)
		ret = parse_text(packets.text, packets.length, file, trace, err);
	free(packets.text);
	return ret;
}

struct ctf_trace_class *ctf_metadata_parse(const void *data, size_t size, const char *file,
					   struct mm_error *err)
{
	struct ctf_trace_class *trace;

	if (!size) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the file is empty, because the tracer did not end properly; record again",
			file);
		return NULL;
	}
	trace = ctf_trace_class_create();
	if (!trace) {
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"trace: %s: out of memory for the metadata; free some memory and try again",
			file);
		return NULL;
	}
	if (parse(data, size, file, trace, err) < 0 ||
	    ctf_trace_class_finish(trace, file, err) < 0) {
		ctf_trace_class_destroy(trace);
		return NULL;
	}
	return trace;
}

static void *read_all(int fd, const char *file, size_t *size, struct mm_error *err)
{
	struct stat stat;
	size_t length = 0;
	ssize_t got = 1;
	char *data;

	if (fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode)) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "trace: %s: not a regular file; give the folder of a trace", file);
		return NULL;
	}
	if (stat.st_size > CTF_METADATA_MAX) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "trace: %s: metadata of more than %u MiB, which is not supported",
			     file, CTF_METADATA_MAX >> 20);
		return NULL;
	}
	data = malloc((size_t)stat.st_size + 1);
	if (!data) {
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"trace: %s: out of memory for the metadata; free some memory and try again",
			file);
		return NULL;
	}
	while (got > 0 && length < (size_t)stat.st_size) {
		got = read(fd, data + length, (size_t)stat.st_size - length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			length += (size_t)got;
	}
	if (got < 0) {
		mm_error_set(err, MM_EXIT_BAD_INPUT, "trace: %s: %s; check the disk", file,
			     strerror(errno));
		free(data);
		return NULL;
	}
	*size = length;
	return data;
}

/* Checks the checksum of the metadata, if there is one. Returns 0, or -1 with @err set. */
static int check_sum(const char *folder, const char *file, const void *data, size_t size,
		     struct mm_error *err)
{
	struct mm_checksums sums;
	int error, ret = mm_checksums_load(&sums, folder, "metadata", &error);
	bool right;

	right = ret <= 0 || (sums.count == 1 && sums.all[0].bytes == size &&
			     sums.all[0].crc == mm_crc32c(0, data, size));
	mm_checksums_release(&sums);
	if (ret < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", file);
	return right ? 0
		     : mm_error_set(
			       err, MM_EXIT_BAD_INPUT,
			       "trace: %s: the file is damaged: its checksum is wrong, so no event is reliable; restore the file from another copy of the trace",
			       file);
}

static struct ctf_trace_class *read_file(const char *folder, const char *file, struct mm_error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct ctf_trace_class *trace = NULL;
	size_t size;
	void *data;

	if (fd < 0) {
		mm_error_set(err, MM_EXIT_BAD_INPUT, "trace: %s: %s; give the folder of a trace",
			     file, strerror(errno));
		return NULL;
	}
	data = read_all(fd, file, &size, err);
	close(fd);
	if (data && !check_sum(folder, file, data, size, err))
		trace = ctf_metadata_parse(data, size, file, err);
	free(data);
	return trace;
}

struct ctf_trace_class *ctf_metadata_read(const char *folder, struct mm_error *err)
{
	struct ctf_trace_class *trace;
	char *file;

	if (asprintf(&file, "%s/metadata", folder) < 0) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT,
			     "trace: %s: out of memory; free some memory and try again", folder);
		return NULL;
	}
	trace = read_file(folder, file, err);
	free(file);
	return trace;
}
