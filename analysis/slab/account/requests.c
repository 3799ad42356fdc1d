// SPDX-License-Identifier: LGPL-2.1-only
/* Requests by flags. */
#include "analysis/slab/account/requests.h"

#define FLAGS_MAX 8192u

int slab_requests_init(struct slab_requests *requests)
{
	return mm_rows_init(&requests->failed, sizeof(struct slab_failed), FLAGS_MAX, 8) ||
			       mm_rows_init(&requests->page_flags, sizeof(struct slab_page_flags),
					    FLAGS_MAX, 8)
		       ? -1
		       : 0;
}

void slab_requests_release(struct slab_requests *requests)
{
	mm_rows_release(&requests->failed);
	mm_rows_release(&requests->page_flags);
}

int slab_requests_pages(struct slab_requests *requests, uint32_t gfp, uint32_t migrate,
			uint32_t order)
{
	struct slab_page_flags *flags =
		mm_rows_get(&requests->page_flags, gfp, (migrate & 0xff) << 8 | order);

	if (!flags)
		return -1;
	flags->allocs++;
	return 0;
}

int slab_requests_failed(struct slab_requests *requests, const struct mm_row *key, uint64_t bytes)
{
	uint32_t number = mm_rows_number(&requests->failed, key);
	struct slab_failed *failed;

	if (number == MM_HASH_NONE)
		return -1;
	failed = mm_rows_at(&requests->failed, number);
	failed->count++;
	if (bytes > failed->bytes_most)
		failed->bytes_most = bytes;
	return 0;
}
