/* SPDX-License-Identifier: LGPL-2.1-only */
/* Requested and allocated sizes of kmalloc() objects with internal fragmentation. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_WASTE_H
#define LTTNG_MM_SLAB_ACCOUNT_WASTE_H

#include "analysis/slab/decode/op.h"

struct slab_waste_row {
	union {
		struct mm_row row;
		struct {
			uint32_t account, bytes_req, bytes_alloc, unused;
		};
	};
	uint64_t count;
	int64_t first_ns;
	uint64_t address; /* address of the first allocation */
};

struct slab_waste {
	struct mm_rows rows; /* struct slab_waste_row */
};

/* Returns 0, or -1 when out of memory. */
int slab_waste_init(struct slab_waste *waste);
void slab_waste_release(struct slab_waste *waste);

/*
 * Slow path of slab_waste_note(), for sizes that differ from those of the account's last
 * allocation.
 */
int slab_waste_add(struct slab_waste *waste, const struct slab_op *op, uint32_t account,
		   uint32_t *guess);

/* Returns the number of rows. Row 0 belongs to no account. */
static inline uint32_t slab_waste_count(const struct slab_waste *waste)
{
	return waste->rows.count;
}

static inline struct slab_waste_row *slab_waste_at(const struct slab_waste *waste, uint32_t number)
{
	return (struct slab_waste_row *)(void *)waste->rows.all + number;
}

/*
 * Counts an allocation of @account that is larger than requested. *@guess is the row of the
 * account's previous such allocation, or 0. Returns 0, or -1 when out of memory.
 */
static inline int slab_waste_note(struct slab_waste *waste, const struct slab_op *op,
				  uint32_t account, uint32_t *guess)
{
	struct slab_waste_row *worst = slab_waste_at(waste, *guess);

	if ((worst->bytes_req ^ op->bytes_req) | (worst->bytes_alloc ^ op->bytes_alloc))
		return slab_waste_add(waste, op, account, guess);
	worst->count++;
	return 0;
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_WASTE_H */
