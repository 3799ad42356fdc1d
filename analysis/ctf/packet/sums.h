/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks the packets of a stream file against their checksums. */
#ifndef LTTNG_MM_PACKET_SUMS_H
#define LTTNG_MM_PACKET_SUMS_H

#include "analysis/ctf/packet/map.h"
#include "util/checksums.h"

struct ctf_sums;

/*
 * Opens index/@name.crc32c in @folder (util/checksums.h). *@sums is NULL if there is none that can
 * be used; packets are then not checked. Returns 0, or -1 when out of memory.
 */
int ctf_sums_open(struct ctf_sums **sums, const char *folder, const char *name);
void ctf_sums_close(struct ctf_sums *sums);

/* The first packet of the file; NULL: it has none. */
const struct mm_checksum *ctf_sums_first(const struct ctf_sums *sums);
/* Returns the packet at byte @offset of the file, which may be number @guess, or NULL. */
const struct mm_checksum *ctf_sums_at(const struct ctf_sums *sums, uint64_t offset, uint64_t guess);
/* Returns the packet after @sum, or NULL. */
const struct mm_checksum *ctf_sums_next(const struct ctf_sums *sums, const struct mm_checksum *sum);

/*
 * Is the packet @sum, which does not exceed the file @map, what it was? Computed once for each
 * packet, by any thread.
 */
bool ctf_sums_check(const struct ctf_sums *sums, const struct mm_checksum *sum,
		    const struct ctf_map *map);

#endif /* LTTNG_MM_PACKET_SUMS_H */
