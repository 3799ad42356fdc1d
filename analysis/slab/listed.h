/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which accounts the figures are of: all but the recorder's, or those that match filters. While the
 * trace is read for the first time, the recorder's threads are recognized by the system information
 * and by their names; if the figures should be of other accounts at the end, the trace is read
 * again, with the accounts of the first time, whose numbers are the same.
 */
#ifndef LTTNG_MM_SLAB_LISTED_H
#define LTTNG_MM_SLAB_LISTED_H

#include "analysis/slab/state.h"

/*
 * All return 0, or -1: out of memory. Before the first operation: the recorder's threads that the
 * system information names.
 */
int slab_listed_start(struct slab_state *state);
/* The thread, by the event of its fork or exec, or by a state dump. */
int slab_listed_see(struct slab_state *state, const struct mm_event *event);
/* After slab_finish(): the accounts that a second reading leaves out; as mm_analysis.again(). */
int slab_listed_again(const struct slab_state *state, const struct mm_report_options *options,
		      uint8_t **unlisted);
/* Makes @state, which has read nothing yet, leave out what slab_listed_again() found. */
void slab_listed_take(struct slab_state *state, uint8_t *unlisted, uint32_t count);

#endif /* LTTNG_MM_SLAB_LISTED_H */
