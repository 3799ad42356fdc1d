// SPDX-License-Identifier: LGPL-2.1-only
/* The list of the allocations that waste most. */
#include "analysis/slab/account/waste.h"

#include <stdlib.h>

void slab_waste_init(struct slab_waste *waste)
{
	waste->least = 1;
}

static int compare_worst(const void *a, const void *b)
{
	const struct slab_worst *x = a, *y = b;
	uint32_t left = x->bytes_alloc - x->bytes_req, right = y->bytes_alloc - y->bytes_req;

	if (left != right)
		return left < right ? 1 : -1;
	return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool is_worst(const struct slab_worst *worst, const struct slab_op *op)
{
	return worst->code == op->key.code && worst->bytes_req == op->bytes_req &&
	       worst->bytes_alloc == op->bytes_alloc && worst->kind == op->key.kind && worst->count;
}

void slab_waste_note(struct slab_waste *waste, const struct slab_op *op, uint32_t *guess)
{
	struct slab_worst *last;

	if (is_worst(&waste->all[*guess], op)) {
		waste->all[*guess].count++;
		return;
	}
	for (uint32_t i = 0; i < waste->count; i++) {
		if (is_worst(&waste->all[i], op)) {
			waste->all[i].count++;
			*guess = i;
			return;
		}
	}
	if (waste->count == SLAB_WORST) {
		last = &waste->all[SLAB_WORST - 1];
		/* The first to come stays. */
		if (op->bytes_alloc - op->bytes_req <= last->bytes_alloc - last->bytes_req)
			return;
	} else {
		last = &waste->all[waste->count++];
	}
	*last = (struct slab_worst){ .code = op->key.code,
				     .kind = op->key.kind,
				     .bytes_req = op->bytes_req,
				     .bytes_alloc = op->bytes_alloc,
				     .count = 1,
				     .first_ns = op->time_ns,
				     .address = op->address,
				     .tid = op->key.tid };
	qsort(waste->all, waste->count, sizeof(waste->all[0]), compare_worst);
	last = &waste->all[SLAB_WORST - 1];
	if (waste->count == SLAB_WORST)
		waste->least = last->bytes_alloc - last->bytes_req;
}
