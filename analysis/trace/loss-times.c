// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps when events were lost. */
#include "analysis/trace/loss-times.h"

#include <stdlib.h>

#include "util/hash.h"

void mm_loss_times_release(struct mm_loss_times *times)
{
	free(times->absences);
	free(times->gaps);
}

static int add(struct mm_loss_time **all, size_t *count, size_t *room, int64_t since_ns,
	       int64_t until_ns, uint64_t events)
{
	struct mm_loss_time *grown = mm_array_grow(*all, *count, room, sizeof(*grown));

	if (!grown)
		return -1;
	*all = grown;
	grown += *count;
	grown->since_ns = since_ns;
	grown->until_ns = grown->most_until_ns = until_ns;
	grown->events = events;
	if (*count && grown[-1].most_until_ns > until_ns)
		grown->most_until_ns = grown[-1].most_until_ns;
	++*count;
	return 0;
}

int mm_loss_times_add(struct mm_loss_times *times, const struct mm_loss *loss, int64_t since_ns)
{
	int64_t packets_until_ns = loss->lost_packets_until_ns;

	if (loss->missing || loss->anywhere)
		return add(&times->absences, &times->absence_count, &times->absence_room, since_ns,
			   loss->lost_until_ns, MM_EVENTS_UNCOUNTED);
	/* Nothing of a packet is at its end any more; a discarded event may have had that very timestamp. */
	if (packets_until_ns != INT64_MIN &&
	    add(&times->gaps, &times->gap_count, &times->gap_room, since_ns, packets_until_ns - 1,
		MM_EVENTS_UNCOUNTED))
		return -1;
	return loss->lost_events ? add(&times->gaps, &times->gap_count, &times->gap_room, since_ns,
				       loss->lost_until_ns, loss->lost_events) :
				   0;
}

struct mm_missed mm_loss_times_find(const struct mm_loss_times *times, int64_t begin_ns,
				    int64_t end_ns)
{
	struct mm_missed missed = { 0, false };

	for (size_t i = 0; i < times->absence_count; i++) {
		const struct mm_loss_time *absence = &times->absences[i];

		if (absence->since_ns >= end_ns || absence->until_ns <= begin_ns)
			continue;
		if (absence->since_ns > begin_ns || absence->until_ns <= end_ns)
			missed.events = MM_EVENTS_UNCOUNTED;
		else
			missed.absent = true;
	}
	for (size_t i = times->gap_count; i && missed.events != MM_EVENTS_UNCOUNTED; i--) {
		const struct mm_loss_time *gap = &times->gaps[i - 1];

		if (gap->most_until_ns < begin_ns)
			break;
		if (gap->until_ns < begin_ns || gap->since_ns >= end_ns)
			continue;
		if (__builtin_add_overflow(missed.events, gap->events, &missed.events))
			missed.events = MM_EVENTS_UNCOUNTED;
	}
	return missed;
}
