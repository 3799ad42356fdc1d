// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps track of the times up to which events may be missing. */
#include "reader/coverage/loss-times.h"

#include <stdlib.h>

#include "util/hash.h"

static const struct mm_loss_reach no_losses = { false, INT64_MIN, INT64_MIN };

void mm_loss_times_init(struct mm_loss_times *times)
{
	*times = (struct mm_loss_times){ .settled = no_losses,
					 .latest = no_losses,
					 .latest_since_ns = INT64_MIN,
					 .ends_since_ns = INT64_MAX,
					 .start_ns = INT64_MAX,
					 .end_ns = INT64_MAX };
}

void mm_loss_times_release(struct mm_loss_times *times)
{
	free(times->starts);
	free(times->ends);
}

static void extend(struct mm_loss_reach *reach, int64_t until_ns, uint64_t events)
{
	int64_t two_ns = events > 1 ? until_ns : reach->any ? reach->one_ns : INT64_MIN;

	/*
	 * The new loss and an earlier loss may be of one event each. Both events may be missing
	 * only up to the earlier end of the two losses.
	 */
	if (two_ns > until_ns)
		two_ns = until_ns;
	if (two_ns > reach->two_ns)
		reach->two_ns = two_ns;
	if (until_ns > reach->one_ns)
		reach->one_ns = until_ns;
	reach->any = true;
}

static void join(struct mm_loss_reach *reach, const struct mm_loss_reach *other)
{
	if (!other->any)
		return;
	extend(reach, other->one_ns, 1);
	if (other->two_ns != INT64_MIN)
		extend(reach, other->two_ns, MM_EVENTS_WITHOUT_COUNT);
}

static void add(struct mm_loss_times *times, int64_t since_ns, int64_t until_ns, uint64_t events)
{
	if (since_ns > times->latest_since_ns) {
		join(&times->settled, &times->latest);
		times->latest = no_losses;
		times->latest_since_ns = since_ns;
	}
	extend(since_ns < times->latest_since_ns ? &times->settled : &times->latest, until_ns,
	       events);
}

/* Appends @ns to the times *@all. Updates *@first_ns, the earliest of these times. */
static int add_time(int64_t **all, size_t *count, size_t *room, int64_t *first_ns, int64_t ns)
{
	int64_t *grown = mm_array_grow(*all, *count, room, sizeof(*grown));

	if (!grown)
		return -1;
	*all = grown;
	grown[(*count)++] = ns;
	if (ns < *first_ns)
		*first_ns = ns;
	return 0;
}

static int add_start(struct mm_loss_times *times, int64_t until_ns)
{
	return add_time(&times->starts, &times->start_count, &times->start_room, &times->start_ns,
			until_ns);
}

/* Returns the last timestamp before @ns. An event at @ns itself is not missing. */
static int64_t before(int64_t ns)
{
	return ns == INT64_MIN ? ns : ns - 1;
}

int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns)
{
	int64_t packets_until_ns = loss->lost_packets_until_ns;

	times->any = true;
	if (loss->missing || loss->at_unknown_place) {
		if (loss->lost_until_ns != INT64_MAX)
			return add_start(times, loss->lost_until_ns);
		if (since_ns < times->ends_since_ns)
			times->ends_since_ns = since_ns;
		/*
		 * If the stream ends within a range, an unknown number of events is missing from
		 * the range.
		 */
		if (since_ns != INT64_MIN)
			add(times, since_ns, before(since_ns), MM_EVENTS_WITHOUT_COUNT);
		return 0;
	}
	/*
	 * The events of a lost packet precede its end timestamp. Only a discarded event may have
	 * exactly this timestamp.
	 */
	if (packets_until_ns != INT64_MIN)
		add(times, since_ns, before(packets_until_ns), MM_EVENTS_WITHOUT_COUNT);
	if (loss->lost_events)
		add(times, since_ns, loss->lost_until_ns, loss->lost_events);
	return 0;
}

int mm_loss_times_add_cut(struct mm_loss_times *times, const struct mm_cut *cut)
{
	times->any = true;
	if (cut->before_ns && add_start(times, cut->start_ns))
		return -1;
	if (!cut->after_ns)
		return 0;
	if (cut->end_ns < times->ends_since_ns)
		times->ends_since_ns = cut->end_ns;
	return add_time(&times->ends, &times->end_count, &times->end_room, &times->end_ns,
			cut->end_ns);
}

/*
 * Streams start or end at the times in @all. An unknown number of events is missing from a range
 * that starts before such a time and ends after it. Moves the times up to @limit_ns from @all to
 * the settled losses. Returns the number of remaining times, and sets *@first_ns to the earliest
 * one.
 */
static size_t settle(struct mm_loss_times *times, int64_t *all, size_t count, int64_t limit_ns,
		     int64_t *first_ns)
{
	size_t left = 0;

	*first_ns = INT64_MAX;
	for (size_t i = 0; i < count; i++) {
		if (all[i] <= limit_ns) {
			extend(&times->settled, before(all[i]), MM_EVENTS_WITHOUT_COUNT);
			continue;
		}
		if (all[i] < *first_ns)
			*first_ns = all[i];
		all[left++] = all[i];
	}
	return left;
}

struct mm_loss_bound mm_loss_times_find(struct mm_loss_times *times, int64_t start_ns,
					int64_t end_ns)
{
	struct mm_loss_reach reach;
	struct mm_loss_bound missed;

	if (times->start_count && times->start_ns <= end_ns)
		times->start_count =
			settle(times, times->starts, times->start_count, end_ns, &times->start_ns);
	if (times->end_count && times->end_ns < end_ns)
		times->end_count = settle(times, times->ends, times->end_count, before(end_ns),
					  &times->end_ns);
	reach = times->settled;
	if (times->latest_since_ns < end_ns)
		join(&reach, &times->latest);
	missed.events = !reach.any || reach.one_ns < start_ns ? 0
			: reach.two_ns < start_ns	      ? 1
							      : MM_EVENTS_WITHOUT_COUNT;
	missed.absent = times->ends_since_ns <= start_ns || times->start_count;
	return missed;
}
