/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The processes that recorded the trace: which accounts are theirs, as known at the end of the
 * trace.
 */
#ifndef LTTNG_MM_SLAB_TRACK_RECORDER_H
#define LTTNG_MM_SLAB_TRACK_RECORDER_H

#include "analysis/slab/decode/threads.h"
#include "analysis/slab/track/pairing.h"

/* All zeros where nobody knows who recorded: then nothing is the recorder's. */
struct slab_recorder {
	bool *accounts; /* by number: is it the recorder's? NULL: not known */
	struct mm_rows users;
	const struct slab_threads *threads;
	int64_t boot_ns; /* what the trace's clock counts from */
};

/*
 * Finds the recorder's accounts. @recorder is all zeros before. @is_known: they are those that were
 * left out as the recorder's. -1: out of memory.
 */
int slab_recorder_find(struct slab_recorder *recorder, const struct slab_accounts *accounts,
		       const struct slab_threads *threads, int64_t boot_ns, bool is_known);
void slab_recorder_release(struct slab_recorder *recorder);
bool slab_recorder_is_known(const struct slab_recorder *recorder);
bool slab_recorder_is_account(const struct slab_recorder *recorder, uint32_t account);
/*
 * Is the recorder who did something as the thread at that time, and maybe more of the kind later?
 */
bool slab_recorder_did(const struct slab_recorder *recorder, uint32_t tid, int64_t first_ns);
/* Is all that the thread did the recorder's? */
bool slab_recorder_is_thread(const struct slab_recorder *recorder, uint32_t tid);

#endif /* LTTNG_MM_SLAB_TRACK_RECORDER_H */
