// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the checksums of an LTTng kernel trace as a snapshot does, index/NAME.crc32c for each
 * file: add-checksums FOLDER. With --json FILE, adds the checksum of a snapshot.json as its last
 * member. With --of FILE, prints the checksum of a file. Shares no code with the tested program: it
 * computes CRC32C bit by bit.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Byte offset of the packet's size, which is in bits, in LTTng's packets. */
#define PACKET_SIZE_AT 56

static void fail(const char *what)
{
	fprintf(stderr, "add-checksums: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint32_t crc32c(const unsigned char *data, size_t bytes)
{
	static uint32_t table[256];
	uint32_t crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256 && !table[255]; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? UINT32_C(0x82f63b78) : 0);
		table[i] = value;
	}
	for (size_t i = 0; i < bytes; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 255];
	return ~crc;
}

static unsigned char *load(const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "r");
	struct stat st;
	unsigned char *data;

	if (!in || fstat(fileno(in), &st))
		fail(path);
	*bytes = (size_t)st.st_size;
	data = malloc(*bytes + 1);
	if (!data || fread(data, 1, *bytes, in) != *bytes)
		fail(path);
	fclose(in);
	return data;
}

static size_t packet_bytes(const char *path, const unsigned char *data, size_t left)
{
	uint64_t bits = 0;

	if (left >= PACKET_SIZE_AT + sizeof(bits))
		memcpy(&bits, data + PACKET_SIZE_AT, sizeof(bits));
	/* Retry with the other byte order, in case a big-endian machine wrote the packet. */
	if (bits / 8 > left)
		bits = __builtin_bswap64(bits);
	if (!bits || bits % 8 || bits / 8 > left) {
		errno = EINVAL;
		fail(path);
	}
	return (size_t)(bits / 8);
}

static void sum_file(const char *folder, const char *name)
{
	char path[4096], text[64], *all = NULL;
	size_t bytes, length = 0, count = 0, step;
	unsigned char *data;
	FILE *memory, *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	data = load(path, &bytes);
	memory = open_memstream(&all, &length);
	fprintf(memory, "lttng-mm checksums 1 file\n");
	for (size_t at = 0; at < bytes; at += step, count++) {
		step = strcmp(name, "metadata") ? packet_bytes(path, data + at, bytes - at) : bytes;
		fprintf(memory, "%zu %08" PRIx32 "\n", step, crc32c(data + at, step));
	}
	fclose(memory);
	snprintf(text, sizeof(text), "end %zu %08" PRIx32 "\n", count,
		 crc32c((unsigned char *)all, length));
	snprintf(path, sizeof(path), "%s/index/%s.crc32c", folder, name);
	out = fopen(path, "w");
	if (!out || fputs(all, out) == EOF || fputs(text, out) == EOF || fclose(out))
		fail(path);
	free(all);
	free(data);
}

/* Adds the checksum to a file that ends with a closing brace and has no checksum yet. */
static void sum_json(const char *path)
{
	size_t bytes;
	unsigned char *data = load(path, &bytes);
	FILE *out;

	while (bytes && strchr("}\n", data[bytes - 1]))
		bytes--;
	out = fopen(path, "w");
	if (!out || fwrite(data, 1, bytes, out) != bytes ||
	    fprintf(out, ",\n \"crc32c\": \"%08" PRIx32 "\"\n}\n", crc32c(data, bytes)) < 0 ||
	    fclose(out))
		fail(path);
	free(data);
}

static void print_sum(const char *path)
{
	size_t bytes;
	unsigned char *data = load(path, &bytes);

	printf("%08" PRIx32 "\n", crc32c(data, bytes));
	free(data);
}

int main(int argc, char **argv)
{
	char path[4096];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (argc == 3 && !strcmp(argv[1], "--json")) {
		sum_json(argv[2]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--of")) {
		print_sum(argv[2]);
		return 0;
	}
	dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr,
			"usage: add-checksums FOLDER, which holds a trace | --json FILE | --of FILE\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/index", argv[1]);
	if (mkdir(path, 0755) && errno != EEXIST)
		fail(path);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size)
			sum_file(argv[1], entry->d_name);
	}
	closedir(dir);
	return 0;
}
