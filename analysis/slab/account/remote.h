/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts freed objects by allocating and freeing CPU, and by allocating and freeing thread. */
#ifndef LTTNG_MM_SLAB_ACCOUNT_REMOTE_H
#define LTTNG_MM_SLAB_ACCOUNT_REMOTE_H

#include "analysis/slab/account/tallies.h"

#define SLAB_FEW_CPUS 32u

struct slab_remote {
	struct mm_rows matrix; /* key: allocating CPU, freeing CPU */
	/* counts if both CPUs are below SLAB_FEW_CPUS; added to the matrix at the end */
	uint64_t few[SLAB_FEW_CPUS][SLAB_FEW_CPUS];
	struct mm_rows cross_process; /* key: allocating thread, freeing thread */
	struct mm_rows threads;	      /* struct thread_pairs */
	uint32_t linked;	      /* number of pairs that are linked to their threads */
	bool counted_only;	      /* omitted objects are not counted in cross_process */
};

/* Functions that return an int return 0, or -1 when out of memory. */
int slab_remote_init(struct slab_remote *remote);
void slab_remote_release(struct slab_remote *remote);
int slab_remote_finish(struct slab_remote *remote);
/* When a thread id is reused, gives the pairs of the earlier thread the id @past. */
int slab_remote_renew(struct slab_remote *remote, uint32_t tid, uint32_t past);

/* Counts the free of an omitted object in cross_process, unless the allocating thread freed it. */
static inline int slab_remote_pair_omitted(struct slab_remote *remote,
					   const union slab_accounting_key *owner,
					   const union slab_accounting_key *key)
{
	return owner->tid != key->tid && !remote->counted_only
		       ? slab_count(&remote->cross_process, owner->tid, key->tid)
		       : 0;
}

/*
 * Counts a free. @owner is the key of the allocation, @key is the key of the free. A block of pages
 * that is freed in parts is counted once, when its last part is freed.
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
