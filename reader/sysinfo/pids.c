// SPDX-License-Identifier: LGPL-2.1-only
/* A set of process ids. */
#include "reader/sysinfo/pids.h"

#include <string.h>

#include "util/hash.h"

/* Returns the index of the first id that is @pid or higher. */
static size_t find(const struct mm_pids *pids, int32_t pid)
{
	size_t low = 0, high = pids->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (pids->all[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool mm_pids_have(const struct mm_pids *pids, int32_t pid)
{
	size_t at;

	if (!pids)
		return false;
	at = find(pids, pid);
	return at < pids->count && pids->all[at] == pid;
}

int mm_pids_add(struct mm_pids *pids, int32_t pid)
{
	const size_t at = find(pids, pid);
	int32_t *all;

	if (at < pids->count && pids->all[at] == pid)
		return 0;
	all = mm_array_grow(pids->all, pids->count, &pids->room, sizeof(*all));
	if (!all)
		return -1;
	pids->all = all;
	memmove(all + at + 1, all + at, (pids->count - at) * sizeof(*all));
	all[at] = pid;
	pids->count++;
	return 0;
}
