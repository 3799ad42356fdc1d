/* SPDX-License-Identifier: LGPL-2.1-only */
/* Files mapped read-only that may shrink or fail while they are read. */
#ifndef LTTNG_MM_PACKET_MAP_H
#define LTTNG_MM_PACKET_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/* So many bytes past the end can be read, as what the file's last page holds there, or as zeros. */
#define CTF_MAP_SLACK 64

struct ctf_map;

/*
 * Maps @path. A page that cannot be read later (the file shrank, the disk failed) reads as zeros
 * instead of ending the program with SIGBUS, and ctf_map_broken() says so from then on: whoever
 * reads asks after each packet. The handler passes on what is no access to a mapping of ours.
 * Returns NULL with @err set. Links are followed; what is no regular file is refused.
 */
struct ctf_map *ctf_map_open(const char *path, struct mm_error *err);
void ctf_map_close(struct ctf_map *map);

const uint8_t *ctf_map_data(const struct ctf_map *map);
uint64_t ctf_map_size(const struct ctf_map *map);
bool ctf_map_broken(const struct ctf_map *map);

/*
 * A file may change while it is mapped: what is loaded a second time may differ. Whatever bounds a
 * later access (a length, an id, where a string ends) must be loaded once, into private memory: by
 * this function, or with ctf_once() around the loaded value.
 */
void ctf_map_copy(const struct ctf_map *map, uint64_t offset, void *to, size_t length);

/* @value, which the compiler cannot load from memory again. */
static inline uint64_t ctf_once(uint64_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

/*
 * The first hole of the file, as it was when it was mapped, from @offset on and before @offset +
 * @length: it reads as zeros that nobody wrote. *@begin is not before @offset. Holes below 64 KiB
 * do not count.
 */
bool ctf_map_hole(const struct ctf_map *map, uint64_t offset, uint64_t length, uint64_t *begin,
		  uint64_t *end);

/* Gives back the memory of all whole pages in the range; reading it again reads the file again. */
void ctf_map_forget(const struct ctf_map *map, uint64_t offset, uint64_t length);

/* Of what is read piece after piece, so many bytes are kept at most. */
#define CTF_MAP_PART (UINT64_C(4) << 20)

/*
 * Tells the kernel that [offset, offset + length) will not be read again soon: keeps memory small.
 */
void ctf_map_done(const struct ctf_map *map, uint64_t offset, uint64_t length);

#endif /* LTTNG_MM_PACKET_MAP_H */
