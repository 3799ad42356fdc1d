/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * When events may be missing, so that a consumer knows what it must not conclude from there being
 * none.
 */
#ifndef LTTNG_MM_TRACE_LOSS_TIMES_H
#define LTTNG_MM_TRACE_LOSS_TIMES_H

#include "analysis/trace/source.h"

/* More than one event is missing, or nobody counted them. */
#define MM_EVENTS_WITHOUT_COUNT UINT64_MAX

/*
 * The losses that began by a time, as far as it matters how long ago a missing event can be at
 * most.
 */
struct mm_loss_reach {
	bool any;
	int64_t one_ns; /* at this time one event or more may be missing, later none is */
	int64_t two_ns; /* at this time or later two events or more may be missing */
};

/*
 * The losses reported so far. A source reports a loss as soon as it has handed out all events up to
 * its start: so whatever concerns a time up to the last event handed out is known.
 * mm_loss_times_init() makes it none.
 *
 * A time that is asked about ends at the last event handed out or later, and a loss reported by
 * then began before it, but for those that begin with that very event. So what is missing of it
 * depends only on how late the losses end, and neither memory nor the time of a question grows with
 * the number of losses. Where timestamps go backwards, more may be taken for missing.
 */
struct mm_loss_times {
	struct mm_loss_reach settled; /* losses that began before those of @latest */
	struct mm_loss_reach latest;  /* losses that began at @latest_since_ns */
	int64_t latest_since_ns;
	int64_t ends_since_ns; /* from then on a stream has nothing more; INT64_MAX: all have */
	/*
	 * Streams that have nothing up to a time: the times that no question has reached yet, and
	 * the first of them.
	 */
	int64_t *starts;
	size_t start_count, start_room;
	int64_t start_ns; /* INT64_MAX: none are */
	bool any;
};

/* What may be missing of a time. */
struct mm_missed {
	/* of streams that have events before and after: 0, 1 or MM_EVENTS_WITHOUT_COUNT */
	uint64_t events;
	bool absent; /* all of another stream */
};

void mm_loss_times_init(struct mm_loss_times *times);
void mm_loss_times_release(struct mm_loss_times *times);

/* Notes what mm_handler.lost() got. Returns 0, or -1: out of memory. */
int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns);

/* For mm_missed_between(): there were losses. */
struct mm_missed mm_loss_times_find(struct mm_loss_times *times, int64_t begin_ns, int64_t end_ns);

/*
 * What may be missing between the events at @begin_ns and @end_ns; no event after @end_ns has been
 * handed out. A stream that begins or ends in between counts as one that lost events.
 */
static inline struct mm_missed mm_missed_between(struct mm_loss_times *times, int64_t begin_ns,
						 int64_t end_ns)
{
	if (!times->any)
		return (struct mm_missed){ 0, false };
	return mm_loss_times_find(times, begin_ns, end_ns);
}

static inline bool mm_missed_any(struct mm_missed missed)
{
	return missed.events || missed.absent;
}

#endif /* LTTNG_MM_TRACE_LOSS_TIMES_H */
