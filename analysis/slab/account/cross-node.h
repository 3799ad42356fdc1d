/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Objects that are allocated or freed on a CPU of another node than their memory's.
 *
 * This is determined event by event, as storing the place of each would cost more than all the
 * rest. Counting therefore starts when nodes and CPUs are known, which a recorder's state dump
 * reports first.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H
#define LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H

#include "analysis/slab/decode/nodes.h"
#include "util/rows.h"

/* The node of memory, relative to that of a CPU. */
enum slab_node_relation { SLAB_NODE_SAME, SLAB_NODE_OTHER, SLAB_NODE_UNDETERMINED };

/* Allocations and frees of one call site and kind on a CPU of another node. */
struct slab_cross {
	struct mm_row row; /* code, kind */
	uint64_t counts[2];
};

struct slab_cross_node {
	const struct slab_nodes *nodes; /* NULL: nothing is counted yet */
	struct mm_rows rows;		/* slab_cross */
	/*
	 * Allocations and frees: of objects, of pages; on the memory's node, on another one, on an
	 * unknown one.
	 */
	uint64_t counts[2][2][3];
	bool late; /* nodes became known after events that should be counted by node */
};

/* Nodes and CPUs are known from now on. Return 0, or -1: out of memory. */
int slab_cross_node_start(struct slab_cross_node *cross_node, const struct slab_nodes *nodes);
void slab_cross_node_release(struct slab_cross_node *cross_node);
/* @op, on an object that @owner allocated. Once started only. */
int slab_cross_node_tally(struct slab_cross_node *cross_node, const struct slab_op *op,
			  const union slab_accounting_key *owner);

#endif /* LTTNG_MM_SLAB_ACCOUNT_CROSS_NODE_H */
