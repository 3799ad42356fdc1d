/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports pauses of the recording to a consumer, as losses of the streams that they concern. */
#ifndef LTTNG_MM_COVERAGE_PAUSES_H
#define LTTNG_MM_COVERAGE_PAUSES_H

#include "reader/coverage/missing.h"

/*
 * Between a source and its consumer. A pause is in no packet, so no reader finds it among them:
 * before the first event after its start, the consumer receives a loss of each stream.
 */
struct mm_pauses {
	struct mm_source *source;
	const struct mm_handler *consumer;
	struct mm_handler handler; /* hands everything on */
	size_t next;		   /* the first pause that is not reported */
	size_t *losses;		   /* the loss record of each; SIZE_MAX: its stream has none */
};

/*
 * Returns the handler that a source has to use in place of @consumer: that one if
 * source->missing, which must be there, has no pauses. Both must outlive the use.
 */
const struct mm_handler *mm_pauses_begin(struct mm_pauses *pauses, struct mm_source *source,
					 const struct mm_handler *consumer);
/* After the last event: reports what is left. Returns 0, or -1 with @err set. */
int mm_pauses_end(struct mm_pauses *pauses, struct mm_error *err);
/* May be called at any time. */
void mm_pauses_release(struct mm_pauses *pauses);

#endif /* LTTNG_MM_COVERAGE_PAUSES_H */
