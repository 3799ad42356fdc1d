// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Removes packets from a stream file of LTTng's kernel tracer, as if they had been overwritten:
 * cut-packets FILE FIRST COUNT. FIRST counts from 0, or from the end if negative. Updates the
 * file's checksums, if it has any. Prints the previous number of packets and the end timestamp of
 * the last remaining packet in clock cycles.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/checksums.h"

enum {
	MAGIC = 0xc1fc1fc1,
	/* the packet header: magic, UUID, stream class and stream id; then the packet context */
	END_AT = 40,
	PACKET_BITS_AT = 56,
	HEAD_BYTES = 64,
};

static uint64_t load64(const unsigned char *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return le64toh(value);
}

static unsigned char *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *data = NULL;
	long length;

	if (file && !fseek(file, 0, SEEK_END) && (length = ftell(file)) > 0) {
		rewind(file);
		data = malloc((size_t)length);
		*size = (size_t)length;
		if (data && fread(data, 1, *size, file) != *size) {
			free(data);
			data = NULL;
		}
	}
	if (file)
		fclose(file);
	return data;
}

/* Returns the length of the packet at @at, or 0 if no packet begins there. */
static size_t packet_bytes(const unsigned char *data, size_t size, size_t at)
{
	uint32_t magic;
	uint64_t bytes;

	if (size - at < HEAD_BYTES)
		return 0;
	memcpy(&magic, data + at, sizeof(magic));
	bytes = load64(data + at + PACKET_BITS_AT) / 8;
	return le32toh(magic) == MAGIC && bytes >= HEAD_BYTES && bytes <= size - at ? bytes : 0;
}

/* Replaces the checksum file of the stream file @path, if there is one. */
static int replace_sums(const char *path, const struct mm_checksums *sums)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char file_path[4096];
	FILE *file;

	snprintf(file_path, sizeof(file_path), "%.*sindex/%s" MM_CHECKSUMS_SUFFIX,
		 (int)(name - path), path, name);
	file = fopen(file_path, "r+");
	if (!file)
		return errno == ENOENT ? 0 : -1;
	if (ftruncate(fileno(file), 0) || mm_checksums_write(sums, file)) {
		fclose(file);
		return -1;
	}
	return fclose(file);
}

int main(int argc, char **argv)
{
	size_t size = 0, at = 0, bytes, to = 0;
	long count = 0, number = 0, first, cut;
	struct mm_checksums sums = { .of_memory = true };
	uint64_t end = 0;
	unsigned char *data;
	FILE *file;

	if (argc != 4) {
		fputs("Usage: cut-packets FILE FIRST COUNT\n", stderr);
		return 2;
	}
	data = load(argv[1], &size);
	for (; data && at < size && (bytes = packet_bytes(data, size, at)); at += bytes)
		count++;
	first = atol(argv[2]);
	first += first < 0 ? count : 0;
	cut = atol(argv[3]);
	if (!data || at != size || first < 0 || cut < 0 || first + cut > count) {
		fprintf(stderr, "cut-packets: %s: not %s packets from %s in %ld\n", argv[1],
			argv[3], argv[2], count);
		free(data);
		return 1;
	}
	for (at = 0; at < size; at += bytes, number++) {
		bytes = packet_bytes(data, size, at);
		if (number >= first && number < first + cut)
			continue;
		end = load64(data + at + END_AT);
		if (mm_checksums_add(&sums, bytes, mm_crc32c(0, data + at, bytes)))
			return 1;
		memmove(data + to, data + at, bytes);
		to += bytes;
		/*
		 * memmove() may have overwritten the packet at @at, but not the packets after it.
		 */
	}
	file = fopen(argv[1], "wb");
	if (!file || fwrite(data, 1, to, file) != to || fclose(file) ||
	    replace_sums(argv[1], &sums)) {
		fprintf(stderr, "cut-packets: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	mm_checksums_release(&sums);
	free(data);
	printf("%ld %" PRIu64 "\n", count, end);
	return 0;
}
