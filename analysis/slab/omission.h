/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Accounts that the figures omit: the recorder's, and accounts that filters exclude.
 *
 * Live bytes over time and their peak cannot be split at the end, so an account is omitted from its
 * first operation on. The recorder's threads are known before the reading starts. The accounts that
 * match filters are known only at the end, so filters require a second reading of the trace.
 * Accounts get the same numbers in both readings.
 */
#ifndef LTTNG_MM_SLAB_OMISSION_H
#define LTTNG_MM_SLAB_OMISSION_H

#include "analysis/slab/state.h"

/* To be called before the first operation. */
void slab_omission_start(struct slab_state *state);
/*
 * To be called after slab_finish(). If a second reading is needed, sets *@omissions to an array for
 * that reading (enum slab_omission, indexed by account), to be released with free(). Otherwise,
 * sets *@omissions to NULL. Returns 0, or -1: out of memory.
 */
int slab_omission_find(const struct slab_state *state, const struct slab_options *options,
		       uint8_t **omissions);
/* Makes @state, which has not read events yet, omit accounts. Takes ownership of @omissions. */
void slab_omission_set(struct slab_state *state, uint8_t *omissions, uint32_t count);

#endif /* LTTNG_MM_SLAB_OMISSION_H */
