/* SPDX-License-Identifier: LGPL-2.1-only */
/* Requests by their flags: of pages, and those that failed. Only for the thread that reads. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H
#define LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H

#include "analysis/slab/decode/op.h"

/* Allocations of pages with the same flags and migrate type. */
struct slab_page_flags {
	struct mm_row row; /* flags; migrate type << 8 | order */
	uint64_t allocs;
};

/* Failed allocations. */
struct slab_failed {
	struct mm_row row; /* code, kind (SLAB_KIND_NONE: kmalloc()), flags */
	uint64_t count, bytes_most;
};

struct slab_requests {
	struct mm_rows page_flags, failed;
	bool has_pages, has_bulk_pages; /* any page events; pages that were allocated in bulk */
	uint64_t batched;		/* pages freed in batches */
};

/* All return 0, or -1: out of memory. */
int slab_requests_init(struct slab_requests *requests);
void slab_requests_release(struct slab_requests *requests);
int slab_requests_pages(struct slab_requests *requests, uint32_t gfp, uint32_t migrate,
			uint32_t order);
int slab_requests_failed(struct slab_requests *requests, const struct mm_row *key, uint64_t bytes);

#endif /* LTTNG_MM_SLAB_ACCOUNT_REQUESTS_H */
