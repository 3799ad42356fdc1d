/* SPDX-License-Identifier: LGPL-2.1-only */
/* Times when events may be missing. The absence of an event proves nothing at these times. */
#ifndef LTTNG_MM_COVERAGE_LOSS_TIMES_H
#define LTTNG_MM_COVERAGE_LOSS_TIMES_H

#include "reader/coverage/missing.h"

/* More than one event is missing, or the number of missing events is not known. */
#define MM_EVENTS_WITHOUT_COUNT UINT64_MAX

/*
 * A set of losses. It does not store the losses, only the latest times when events may be missing.
 */
struct mm_loss_reach {
	bool any;
	int64_t one_ns; /* up to this time, one or more events may be missing; later, none */
	int64_t two_ns; /* up to this time, two or more events may be missing */
};

/*
 * The losses reported so far.
 *
 * A source reports a loss after it has delivered all events up to the start of the loss. Therefore,
 * all losses that start before the last delivered event are known. A query asks for a time range
 * that ends at the last delivered event or later. Every loss reported so far started before the end
 * of this range, or at the last event. Therefore, the number of events that are missing from the
 * range depends only on how late the losses end. Memory and query time do not grow with the number
 * of losses. If timestamps go backwards, the result may be too high.
 */
struct mm_loss_times {
	struct mm_loss_reach settled;
	struct mm_loss_reach latest;
	int64_t latest_since_ns;
	int64_t ends_since_ns; /* earliest end of a stream; INT64_MAX: no stream has ended */
	/*
	 * start times of streams that lack all earlier events; only times that no query has reached
	 * yet
	 */
	int64_t *starts;
	size_t start_count, start_room;
	int64_t start_ns; /* the earliest of @starts; INT64_MAX: none */
	/*
	 * End times of cut streams; only times that no query has reached yet. @end_ns: the
	 * earliest.
	 */
	int64_t *ends;
	size_t end_count, end_room;
	int64_t end_ns;
	bool any;
};

/* The events that may be missing from a time range. */
struct mm_loss_bound {
	/*
	 * events missing from streams that continue after the range: 0, 1 or
	 * MM_EVENTS_WITHOUT_COUNT
	 */
	uint64_t events;
	/* a stream may have no events in the range at all, so any number may be missing */
	bool absent;
};

void mm_loss_times_init(struct mm_loss_times *times);
void mm_loss_times_release(struct mm_loss_times *times);

/* Adds a loss that mm_handler.lost() received. Returns 0, or -1 when out of memory. */
int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns);

/* Adds a cut stream. Call it before all queries. Returns 0, or -1 when out of memory. */
int mm_loss_times_add_cut(struct mm_loss_times *times, const struct mm_cut *cut);

/* Slow path of mm_loss_between(), for traces with losses. */
struct mm_loss_bound mm_loss_times_find(struct mm_loss_times *times, int64_t start_ns,
					int64_t end_ns);

/*
 * Returns how many events may be missing between the events at @start_ns and @end_ns. Call it
 * before the first event after @end_ns is delivered. A stream that starts or ends in between counts
 * as a stream that lost events.
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
