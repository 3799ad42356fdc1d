// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the most recently set range that contains an address. */
#include "util/last-range.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/hash.h"

/* A range of addresses. Nodes are sorted by @mm and @first, and never overlap. */
struct mm_range_node {
	uint32_t mm, value;
	uint64_t first, last, number;
	uint32_t left, right; /* 0: none */
	uint32_t priority;    /* at least as high as the priorities of @left and @right */
	uint32_t next_free;
};

int mm_last_ranges_init(struct mm_last_ranges *ranges)
{
	struct mm_hash seeded;

	mm_hash_init(&seeded);
	*ranges = (struct mm_last_ranges){ .count = 1, .random = seeded.seed[0] | 1 };
	mm_hash_release(&seeded);
	ranges->nodes = mm_array_grow(NULL, 0, &ranges->room, sizeof(*ranges->nodes));
	return ranges->nodes ? 0 : -1;
}

void mm_last_ranges_release(struct mm_last_ranges *ranges)
{
	free(ranges->nodes);
	*ranges = (struct mm_last_ranges){ 0 };
}

/* Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t random_priority(struct mm_last_ranges *ranges)
{
	ranges->random ^= ranges->random << 13;
	ranges->random ^= ranges->random >> 7;
	ranges->random ^= ranges->random << 17;
	return (uint32_t)(ranges->random >> 32);
}

/*
 * Adds the root of a tree to the free nodes. take_node() adds the children when it reuses the root.
 */
static void free_tree(struct mm_last_ranges *ranges, uint32_t tree)
{
	if (!tree)
		return;
	ranges->nodes[tree].next_free = ranges->free;
	ranges->free = tree;
}

/* Returns an unused node, or 0 when out of memory. */
static uint32_t take_node(struct mm_last_ranges *ranges)
{
	const uint32_t node = ranges->free;
	struct mm_range_node *nodes;

	if (node) {
		ranges->free = ranges->nodes[node].next_free;
		free_tree(ranges, ranges->nodes[node].left);
		free_tree(ranges, ranges->nodes[node].right);
		return node;
	}
	nodes = ranges->count < UINT32_MAX
			? mm_array_grow(ranges->nodes, ranges->count, &ranges->room, sizeof(*nodes))
			: NULL;
	if (!nodes)
		return 0;
	ranges->nodes = nodes;
	return (uint32_t)ranges->count++;
}

static bool is_before(const struct mm_range_node *node, uint32_t mm, uint64_t at)
{
	return node->mm < mm || (node->mm == mm && node->first < at);
}

/* Splits a tree into two trees: nodes that start before @at, and all other nodes. */
static void split(struct mm_last_ranges *ranges, uint32_t tree, uint32_t mm, uint64_t at,
		  uint32_t *before, uint32_t *others)
{
	while (tree) {
		struct mm_range_node *node = &ranges->nodes[tree];

		if (is_before(node, mm, at)) {
			*before = tree;
			before = &node->right;
			tree = node->right;
		} else {
			*others = tree;
			others = &node->left;
			tree = node->left;
		}
	}
	*before = *others = 0;
}

/* Joins two trees and returns the result. All nodes of @a must be before all nodes of @b. */
static uint32_t join(struct mm_last_ranges *ranges, uint32_t a, uint32_t b)
{
	uint32_t tree, *link = &tree;

	while (a && b) {
		const bool above = ranges->nodes[a].priority > ranges->nodes[b].priority;
		uint32_t *from = above ? &a : &b;
		struct mm_range_node *node = &ranges->nodes[*from];

		*link = *from;
		link = above ? &node->right : &node->left;
		*from = *link;
	}
	*link = a ? a : b;
	return tree;
}

/* Returns the last node of a tree, or NULL. */
static struct mm_range_node *last_of(struct mm_last_ranges *ranges, uint32_t tree)
{
	while (tree && ranges->nodes[tree].right)
		tree = ranges->nodes[tree].right;
	return tree ? &ranges->nodes[tree] : NULL;
}

/* Makes @node a tree with a single node, with the values of @source. */
static uint32_t make_tree(struct mm_last_ranges *ranges, uint32_t node,
			  const struct mm_range_node *source)
{
	ranges->nodes[node] = *source;
	ranges->nodes[node].left = ranges->nodes[node].right = 0;
	ranges->nodes[node].priority = random_priority(ranges);
	return node;
}

int mm_last_ranges_set(struct mm_last_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value)
{
	const struct mm_range_node added = {
		.mm = mm, .value = value, .first = first, .last = last, .number = number
	};
	uint32_t before, covered, after, node, rest;
	struct mm_range_node *over;

	if (last >= MM_LAST_RANGE_END)
		last = MM_LAST_RANGE_END - 1;
	if (first > last)
		return 0;
	node = take_node(ranges);
	rest = node ? take_node(ranges) : 0;
	if (!rest) {
		free_tree(ranges, node);
		return -1;
	}
	split(ranges, ranges->root, mm, first, &before, &covered);
	split(ranges, covered, mm, last + 1, &covered, &after);
	/* Only one range can reach beyond @last: the last range that starts at or before @last. */
	over = last_of(ranges, covered ? covered : before);
	if (over && over->mm == mm && over->last > last) {
		struct mm_range_node tail = *over;

		tail.first = last + 1;
		after = join(ranges, make_tree(ranges, rest, &tail), after);
	} else {
		make_tree(ranges, rest, &added);
		free_tree(ranges, rest);
	}
	over = last_of(ranges, before);
	if (over && over->mm == mm && over->last >= first)
		over->last = first - 1;
	make_tree(ranges, node, &added);
	ranges->nodes[node].last = last;
	free_tree(ranges, covered);
	ranges->root = join(ranges, join(ranges, before, node), after);
	return 0;
}

static struct mm_last_range found(const struct mm_range_node *node)
{
	return (struct mm_last_range){ node->number, node->value, node->first, node->last };
}

struct mm_last_range mm_last_ranges_from(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at)
{
	const struct mm_range_node *before = NULL, *after = NULL;

	for (uint32_t tree = ranges->root; tree;) {
		const struct mm_range_node *node = &ranges->nodes[tree];

		if (is_before(node, mm, at + 1)) {
			before = node;
			tree = node->right;
		} else {
			after = node;
			tree = node->left;
		}
	}
	if (before && before->mm == mm && before->last >= at)
		return found(before);
	return after && after->mm == mm ? found(after) : (struct mm_last_range){ 0 };
}

struct mm_last_range mm_last_ranges_find(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at)
{
	const struct mm_last_range range = mm_last_ranges_from(ranges, mm, at);

	return range.number && range.first <= at ? range : (struct mm_last_range){ 0 };
}
