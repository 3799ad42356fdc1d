/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts allocations and frees by section of memory and kind, by thread and CPU, and by freeing
 * call site. Leaves out omitted accounts.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_TALLIES_H
#define LTTNG_MM_SLAB_ACCOUNT_TALLIES_H

#include "analysis/slab/account/accounts.h"

/* SLAB_ON_CPU() combines a kind with the CPU of an event. SLAB_KIND_OF() extracts the kind. */
#define SLAB_CPU_SHIFT 21
#define SLAB_ON_CPU(kind, cpu) ((kind) | (cpu) << SLAB_CPU_SHIFT)
#define SLAB_KIND_OF(b) ((b) & ((1u << SLAB_CPU_SHIFT) - 1))
#define SLAB_KIND_ANY 0x1fffffu /* SLAB_KIND_OF() of SLAB_KIND_NONE */

/*
 * Allocations and frees of one kind, either in one section of memory, or by one thread on one CPU.
 */
struct slab_tally {
	struct mm_row row; /* the keys are given in struct slab_tallies */
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint64_t live, live_alloc; /* live at the end */
};

struct slab_count {
	struct mm_row row;
	uint64_t count;
	/* remote.h: next pair with the same allocating thread [0], or freeing thread [1] */
	uint32_t next[2];
};

static inline int slab_count(struct mm_rows *rows, uint32_t a, uint32_t b)
{
	struct slab_count *row = mm_rows_get(rows, a, b);

	if (!row)
		return -1;
	row->count++;
	return 0;
}

#define SLAB_TALLIES_MAX (1u << 20)

struct slab_tallies {
	struct mm_rows sections; /* struct slab_tally; key: section, kind */
	/* The following members are set at the end. */
	struct mm_rows threads; /* struct slab_tally; key: thread, SLAB_ON_CPU() */
	struct mm_rows freers;	/* struct slab_count; key: code; counts frees */
};

/* Functions that return an int return 0, or -1 when out of memory. */
int slab_tallies_init(struct slab_tallies *tallies);
void slab_tallies_release(struct slab_tallies *tallies);
/* Adds the counts of all accounts that are not omitted. Call it once, at the end. */
int slab_tallies_add_accounts(struct slab_tallies *tallies, const struct slab_accounts *accounts);
/* Counts an object of @owner that is live at the end. */
int slab_tallies_add_live(struct slab_tallies *tallies, uint64_t address, uint32_t bytes_alloc,
			  const union slab_accounting_key *owner);

/* Counts an allocation in its section of memory. */
static inline int slab_tallies_section(struct slab_tallies *tallies, const struct slab_op *op)
{
	struct slab_tally *in =
		mm_rows_get(&tallies->sections, slab_section_of(op->address), op->key.kind);

	if (!in)
		return -1;
	in->allocs++;
	in->bytes_req += op->bytes_req;
	in->bytes_alloc += op->bytes_alloc;
	return 0;
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_TALLIES_H */
