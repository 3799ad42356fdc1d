/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the trace covers, and what could be missing from it: known at its end. */
#ifndef LTTNG_MM_SLAB_TRACK_COVERAGE_H
#define LTTNG_MM_SLAB_TRACK_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/paths.h"
#include "analysis/sysinfo/sysinfo.h"
#include "analysis/trace/source.h"

/* What the whole trace says of what it lacks. */
struct slab_coverage {
	/* in between every stream has its events; both are in the requested time range, if any */
	int64_t begin_ns, end_ns;
	bool hidden_allocs; /* a path that allocates is not traced */
	bool paths_unknown; /* ... or may not be: the state dump is missing */
	bool partial;	    /* a tracker or a filter left out what others allocated and freed */
	/* Is it a cache of kmalloc()'s, of that object size? */
	bool (*is_kmalloc_cache)(const void *user, uint32_t kind, uint32_t bytes_alloc);
	/* Has the cache been destroyed? Its objects are gone with it. */
	bool (*is_gone)(const void *user, uint32_t kind);
	/* Is it a cache of which the state dump is missing? */
	bool (*is_unknown)(const void *user, uint32_t kind);
	const void *user;
	bool lossy;	 /* events are missing: lost, damaged or truncated */
	bool damaged;	 /* ... of those, some cannot be read: what lives at the end is uncertain */
	bool dump_lossy; /* some of the state dump is missing, maybe */
	bool dump_absent; /* ... all of it: the state session's folder is gone */
};

void slab_coverage_find(struct slab_coverage *coverage, const struct mm_source *source,
			const struct mm_sysinfo *sysinfo, const struct slab_caches *caches,
			const struct slab_paths *paths);

#endif /* LTTNG_MM_SLAB_TRACK_COVERAGE_H */
