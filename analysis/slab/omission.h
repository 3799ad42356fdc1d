/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which accounts the figures are of: all but the recorder's, or those that match filters. Live
 * bytes at a time and their peak cannot be divided at the end, so an account is left out from its
 * first operation on. The recorder's threads are known before; which accounts match filters is
 * known at the end only, so that the trace is read again then, with the accounts of the first time,
 * whose numbers are the same.
 */
#ifndef LTTNG_MM_SLAB_OMISSION_H
#define LTTNG_MM_SLAB_OMISSION_H

#include "analysis/slab/state.h"

/* Before the first operation. */
void slab_omission_start(struct slab_state *state);
/*
 * After slab_finish(): the accounts that a second reading leaves out; as mm_analysis.again().
 * Returns 0, or -1: out of memory.
 */
int slab_omission_find(const struct slab_state *state, const struct slab_options *options,
		       uint8_t **omissions);
/* Makes @state, which has read nothing yet, leave out what slab_listed_again() found. */
void slab_omission_set(struct slab_state *state, uint8_t *omissions, uint32_t count);

#endif /* LTTNG_MM_SLAB_OMISSION_H */
