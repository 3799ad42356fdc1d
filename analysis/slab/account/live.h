/* SPDX-License-Identifier: LGPL-2.1-only */
/* The live objects at the current time, by kind and in bytes; the peak; and a series of samples. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_LIVE_H
#define LTTNG_MM_SLAB_ACCOUNT_LIVE_H

#include <stddef.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/op.h"

/*
 * What is live of a size class, in bytes, or of a cache, in objects: now, and the peak. Objects of
 * kmalloc-large differ in size; the size of a cache may come after its objects.
 */
struct slab_kind_live {
	uint64_t live, peak;
	uint32_t object_size, size; /* of a cache, once known */
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
	struct slab_kind_live *kinds; /* by kind: SLAB_KINDS of them, and one for all others */
	uint32_t sized_kinds;	      /* past the last of a cache whose size is known */
	struct slab_bytes now;	      /* of kmalloc(), and of caches whose size is known so far */
	struct slab_bytes peak;
	int64_t peak_ns;
	/*
	 * Up to then there were objects of caches whose sizes were not known yet; INT64_MAX: ...
	 * ever.
	 */
	int64_t unsized_until_ns;
	uint32_t late_caches;	 /* ... and whose sizes came later */
	uint32_t unsized_caches; /* after the end: ... and whose sizes never came */
	struct slab_sample samples[SLAB_SAMPLES];
	uint32_t sample_count;
	int64_t first_ns; /* the first operation; INT64_MIN: none yet */
	int64_t next_sample_ns, sample_ns;
};

/* -1: out of memory. */
int slab_live_init(struct slab_live *live);
void slab_live_release(struct slab_live *live);
/* The sizes of the cache of that kind are known from @time_ns on. */
void slab_live_set_size(struct slab_live *live, uint32_t kind, const struct slab_cache *cache,
			int64_t time_ns);
/* For slab_live_see_time(). */
void slab_live_sample(struct slab_live *live, int64_t now);
/* After the last operation. */
void slab_live_finish(struct slab_live *live, const struct slab_caches *caches);

/* Before each operation: extends the series up to its time. */
static inline void slab_live_see_time(struct slab_live *live, int64_t now)
{
	if (now >= live->next_sample_ns)
		slab_live_sample(live, now);
}

/*
 * One more object of @kind or, with @sign -1, one fewer. Objects of a cache have no bytes in the
 * event, those of kmalloc() no cache with a size; pages, and objects without a kind, use a row that
 * is never read: so there are no branches.
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

/* An object was resized in place by so many requested bytes. */
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
