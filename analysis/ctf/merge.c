// SPDX-License-Identifier: LGPL-2.1-only
/* A loser tree over the streams' keys. */
#include "analysis/ctf/merge.h"

#include <stdlib.h>

/*
 * Leaves are streams, padded to a power of two by streams that are over; inner node i holds the loser of
 * the match of its two sides, node 0 the winner of all.
 */
struct ctf_merge {
	size_t leaves;
	uint32_t *nodes;
	struct ctf_merge_key *keys;
};

struct ctf_merge *ctf_merge_create(size_t streams)
{
	struct ctf_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->leaves = 1;
	while (merge->leaves < streams)
		merge->leaves *= 2;
	merge->nodes = calloc(merge->leaves, sizeof(*merge->nodes));
	merge->keys = malloc(merge->leaves * sizeof(*merge->keys));
	if (!merge->nodes || !merge->keys) {
		ctf_merge_destroy(merge);
		return NULL;
	}
	for (size_t i = 0; i < merge->leaves; i++)
		merge->keys[i] = CTF_MERGE_OVER;
	return merge;
}

void ctf_merge_destroy(struct ctf_merge *merge)
{
	if (!merge)
		return;
	free(merge->nodes);
	free(merge->keys);
	free(merge);
}

void ctf_merge_set(struct ctf_merge *merge, size_t stream, struct ctf_merge_key key)
{
	merge->keys[stream] = key;
}

/* The winner of the subtree at @node; losers stay in the nodes. */
static uint32_t play(struct ctf_merge *merge, size_t node)
{
	uint32_t left, right;

	if (node >= merge->leaves)
		return (uint32_t)(node - merge->leaves);
	left = play(merge, 2 * node);
	right = play(merge, 2 * node + 1);
	if (ctf_merge_before(merge->keys[right], merge->keys[left])) {
		merge->nodes[node] = left;
		return right;
	}
	merge->nodes[node] = right;
	return left;
}

void ctf_merge_build(struct ctf_merge *merge)
{
	merge->nodes[0] = play(merge, 1);
}

long ctf_merge_first(const struct ctf_merge *merge, struct ctf_merge_key *next)
{
	uint32_t winner = merge->nodes[0];

	*next = CTF_MERGE_OVER;
	if (merge->keys[winner].rank == UINT32_MAX)
		return -1;
	/* The runner-up has lost to the winner itself, so it waits on the winner's way up. */
	for (size_t node = (winner + merge->leaves) / 2; node; node /= 2)
		if (ctf_merge_before(merge->keys[merge->nodes[node]], *next))
			*next = merge->keys[merge->nodes[node]];
	return (long)winner;
}

void ctf_merge_replace(struct ctf_merge *merge, struct ctf_merge_key key)
{
	uint32_t winner = merge->nodes[0];

	merge->keys[winner] = key;
	for (size_t node = (winner + merge->leaves) / 2; node; node /= 2) {
		uint32_t loser = merge->nodes[node];

		if (ctf_merge_before(merge->keys[loser], merge->keys[winner])) {
			merge->nodes[node] = winner;
			winner = loser;
		}
	}
	merge->nodes[0] = winner;
}
