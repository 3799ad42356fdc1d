/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The times at which events may be missing, so that a consumer knows when the absence of an event
 * proves nothing.
 */
#ifndef LTTNG_MM_COVERAGE_LOSS_TIMES_H
#define LTTNG_MM_COVERAGE_LOSS_TIMES_H

#include "reader/coverage/missing.h"

/* More than one event is missing, or their number is not known. */
#define MM_EVENTS_WITHOUT_COUNT UINT64_MAX

/* The losses that started by some time, reduced to the latest times of missing events. */
struct mm_loss_reach {
	bool any;
	int64_t one_ns; /* until this time one event or more may be missing, later none is */
	int64_t two_ns; /* until this time two events or more may be missing */
};

/*
 * The losses reported so far; none after mm_loss_times_init(). A source reports a loss as soon as
 * it has delivered all events up to its start, so all losses up to the last delivered event are
 * known.
 *
 * A queried time range ends at the last delivered event or later, and the losses reported by then
 * started before its end, except for those that start at that very event. What is missing from the
 * range therefore depends only on how late the losses end, and neither memory nor the time of a
 * query grows with the number of losses. Where timestamps go backwards, too much may count as
 * missing.
 */
struct mm_loss_times {
	struct mm_loss_reach settled; /* losses that started before those of @latest */
	struct mm_loss_reach latest;  /* losses that started at @latest_since_ns */
	int64_t latest_since_ns;
	int64_t ends_since_ns; /* from then on a stream has no events; INT64_MAX: all have events */
	/*
	 * The start times of streams without earlier events, as far as no query has reached them,
	 * and the first of these times.
	 */
	int64_t *starts;
	size_t start_count, start_room;
	int64_t start_ns; /* INT64_MAX: there are none */
	/* The same of the end times of streams without later events, as far as they are cut. */
	int64_t *ends;
	size_t end_count, end_room;
	int64_t end_ns;
	bool any;
};

/* What may be missing from a time range. */
struct mm_loss_bound {
	/* of streams that have events before and after: 0, 1 or MM_EVENTS_WITHOUT_COUNT */
	uint64_t events;
	bool absent; /* all events of another stream */
};

void mm_loss_times_init(struct mm_loss_times *times);
void mm_loss_times_release(struct mm_loss_times *times);

/* Adds a loss that mm_handler.lost() received. Returns 0, or -1: out of memory. */
int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns);

/* Adds, before all queries, what may be cut from a stream. Returns 0, or -1: out of memory. */
int mm_loss_times_add_cut(struct mm_loss_times *times, const struct mm_cut *cut);

/* For mm_loss_between(), if there were losses. */
struct mm_loss_bound mm_loss_times_find(struct mm_loss_times *times, int64_t start_ns,
					int64_t end_ns);

/*
 * What may be missing between the events at @start_ns and @end_ns; no event after @end_ns has been
 * delivered. A stream that starts or ends in between counts as one that lost events.
 */
static inline struct mm_loss_bound mm_loss_between(struct mm_loss_times *times, int64_t start_ns,
						   int64_t end_ns)
{
	if (!times->any)
		return (struct mm_loss_bound){ 0, false };
	return mm_loss_times_find(times, start_ns, end_ns);
}

static inline bool mm_loss_bound_any(struct mm_loss_bound missed)
{
	return missed.events || missed.absent;
}

#endif /* LTTNG_MM_COVERAGE_LOSS_TIMES_H */
