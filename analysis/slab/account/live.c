// SPDX-License-Identifier: LGPL-2.1-only
/* Tracks live bytes, their peak, and a series of samples. */
#include "analysis/slab/account/live.h"

#include <stdlib.h>

#define SAMPLE_FIRST_NS 1000000

int slab_live_init(struct slab_live *live)
{
	live->sample_ns = SAMPLE_FIRST_NS;
	live->first_ns = live->next_sample_ns = INT64_MIN;
	live->unsized_until_ns = INT64_MIN;
	live->kinds = calloc(SLAB_KINDS + 1, sizeof(*live->kinds));
	return live->kinds ? 0 : -1;
}

void slab_live_release(struct slab_live *live)
{
	free(live->kinds);
}

void slab_live_set_size(struct slab_live *live, uint32_t kind, const struct slab_cache *cache,
			int64_t time_ns)
{
	struct slab_kind_live *of = &live->kinds[kind];

	/* The cache may have had live objects before its size became known. */
	if (of->peak && time_ns > live->unsized_until_ns)
		live->unsized_until_ns = time_ns;
	live->late_caches += of->peak > 0;
	of->object_size = cache->object_size;
	of->size = cache->size;
	live->now.req += of->live * cache->object_size;
	live->now.alloc += of->live * cache->size;
	if (kind >= live->sized_kinds)
		live->sized_kinds = kind + 1;
}

void slab_live_finish(struct slab_live *live, const struct slab_caches *caches)
{
	for (uint32_t kind = SLAB_KIND_CACHE; kind < SLAB_KINDS; kind++)
		live->unsized_caches +=
			live->kinds[kind].peak && slab_kind_is_unsized(caches, kind);
	if (live->unsized_caches)
		live->unsized_until_ns = INT64_MAX;
}

/* Adds two times. Stops at INT64_MAX, because a damaged trace may have any timestamps. */
static int64_t later(int64_t time_ns, int64_t by_ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, by_ns, &sum) ? INT64_MAX : sum;
}

/* Halves the number of samples, and doubles the interval. */
static void thin_samples(struct slab_live *live)
{
	for (uint32_t i = 0; i < SLAB_SAMPLES / 2; i++)
		live->samples[i] = live->samples[2 * i + 1];
	live->sample_count = SLAB_SAMPLES / 2;
	live->sample_ns = later(live->sample_ns, live->sample_ns);
	live->next_sample_ns =
		later(live->samples[live->sample_count - 1].time_ns, live->sample_ns);
}

static struct slab_bytes live_caches(const struct slab_live *live)
{
	struct slab_bytes sum = { 0, 0 };

	for (uint32_t i = SLAB_KIND_CACHE; i < live->sized_kinds; i++) {
		sum.req += live->kinds[i].live * live->kinds[i].object_size;
		sum.alloc += live->kinds[i].live * live->kinds[i].size;
	}
	return sum;
}

void slab_live_sample(struct slab_live *live, int64_t now)
{
	struct slab_bytes caches;

	if (live->first_ns == INT64_MIN) {
		live->first_ns = now;
		live->next_sample_ns = later(now, live->sample_ns);
		return;
	}
	/* A sampling time of INT64_MAX ends the series. */
	if (live->next_sample_ns > now || live->next_sample_ns == INT64_MAX)
		return;
	caches = live_caches(live);
	while (live->next_sample_ns <= now && live->next_sample_ns < INT64_MAX) {
		live->samples[live->sample_count++] =
			(struct slab_sample){ live->next_sample_ns, live->now.req - caches.req,
					      live->now.alloc - caches.alloc, caches.req,
					      caches.alloc };
		live->next_sample_ns = later(live->next_sample_ns, live->sample_ns);
		if (live->sample_count == SLAB_SAMPLES)
			thin_samples(live);
	}
}
