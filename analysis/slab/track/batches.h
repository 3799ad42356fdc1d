/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Batches of operations. The tracker processes each batch immediately, or on a separate thread
 * while the reader fills the next batch. Functions that return int return 0, or -1 when out of
 * memory.
 */
#ifndef LTTNG_MM_SLAB_TRACK_BATCHES_H
#define LTTNG_MM_SLAB_TRACK_BATCHES_H

#include "analysis/slab/track/tracker.h"
#include "reader/events/source.h"

struct slab_batches {
	struct slab_op *next, *full; /* where the next operation is written; end of the batch */
	/* the batch that is being filled; its count is set when the batch is passed on */
	struct slab_batch *batch;
	struct slab_tracker *tracker;
	const struct mm_source *source; /* source of the operations, or NULL */
	/* the latest stream start that the source has noticed */
	int64_t begin_ns;
	/* number of stream starts that the source had noticed when @begin_ns was set */
	uint64_t starts_noticed;
	struct slab_work *work; /* the thread that processes batches; NULL: none */
	bool any_passed;	/* used with a thread: at least one batch was passed on */
	/* used without a thread: memory ran out, so operations were skipped */
	bool was_short;
	/* separates these members from the cache lines that other threads use */
	char apart[64];
};

int slab_batches_init(struct slab_batches *batches, struct slab_tracker *tracker);
/*
 * Starts the processing. Call this before the first operation that has a time. Without @source, the
 * starts of streams are unknown.
 */
int slab_batches_start(struct slab_batches *batches, const struct mm_source *source, bool thread);
/* Passes batches->batch on to the tracker, and continues with an empty batch. */
int slab_batches_pass(struct slab_batches *batches);
/* Waits until the tracker has processed all operations, including batches->batch. */
int slab_batches_drain(struct slab_batches *batches);
void slab_batches_stop(struct slab_batches *batches);

/* Adds the operation that was filled in at batches->next. */
static inline int slab_batches_push(struct slab_batches *batches)
{
	slab_op_locate(&batches->tracker->pairing, batches->next);
	return ++batches->next == batches->full ? slab_batches_pass(batches) : 0;
}

#endif /* LTTNG_MM_SLAB_TRACK_BATCHES_H */
