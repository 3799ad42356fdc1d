/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Page allocations by flags, failed allocations, and pages freed in batches. Rows include the
 * thread, so that the report can omit threads. Only the thread that reads events may call these
 * functions.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H
#define LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H

#include "analysis/slab/decode/op.h"

/* Thread (its number in struct mm_threads) and time of a request. */
struct slab_requester {
	uint32_t thread;
	int64_t time_ns;
};

/* Page allocations with the same flags and migrate type. */
struct slab_page_flags {
	struct mm_row row; /* flags; migrate type << 8 | order; thread */
	int64_t first_ns;
	uint64_t allocs;
};

/* Failed allocations of one call site, kind, flags and thread. */
struct slab_failed {
	struct mm_row row; /* code, kind (SLAB_KIND_NONE: kmalloc()), flags, thread */
	int64_t first_ns, last_ns;
	uint64_t count, bytes_most;
};

/* Pages that one thread freed in batches. */
struct slab_batched {
	struct mm_row row; /* thread */
	int64_t first_ns;
	uint64_t count;
};

/* Row 0 of each array collects requests beyond the maximum, and has no thread. */
struct slab_requests {
	struct mm_rows page_flags, failed, batched;
	bool has_pages, has_bulk_pages; /* a page event was seen; a bulk page allocation was seen */
};

/* Functions that return an int return 0, or -1 when out of memory. */
int slab_requests_init(struct slab_requests *requests);
void slab_requests_release(struct slab_requests *requests);
int slab_requests_pages(struct slab_requests *requests, const struct slab_requester *by,
			uint32_t gfp, uint32_t migrate, uint32_t order);
/* @key: the row's key without the thread. */
int slab_requests_failed(struct slab_requests *requests, const struct slab_requester *by,
			 const struct mm_row *key, uint64_t bytes);
int slab_requests_batched(struct slab_requests *requests, const struct slab_requester *by);

#endif /* LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H */
