/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * CRC32C, and the checksums of the packets of a stream file: a text file beside the stream's index,
 * index/NAME.crc32c. Sample:
 *
 *   lttng-mm checksums 1 memory      version; "memory": of the frozen buffers, "file": of the file
 *   1048576 8a9136aa                 bytes and CRC32C of each packet, in the order of the file
 *   4096 46dd794e
 *   end 2 0fd7d1b2                   number of packets, and the CRC32C of all lines above
 *
 * The metadata file is one packet.
 */
#ifndef LTTNG_MM_UTIL_CHECKSUMS_H
#define LTTNG_MM_UTIL_CHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MM_CHECKSUMS_SUFFIX ".crc32c"

/* The CRC32C of a text whose first part has the CRC32C @before (0: there is no such part). */
uint32_t mm_crc32c(uint32_t before, const void *data, size_t bytes);
/* The same for @bytes zeros, such as a hole in a file, without reading them. */
uint32_t mm_crc32c_zeros(uint32_t before, uint64_t bytes);
/*
 * Computes the CRC32C of the file @name in the open folder @folder, or AT_FDCWD. Returns 0, or -1:
 * it cannot be read, or is larger than 64 MiB.
 */
int mm_crc32c_file(int folder, const char *name, uint32_t *crc);

struct mm_checksum {
	uint64_t offset, bytes; /* of the packet in the file */
	uint32_t crc;
};

struct mm_checksums {
	struct mm_checksum *all;
	size_t count, room;
	bool of_memory; /* computed from the frozen buffers; otherwise from the file */
};

/* Adds the next packet of the file. Returns 0, or -1: out of memory. */
int mm_checksums_add(struct mm_checksums *sums, uint64_t bytes, uint32_t crc);
void mm_checksums_release(struct mm_checksums *sums);

/* Writes the text of a checksum file. Returns 0, or -1 with errno set. */
int mm_checksums_write(const struct mm_checksums *sums, FILE *file);

/*
 * Reads @text, whose number of packets is limited by its length. Returns 1; 0 if it is damaged or
 * of another version; or -1: out of memory. Release @sums in any case.
 */
int mm_checksums_parse(struct mm_checksums *sums, const char *text, size_t length);

/*
 * Reads FOLDER/index/NAME.crc32c. Returns as mm_checksums_parse(). If it returns 0, *@error is 0 if
 * the file is damaged, ENOENT if there is no such file, or why it cannot be read.
 */
int mm_checksums_load(struct mm_checksums *sums, const char *folder, const char *name, int *error);

#endif /* LTTNG_MM_UTIL_CHECKSUMS_H */
