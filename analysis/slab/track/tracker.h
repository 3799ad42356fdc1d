/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Processes operations in their order: pairs them, and counts them in all accounts. The fast path
 * (fast-path.c) and the general path (general-path.c) have the same effects.
 */
#ifndef LTTNG_MM_SLAB_TRACK_TRACKER_H
#define LTTNG_MM_SLAB_TRACK_TRACKER_H

#include "analysis/slab/account/cross-node.h"
#include "analysis/slab/account/live.h"
#include "analysis/slab/account/remote.h"
#include "analysis/slab/account/tallies.h"
#include "analysis/slab/account/waste.h"
#include "analysis/slab/track/pairing.h"

struct slab_tracker {
	struct slab_pairing pairing;
	struct slab_live live;
	struct slab_tallies tallies;
	struct slab_remote remote;
	struct slab_cross_node cross_node;
	struct slab_waste waste;
	int64_t last_ns;       /* time of the last operation */
	uint64_t general_path; /* number of operations on the general path */
};

#define SLAB_BATCH 1024u

/* Operations that are processed together. */
struct slab_batch {
	struct slab_op ops[SLAB_BATCH];
	unsigned int count;
	int64_t begin_ns; /* latest stream start before the end of the batch */
};

/* Functions of type int return 0, or -1 when out of memory. The tracker must be all zeros. */
int slab_tracker_init(struct slab_tracker *tracker);
void slab_tracker_release(struct slab_tracker *tracker);

/* fast-path.c: processes the operations of @batch, and empties it. */
int slab_tracker_process(struct slab_tracker *tracker, struct slab_batch *batch);
/* general-path.c: processes any operation. Call slab_live_see_time() first. */
int slab_tracker_process_any(struct slab_tracker *tracker, const struct slab_op *op,
			     struct slab_hint *hint);

/* Counts the memory section and node of an allocation that is not omitted. */
static inline int slab_tracker_count_place(struct slab_tracker *tracker, const struct slab_op *op)
{
	return slab_tallies_section(&tracker->tallies, op) ||
	       (tracker->cross_node.nodes &&
		slab_cross_node_tally(&tracker->cross_node, op, &op->key));
}

/* Counts @op, which frees an object of @owner. Do not call this for omitted objects. */
static inline int slab_tracker_count_pair(struct slab_tracker *tracker, const struct slab_op *op,
					  const union slab_accounting_key *owner)
{
	if (tracker->cross_node.nodes && slab_cross_node_tally(&tracker->cross_node, op, owner))
		return -1;
	return slab_remote_pair(&tracker->remote, owner, &op->key);
}

#endif /* LTTNG_MM_SLAB_TRACK_TRACKER_H */
