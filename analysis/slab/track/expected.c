// SPDX-License-Identifier: LGPL-2.1-only
/* Thread ids that stand for threads of the recorder. */
#include "analysis/slab/track/expected.h"

struct tid {
	struct mm_row row; /* thread id */
	int64_t since_ns;
};

int slab_expected_init(struct slab_expected *expected)
{
	return mm_rows_init(&expected->tids, sizeof(struct tid), UINT32_MAX - 1, 8);
}

void slab_expected_release(struct slab_expected *expected)
{
	mm_rows_release(&expected->tids);
}

int slab_expected_set(struct slab_expected *expected, uint32_t tid, int64_t since_ns)
{
	struct tid *row;

	if (since_ns == INT64_MAX && !mm_rows_lookup(&expected->tids, tid, 0))
		return 0;
	row = mm_rows_get(&expected->tids, tid, 0);
	if (!row)
		return -1;
	row->since_ns = since_ns;
	return 0;
}

bool slab_expected_has(const struct slab_expected *expected, uint32_t tid, int64_t time_ns)
{
	const struct tid *row = mm_rows_lookup(&expected->tids, tid, 0);

	return row && row->since_ns <= time_ns && row->since_ns < INT64_MAX;
}

enum slab_left_out slab_expected_leaves_out(const void *expected, uint32_t number,
					    const struct slab_op *op)
{
	(void)number;
	return slab_expected_has(expected, op->key.tid, op->time_ns) ? SLAB_RECORDER : SLAB_LISTED;
}
