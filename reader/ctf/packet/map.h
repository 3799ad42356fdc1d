/* SPDX-License-Identifier: LGPL-2.1-only */
/* Read-only mappings of files that may shrink or fail while they are read. */
#ifndef LTTNG_MM_CTF_PACKET_MAP_H
#define LTTNG_MM_CTF_PACKET_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* Number of readable bytes after the end of the file: the rest of its last page, or zeros. */
#define CTF_MAP_SLACK 64

struct ctf_map;

/*
 * Maps @path, which must be a regular file; follows links. Returns NULL with @err set on failure.
 *
 * If a page cannot be read later (the file shrank, the disk failed), it reads as zeros, and the
 * program does not end with SIGBUS. From then on, ctf_map_truncated() returns true, so readers must
 * call it after each packet. SIGBUS at other addresses goes to the previous handler.
 */
struct ctf_map *ctf_map_open(const char *path, struct mm_error *err);
void ctf_map_close(struct ctf_map *map);

const uint8_t *ctf_map_data(const struct ctf_map *map);
uint64_t ctf_map_size(const struct ctf_map *map);
bool ctf_map_truncated(const struct ctf_map *map);

/*
 * A mapped file may change, so loading a value twice may give different results. A value that
 * bounds a later access (a length, an id, the end of a string) must be loaded only once, into
 * private memory. Use this function, or ctf_once() around the loaded value.
 */
void ctf_map_copy(const struct ctf_map *map, uint64_t offset, void *to, size_t length);

/* Returns @value, and keeps the compiler from loading it from memory again. */
static inline uint64_t ctf_once(uint64_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

/*
 * Finds the first hole between @offset and @offset + @length, as of the time of ctf_map_open().
 * Holes read as zeros. *@begin is not before @offset. Holes of less than 64 KiB are ignored.
 */
bool ctf_map_hole(const struct ctf_map *map, uint64_t offset, uint64_t length, uint64_t *begin,
		  uint64_t *end);

/*
 * Maps the pages of the range before they are read. Uses one system call for many pages if this is
 * faster than page faults on this machine. Maps each piece of the file only once.
 */
void ctf_map_need(const struct ctf_map *map, uint64_t offset, uint64_t length);

/* Releases the memory of all complete pages in the range. They can be read again from the file. */
void ctf_map_forget(const struct ctf_map *map, uint64_t offset, uint64_t length);

/* Number of bytes that sequential readers map at once. */
#define CTF_MAP_AHEAD (UINT64_C(1) << 20)

/* Sequential readers release memory after this number of bytes. */
#define CTF_MAP_PART (UINT64_C(4) << 20)

/*
 * Notes that [offset, offset + length) will not be read again soon. Releases the memory in large
 * pieces.
 */
void ctf_map_done(const struct ctf_map *map, uint64_t offset, uint64_t length);

/* Computes the CRC32C of @bytes bytes of @map. Holes are not read. */
uint32_t ctf_map_checksum(const struct ctf_map *map, uint64_t offset, uint64_t bytes);

#endif /* LTTNG_MM_CTF_PACKET_MAP_H */
