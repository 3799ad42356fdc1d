// SPDX-License-Identifier: LGPL-2.1-only
/* Counts sizes with internal fragmentation. */
#include "analysis/slab/account/waste.h"

int slab_waste_init(struct slab_waste *waste)
{
	return mm_rows_init(&waste->rows, sizeof(struct slab_waste_row), UINT32_MAX - 1, 12);
}

void slab_waste_release(struct slab_waste *waste)
{
	mm_rows_release(&waste->rows);
}

int slab_waste_add(struct slab_waste *waste, const struct slab_op *op, uint32_t account,
		   uint32_t *guess)
{
	const struct mm_row key = { account, op->bytes_req, op->bytes_alloc, 0 };
	uint32_t number = mm_rows_number(&waste->rows, &key);
	struct slab_waste_row *worst;

	if (number == MM_HASH_NONE)
		return -1;
	*guess = number;
	worst = slab_waste_at(waste, number);
	if (!worst->count++) {
		worst->first_ns = op->time_ns;
		worst->address = op->address;
	}
	return 0;
}
