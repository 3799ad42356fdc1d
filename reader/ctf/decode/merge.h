/* SPDX-License-Identifier: LGPL-2.1-only */
/* A tournament tree that finds the stream with the earliest item. */
#ifndef LTTNG_MM_CTF_DECODE_MERGE_H
#define LTTNG_MM_CTF_DECODE_MERGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Key of a stream that has ended. An item may also have this timestamp, so a caller that finds this
 * key must check whether the stream has ended.
 */
#define CTF_MERGE_OVER INT64_MAX

#define CTF_MERGE_GROUP 8
/* Enough levels for any number of streams. */
#define CTF_MERGE_LEVELS 22

/*
 * A tournament tree with groups of eight keys. Level 0 holds the keys of the streams. Each higher
 * level holds the smallest key of each group below, and that key's stream. The top level has one
 * group. Missing keys at the end of a group count as ended streams.
 */
struct ctf_merge {
	unsigned int top;
	int64_t *keys[CTF_MERGE_LEVELS];
	uint32_t *streams[CTF_MERGE_LEVELS];
};

/* Returns 0, or -1 when out of memory. Initially all streams have ended. */
int ctf_merge_init(struct ctf_merge *merge, size_t streams);
/* Releases @merge, which may be all zeros, or the result of a failed initialization. */
void ctf_merge_release(struct ctf_merge *merge);

/*
 * Returns the index of the smallest of the first @count keys; the first one if several are equal.
 * Avoids branches on the result, which the CPU would mispredict. With a constant @count, the loop
 * has no branch at all.
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
		/* Keeps the compiler from making a branch per index. */
		__asm__("" : "+r"(at));
	}
	return at;
}

/* Returns the stream with the smallest key; the first one if several are equal. */
static inline size_t ctf_merge_first(const struct ctf_merge *merge)
{
	return merge
		->streams[merge->top][ctf_merge_smallest(merge->keys[merge->top], CTF_MERGE_GROUP)];
}

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

#endif /* LTTNG_MM_CTF_DECODE_MERGE_H */
