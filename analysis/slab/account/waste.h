/* SPDX-License-Identifier: LGPL-2.1-only */
/* The single allocations with the most internal fragmentation. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_WASTE_H
#define LTTNG_MM_SLAB_ACCOUNT_WASTE_H

#include "analysis/slab/decode/op.h"

#define SLAB_WORST 100

/* Equal allocations of a call site are one row. */
struct slab_worst {
	uint32_t code, kind, bytes_req, bytes_alloc;
	uint64_t count;
	int64_t first_ns;
	uint64_t address;
	uint32_t tid, unused;
};

struct slab_waste {
	struct slab_worst all[SLAB_WORST];
	uint32_t count;
	uint32_t least; /* what an allocation has to waste to be among them: 1 or more */
};

void slab_waste_init(struct slab_waste *waste);
/* An allocation that wastes waste->least or more. @guess: where the account's last one is. */
void slab_waste_note(struct slab_waste *waste, const struct slab_op *op, uint32_t *guess);

#endif /* LTTNG_MM_SLAB_ACCOUNT_WASTE_H */
