// SPDX-License-Identifier: LGPL-2.1-only
/* Counts allocations and frees across NUMA nodes. */
#include "analysis/slab/account/cross-node.h"

#define CROSS_MAX (1u << 20)

int slab_cross_node_start(struct slab_cross_node *cross_node, const struct slab_nodes *nodes)
{
	if (mm_rows_init(&cross_node->rows, sizeof(struct slab_cross), CROSS_MAX, 8))
		return -1;
	cross_node->nodes = nodes;
	return 0;
}

void slab_cross_node_release(struct slab_cross_node *cross_node)
{
	mm_rows_release(&cross_node->rows);
}

int slab_cross_node_tally(struct slab_cross_node *cross_node, const struct slab_op *op,
			  const union slab_accounting_key *owner)
{
	const struct slab_node_map *map = cross_node->nodes->map;
	bool pages = op->address & SLAB_ADDRESS_PAGE, frees = slab_op_is_free(op);
	uint64_t section = slab_nodes_section(cross_node->nodes, op->address);
	int memory = SLAB_NODE_UNKNOWN, cpu = map->cpus[op->key.cpu];
	struct slab_cross *cross;

	if (section < SLAB_PLACES_MAX)
		memory = map->sections[section];
	cross_node->counts[frees][pages][memory < 0 || cpu < 0 ? SLAB_NODE_UNDETERMINED
					 : memory == cpu       ? SLAB_NODE_SAME
							       : SLAB_NODE_OTHER]++;
	if (memory < 0 || cpu < 0 || memory == cpu)
		return 0;
	cross = mm_rows_get(&cross_node->rows, owner->code, owner->kind);
	if (!cross)
		return -1;
	cross->counts[frees]++;
	return 0;
}
