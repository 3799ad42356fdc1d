/* SPDX-License-Identifier: LGPL-2.1-only */
/* Pairs by allocating and freeing party: remote frees, cross-process frees. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_REMOTE_H
#define LTTNG_MM_SLAB_ACCOUNT_REMOTE_H

#include "analysis/slab/account/tallies.h"

#define SLAB_FEW_CPUS 32u

struct slab_remote {
	struct mm_rows matrix; /* allocating CPU, freeing CPU: with SLAB_FEW_CPUS or more */
	uint64_t few[SLAB_FEW_CPUS][SLAB_FEW_CPUS]; /* ... with fewer: moved there at the end */
	struct mm_rows cross_process;		    /* allocating thread, freeing thread */
	struct mm_rows threads; /* thread id, and the last of its rows there as either, ... */
	uint32_t linked;	/* ... of so many rows */
	bool counted_only;	/* cross_process has only objects that the figures have */
};

/* All return 0, or -1: out of memory. */
int slab_remote_init(struct slab_remote *remote);
void slab_remote_release(struct slab_remote *remote);
int slab_remote_finish(struct slab_remote *remote);
/* The thread id is used again: its pairs are those of @past. */
int slab_remote_renew(struct slab_remote *remote, uint32_t tid, uint32_t past);

/* Counts a pair of an object that is left out: it may still count between processes. */
static inline int slab_remote_pair_omitted(struct slab_remote *remote,
					   const union slab_accounting_key *owner,
					   const union slab_accounting_key *key)
{
	return owner->tid != key->tid && !remote->counted_only
		       ? slab_count(&remote->cross_process, owner->tid, key->tid)
		       : 0;
}

/*
 * Counts a pair: @key frees an object that @owner allocated. Pages count when the last of their
 * block is free.
 */
static inline int slab_remote_pair(struct slab_remote *remote,
				   const union slab_accounting_key *owner,
				   const union slab_accounting_key *key)
{
	if ((owner->cpu | key->cpu) < SLAB_FEW_CPUS)
		remote->few[owner->cpu][key->cpu]++;
	else if (slab_count(&remote->matrix, owner->cpu, key->cpu))
		return -1;
	return owner->tid != key->tid ? slab_count(&remote->cross_process, owner->tid, key->tid)
				      : 0;
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_REMOTE_H */
