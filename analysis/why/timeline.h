/* SPDX-License-Identifier: LGPL-2.1-only */
/* A selected interval while the second pass collects its events. */
#ifndef LTTNG_MM_WHY_TIMELINE_H
#define LTTNG_MM_WHY_TIMELINE_H

#include "analysis/why/state.h"

/* Functions that return an int return 0, or -1 when out of memory. */

/*
 * why_timeline_first() returns the first running timeline of a thread. why_timeline_next() returns
 * the next running timeline of this thread. Both return NULL if there is none.
 */
struct why_timeline *why_timeline_first(const struct why_state *state, uint32_t key);
struct why_timeline *why_timeline_next(const struct why_state *state,
				       const struct why_timeline *timeline);
int why_timeline_attach(struct why_state *state, struct why_timeline *timeline, uint32_t key);
int why_timeline_detach(struct why_state *state, struct why_timeline *timeline);

/* Would a line from @start_ns until now be kept? If not, counts the line as left out. */
bool why_timeline_keeps_line(const struct why_state *state, struct why_timeline *timeline,
			     int64_t start_ns);
/* Adds a line from @start_ns until now. @first is the number of its first event. */
int why_timeline_line(struct why_state *state, struct why_timeline *timeline,
		      enum why_line_kind kind, int64_t start_ns, uint64_t first, const char *text);

/*
 * Returns the number of the latest start event among the interval's own and those of its open
 * interrupt, operation and call. All spans after this event are inside the same open calls. Returns
 * WHY_NO_SERIAL if the number is unknown.
 */
uint64_t why_timeline_since(const struct why_state *state, const struct why_timeline *timeline,
			    const struct fn_thread *thread, uint32_t depth);
uint64_t why_timeline_since_now(const struct why_state *state, const struct why_timeline *timeline);

enum why_part_kind why_timeline_self_kind(const struct why_timeline *timeline);

/* Adds the time since @start_ns and event @first as undetermined, because a switch is missing. */
int why_timeline_add_lost(struct why_state *state, struct why_timeline *timeline, int64_t start_ns,
			  uint64_t first);
/* Call this for an event of the thread, because the event shows that the thread runs. */
int why_timeline_set_running(struct why_state *state, struct why_timeline *timeline);

/* Each of these functions handles one kind of event: of a function, a switch or a wake-up. */
int why_collect_function(struct why_state *state, struct fn_class *class,
			 const struct mm_event *event);
int why_collect_switch(struct why_state *state, const struct mm_event *event);
int why_collect_waking(struct why_state *state, const struct mm_event *event);

#endif /* LTTNG_MM_WHY_TIMELINE_H */
