// SPDX-License-Identifier: LGPL-2.1-only
/* Counts requests by flags and thread. */
#include "analysis/slab/account/requests.h"

#define ROWS_MAX (1u << 20)

int slab_requests_init(struct slab_requests *requests)
{
	return mm_rows_init(&requests->failed, sizeof(struct slab_failed), ROWS_MAX, 8) ||
			       mm_rows_init(&requests->page_flags, sizeof(struct slab_page_flags),
					    ROWS_MAX, 10) ||
			       mm_rows_init(&requests->batched, sizeof(struct slab_batched),
					    ROWS_MAX, 8)
		       ? -1
		       : 0;
}

void slab_requests_release(struct slab_requests *requests)
{
	mm_rows_release(&requests->failed);
	mm_rows_release(&requests->page_flags);
	mm_rows_release(&requests->batched);
}

int slab_requests_pages(struct slab_requests *requests, const struct slab_requester *by,
			uint32_t gfp, uint32_t migrate, uint32_t order)
{
	struct slab_page_flags *flags =
		mm_rows_get3(&requests->page_flags, gfp, (migrate & 0xff) << 8 | order, by->thread);

	if (!flags)
		return -1;
	if (!flags->allocs++)
		flags->first_ns = by->time_ns;
	return 0;
}

int slab_requests_failed(struct slab_requests *requests, const struct slab_requester *by,
			 const struct mm_row *key, uint64_t bytes)
{
	const struct mm_row whole = { key->a, key->b, key->c, by->thread };
	uint32_t number = mm_rows_number(&requests->failed, &whole);
	struct slab_failed *failed;

	if (number == MM_HASH_NONE)
		return -1;
	failed = mm_rows_at(&requests->failed, number);
	if (!failed->count++)
		failed->first_ns = by->time_ns;
	failed->last_ns = by->time_ns;
	if (bytes > failed->bytes_most)
		failed->bytes_most = bytes;
	return 0;
}

int slab_requests_batched(struct slab_requests *requests, const struct slab_requester *by)
{
	struct slab_batched *batched = mm_rows_get(&requests->batched, by->thread, 0);

	if (!batched)
		return -1;
	if (!batched->count++)
		batched->first_ns = by->time_ns;
	return 0;
}
