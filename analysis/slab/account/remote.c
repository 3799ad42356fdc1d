// SPDX-License-Identifier: LGPL-2.1-only
/* Remote and cross-process frees. */
#include "analysis/slab/account/remote.h"

int slab_remote_init(struct slab_remote *remote)
{
	return mm_rows_init(&remote->matrix, sizeof(struct slab_count), SLAB_TALLIES_MAX, 12) ||
			       mm_rows_init(&remote->cross_process, sizeof(struct slab_count),
					    SLAB_TALLIES_MAX, 14)
		       ? -1
		       : 0;
}

void slab_remote_release(struct slab_remote *remote)
{
	mm_rows_release(&remote->matrix);
	mm_rows_release(&remote->cross_process);
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
