/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts allocations and frees on a CPU whose NUMA node differs from the node of the memory.
 *
 * Each event compares the node of its CPU with the node of the memory at its address. Storing the
 * node of each object would cost more than the rest of the analysis. Counting starts when the state
 * dump has listed the nodes of memory and CPUs. If other events come first, @late is set.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H
#define LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H

#include "analysis/slab/decode/nodes.h"
#include "util/rows.h"

/* NUMA node of the memory, relative to the node of the CPU. */
enum slab_node_relation { SLAB_NODE_SAME, SLAB_NODE_OTHER, SLAB_NODE_UNDETERMINED };

/* Cross-node allocations and frees of one call site and kind. */
struct slab_cross {
	struct mm_row row; /* code, kind */
	uint64_t counts[2];
};

struct slab_cross_node {
	const struct slab_nodes *nodes; /* NULL: counting has not started */
	struct mm_rows rows;		/* struct slab_cross */
	/*
	 * Counts of events. The first index is 1 for frees and 0 for allocations, the second is 1
	 * for pages and 0 for objects, and the third is an enum slab_node_relation.
	 */
	uint64_t counts[2][2][3];
	bool late; /* some events came before the start of counting, so the counts lack them */
};

/* Starts counting; nodes and CPUs must be known. Returns 0, or -1 when out of memory. */
int slab_cross_node_start(struct slab_cross_node *cross_node, const struct slab_nodes *nodes);
void slab_cross_node_release(struct slab_cross_node *cross_node);
/*
 * Counts @op on an object that @owner allocated. Counting must have started. Returns 0, or -1 when
 * out of memory.
 */
int slab_cross_node_tally(struct slab_cross_node *cross_node, const struct slab_op *op,
			  const union slab_accounting_key *owner);

#endif /* LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H */
