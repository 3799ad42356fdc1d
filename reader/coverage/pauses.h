/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports pauses of the recording to a consumer, as losses of the paused streams. */
#ifndef LTTNG_MM_COVERAGE_PAUSES_H
#define LTTNG_MM_COVERAGE_PAUSES_H

#include "reader/coverage/missing.h"

/*
 * Stands between a source and its consumer, and inserts pauses, which packets do not show: before
 * the first event after the start of a pause, the consumer receives a loss of the paused stream.
 */
struct mm_pauses {
	struct mm_source *source;
	const struct mm_handler *consumer;
	struct mm_handler handler; /* passes everything on to @consumer */
	size_t next;		   /* number of the first pause that was not reported yet */
	/* number of the loss record of each pause; SIZE_MAX: the stream has no record */
	size_t *losses;
};

/*
 * Returns the handler to be used in place of @consumer; @consumer itself if source->missing, which
 * must exist, has no pauses. @source and @consumer must outlive @pauses.
 */
const struct mm_handler *mm_pauses_begin(struct mm_pauses *pauses, struct mm_source *source,
					 const struct mm_handler *consumer);
/* Reports the remaining pauses after the last event. Returns 0, or -1 with @err set. */
int mm_pauses_end(struct mm_pauses *pauses, struct mm_error *err);
/* May be called at any time. */
void mm_pauses_release(struct mm_pauses *pauses);

#endif /* LTTNG_MM_COVERAGE_PAUSES_H */
