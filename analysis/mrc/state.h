/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of the analysis of miss curves. */
#ifndef LTTNG_MM_MRC_STATE_H
#define LTTNG_MM_MRC_STATE_H

#include "analysis/mrc/curve.h"
#include "analysis/mrc/events.h"
#include "analysis/mrc/mrc.h"
#include "analysis/mrc/policy.h"
#include "reader/coverage/loss-times.h"

/* Number of touches whose data is prefetched together. */
#define MRC_QUEUE 32u

/* The processes that share a simulated memory: all of them, or one. */
struct mrc_group {
	struct mrc_state *state;
	uint32_t pid; /* 0: not known, or all processes */
	const char *name;
	struct mrc_pages pages;
	struct mrc_references references; /* used if a policy other than LRU is requested */
	/* start times of the segments */
	int64_t *starts_ns;
	size_t start_count, start_room;
	/*
	 * Touches that wait until their data is in the CPU's caches. Any other event first empties
	 * the queue.
	 */
	struct mrc_touch queue[MRC_QUEUE];
	int64_t queue_ns[MRC_QUEUE];
	unsigned int queued;
	int64_t now_ns; /* time of the current event */
};

struct mrc_state {
	const struct mrc_settings *settings;
	const struct mrc_prelude *prelude;
	struct mm_rows numbers; /* struct number_row: numbers of groups, by process */
	struct mrc_group **groups;
	size_t group_count, group_room;
	struct mrc_events events;
	struct mm_loss_times losses;
	uint64_t lost; /* discarded events; if @is_unbounded is set, more events are missing */
	bool is_unbounded, started, failed;
	/* touches may be missing, because a stream starts later or ends earlier than others */
	bool has_gaps;
	bool has_begin; /* the time range starts at a requested time */
	int64_t first_ns, last_ns;
};

/* Fills the report. Returns 0, or -1 with report->failed set. */
int mrc_report_fill(struct mrc_state *state, struct mm_report *report);

#endif /* LTTNG_MM_MRC_STATE_H */
