// SPDX-License-Identifier: LGPL-2.1-only
/* The base of the test trace writer: random numbers, buffers, bits, files. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/utils/ctf/write.h"

#define METADATA_MAGIC 0x75d11d57u
#define METADATA_HEADER_BYTES 37

void mk_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	exit(2);
}

uint64_t mk_random(struct mk_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t mk_below(struct mk_random *random, uint64_t below)
{
	return below ? mk_random(random) % below : 0;
}

bool mk_chance(struct mk_random *random, unsigned int percent)
{
	return mk_below(random, 100) < percent;
}

void mk_buffer_free(struct mk_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct mk_buffer){ 0 };
}

void mk_buffer_extend(struct mk_buffer *buffer, size_t length)
{
	if (length > buffer->room) {
		size_t room = length + length / 2 + 256;

		buffer->data = realloc(buffer->data, room);
		if (!buffer->data)
			mk_fail("no memory");
		memset(buffer->data + buffer->room, 0, room - buffer->room);
		buffer->room = room;
	}
	if (length > buffer->length)
		buffer->length = length;
}

void mk_buffer_add(struct mk_buffer *buffer, const void *data, size_t length)
{
	size_t at = buffer->length;

	mk_buffer_extend(buffer, at + length);
	if (length)
		memcpy(buffer->data + at, data, length);
}

void mk_buffer_printf(struct mk_buffer *buffer, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		mk_fail("no memory");
	mk_buffer_add(buffer, text, (size_t)length);
	free(text);
}

void mk_put_bits(struct mk_buffer *buffer, uint64_t at, unsigned int size, uint64_t value,
		 bool big_endian)
{
	mk_buffer_extend(buffer, (at + size + 7) / 8);
	for (unsigned int i = 0; i < size; i++) {
		uint64_t where = at + (big_endian ? size - 1 - i : i);
		uint8_t bit = (uint8_t)(1u << (big_endian ? 7 - where % 8 : where % 8));

		if (value >> i & 1)
			buffer->data[where / 8] |= bit;
		else
			buffer->data[where / 8] &= (uint8_t)~bit;
	}
}

void mk_write_file(const char *folder, const char *name, const void *data, size_t length)
{
	char *path;
	FILE *file;

	if (mkdir(folder, 0755) && errno != EEXIST)
		mk_fail("%s: %s", folder, strerror(errno));
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		mk_fail("no memory");
	file = fopen(path, "w");
	if (!file)
		mk_fail("%s: %s", path, strerror(errno));
	if ((length && fwrite(data, 1, length, file) != length) || fclose(file))
		mk_fail("%s: cannot write", path);
	free(path);
}

void mk_write_metadata(const char *folder, const struct mk_buffer *text, const uint8_t *uuid,
		       bool big_endian, size_t packet_bytes)
{
	struct mk_buffer out = { 0 };
	size_t from = 0;

	if (!packet_bytes) {
		mk_write_file(folder, "metadata", text->data, text->length);
		return;
	}
	while (from < text->length) {
		size_t start = out.length;
		size_t part = text->length - from;
		/* compression, encryption, checksum schemes: none; then the version */
		static const uint8_t tail[5] = { 0, 0, 0, 1, 8 };

		if (part > packet_bytes - METADATA_HEADER_BYTES)
			part = packet_bytes - METADATA_HEADER_BYTES;
		mk_put_bits(&out, start * 8, 32, METADATA_MAGIC, big_endian);
		mk_buffer_add(&out, uuid, MK_UUID_BYTES);
		mk_put_bits(&out, out.length * 8, 32, 0, big_endian);
		mk_put_bits(&out, out.length * 8, 32, (METADATA_HEADER_BYTES + part) * 8,
			    big_endian);
		mk_put_bits(&out, out.length * 8, 32, packet_bytes * 8, big_endian);
		mk_buffer_add(&out, tail, sizeof(tail));
		mk_buffer_add(&out, text->data + from, part);
		mk_buffer_extend(&out, start + packet_bytes);
		from += part;
	}
	mk_write_file(folder, "metadata", out.data, out.length);
	mk_buffer_free(&out);
}
