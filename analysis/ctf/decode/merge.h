/* SPDX-License-Identifier: LGPL-2.1-only */
/* The earliest of many streams. */
#ifndef LTTNG_MM_DECODE_MERGE_H
#define LTTNG_MM_DECODE_MERGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The key of a stream that is over. An item may have this time too, so it does not tell that one
 * is.
 */
#define CTF_MERGE_OVER INT64_MAX

#define CTF_MERGE_GROUP 8
/* Enough for as many streams as there are numbers. */
#define CTF_MERGE_LEVELS 22

/*
 * A tournament of groups of eight: level 0 holds the streams' keys, each level above the best key
 * of each group below, and whose it is. There is one group at the top. All groups are full: of
 * streams that are over, where there are no others.
 */
struct ctf_merge {
	unsigned int top;
	int64_t *keys[CTF_MERGE_LEVELS];
	uint32_t *streams[CTF_MERGE_LEVELS];
};

/* Returns 0, or -1 when out of memory. All streams begin as over. */
int ctf_merge_init(struct ctf_merge *merge, size_t streams);
/* Also good for what is all zeros, and what could not be initialized. */
void ctf_merge_release(struct ctf_merge *merge);

/*
 * The place of the smallest of the first @count keys, of equal ones the first. Which one it is
 * nobody can guess, the processor neither: no branch depends on it, as long as @count is a
 * constant.
 */
static inline __attribute__((always_inline)) size_t ctf_merge_smallest(const int64_t *keys,
								       unsigned int count)
{
	int64_t best = keys[0];
	size_t at = 0;

#pragma GCC unroll 8
	for (unsigned int i = 1; i < count; i++) {
		int64_t key = keys[i];

		at = key < best ? i : at;
		best = key < best ? key : best;
		/* Compilers that know what it may be make a branch for each. */
		__asm__("" : "+r"(at));
	}
	return at;
}

/* The stream with the smallest key, of equal ones the first. */
static inline size_t ctf_merge_first(const struct ctf_merge *merge)
{
	return merge
		->streams[merge->top][ctf_merge_smallest(merge->keys[merge->top], CTF_MERGE_GROUP)];
}

/* Gives a stream its new key. */
static inline void ctf_merge_set(struct ctf_merge *merge, size_t stream, int64_t key)
{
	merge->keys[0][stream] = key;
	for (unsigned int level = 0; level < merge->top; level++) {
		size_t group = stream / CTF_MERGE_GROUP, begin = group * CTF_MERGE_GROUP;
		size_t at = begin + ctf_merge_smallest(&merge->keys[level][begin], CTF_MERGE_GROUP);

		merge->keys[level + 1][group] = merge->keys[level][at];
		merge->streams[level + 1][group] = merge->streams[level][at];
		stream = group;
	}
}

#endif /* LTTNG_MM_DECODE_MERGE_H */
