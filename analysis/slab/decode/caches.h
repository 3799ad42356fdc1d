/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slab caches: numbers from events, names and sizes from the state dump. All names are untrusted.
 * Functions that return int return 0, or -1 when out of memory.
 */
#ifndef LTTNG_MM_SLAB_DECODE_CACHES_H
#define LTTNG_MM_SLAB_DECODE_CACHES_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/hash.h"

#define SLAB_NAME_BYTES 160 /* the probe truncates names to 143 bytes */

struct slab_cache {
	char *name;
	char **aliases; /* names of caches that the kernel merged into this one */
	uint32_t alias_count;
	size_t alias_room;
	uint32_t object_size, size, align;
	bool known, alive, accounted; /* known: the state dump lists the cache */
};

struct slab_caches {
	struct slab_cache *all; /* indexed by slab_cache_index() */
	uint32_t count;
	uint32_t *far_numbers; /* numbers of caches, by index minus SLAB_CACHES_NEAR */
	uint32_t far_count;
	size_t far_room;
	struct mm_hash far_by_number;
	bool far_dropped; /* there was no room for another cache */
	bool far_failed;
};

void slab_caches_init(struct slab_caches *caches);
void slab_caches_release(struct slab_caches *caches);

/*
 * Returns the index of the cache with this number. A new number that is too large for packed events
 * gets the next index. Returns 0 if the number is 0 or no index is left. Only the thread that reads
 * events may call this.
 */
uint32_t slab_cache_index(struct slab_caches *caches, uint64_t number);
/* Returns the number of the cache with this index. */
uint32_t slab_cache_number(const struct slab_caches *caches, uint32_t index);

/* Returns the cache of this kind; NULL if the kind is not a cache, or the state dump lacks it. */
const struct slab_cache *slab_cache_find(const struct slab_caches *caches, uint32_t kind);
/* Is the kind a cache whose object size is unknown, because the state dump lacks the cache? */
bool slab_kind_is_unsized(const struct slab_caches *caches, uint32_t kind);
/* Return the cache's slot size or object size; 0 if unknown, or if the kind is not a cache. */
uint32_t slab_kind_size(const struct slab_caches *caches, uint32_t kind);
uint32_t slab_kind_object_size(const struct slab_caches *caches, uint32_t kind);
/* Is the kind a cache of kmalloc() with the object size @bytes_alloc? */
bool slab_kind_is_kmalloc_cache(const struct slab_caches *caches, uint32_t kind,
				uint32_t bytes_alloc);
/* Has the cache been destroyed? */
bool slab_kind_is_gone(const struct slab_caches *caches, uint32_t kind);
/* Does the state dump list any cache? */
bool slab_caches_any_known(const struct slab_caches *caches);
/* Names of page allocations start with this text, and end with the order. */
#define SLAB_PAGES_NAME "pages of order "
/* Writes the name of the kind to @text. */
void slab_kind_name(const struct slab_caches *caches, uint32_t kind, char *text, size_t size);

/*
 * Process events of the state dump. *@kind becomes the cache whose sizes are now known, or
 * SLAB_KIND_NONE.
 */
int slab_caches_dump(struct slab_caches *caches, const struct mm_event *event, uint32_t *kind);
int slab_caches_dump_alias(struct slab_caches *caches, const struct mm_event *event);

/* aliases.c: adds another name of the cache. */
int slab_alias_add(struct slab_cache *cache, const char *name);
/* Adds names from the system information, and sorts all names. Call after the last event. */
int slab_aliases_finish(struct slab_caches *caches, const struct mm_sysinfo *sysinfo);

#endif /* LTTNG_MM_SLAB_DECODE_CACHES_H */
