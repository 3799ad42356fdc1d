/* SPDX-License-Identifier: LGPL-2.1-only */
/* The coverage of the trace, and what may be missing from it: known at its end. */
#ifndef LTTNG_MM_SLAB_TRACK_COVERAGE_H
#define LTTNG_MM_SLAB_TRACK_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/slab/decode/caches.h"
#include "analysis/slab/decode/paths.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/ranges.h"
#include "reader/sysinfo/sysinfo.h"

/* The missing parts, as known from the complete trace. */
struct slab_coverage {
	/* every stream has its events in this range, which is within the requested one, if any */
	int64_t begin_ns, end_ns;
	bool hidden_allocs; /* a path that allocates is not traced */
	bool paths_unknown; /* ... or may not be: the state dump is missing */
	bool partial;	    /* a tracker or a filter excluded allocations and frees of others */
	/* Is it a cache of kmalloc()'s, of that object size? */
	bool (*is_kmalloc_cache)(const void *user, uint32_t kind, uint32_t bytes_alloc);
	/* Has the cache been destroyed? Its objects were freed with it. */
	bool (*is_gone)(const void *user, uint32_t kind);
	/* Is it a cache of which the state dump is missing? */
	bool (*is_unknown)(const void *user, uint32_t kind);
	const void *user;
	bool lossy;   /* events are missing: lost, damaged or truncated */
	bool damaged; /* ... some of them cannot be read: it is uncertain what is live at the end */
	bool has_failures;   /* events of failed allocations were enabled */
	bool failures_lossy; /* streams that may have failed allocations lack events */
	bool dump_lossy;     /* a part of the state dump may be missing */
	bool unverified;     /* nothing says which streams there should be */
	bool unchecked; /* packets have no checksums, so that damage in them may not be noticed */
	bool maybe_paused; /* nothing shows for some time whether all events were recorded */
	/* Possible pauses of streams that may have our events, sorted by reach. */
	struct mm_range *gaps;
	size_t gap_count;
	bool dump_absent; /* ... all of it: the state session's folder is missing */
};

/* Returns 0, or -1: out of memory. */
int slab_coverage_find(struct slab_coverage *coverage, const struct mm_source *source,
		       const struct mm_sysinfo *sysinfo, const struct slab_caches *caches,
		       const struct slab_paths *paths);
void slab_coverage_release(struct slab_coverage *coverage);

/* May recording have been paused between the two events? */
bool slab_coverage_has_gap(const struct slab_coverage *coverage, int64_t first_ns,
			   int64_t second_ns);
/* The condition of what is live at the end, for the end of a sentence, or "". */
const char *slab_coverage_live_unless(const struct slab_coverage *coverage);
/* "at most ", or "": excluded processes may have freed some of it. */
const char *slab_coverage_at_most(const struct slab_coverage *coverage);

#endif /* LTTNG_MM_SLAB_TRACK_COVERAGE_H */
