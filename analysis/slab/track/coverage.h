/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Describes the time that all streams cover, and the parts of the trace that may be missing. Both
 * are known at the end of the trace.
 */
#ifndef LTTNG_MM_SLAB_TRACK_COVERAGE_H
#define LTTNG_MM_SLAB_TRACK_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/paths.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/ranges.h"
#include "reader/sysinfo/sysinfo.h"

/* Parts that may be missing from the trace. */
struct slab_coverage {
	/* time that every stream covers, within the requested time range */
	int64_t begin_ns, end_ns;
	bool hidden_allocs; /* calls of an allocating path may be missing */
	bool paths_unknown; /* the state dump does not list every allocating path */
	bool partial;	    /* a tracker or a filter of the recorder excluded events */
	/* Is the kind a cache of kmalloc() with the object size @bytes_alloc? */
	bool (*is_kmalloc_cache)(const void *user, uint32_t kind, uint32_t bytes_alloc);
	/* Has the cache been destroyed, and its objects with it? */
	bool (*is_gone)(const void *user, uint32_t kind);
	/* Is the kind a cache that the state dump lacks? */
	bool (*is_unknown)(const void *user, uint32_t kind);
	const void *user;
	bool lossy;	   /* events were, or may have been, lost, damaged or truncated */
	bool damaged;	   /* some events are unreadable, so live objects are uncertain */
	bool has_failures; /* events of failed allocations were enabled */
	/* in streams that may have events of failed allocations, events are missing */
	bool failures_lossy;
	bool dump_lossy; /* a part of the state dump may be missing */
	/* no list of the trace's streams exists, so a missing stream goes unnoticed */
	bool unverified;
	bool unchecked; /* packets have no checksums, so damage inside them may go unnoticed */
	/* at some time, recording may have been paused, or events may have been excluded */
	bool maybe_paused;
	/* possible pauses of streams with slab or page events, sorted for mm_range_reach() */
	struct mm_range *gaps;
	size_t gap_count;
	bool dump_absent; /* the folder of state dumps is missing */
};

/* Returns 0, or -1 when out of memory. */
int slab_coverage_find(struct slab_coverage *coverage, const struct mm_source *source,
		       const struct mm_sysinfo *sysinfo, const struct slab_caches *caches,
		       const struct slab_paths *paths);
void slab_coverage_release(struct slab_coverage *coverage);

/* May recording have been paused between the two events? */
bool slab_coverage_has_gap(const struct slab_coverage *coverage, int64_t first_ns,
			   int64_t second_ns);
/*
 * Returns ", unless freed ..." or "", for the end of a sentence about objects that are live at the
 * end.
 */
const char *slab_coverage_live_unless(const struct slab_coverage *coverage);
/* Returns "at most " if excluded processes may have freed objects; else "". */
const char *slab_coverage_at_most(const struct slab_coverage *coverage);

#endif /* LTTNG_MM_SLAB_TRACK_COVERAGE_H */
