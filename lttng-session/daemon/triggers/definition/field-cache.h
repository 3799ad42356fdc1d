/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A cache of the metadata of events, in /run/lttng-mm/fields/KEY/EVENT. KEY is a hash of the loaded
 * modules (with build ids) and the added functions. So KEY changes when a probe is loaded, replaced
 * or removed, and when a function is added or removed. Only root has a cache.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H

#include <stddef.h>

#include "reader/ctf/model/model.h"

struct field_cache {
	int lock;   /* lock file, so that only one process at a time reads fields; -1: no cache */
	int folder; /* the folder KEY; -1: not open */
};

/*
 * Locks and opens the cache. If another process keeps the lock for more than half a minute, the
 * caller continues without a cache. Call field_cache_close() afterwards.
 */
void field_cache_open(struct field_cache *cache);
void field_cache_close(struct field_cache *cache);

/*
 * Returns the declaration of the event, which the caller destroys, or NULL if the cache lacks the
 * event.
 */
struct ctf_trace_class *field_cache_find(const struct field_cache *cache, const char *event);

/* Stores @size bytes of @metadata for each of the @count events. Ignores failures. */
void field_cache_add(struct field_cache *cache, const char *const *events, size_t count,
		     const void *metadata, size_t size);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H */
