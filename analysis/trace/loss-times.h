/* SPDX-License-Identifier: LGPL-2.1-only */
/* When events may be missing, so that a consumer knows what it must not conclude from there being none. */
#ifndef LTTNG_MM_TRACE_LOSS_TIMES_H
#define LTTNG_MM_TRACE_LOSS_TIMES_H

#include "analysis/trace/source.h"

/* So many events are missing that nobody counted them. */
#define MM_EVENTS_UNCOUNTED UINT64_MAX

struct mm_loss_time {
	int64_t since_ns, until_ns;
	int64_t most_until_ns;	/* of this one and of all before it */
	uint64_t events;	/* missing in between; MM_EVENTS_UNCOUNTED */
};

/*
 * The losses reported so far. A source reports a loss as soon as it has handed out all events up to its start: so
 * whatever concerns a time up to the last event handed out is known. Zeroed: none.
 */
struct mm_loss_times {
	/* From a time on nothing of a stream is there, or up to a time, or at all: few. */
	struct mm_loss_time *absences;
	size_t absence_count, absence_room;
	struct mm_loss_time *gaps;	/* the others, in the order in which they were reported */
	size_t gap_count, gap_room;
};

/* What may be missing of a time. */
struct mm_missed {
	uint64_t events;	/* at most so many of streams that have events before and after; MM_EVENTS_UNCOUNTED */
	bool absent;		/* all of another stream */
};

void mm_loss_times_release(struct mm_loss_times *times);

/* Notes what mm_handler.lost() got. Returns 0, or -1: out of memory. */
int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns);

/* For mm_missed_between(): there were losses. */
struct mm_missed mm_loss_times_find(const struct mm_loss_times *times, int64_t begin_ns,
				    int64_t end_ns);

/*
 * What may be missing between the events at @begin_ns and @end_ns, which is not after the last event handed out.
 * A stream that begins or ends in between counts as one that lost events.
 */
static inline struct mm_missed mm_missed_between(const struct mm_loss_times *times,
						 int64_t begin_ns, int64_t end_ns)
{
	if (!times->absence_count && !times->gap_count)
		return (struct mm_missed){ 0, false };
	return mm_loss_times_find(times, begin_ns, end_ns);
}

static inline bool mm_missed_any(struct mm_missed missed)
{
	return missed.events || missed.absent;
}

#endif /* LTTNG_MM_TRACE_LOSS_TIMES_H */
