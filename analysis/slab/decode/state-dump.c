// SPDX-License-Identifier: LGPL-2.1-only
/* The state dump: caches, code, paths, nodes, threads. What it says is as hostile as all else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/state.h"

/* The text of payload field @name, as the trace labels it. */
static void label(const struct mm_event *event, const char *name, char *text, size_t size)
{
	struct mm_value value;
	const char *found;

	text[0] = '\0';
	for (size_t i = 0; !mm_event_field_at(event, i, &found, &value); i++)
		if (found && !strcmp(found, name)) {
			mm_event_field_text(event, &value, text, size);
			return;
		}
}

/* Objects may be live by the time their cache's size becomes known. */
static void set_size(struct slab_state *state, uint32_t kind, const struct slab_cache *cache,
		     int64_t time_ns)
{
	struct slab_kind_live *live = &state->kinds[kind];

	if (live->peak && time_ns > state->unsized_until_ns)
		state->unsized_until_ns = time_ns;
	state->late_caches += live->peak > 0;
	live->object_size = cache->object_size;
	live->size = cache->size;
	state->now.req += live->live * cache->object_size;
	state->now.alloc += live->live * cache->size;
	if (kind >= state->sized_kinds)
		state->sized_kinds = kind + 1;
}

int slab_dump_cache(struct slab_state *state, const struct mm_event *event)
{
	enum { CACHE, OBJECT_SIZE, SIZE, ALIGN, ACCOUNTED, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	uint32_t index = slab_state_cache_index(state, f[CACHE].u);
	struct slab_cache *cache;

	if (!index)
		return state->far_failed ? -1 : 0;
	cache = slab_state_cache(state, index);
	if (!cache)
		return -1;
	cache->alive = f[ALIVE].u;
	/* A number is one cache's as long as the trace lasts. */
	if (cache->known)
		return 0;
	cache->object_size = (uint32_t)f[OBJECT_SIZE].u;
	cache->size = (uint32_t)f[SIZE].u;
	cache->align = (uint32_t)f[ALIGN].u;
	cache->accounted = f[ACCOUNTED].u;
	cache->name = strndup(f[NAME].s, SLAB_NAME_BYTES - 1);
	cache->known = true;
	set_size(state, SLAB_KIND_CACHE + index, cache, event->time_ns);
	return cache->name ? 0 : -1;
}

int slab_dump_alias(struct slab_state *state, const struct mm_event *event)
{
	enum { CACHE, NAME };
	const union mm_scalar *f = event->fields;
	uint32_t index = slab_state_cache_index(state, f[CACHE].u);
	struct slab_cache *cache;

	if (!index)
		return state->far_failed ? -1 : 0;
	cache = slab_state_cache(state, index);
	return cache ? slab_alias_add(cache, f[NAME].s) : -1;
}

int slab_dump_code(struct slab_state *state, const struct mm_event *event)
{
	enum { CODE, SIZE, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	bool alive = event->type->kinds[ALIVE] == MM_KIND_NONE || f[ALIVE].u;

	return mm_call_sites_add(&state->call_sites, (uint32_t)f[CODE].u, (uint32_t)f[SIZE].u,
				 alive, f[NAME].s);
}

void slab_dump_path(struct slab_state *state, const struct mm_event *event)
{
	enum { PATH, HOOKED, MISSED, FUNCTION };
	const union mm_scalar *f = event->fields;
	struct slab_path_state *path = NULL;

	/* Of several dumps the worst counts: what was not hooked for a while was not traced then.
	 */
	for (uint32_t i = 0; i < state->path_count && !path; i++)
		if (state->paths[i].path == (uint8_t)f[PATH].u)
			path = &state->paths[i];
	if (!path) {
		if (state->path_count == SLAB_PATHS_MAX)
			return;
		path = &state->paths[state->path_count++];
		path->path = (uint8_t)f[PATH].u;
		path->hooked = true;
		label(event, "path", path->label, sizeof(path->label));
		snprintf(path->function, sizeof(path->function), "%s", f[FUNCTION].s);
	}
	path->hooked &= !!f[HOOKED].u;
	if (f[MISSED].u > path->missed)
		path->missed = f[MISSED].u;
}

int slab_state_failed(struct slab_state *state, const struct mm_event *event, uint32_t code,
		      uint32_t kind, uint32_t gfp, uint64_t bytes)
{
	const struct mm_row key = { code, kind, gfp, 0 };
	uint32_t number = mm_rows_number(&state->failed, &key);
	struct slab_failed *failed;

	if (number == MM_HASH_NONE)
		return -1;
	failed = mm_rows_at(&state->failed, number);
	if (!failed->count++)
		label(event, "gfp_flags", failed->gfp, sizeof(failed->gfp));
	if (bytes > failed->bytes_most)
		failed->bytes_most = bytes;
	return 0;
}

int slab_page_flags_label(struct slab_page_flags *flags, const struct mm_event *event)
{
	label(event, "gfp_flags", flags->gfp, sizeof(flags->gfp));
	label(event, "migrate_type", flags->migrate, sizeof(flags->migrate));
	return 0;
}
