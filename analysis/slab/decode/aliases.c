// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names of merged caches. The kernel merges caches whose objects fit the same slots, and keeps the
 * first cache's name. The other names come from two sources: the state dump, if the probe saw the
 * merge, and the system information, which lists the caches at the time of the snapshot.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/sysinfo.h"

/* Maximum number of names per cache. A kernel has about 200 caches in total. */
#define ALIASES_MAX 100u

int slab_alias_add(struct slab_cache *cache, const char *name)
{
	char **grown;

	for (uint32_t i = 0; i < cache->alias_count; i++)
		if (!strncmp(cache->aliases[i], name, SLAB_NAME_BYTES - 1))
			return 0;
	if (cache->alias_count == ALIASES_MAX)
		return 0;
	grown = mm_array_grow(cache->aliases, cache->alias_count, &cache->alias_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	cache->aliases = grown;
	grown[cache->alias_count] = strndup(name, SLAB_NAME_BYTES - 1);
	return grown[cache->alias_count] ? (cache->alias_count++, 0) : -1;
}

/* Earlier probes truncated names to this length. */
#define CUT_LENGTH 47

/*
 * Adds the complete names from the system information. If the cache's own name is truncated, adds
 * nothing, because the name may belong to several caches. Returns 0, or -1 when out of memory.
 */
static int add_known(const struct mm_sysinfo *sysinfo, struct slab_cache *cache)
{
	const char *alias;

	if (strlen(cache->name) == CUT_LENGTH)
		return 0;
	for (size_t i = 0; i <= ALIASES_MAX; i++) {
		alias = slab_sysinfo_alias(sysinfo, cache->name, i);
		if (!alias)
			break;
		if (strcmp(alias, cache->name) != 0 && slab_alias_add(cache, alias))
			return -1;
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int slab_aliases_finish(struct slab_caches *caches, const struct mm_sysinfo *sysinfo)
{
	for (uint32_t i = 0; i < caches->count; i++) {
		struct slab_cache *cache = &caches->all[i];

		/* A destroyed cache gets no names, because a new cache may have reused its name. */
		if (cache->known && cache->alive && add_known(sysinfo, cache))
			return -1;
		if (cache->alias_count)
			qsort(cache->aliases, cache->alias_count, sizeof(*cache->aliases),
			      compare_names);
	}
	return 0;
}
