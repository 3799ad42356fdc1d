// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers, names and sizes of slab caches. */
#include "analysis/slab/decode/caches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

void slab_caches_init(struct slab_caches *caches)
{
	mm_hash_init(&caches->far_by_number);
}

void slab_caches_release(struct slab_caches *caches)
{
	for (uint32_t i = 0; i < caches->count; i++) {
		free(caches->all[i].name);
		mm_strings_release(caches->all[i].aliases, caches->all[i].alias_count);
	}
	free(caches->all);
	free(caches->far_numbers);
	mm_hash_release(&caches->far_by_number);
}

static bool is_number(const void *numbers, uint32_t at, const void *wanted)
{
	return ((const uint32_t *)numbers)[at] == *(const uint32_t *)wanted;
}

static uint32_t far_index(struct slab_caches *caches, uint32_t number)
{
	struct mm_hash *hash = &caches->far_by_number;
	uint32_t key = mm_hash_of(hash, number, 0), at, *grown;

	at = mm_hash_find(hash, key, caches->far_numbers, &number, is_number);
	if (at != MM_HASH_NONE)
		return SLAB_CACHES_NEAR + at;
	if (caches->far_count == SLAB_CACHES_MAX - SLAB_CACHES_NEAR) {
		caches->far_dropped = true;
		return 0;
	}
	grown = mm_array_grow(caches->far_numbers, caches->far_count, &caches->far_room,
			      sizeof(*grown));
	if (grown)
		caches->far_numbers = grown;
	if (!grown || mm_hash_add(hash, key, caches->far_count)) {
		caches->far_failed = true;
		return 0;
	}
	grown[caches->far_count] = number;
	return SLAB_CACHES_NEAR + caches->far_count++;
}

uint32_t slab_cache_index(struct slab_caches *caches, uint64_t number)
{
	if (number < SLAB_CACHES_NEAR)
		return (uint32_t)number;
	return number <= UINT32_MAX ? far_index(caches, (uint32_t)number) : 0;
}

uint32_t slab_cache_number(const struct slab_caches *caches, uint32_t index)
{
	return index < SLAB_CACHES_NEAR ? index : caches->far_numbers[index - SLAB_CACHES_NEAR];
}

static struct slab_cache *get(struct slab_caches *caches, uint32_t index)
{
	uint32_t count = caches->count ? caches->count : 64;
	struct slab_cache *grown;

	if (index < caches->count)
		return &caches->all[index];
	while (count <= index)
		count *= 2;
	grown = reallocarray(caches->all, count, sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + caches->count, 0, (count - caches->count) * sizeof(*grown));
	caches->all = grown;
	caches->count = count;
	return &grown[index];
}

int slab_caches_dump(struct slab_caches *caches, const struct mm_event *event, uint32_t *kind)
{
	enum { CACHE, OBJECT_SIZE, SIZE, ALIGN, ACCOUNTED, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	uint32_t index = slab_cache_index(caches, f[CACHE].u);
	struct slab_cache *cache;

	*kind = SLAB_KIND_NONE;
	if (!index)
		return caches->far_failed ? -1 : 0;
	cache = get(caches, index);
	if (!cache)
		return -1;
	cache->alive = f[ALIVE].u;
	/* Numbers are not reused within a trace, so the data is already known. */
	if (cache->known)
		return 0;
	cache->object_size = (uint32_t)f[OBJECT_SIZE].u;
	cache->size = (uint32_t)f[SIZE].u;
	cache->align = (uint32_t)f[ALIGN].u;
	cache->accounted = f[ACCOUNTED].u;
	cache->name = strndup(f[NAME].s, SLAB_NAME_BYTES - 1);
	cache->known = true;
	*kind = SLAB_KIND_CACHE + index;
	return cache->name ? 0 : -1;
}

int slab_caches_dump_alias(struct slab_caches *caches, const struct mm_event *event)
{
	enum { CACHE, NAME };
	const union mm_scalar *f = event->fields;
	uint32_t index = slab_cache_index(caches, f[CACHE].u);
	struct slab_cache *cache;

	if (!index)
		return caches->far_failed ? -1 : 0;
	cache = get(caches, index);
	return cache ? slab_alias_add(cache, f[NAME].s) : -1;
}

const struct slab_cache *slab_cache_find(const struct slab_caches *caches, uint32_t kind)
{
	uint32_t index = kind - SLAB_KIND_CACHE;

	return slab_kind_is_cache(kind) && index < caches->count && caches->all[index].known
		       ? &caches->all[index]
		       : NULL;
}

bool slab_kind_is_unsized(const struct slab_caches *caches, uint32_t kind)
{
	return slab_kind_is_cache(kind) && !slab_cache_find(caches, kind);
}

uint32_t slab_kind_size(const struct slab_caches *caches, uint32_t kind)
{
	const struct slab_cache *cache = slab_cache_find(caches, kind);

	return cache ? cache->size : 0;
}

uint32_t slab_kind_object_size(const struct slab_caches *caches, uint32_t kind)
{
	const struct slab_cache *cache = slab_cache_find(caches, kind);

	return cache ? cache->object_size : 0;
}

bool slab_kind_is_kmalloc_cache(const struct slab_caches *caches, uint32_t kind,
				uint32_t bytes_alloc)
{
	const struct slab_cache *cache = slab_cache_find(caches, kind);

	return cache && cache->object_size == bytes_alloc && strstr(cache->name, "kmalloc-");
}

bool slab_kind_is_gone(const struct slab_caches *caches, uint32_t kind)
{
	const struct slab_cache *cache = slab_cache_find(caches, kind);

	return cache && !cache->alive;
}

bool slab_caches_any_known(const struct slab_caches *caches)
{
	for (uint32_t i = 0; i < caches->count; i++)
		if (caches->all[i].known)
			return true;
	return false;
}

#define LABEL(number, bytes, label) [number] = (label),

void slab_kind_name(const struct slab_caches *caches, uint32_t kind, char *text, size_t size)
{
	static const char *const classes[LTTNG_MM_SLAB_SIZE_CLASS_COUNT] = {
		[SLAB_KIND_LARGE] = "kmalloc-large", LTTNG_MM_SLAB_SIZE_CLASSES(LABEL)
	};
	const struct slab_cache *cache = slab_cache_find(caches, kind);
	uint32_t index = kind - SLAB_KIND_CACHE;

	if (kind == SLAB_KIND_NONE)
		snprintf(text, size, "not known");
	else if (slab_kind_is_kmalloc(kind))
		snprintf(text, size, "%s", classes[kind] ? classes[kind] : "kmalloc-?");
	else if (slab_kind_is_pages(kind))
		snprintf(text, size, SLAB_PAGES_NAME "%" PRIu32, kind - SLAB_KIND_PAGES);
	else if (cache)
		snprintf(text, size, "%s", cache->name);
	else if (!index)
		snprintf(text, size, "unknown cache");
	else
		snprintf(text, size, "cache %" PRIu32, slab_cache_number(caches, index));
}
