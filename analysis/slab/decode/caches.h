/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slab caches: numbers from the trace, and names and sizes from the state dump. All text is
 * hostile. Functions that return int return 0, or -1 when out of memory.
 */
#ifndef LTTNG_MM_SLAB_DECODE_CACHES_H
#define LTTNG_MM_SLAB_DECODE_CACHES_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/hash.h"

#define SLAB_NAME_BYTES 160 /* the probe's longest is 143 */

struct slab_cache {
	char *name;
	char **aliases; /* names of other caches that the kernel merged into it */
	uint32_t alias_count;
	size_t alias_room;
	uint32_t object_size, size, align;
	bool known, alive, accounted; /* known: it is in the state dump */
};

struct slab_caches {
	struct slab_cache *all; /* by index */
	uint32_t count;
	uint32_t *far_numbers; /* of the caches from index SLAB_CACHES_NEAR on */
	uint32_t far_count;
	size_t far_room;
	struct mm_hash far_by_number;
	bool far_dropped; /* there were more */
	bool far_failed;  /* out of memory */
};

void slab_caches_init(struct slab_caches *caches);
void slab_caches_release(struct slab_caches *caches);

/*
 * Returns the index of the cache of that number, making it if it is new. 0: it has no number, or
 * exceeds the SLAB_CACHES_NEAR ones beyond the numbers that packed events hold. Only for the thread
 * that reads.
 */
uint32_t slab_cache_index(struct slab_caches *caches, uint64_t number);
/* The number of the cache of that index. */
uint32_t slab_cache_number(const struct slab_caches *caches, uint32_t index);

/* The cache of that kind; NULL if the kind is not a cache, or the state dump does not list it. */
const struct slab_cache *slab_cache_find(const struct slab_caches *caches, uint32_t kind);
/* Are the sizes of the kind's objects not known? A cache's come with the state dump. */
bool slab_kind_is_unsized(const struct slab_caches *caches, uint32_t kind);
/* The slot size and object size of the kind, if the kind alone determines them; else 0. */
uint32_t slab_kind_size(const struct slab_caches *caches, uint32_t kind);
uint32_t slab_kind_object_size(const struct slab_caches *caches, uint32_t kind);
/* Is it a cache of kmalloc()'s, of that object size? */
bool slab_kind_is_kmalloc_cache(const struct slab_caches *caches, uint32_t kind,
				uint32_t bytes_alloc);
/* Has the cache been destroyed? */
bool slab_kind_is_gone(const struct slab_caches *caches, uint32_t kind);
/* Does the state dump list any cache? */
bool slab_caches_any_known(const struct slab_caches *caches);
/* The name of a page allocation's kind starts with this, and the order follows. */
#define SLAB_PAGES_NAME "pages of order "
/* The name of the kind; @text is always terminated. */
void slab_kind_name(const struct slab_caches *caches, uint32_t kind, char *text, size_t size);

/* Events of the state dump. *@kind: the cache whose sizes are known from now on, or NONE. */
int slab_caches_dump(struct slab_caches *caches, const struct mm_event *event, uint32_t *kind);
int slab_caches_dump_alias(struct slab_caches *caches, const struct mm_event *event);

/* aliases.c. Another name of the cache. */
int slab_alias_add(struct slab_cache *cache, const char *name);
/* After the last event: adds those in the system information, and sorts all. */
int slab_aliases_finish(struct slab_caches *caches, const struct mm_sysinfo *sysinfo);

#endif /* LTTNG_MM_SLAB_DECODE_CACHES_H */
