/* SPDX-License-Identifier: LGPL-2.1-only */
/* Live objects and bytes at the current time, the peak, and a series of samples. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_LIVE_H
#define LTTNG_MM_SLAB_ACCOUNT_LIVE_H

#include <stddef.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/op.h"

/*
 * Current and peak amount of one kind of objects. Size classes count bytes, because objects of
 * kmalloc-large differ in size. Caches count objects, because a cache's size may become known after
 * its first objects.
 */
struct slab_kind_live {
	uint64_t live, peak;
	uint32_t object_size, size; /* sizes of a cache; 0 until they are known */
};

struct slab_bytes {
	uint64_t req, alloc;
};

struct slab_sample {
	int64_t time_ns;
	uint64_t live_req, live_alloc, cache_req, cache_alloc;
};

#define SLAB_SAMPLES 256

struct slab_live {
	struct slab_kind_live *kinds; /* indexed by kind; the last element is for all other kinds */
	uint32_t sized_kinds;	      /* highest kind of a cache with a known size, plus 1 */
	struct slab_bytes now;	      /* kmalloc() objects, and caches whose size is known so far */
	struct slab_bytes peak;
	int64_t peak_ns;
	/*
	 * until this time, a cache had objects, but no known size (INT64_MIN: never; INT64_MAX:
	 * always)
	 */
	int64_t unsized_until_ns;
	uint32_t late_caches;	 /* caches that had objects before their size became known */
	uint32_t unsized_caches; /* caches that had objects, but no known size; set at the end */
	struct slab_sample samples[SLAB_SAMPLES];
	uint32_t sample_count;
	int64_t first_ns; /* time of the first operation; INT64_MIN: none yet */
	int64_t next_sample_ns, sample_ns;
};

/* Returns 0, or -1 when out of memory. */
int slab_live_init(struct slab_live *live);
void slab_live_release(struct slab_live *live);
/* Sets the sizes of a cache, which are known from @time_ns on. */
void slab_live_set_size(struct slab_live *live, uint32_t kind, const struct slab_cache *cache,
			int64_t time_ns);
/* Slow path of slab_live_see_time(). */
void slab_live_sample(struct slab_live *live, int64_t now);
/* Completes the series. Call it after the last operation. */
void slab_live_finish(struct slab_live *live, const struct slab_caches *caches);

/* Extends the series to the time of the next operation. */
static inline void slab_live_see_time(struct slab_live *live, int64_t now)
{
	if (now >= live->next_sample_ns)
		slab_live_sample(live, now);
}

/*
 * Adds an object of @kind, or removes an object if @sign is -1. To avoid branches, always adds all
 * values. Values that must not count are 0: @req and @alloc of a cache's object, and the sizes in
 * @kinds of a size class. Pages use the last element of @kinds, which is never read.
 */
static inline void slab_live_adjust(struct slab_live *live, uint32_t kind, uint64_t req,
				    uint64_t alloc, uint64_t sign)
{
	bool counts = kind < SLAB_KINDS;
	struct slab_kind_live *of = &live->kinds[counts ? kind : SLAB_KINDS];
	uint64_t bytes_sign = sign & -(uint64_t)counts;

	of->live += sign * (slab_kind_is_kmalloc(kind) ? alloc : 1);
	of->peak = of->live > of->peak ? of->live : of->peak;
	live->now.req += bytes_sign * (req + of->object_size);
	live->now.alloc += bytes_sign * (alloc + of->size);
}

/* Adds @grown to the requested bytes, because an object was resized in place. */
static inline void slab_live_resize(struct slab_live *live, int64_t grown)
{
	live->now.req += (uint64_t)grown;
}

static inline void slab_live_see_peak(struct slab_live *live, int64_t now)
{
	if (live->now.alloc <= live->peak.alloc)
		return;
	live->peak = live->now;
	live->peak_ns = now;
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_LIVE_H */
