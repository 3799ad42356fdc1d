// SPDX-License-Identifier: LGPL-2.1-only
/* Counts frees on other CPUs and by other processes. */
#include "analysis/slab/account/remote.h"

struct thread_pairs {
	struct mm_row row;
	/* last pair of threads in which this thread allocates ([0]) or frees ([1]); 0: none */
	uint32_t last[2];
};

int slab_remote_init(struct slab_remote *remote)
{
	return mm_rows_init(&remote->matrix, sizeof(struct slab_count), SLAB_TALLIES_MAX, 12) ||
			       mm_rows_init(&remote->cross_process, sizeof(struct slab_count),
					    SLAB_TALLIES_MAX, 14) ||
			       mm_rows_init(&remote->threads, sizeof(struct thread_pairs),
					    UINT32_MAX - 1, 8)
		       ? -1
		       : 0;
}

void slab_remote_release(struct slab_remote *remote)
{
	mm_rows_release(&remote->matrix);
	mm_rows_release(&remote->cross_process);
	mm_rows_release(&remote->threads);
}

/* Puts pairs of threads that were made since the last call into the lists of their threads. */
static int link_pairs(struct slab_remote *remote)
{
	struct slab_count *all = mm_rows_at(&remote->cross_process, 0);

	/* Pair 0 collects the frees beyond the maximum number of pairs, and has no threads. */
	for (remote->linked += !remote->linked; remote->linked < remote->cross_process.count;
	     remote->linked++) {
		struct slab_count *pair = &all[remote->linked];

		for (int i = 0; i < 2; i++) {
			struct thread_pairs *thread =
				mm_rows_get(&remote->threads, i ? pair->row.b : pair->row.a, 0);

			if (!thread)
				return -1;
			pair->next[i] = thread->last[i];
			thread->last[i] = remote->linked;
		}
	}
	return 0;
}

int slab_remote_renew(struct slab_remote *remote, uint32_t tid, uint32_t past)
{
	struct slab_count *all = mm_rows_at(&remote->cross_process, 0);
	struct thread_pairs *thread;

	if (link_pairs(remote))
		return -1;
	if (!mm_rows_lookup(&remote->threads, tid, 0))
		return 0;
	thread = mm_rows_get(&remote->threads, tid, 0);
	/*
	 * The hash table still has entries under the old keys. Lookups skip such entries, because
	 * the row's key changes here.
	 */
	for (int i = 0; i < 2; i++) {
		for (uint32_t at = thread->last[i]; at; at = all[at].next[i])
			*(i ? &all[at].row.b : &all[at].row.a) = past;
		thread->last[i] = 0;
	}
	return 0;
}

int slab_remote_finish(struct slab_remote *remote)
{
	for (uint32_t from = 0; from < SLAB_FEW_CPUS; from++) {
		for (uint32_t to = 0; to < SLAB_FEW_CPUS; to++) {
			struct slab_count *row = remote->few[from][to]
							 ? mm_rows_get(&remote->matrix, from, to)
							 : NULL;

			if (remote->few[from][to] && !row)
				return -1;
			if (row)
				row->count += remote->few[from][to];
		}
	}
	return 0;
}
