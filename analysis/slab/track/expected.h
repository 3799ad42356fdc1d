/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The threads that are taken for the recorder's while the trace is read. Live bytes at a time and
 * their peak cannot be divided at the end, so an account is left out from its first operation on.
 * Which threads are the recorder's is certain at the end only (recorder.h): if it is other accounts
 * then, the trace is read again.
 */
#ifndef LTTNG_MM_SLAB_TRACK_EXPECTED_H
#define LTTNG_MM_SLAB_TRACK_EXPECTED_H

#include <stdbool.h>

#include "analysis/slab/account/accounts.h"
#include "util/rows.h"

/* Only of thread ids that were the recorder's at some time. */
struct slab_expected {
	struct mm_rows tids;
};

/* Return 0, or -1: out of memory. */
int slab_expected_init(struct slab_expected *expected);
void slab_expected_release(struct slab_expected *expected);
/* The thread id stands for a thread of the recorder from that time on; INT64_MAX: for others. */
int slab_expected_set(struct slab_expected *expected, uint32_t tid, int64_t since_ns);
bool slab_expected_has(const struct slab_expected *expected, uint32_t tid, int64_t time_ns);

/* slab_accounts.leaves_out, whose user is the threads. */
enum slab_left_out slab_expected_leaves_out(const void *expected, uint32_t number,
					    const struct slab_op *op);

#endif /* LTTNG_MM_SLAB_TRACK_EXPECTED_H */
