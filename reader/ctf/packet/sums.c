// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the packets of a stream file against their checksums. */
#include "reader/ctf/packet/sums.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { UNCHECKED, INTACT, DAMAGED };

struct ctf_sums {
	struct mm_checksums list;
	atomic_uchar *states;
	struct ctf_parts parts; /* empty: no packet was moved, removed or added */
};

int ctf_sums_open(struct ctf_sums **sums, const char *folder, const char *name)
{
	struct ctf_sums *opened = calloc(1, sizeof(*opened));
	int error;
	int ret = opened ? mm_checksums_load(&opened->list, folder, name, &error) : -1;

	*sums = NULL;
	if (ret == 1)
		opened->states = calloc(opened->list.count + 1, sizeof(*opened->states));
	if (ret == 1 && opened->states) {
		*sums = opened;
		return 0;
	}
	ctf_sums_close(opened);
	return ret ? -1 : 0;
}

void ctf_sums_close(struct ctf_sums *sums)
{
	if (!sums)
		return;
	mm_checksums_release(&sums->list);
	ctf_parts_release(&sums->parts);
	free(sums->states);
	free(sums);
}

int ctf_sums_find_parts(struct ctf_sums *sums, const struct ctf_trace *trace,
			const struct ctf_map *map, uint64_t *slots)
{
	if (ctf_parts_are_in_place(trace, map, &sums->list, slots))
		return 0;
	return ctf_parts_find(&sums->parts, trace, map, &sums->list, slots);
}

const struct ctf_parts *ctf_sums_parts(const struct ctf_sums *sums)
{
	return sums->parts.count ? &sums->parts : NULL;
}

static_assert(!offsetof(struct ctf_part, offset) && !offsetof(struct mm_checksum, offset),
	      "by_offset() assumes that the first member is the offset");

static int by_offset(const void *offset, const void *entry)
{
	const uint64_t wanted = *(const uint64_t *)offset, is = *(const uint64_t *)entry;

	return (wanted > is) - (wanted < is);
}

const struct ctf_part *ctf_sums_part_at(const struct ctf_sums *sums, uint64_t offset,
					uint64_t guess)
{
	const struct ctf_parts *parts = &sums->parts;

	if (guess < parts->count && parts->all[guess].offset == offset)
		return &parts->all[guess];
	return parts->count
		       ? bsearch(&offset, parts->all, parts->count, sizeof(*parts->all), by_offset)
		       : NULL;
}

uint64_t ctf_sums_gone(const struct ctf_sums *sums, const struct ctf_map *map)
{
	uint64_t gone = 0;

	if (sums->parts.count)
		return sums->parts.gone;
	for (size_t i = sums->list.count; i && sums->list.all[i - 1].offset >= ctf_map_size(map);
	     i--)
		gone++;
	return gone;
}

size_t ctf_sums_count(const struct ctf_sums *sums)
{
	return sums->list.count;
}

const struct mm_checksum *ctf_sums_first(const struct ctf_sums *sums)
{
	return sums->list.count ? sums->list.all : NULL;
}

const struct mm_checksum *ctf_sums_next(const struct ctf_sums *sums, const struct mm_checksum *sum)
{
	return sum + 1 < sums->list.all + sums->list.count ? sum + 1 : NULL;
}

const struct mm_checksum *ctf_sums_at(const struct ctf_sums *sums, uint64_t offset, uint64_t guess)
{
	const struct mm_checksums *list = &sums->list;

	if (guess < list->count && list->all[guess].offset == offset)
		return &list->all[guess];
	return list->count ? bsearch(&offset, list->all, list->count, sizeof(*list->all), by_offset)
			   : NULL;
}

bool ctf_sums_check(const struct ctf_sums *sums, const struct mm_checksum *sum,
		    const struct ctf_map *map)
{
	atomic_uchar *state = &sums->states[sum - sums->list.all];
	unsigned char known = atomic_load_explicit(state, memory_order_relaxed);

	if (known == UNCHECKED) {
		known = ctf_map_checksum(map, sum->offset, sum->bytes) == sum->crc ? INTACT
										   : DAMAGED;
		atomic_store_explicit(state, known, memory_order_relaxed);
	}
	return known == INTACT;
}
