/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counters of two keys: by section of memory, by thread and CPU, by freeing call site; only of
 * accounts that are listed.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_TALLIES_H
#define LTTNG_MM_SLAB_ACCOUNT_TALLIES_H

#include "analysis/slab/account/accounts.h"

/* A kind, and the CPU that an event came from. */
#define SLAB_CPU_SHIFT 21
#define SLAB_ON_CPU(kind, cpu) ((kind) | (cpu) << SLAB_CPU_SHIFT)
#define SLAB_KIND_OF(b) ((b) & ((1u << SLAB_CPU_SHIFT) - 1))
#define SLAB_KIND_ANY 0x1fffffu /* SLAB_KIND_OF() of SLAB_KIND_NONE */

/* Allocations and frees by a thread on a CPU, or in a section of memory, of one kind. */
struct slab_tally {
	struct mm_row row; /* as the table says */
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint64_t live, live_alloc; /* at the end */
};

struct slab_count {
	struct mm_row row;
	uint64_t count;
	uint32_t next[2]; /* of pairs of threads: another one of either thread; 0: none */
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
	struct mm_rows sections; /* tallies: section, kind */
	/* At the end: */
	struct mm_rows threads; /* tallies: thread, SLAB_ON_CPU() */
	struct mm_rows freers;	/* counts: code: frees there */
};

/* All return 0, or -1: out of memory. */
int slab_tallies_init(struct slab_tallies *tallies);
void slab_tallies_release(struct slab_tallies *tallies);
/* At the end: those that are listed. */
int slab_tallies_add_accounts(struct slab_tallies *tallies, const struct slab_accounts *accounts);
/* At the end: a listed object at @address is live, and @owner allocated it. */
int slab_tallies_add_live(struct slab_tallies *tallies, uint64_t address, uint32_t bytes_alloc,
			  const union slab_accounting_key *owner);

/* A listed allocation, by section of memory. */
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
