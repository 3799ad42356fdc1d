// SPDX-License-Identifier: LGPL-2.1-only
/* Computes CRC32C checksums with ISA-L; reads and writes the checksum files of packets. */
#include "util/checksums.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/crc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "lttng-mm checksums 1 "

/* Maximum size of a file. A checksum file of this size lists millions of packets. */
#define FILE_BYTES_MAX (64u << 20)

uint32_t mm_crc32c(uint32_t before, const void *data, size_t bytes)
{
	/*
	 * crc32_iscsi() takes the length as an int. The cast removes const, but the function does
	 * not write to the data. The function expects and returns the inverted CRC.
	 */
	unsigned char *at = (unsigned char *)(uintptr_t)data;
	uint32_t crc = ~before;

	while (bytes) {
		const size_t part = bytes < (1u << 30) ? bytes : 1u << 30;

		crc = crc32_iscsi(at, (int)part, crc);
		at += part;
		bytes -= part;
	}
	return ~crc;
}

/* Multiplies two polynomials modulo the CRC32C polynomial. Bit 31 is the coefficient of x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (unsigned int i = 0; i < 32; i++) {
		product ^= b & (UINT32_C(1) << (31 - i)) ? a : 0;
		a = a & 1 ? a >> 1 ^ UINT32_C(0x82f63b78) : a >> 1;
	}
	return product;
}

int mm_crc32c_file(int folder, const char *name, uint32_t *crc)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char block[16384];
	ssize_t got;
	struct stat st;

	*crc = 0;
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX) {
		close(fd);
		return -1;
	}
	while ((got = read(fd, block, sizeof(block))) > 0 || (got < 0 && errno == EINTR))
		*crc = got > 0 ? mm_crc32c(*crc, block, (size_t)got) : *crc;
	close(fd);
	return got < 0 ? -1 : 0;
}

uint32_t mm_crc32c_zeros(uint32_t before, uint64_t bytes)
{
	/*
	 * A CRC is a polynomial. A zero byte at the end of the data multiplies it by x^8. Combine
	 * these multiplications by repeated squaring: @power becomes x^8, x^16, x^32, ...
	 */
	uint32_t power = UINT32_C(1) << 23, crc = ~before;

	for (; bytes; bytes >>= 1) {
		if (bytes & 1)
			crc = multiply(crc, power);
		power = multiply(power, power);
	}
	return ~crc;
}

int mm_checksums_add(struct mm_checksums *sums, uint64_t bytes, uint32_t crc)
{
	const struct mm_checksum *last = sums->count ? &sums->all[sums->count - 1] : NULL;
	struct mm_checksum *grown;

	if (sums->count == sums->room) {
		size_t room = sums->room ? 2 * sums->room : 64;

		grown = reallocarray(sums->all, room, sizeof(*grown));
		if (!grown)
			return -1;
		sums->all = grown;
		sums->room = room;
		last = sums->count ? &grown[sums->count - 1] : NULL;
	}
	sums->all[sums->count++] = (struct mm_checksum){
		.offset = last ? last->offset + last->bytes : 0,
		.bytes = bytes,
		.crc = crc,
	};
	return 0;
}

void mm_checksums_release(struct mm_checksums *sums)
{
	free(sums->all);
	*sums = (struct mm_checksums){ NULL };
}

static void put(FILE *file, uint32_t *crc, const char *line)
{
	*crc = mm_crc32c(*crc, line, strlen(line));
	fputs(line, file);
}

int mm_checksums_write(const struct mm_checksums *sums, FILE *file)
{
	char line[64];
	uint32_t crc = 0;

	errno = 0;
	snprintf(line, sizeof(line), FIRST_LINE "%s\n", sums->of_memory ? "memory" : "file");
	put(file, &crc, line);
	for (size_t i = 0; i < sums->count; i++) {
		snprintf(line, sizeof(line), "%" PRIu64 " %08" PRIx32 "\n", sums->all[i].bytes,
			 sums->all[i].crc);
		put(file, &crc, line);
	}
	fprintf(file, "end %zu %08" PRIx32 "\n", sums->count, crc);
	if (!fflush(file) && !ferror(file))
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}

/*
 * Copies the line at @at into @line without its newline. Returns the start of the next line. If the
 * line is not terminated or is longer than 63 bytes, makes @line empty and returns @end.
 */
static const char *copy_line(const char *at, const char *end, char line[64])
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	size_t length = stop ? (size_t)(stop - at) : 0;

	line[0] = '\0';
	if (!stop || length >= 64)
		return end;
	memcpy(line, at, length);
	line[length] = '\0';
	return stop + 1;
}

/* Parses `DECIMAL HEX8`, such as "4096 46dd794e". Returns false for any other text. */
static bool read_pair(const char *text, uint64_t *first, uint32_t *second)
{
	unsigned long long a, b;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	a = strtoull(text, &end, 10);
	if (errno || *end != ' ' || strspn(end + 1, "0123456789abcdef") != 8 || end[9])
		return false;
	b = strtoull(end + 1, NULL, 16);
	*first = a;
	*second = (uint32_t)b;
	return true;
}

static int parse_packets(struct mm_checksums *sums, const char *text, const char *at,
			 const char *end)
{
	uint64_t number, total = 0;
	char line[64];
	uint32_t crc;

	while (at < end) {
		const char *start = at;

		at = copy_line(at, end, line);
		if (!strncmp(line, "end ", 4))
			return at == end && read_pair(line + 4, &number, &crc) &&
			       number == sums->count &&
			       crc == mm_crc32c(0, text, (size_t)(start - text));
		if (!read_pair(line, &number, &crc) || !number ||
		    __builtin_add_overflow(total, number, &total))
			return 0;
		if (mm_checksums_add(sums, number, crc))
			return -1;
	}
	return 0;
}

int mm_checksums_parse(struct mm_checksums *sums, const char *text, size_t length)
{
	const char *end = text + length;
	char line[64];
	const char *at = copy_line(text, end, line);

	*sums = (struct mm_checksums){ .of_memory = !strcmp(line, FIRST_LINE "memory") };
	if (!sums->of_memory && strcmp(line, FIRST_LINE "file"))
		return 0;
	return parse_packets(sums, text, at, end);
}

/*
 * Reads the regular file @path. Returns its text, which the caller frees. On failure, returns NULL
 * and sets errno. If the file is too large or is not regular, errno is 0.
 */
static char *read_file(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;
	int error;

	*length = 0;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= FILE_BYTES_MAX)
		text = malloc((size_t)st.st_size + 1);
	else
		errno = 0;
	while (text && *length < (size_t)st.st_size) {
		ssize_t got = read(fd, text + *length, (size_t)st.st_size - *length);

		if (!got)
			break;
		if (got < 0 && errno != EINTR) {
			free(text);
			text = NULL;
		}
		*length += got > 0 ? (size_t)got : 0;
	}
	error = errno;
	close(fd);
	errno = error;
	return text;
}

int mm_checksums_load(struct mm_checksums *sums, const char *folder, const char *name, int *error)
{
	size_t length;
	char *path, *text;
	int ret;

	*sums = (struct mm_checksums){ NULL };
	*error = 0;
	if (asprintf(&path, "%s/index/%s" MM_CHECKSUMS_SUFFIX, folder, name) < 0)
		return -1;
	text = read_file(path, &length);
	if (!text)
		*error = errno == ENOTDIR ? ENOENT : errno;
	ret = text ? mm_checksums_parse(sums, text, length) : *error == ENOMEM ? -1 : 0;
	free(text);
	free(path);
	return ret;
}
