// SPDX-License-Identifier: LGPL-2.1-only
/* Collects NUMA nodes from the state dump. */
#include "analysis/slab/decode/nodes.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SHIFT 12u

static unsigned int page_shift(const struct slab_nodes *nodes)
{
	return nodes->page_shift ? nodes->page_shift : PAGE_SHIFT;
}

unsigned int slab_page_scale(const struct slab_nodes *nodes)
{
	return page_shift(nodes) - PAGE_SHIFT;
}

/* Returns the index of the first node with a page frame in [@pfn, @pfn + @count). */
static int find_node(const struct slab_nodes *nodes, uint64_t pfn, uint64_t count)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		if (pfn + count > nodes->all[i].pfn_start && pfn < nodes->all[i].pfn_end)
			return (int)i;
	return SLAB_NODE_UNKNOWN;
}

int32_t slab_section_node(const struct slab_nodes *nodes, uint32_t section, bool pages)
{
	unsigned int shift =
		pages ? SLAB_SECTION_PAGES_SHIFT : SLAB_SECTION_SHIFT - page_shift(nodes);
	int node = find_node(nodes, (uint64_t)section << shift, 1ull << shift);

	return node < 0 ? -1 : nodes->all[node].node;
}

static int node_index(const struct slab_nodes *nodes, int32_t node)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		if (nodes->all[i].node == node)
			return (int)i;
	return SLAB_NODE_UNKNOWN;
}

/*
 * Assigns the sections in the range of page frames to the node, if they have no node yet. A section
 * with memory of several nodes therefore belongs to the first node.
 */
static void mark_sections(struct slab_nodes *nodes, int index, uint64_t pfn_start, uint64_t pfn_end)
{
	unsigned int shift = SLAB_SECTION_SHIFT - page_shift(nodes);
	struct slab_node_map *map = nodes->map;

	for (uint64_t i = pfn_start >> shift;
	     i < SLAB_PLACES_MAX && i << shift < pfn_end && pfn_start < pfn_end; i++)
		if (map->sections[i] == SLAB_NODE_UNKNOWN)
			map->sections[i] = (int16_t)index;
}

static void mark_cpus(struct slab_nodes *nodes, int index)
{
	for (uint32_t i = 0; i < SLAB_CPU_MAX; i++)
		if (nodes->cpu_nodes[i] == nodes->all[index].node)
			nodes->map->cpus[i] = (int16_t)index;
}

bool slab_nodes_are_several(const struct slab_nodes *nodes)
{
	for (uint32_t i = 1; i < nodes->count; i++)
		if (nodes->all[i].node != nodes->all[0].node)
			return true;
	return false;
}

/*
 * Makes the map when several nodes and their CPUs are known. Returns 0, or -1 when out of memory.
 */
static int make_map(struct slab_nodes *nodes)
{
	struct slab_node_map *map;

	if (nodes->map || !slab_nodes_are_several(nodes) || !nodes->cpu_nodes)
		return 0;
	map = malloc(sizeof(*map));
	if (!map)
		return -1;
	/* SLAB_NODE_UNKNOWN has all bits set. */
	memset(map->sections, 0xff, sizeof(map->sections));
	memset(map->cpus, 0xff, sizeof(map->cpus));
	nodes->map = map;
	for (uint32_t i = 0; i < nodes->count; i++) {
		const struct slab_node *node = &nodes->all[i];
		int index = node_index(nodes, node->node);

		mark_sections(nodes, index, node->pfn_start, node->pfn_end);
		mark_cpus(nodes, index);
	}
	return 0;
}

void slab_set_page_size(struct slab_nodes *nodes, uint64_t size)
{
	if (size >= 1u << PAGE_SHIFT && size <= 1u << 20 && !(size & (size - 1)))
		nodes->page_shift = (unsigned int)__builtin_ctzll(size);
}

/*
 * Finds a range that can be extended by the range @node: a range of the same NUMA node that is
 * empty, or overlaps or adjoins @node. Returns NULL if there is none.
 */
static struct slab_node *find_range(struct slab_nodes *nodes, const struct slab_node *node)
{
	for (uint32_t i = 0; i < nodes->count; i++) {
		struct slab_node *range = &nodes->all[i];

		if (range->node == node->node &&
		    (!range->pfn_end ||
		     (node->pfn_start <= range->pfn_end && range->pfn_start <= node->pfn_end)))
			return range;
	}
	return NULL;
}

/* Extends a range. Later state dumps repeat or extend ranges. */
static void extend(struct slab_nodes *nodes, struct slab_node *range, const struct slab_node *node)
{
	const struct slab_node before = *range;

	if (!before.pfn_end || node->pfn_start < before.pfn_start)
		range->pfn_start = node->pfn_start;
	if (node->pfn_end > before.pfn_end)
		range->pfn_end = node->pfn_end;
	if (!nodes->map)
		return;
	mark_sections(nodes, node_index(nodes, node->node), range->pfn_start,
		      before.pfn_end ? before.pfn_start : range->pfn_end);
	mark_sections(nodes, node_index(nodes, node->node), before.pfn_end, range->pfn_end);
}

/*
 * Adds a range. The index of a node is the index of its first range. Further ranges of a node may
 * use only the first half of the array, so that there is room for the first range of every node.
 */
static int add_range(struct slab_nodes *nodes, const struct slab_node *node)
{
	int index = node_index(nodes, node->node);

	if (nodes->count >= (index < 0 ? SLAB_RANGES_OF_NODES : SLAB_NODES_MAX))
		return 0;
	nodes->all[nodes->count++] = *node;
	if (nodes->map) {
		index = node_index(nodes, node->node);
		mark_sections(nodes, index, node->pfn_start, node->pfn_end);
		mark_cpus(nodes, index);
	}
	return make_map(nodes);
}

int slab_nodes_dump(struct slab_nodes *nodes, const struct mm_event *event)
{
	enum { NODE, START, END };
	const union mm_scalar *f = event->fields;
	struct slab_node node = { (int32_t)f[NODE].i, f[START].u, f[END].u }, *range;

	if (!nodes->count)
		slab_set_page_size(nodes, f[SLAB_DUMP_PAGE_SIZE].u);
	if (node.pfn_start >= node.pfn_end) {
		/* A node without memory gets an empty range, so that the node is known. */
		if (node_index(nodes, node.node) != SLAB_NODE_UNKNOWN)
			return 0;
		node.pfn_start = node.pfn_end = 0;
	}
	range = find_range(nodes, &node);
	if (!range)
		return add_range(nodes, &node);
	extend(nodes, range, &node);
	return 0;
}

int slab_nodes_dump_cpu(struct slab_nodes *nodes, const struct mm_event *event)
{
	enum { CPU, NODE };
	const union mm_scalar *f = event->fields;
	int32_t node = (int32_t)f[NODE].i;

	if (f[CPU].u >= SLAB_CPU_MAX)
		return 0;
	if (!nodes->cpu_nodes) {
		nodes->cpu_nodes = malloc(SLAB_CPU_MAX * sizeof(*nodes->cpu_nodes));
		if (!nodes->cpu_nodes)
			return -1;
		for (uint32_t i = 0; i < SLAB_CPU_MAX; i++)
			nodes->cpu_nodes[i] = SLAB_NODE_UNKNOWN;
	}
	nodes->cpu_nodes[f[CPU].u] = node;
	if (nodes->map)
		nodes->map->cpus[f[CPU].u] = (int16_t)node_index(nodes, node);
	return make_map(nodes);
}

void slab_nodes_release(struct slab_nodes *nodes)
{
	free(nodes->map);
	free(nodes->cpu_nodes);
}

uint64_t slab_nodes_section(const struct slab_nodes *nodes, uint64_t address)
{
	return address & SLAB_ADDRESS_PAGE
		       ? (address & ~SLAB_ADDRESS_PAGE) >> (SLAB_SECTION_SHIFT - page_shift(nodes))
		       : address >> SLAB_SECTION_SHIFT;
}
