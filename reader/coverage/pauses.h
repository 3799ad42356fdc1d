/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports pauses of the recording to a consumer, as losses of the paused streams. */
#ifndef LTTNG_MM_COVERAGE_PAUSES_H
#define LTTNG_MM_COVERAGE_PAUSES_H

#include "reader/coverage/missing.h"

/*
 * Stands between a source and its consumer, and reports pauses. Before the first event after the
 * start of a pause, the consumer receives a loss of the paused stream.
 */
struct mm_pauses {
	struct mm_source *source;
	const struct mm_handler *consumer;
	struct mm_handler handler; /* forwards everything to @consumer */
	size_t next;		   /* index of the first pause that was not reported yet */
	/* for each pause: index of the stream's loss record; SIZE_MAX: none */
	size_t *losses;
};

/*
 * Returns the handler to use in place of @consumer. Returns @consumer itself if source->missing,
 * which must exist, has no pauses. @source and @consumer must outlive @pauses.
 */
const struct mm_handler *mm_pauses_begin(struct mm_pauses *pauses, struct mm_source *source,
					 const struct mm_handler *consumer);
/* Reports the remaining pauses after the last event. Returns 0, or -1 with @err set. */
int mm_pauses_end(struct mm_pauses *pauses, struct mm_error *err);
/* May be called at any time. */
void mm_pauses_release(struct mm_pauses *pauses);

#endif /* LTTNG_MM_COVERAGE_PAUSES_H */
