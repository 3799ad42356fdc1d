/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks the packets of a stream file against their checksums. */
#ifndef LTTNG_MM_CTF_PACKET_SUMS_H
#define LTTNG_MM_CTF_PACKET_SUMS_H

#include "reader/ctf/packet/parts.h"
#include "util/checksums.h"

struct ctf_sums;

/*
 * Opens index/@name.crc32c in @folder (util/checksums.h). Without a usable list, sets *@sums to
 * NULL, and packets are not checked. Returns 0, or -1 when out of memory.
 */
int ctf_sums_open(struct ctf_sums **sums, const char *folder, const char *name);
void ctf_sums_close(struct ctf_sums *sums);

/*
 * Finds packets of the file @map that are not where the checksums list them, because packets were
 * removed, added or moved. Returns 0, or -1 when out of memory.
 */
int ctf_sums_find_parts(struct ctf_sums *sums, const struct ctf_trace *trace,
			const struct ctf_map *map, uint64_t *slots);
/* If packets of the file were moved, removed or added, returns its parts; otherwise NULL. */
const struct ctf_parts *ctf_sums_parts(const struct ctf_sums *sums);
/* Returns the part at byte @offset, or NULL. Tries the part with the number @guess first. */
const struct ctf_part *ctf_sums_part_at(const struct ctf_sums *sums, uint64_t offset,
					uint64_t guess);
/* Returns the number of listed packets that are missing at the end of the file @map. */
uint64_t ctf_sums_gone(const struct ctf_sums *sums, const struct ctf_map *map);

/* Returns the number of listed packets. */
size_t ctf_sums_count(const struct ctf_sums *sums);
/* Returns the first listed packet; NULL: the list is empty. */
const struct mm_checksum *ctf_sums_first(const struct ctf_sums *sums);
/* Returns the listed packet at byte @offset, or NULL. Tries the packet number @guess first. */
const struct mm_checksum *ctf_sums_at(const struct ctf_sums *sums, uint64_t offset, uint64_t guess);
/* Returns the packet after @sum, or NULL. */
const struct mm_checksum *ctf_sums_next(const struct ctf_sums *sums, const struct mm_checksum *sum);

/*
 * Does the packet of @sum, which lies within the file @map, still have its checksum? Each checksum
 * is computed once, by any thread.
 */
bool ctf_sums_check(const struct ctf_sums *sums, const struct mm_checksum *sum,
		    const struct ctf_map *map);

#endif /* LTTNG_MM_CTF_PACKET_SUMS_H */
