// SPDX-License-Identifier: LGPL-2.1-only
/* Allocates the tournament tree that merges streams. */
#include "reader/ctf/decode/merge.h"

#include <stdlib.h>
#include <string.h>

static int add_level(struct ctf_merge *merge, unsigned int level, size_t groups)
{
	size_t count = groups * CTF_MERGE_GROUP;

	if (groups > UINT32_MAX / CTF_MERGE_GROUP)
		return -1;
	/* A group of keys is one cache line. */
	merge->keys[level] = aligned_alloc(64, count * sizeof(*merge->keys[level]));
	merge->streams[level] = calloc(count, sizeof(*merge->streams[level]));
	if (!merge->keys[level] || !merge->streams[level])
		return -1;
	for (size_t i = 0; i < count; i++)
		merge->keys[level][i] = CTF_MERGE_OVER;
	return 0;
}

int ctf_merge_init(struct ctf_merge *merge, size_t streams)
{
	size_t count = streams ? streams : 1;

	memset(merge, 0, sizeof(*merge));
	for (unsigned int level = 0;; level++) {
		size_t groups = (count + CTF_MERGE_GROUP - 1) / CTF_MERGE_GROUP;

		if (add_level(merge, level, groups)) {
			ctf_merge_release(merge);
			return -1;
		}
		merge->top = level;
		if (groups == 1)
			break;
		count = groups;
	}
	for (size_t i = 0; i < streams; i++)
		merge->streams[0][i] = (uint32_t)i;
	return 0;
}

void ctf_merge_release(struct ctf_merge *merge)
{
	for (unsigned int level = 0; level < CTF_MERGE_LEVELS; level++) {
		free(merge->keys[level]);
		free(merge->streams[level]);
	}
	memset(merge, 0, sizeof(*merge));
}
