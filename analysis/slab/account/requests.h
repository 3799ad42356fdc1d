/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Requests by their flags: of pages, and those that failed; and pages freed in batches. They are
 * counted by thread, so that a report can leave some out. Only for the thread that reads.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H
#define LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H

#include "analysis/slab/decode/op.h"

/* A thread, by its number in struct mm_threads, at the time of its first request of a row. */
struct slab_requester {
	uint32_t thread;
	int64_t time_ns;
};

/* Allocations of pages with the same flags and migrate type. */
struct slab_page_flags {
	struct mm_row row; /* flags; migrate type << 8 | order; thread */
	int64_t first_ns;
	uint64_t allocs;
};

/* Failed allocations. */
struct slab_failed {
	struct mm_row row; /* code, kind (SLAB_KIND_NONE: kmalloc()), flags, thread */
	int64_t first_ns, last_ns;
	uint64_t count, bytes_most;
};

/* Pages freed in batches. */
struct slab_batched {
	struct mm_row row; /* thread */
	int64_t first_ns;
	uint64_t count;
};

/* Row 0 of each, which collects what exceeds the maximum, belongs to no thread. */
struct slab_requests {
	struct mm_rows page_flags, failed, batched;
	bool has_pages, has_bulk_pages; /* any page events; pages that were allocated in bulk */
};

/* All return 0, or -1: out of memory. */
int slab_requests_init(struct slab_requests *requests);
void slab_requests_release(struct slab_requests *requests);
int slab_requests_pages(struct slab_requests *requests, const struct slab_requester *by,
			uint32_t gfp, uint32_t migrate, uint32_t order);
/* @key: without the thread. */
int slab_requests_failed(struct slab_requests *requests, const struct slab_requester *by,
			 const struct mm_row *key, uint64_t bytes);
int slab_requests_batched(struct slab_requests *requests, const struct slab_requester *by);

#endif /* LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H */
