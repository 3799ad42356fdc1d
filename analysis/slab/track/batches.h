/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Batches of operations: the tracker processes them at once, or on a separate thread while the next
 * ones are filled. Functions that return int return 0, or -1: it is, or was, out of memory.
 */
#ifndef LTTNG_MM_SLAB_TRACK_BATCHES_H
#define LTTNG_MM_SLAB_TRACK_BATCHES_H

#include "analysis/slab/track/tracker.h"
#include "reader/events/source.h"

struct slab_batches {
	struct slab_op *next, *full; /* where the next operation goes, and the end of the room */
	struct slab_batch *batch;    /* being filled: its count is set when it is passed on */
	struct slab_tracker *tracker;
	const struct mm_source *source; /* of the operations; NULL: not known */
	/* When all streams had started, as far as the source has noticed; that is final if ... */
	int64_t begin_ns;
	uint64_t starts_noticed; /* ... the source's count is still this one */
	struct slab_work *work;	 /* of the thread that processes batches; NULL: there is none */
	bool any_passed;	 /* with that thread: a batch has been passed on */
	bool was_short; /* without that thread: it was out of memory, and operations were skipped */
	char apart[64]; /* separates members that another thread writes: no shared cache lines */
};

int slab_batches_init(struct slab_batches *batches, struct slab_tracker *tracker);
/* Before the first operation that has a time. @source may be NULL: then when streams start is not
 * known. */
int slab_batches_start(struct slab_batches *batches, const struct mm_source *source, bool thread);
/* batches->batch is full; continues with another one. */
int slab_batches_pass(struct slab_batches *batches);
/*
 * When it returns, the tracker has processed all batches that were passed on, and batches->batch.
 */
int slab_batches_drain(struct slab_batches *batches);
void slab_batches_stop(struct slab_batches *batches);

/* The operation at batches->next is filled. */
static inline int slab_batches_push(struct slab_batches *batches)
{
	slab_op_locate(&batches->tracker->pairing, batches->next);
	return ++batches->next == batches->full ? slab_batches_pass(batches) : 0;
}

#endif /* LTTNG_MM_SLAB_TRACK_BATCHES_H */
