/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the tracer has said of its events, so that it is asked once: root's, in
 * /run/lttng-mm/fields/KEY/EVENT. The key stands for the loaded modules, by their build ids, and
 * for the functions that were added: it is another one when a probe is loaded, replaced or removed,
 * or when a function is added or removed. Users other than root have no cache.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H

#include <stddef.h>

#include "reader/ctf/model/model.h"

struct field_cache {
	int lock;   /* one process at a time asks the tracer; -1: there is no cache */
	int folder; /* of the key; -1: none yet */
};

/*
 * Waits until no other process uses it, for half a minute at most; then there is no cache. Release
 * with field_cache_close().
 */
void field_cache_open(struct field_cache *cache);
void field_cache_close(struct field_cache *cache);

/* What the metadata of the event declares, to be released; NULL: it is not there. */
struct ctf_trace_class *field_cache_find(const struct field_cache *cache, const char *event);

/* Keeps @size bytes of @metadata as that of the @count events. A failure only costs time. */
void field_cache_add(struct field_cache *cache, const char *const *events, size_t count,
		     const void *metadata, size_t size);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FIELD_CACHE_H */
