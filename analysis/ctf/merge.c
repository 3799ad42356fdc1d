// SPDX-License-Identifier: LGPL-2.1-only
/* A loser tree over the streams' keys. */
#include "analysis/ctf/merge.h"

#include <stdlib.h>

/* A key and its stream in one number: ordered by time (the sign turned over), then rank. */
typedef unsigned __int128 mark_t;

/*
 * Leaves are streams, padded to a power of two by streams that are over; inner node i holds the loser of
 * the match of its two sides, node 0 the winner of all. Who wins a match nobody can guess, the
 * processor neither: no branch depends on it.
 */
struct ctf_merge {
	size_t leaves;
	mark_t *nodes;
	mark_t *marks;	/* of the streams, until the tree is built */
};

static mark_t to_mark(struct ctf_merge_key key, size_t stream)
{
	return (mark_t)((uint64_t)key.time_ns ^ UINT64_C(1) << 63) << 64 |
		(mark_t)key.rank << 32 | (uint32_t)stream;
}

static struct ctf_merge_key to_key(mark_t mark)
{
	return (struct ctf_merge_key){
		.time_ns = (int64_t)((uint64_t)(mark >> 64) ^ UINT64_C(1) << 63),
		.rank = (uint32_t)(mark >> 32),
	};
}

struct ctf_merge *ctf_merge_create(size_t streams)
{
	struct ctf_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->leaves = 1;
	while (merge->leaves < streams)
		merge->leaves *= 2;
	merge->nodes = calloc(merge->leaves, sizeof(*merge->nodes));
	merge->marks = malloc(merge->leaves * sizeof(*merge->marks));
	if (!merge->nodes || !merge->marks) {
		ctf_merge_destroy(merge);
		return NULL;
	}
	for (size_t i = 0; i < merge->leaves; i++)
		merge->marks[i] = to_mark(CTF_MERGE_OVER, i);
	return merge;
}

void ctf_merge_destroy(struct ctf_merge *merge)
{
	if (!merge)
		return;
	free(merge->nodes);
	free(merge->marks);
	free(merge);
}

void ctf_merge_set(struct ctf_merge *merge, size_t stream, struct ctf_merge_key key)
{
	merge->marks[stream] = to_mark(key, stream);
}

/* The winner of the subtree at @node; losers stay in the nodes. */
static mark_t play(struct ctf_merge *merge, size_t node)
{
	mark_t left, right;

	if (node >= merge->leaves)
		return merge->marks[node - merge->leaves];
	left = play(merge, 2 * node);
	right = play(merge, 2 * node + 1);
	merge->nodes[node] = left < right ? right : left;
	return left < right ? left : right;
}

void ctf_merge_build(struct ctf_merge *merge)
{
	merge->nodes[0] = play(merge, 1);
}

/* Puts the smaller one into @a and the other into @b. */
static inline void sort(mark_t *a, mark_t *b)
{
	mark_t change = (*a ^ *b) & -(mark_t)(*b < *a);

	*a ^= change;
	*b ^= change;
}

long ctf_merge_first(const struct ctf_merge *merge, struct ctf_merge_key *next)
{
	mark_t winner = merge->nodes[0], best = to_mark(CTF_MERGE_OVER, 0);

	if ((uint32_t)(winner >> 32) == CTF_MERGE_OVER.rank)
		return -1;
	if (!next)
		return (long)(uint32_t)winner;
	/* The runner-up has lost to the winner itself, so it waits on the winner's way up. */
	for (size_t node = ((uint32_t)winner + merge->leaves) / 2; node; node /= 2) {
		mark_t loser = merge->nodes[node];

		sort(&best, &loser);
	}
	*next = to_key(best);
	return (long)(uint32_t)winner;
}

void ctf_merge_replace(struct ctf_merge *merge, struct ctf_merge_key key)
{
	uint32_t stream = (uint32_t)merge->nodes[0];
	mark_t winner = to_mark(key, stream);

	for (size_t node = (stream + merge->leaves) / 2; node; node /= 2)
		sort(&winner, &merge->nodes[node]);
	merge->nodes[0] = winner;
}
