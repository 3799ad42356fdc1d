/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the processes that recorded the trace allocated themselves: which accounts are theirs, and
 * their part of each call site.
 */
#ifndef LTTNG_MM_SLAB_TRACK_RECORDER_H
#define LTTNG_MM_SLAB_TRACK_RECORDER_H

#include "analysis/slab/decode/threads.h"
#include "analysis/slab/track/pairing.h"

/* All zeros where nobody knows who recorded: then nothing is the recorder's. */
struct slab_recorder {
	bool *accounts;		 /* by number: is it the recorder's? NULL: not known */
	struct slab_site *sites; /* by number: the recorder's part; without peaks */
	struct mm_rows users;
	uint32_t site_count;
	const struct slab_threads *threads;
	int64_t boot_ns; /* what the trace's clock counts from */
};

/*
 * Takes the accounts for which @is is true, in place of the recorder's, with their part of each
 * call site. @recorder is all zeros before. -1: out of memory.
 */
int slab_recorder_take(struct slab_recorder *recorder, const struct slab_pairing *pairing,
		       bool (*is)(const void *user, uint32_t account), const void *user);
/* When the pairing has been judged. -1: out of memory. */
int slab_recorder_find(struct slab_recorder *recorder, const struct slab_pairing *pairing,
		       const struct slab_threads *threads, int64_t boot_ns);
void slab_recorder_release(struct slab_recorder *recorder);
bool slab_recorder_is_known(const struct slab_recorder *recorder);
bool slab_recorder_is_account(const struct slab_recorder *recorder, uint32_t account);
/*
 * Is the recorder who did something as the thread at that time, and maybe more of the kind later?
 */
bool slab_recorder_did(const struct slab_recorder *recorder, uint32_t tid, int64_t first_ns);
/* Is all that the thread did the recorder's? */
bool slab_recorder_is_thread(const struct slab_recorder *recorder, uint32_t tid);
/* The recorder's part of a call site, NULL: nobody knows. */
const struct slab_site *slab_recorder_site(const struct slab_recorder *recorder, uint32_t number);

#endif /* LTTNG_MM_SLAB_TRACK_RECORDER_H */
