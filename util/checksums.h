/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * CRC32C checksums, and checksum files. A checksum file, index/NAME.crc32c, lists the checksums of
 * the packets of the stream file NAME. Sample:
 *
 *   lttng-mm checksums 1 memory      version; computed from frozen buffers ("memory") or the "file"
 *   1048576 8a9136aa                 bytes and CRC32C of each packet, in file order
 *   4096 46dd794e
 *   end 2 0fd7d1b2                   number of packets, and the CRC32C of all lines above
 *
 * The checksum file of the metadata lists the whole metadata file as one packet.
 */
#ifndef LTTNG_MM_UTIL_CHECKSUMS_H
#define LTTNG_MM_UTIL_CHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MM_CHECKSUMS_SUFFIX ".crc32c"

/*
 * Adds @bytes of @data to a CRC32C. @before is the CRC32C of all earlier data, and 0 at the start.
 * Returns the new CRC32C.
 */
uint32_t mm_crc32c(uint32_t before, const void *data, size_t bytes);
/* Like mm_crc32c() for @bytes zeros, but reads no data. Use it for a hole in a file. */
uint32_t mm_crc32c_zeros(uint32_t before, uint64_t bytes);
/*
 * Computes the CRC32C of the file @name in the open folder @folder (or AT_FDCWD). Returns 0.
 * Returns -1 if the file is unreadable, not regular, or larger than 64 MiB.
 */
int mm_crc32c_file(int folder, const char *name, uint32_t *crc);

struct mm_checksum {
	uint64_t offset, bytes; /* the packet's position and length in the file */
	uint32_t crc;
};

struct mm_checksums {
	struct mm_checksum *all;
	size_t count, room;
	bool of_memory; /* computed from the frozen buffers, not from the file */
};

/* Adds the next packet of the file. Returns 0, or -1 when out of memory. */
int mm_checksums_add(struct mm_checksums *sums, uint64_t bytes, uint32_t crc);
void mm_checksums_release(struct mm_checksums *sums);

/* Writes the text of a checksum file. Returns 0, or -1 with errno set. */
int mm_checksums_write(const struct mm_checksums *sums, FILE *file);

/*
 * Parses the @length bytes of @text. Returns 1 on success, 0 if the text is damaged or has another
 * version, or -1 when out of memory. Release @sums in each case.
 */
int mm_checksums_parse(struct mm_checksums *sums, const char *text, size_t length);

/*
 * Reads FOLDER/index/NAME.crc32c. Returns the result of mm_checksums_parse(). If the result is 0,
 * *@error is 0 for a damaged file, ENOENT for a missing file, or the errno of the failed read.
 */
int mm_checksums_load(struct mm_checksums *sums, const char *folder, const char *name, int *error);

#endif /* LTTNG_MM_UTIL_CHECKSUMS_H */
