/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Accounts that the figures omit: the recorder's, and accounts that filters exclude.
 *
 * Live bytes over time and their peak cannot be split at the end, so an account must be omitted
 * from its first operation on. The recorder's threads are known before the first event. Whether an
 * account matches the filters is known only at the end, so filters need a second reading of the
 * trace. Accounts have the same numbers in both readings.
 */
#ifndef LTTNG_MM_SLAB_OMISSION_H
#define LTTNG_MM_SLAB_OMISSION_H

#include "analysis/slab/state.h"

/* Starts omitting accounts. Call it before the first operation. */
void slab_omission_start(struct slab_state *state);
/*
 * Call this after slab_finish(). If a second reading is needed, *@omissions receives an array for
 * that reading (enum slab_omission by account). Release the array with free(). Otherwise,
 * *@omissions is NULL. Returns 0, or -1 when out of memory.
 */
int slab_omission_find(const struct slab_state *state, const struct slab_options *options,
		       uint8_t **omissions);
/*
 * Makes @state, which must not have read events yet, omit accounts. Takes ownership of @omissions.
 */
void slab_omission_set(struct slab_state *state, uint8_t *omissions, uint32_t count);

#endif /* LTTNG_MM_SLAB_OMISSION_H */
