/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds at the end which accounts belong to the processes that recorded the trace. */
#ifndef LTTNG_MM_SLAB_TRACK_RECORDER_H
#define LTTNG_MM_SLAB_TRACK_RECORDER_H

#include "analysis/slab/decode/threads.h"
#include "analysis/slab/track/pairing.h"

/*
 * Accounts and threads of the recorder. If the recorder is unknown, all members are 0, and no
 * account counts as the recorder's.
 */
struct slab_recorder {
	bool *accounts; /* indexed by account: is it an account of the recorder? NULL: unknown */
	struct mm_rows users;
	const struct slab_threads *threads;
	int64_t boot_ns; /* time at which the clock of the trace was 0 */
};

/*
 * Finds the recorder's accounts. @recorder must be all zeros. If @is_known is true, the recorder's
 * accounts are those that were omitted as SLAB_OMITTED_RECORDER. Returns 0, or -1 when out of
 * memory.
 */
int slab_recorder_find(struct slab_recorder *recorder, const struct slab_accounts *accounts,
		       const struct slab_threads *threads, int64_t boot_ns, bool is_known);
void slab_recorder_release(struct slab_recorder *recorder);
bool slab_recorder_is_known(const struct slab_recorder *recorder);
bool slab_recorder_is_account(const struct slab_recorder *recorder, uint32_t account);
/* Did the recorder have this thread id at @first_ns? */
bool slab_recorder_did(const struct slab_recorder *recorder, uint32_t tid, int64_t first_ns);
/* Did only the recorder have this thread id? */
bool slab_recorder_is_thread(const struct slab_recorder *recorder, uint32_t tid);

#endif /* LTTNG_MM_SLAB_TRACK_RECORDER_H */
