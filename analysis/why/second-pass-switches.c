// SPDX-License-Identifier: LGPL-2.1-only
/* The second pass: collects time off the CPU. */
#include <stdio.h>

#include "reader/report/units.h"
#include "reader/report/render.h"
#include "analysis/why/timeline.h"
#include "reader/report/render.h"

/* LTTng records thread states as bits. 0 means runnable. A bit above 0xff means preempted. */
static bool is_runnable(uint64_t state)
{
	return !(state & 0xff) || state > 0xff;
}

static const char *state_name(uint64_t state)
{
	return state & 1   ? "sleeping"
	       : state & 2 ? "sleeping (uninterruptible)"
			   : "not ready to run";
}

static int add_off(struct why_state *state, struct why_timeline *timeline)
{
	int64_t now_ns = state->event->time_ns;
	uint64_t ns = now_ns > timeline->off_ns ? (uint64_t)(now_ns - timeline->off_ns) : 0;
	const struct why_span span = { .start_ns = timeline->off_ns,
				       .end_ns = now_ns,
				       .first = timeline->off_first,
				       .last = state->now,
				       .sleeping_ns = timeline->was_woken ? 0 : ns,
				       .runnable_ns = timeline->was_woken ? ns : 0 };

	if (!timeline->was_woken)
		timeline->off_sleeping_ns += ns;
	return why_parts_add(&timeline->parts, &span, why_timeline_since_now(state, timeline));
}

static void text_of_off(const struct why_state *state, const struct why_timeline *timeline,
			char *text, size_t size)
{
	const char *name = state_name(timeline->off_state);
	char slept[40];

	if (!state->has_states)
		snprintf(text, size, "off the CPU");
	else if (is_runnable(timeline->off_state))
		snprintf(text, size, "off the CPU: preempted, ready to run");
	else if (!timeline->was_woken)
		snprintf(text, size, "off the CPU: %s", name);
	else {
		mm_render_ns(slept, sizeof(slept), (double)timeline->off_sleeping_ns);
		snprintf(text, size, "off the CPU: %s for %s, then ready to run", name, slept);
	}
}

static int switch_in(struct why_state *state, struct why_timeline *timeline)
{
	char text[128];
	int ret;

	if (!timeline->is_off) {
		ret = why_timeline_add_lost(state, timeline, timeline->last_ns, state->now);
		timeline->last_ns = state->event->time_ns;
		timeline->cpu = state->event->cpu;
		return ret;
	}
	ret = add_off(state, timeline);
	timeline->is_off = false;
	timeline->cpu = state->event->cpu;
	timeline->last_ns = state->event->time_ns;
	if (ret || !why_timeline_keeps_line(state, timeline, timeline->off_start_ns))
		return ret;
	text_of_off(state, timeline, text, sizeof(text));
	return why_timeline_line(state, timeline, WHY_LINE_OFF, timeline->off_start_ns,
				 timeline->off_start, text);
}

static int switch_out(struct why_state *state, struct why_timeline *timeline)
{
	const struct mm_event *event = state->event;

	if (why_timeline_set_running(state, timeline))
		return -1;
	/* If an interrupt is still open, its end event is missing. */
	timeline->irq_depth = 0;
	timeline->is_off = timeline->was_off = true;
	timeline->off_ns = timeline->off_start_ns = event->time_ns;
	timeline->off_first = timeline->off_start = state->now;
	timeline->off_sleeping_ns = 0;
	timeline->off_state = event->fields[WHY_PREV_STATE].u;
	timeline->was_woken = !state->has_states || is_runnable(timeline->off_state);
	return 0;
}

int why_collect_switch(struct why_state *state, const struct mm_event *event)
{
	const enum mm_kind *kinds = event->type->kinds;
	uint32_t prev = (uint32_t)event->fields[WHY_PREV_TID].u;
	uint32_t next = (uint32_t)event->fields[WHY_NEXT_TID].u;

	if (!state->has_switches)
		state->first_switch_ns = event->time_ns;
	state->has_switches = true;
	state->has_states = kinds[WHY_PREV_STATE] != MM_KIND_NONE;
	if (kinds[WHY_PREV_TID] == MM_KIND_NONE || kinds[WHY_NEXT_TID] == MM_KIND_NONE)
		return 0;
	for (struct why_timeline *timeline =
		     why_timeline_first(state, fn_thread_key(prev, event->cpu));
	     timeline; timeline = why_timeline_next(state, timeline))
		if (switch_out(state, timeline))
			return -1;
	for (struct why_timeline *timeline =
		     why_timeline_first(state, fn_thread_key(next, event->cpu));
	     timeline; timeline = why_timeline_next(state, timeline))
		if (switch_in(state, timeline))
			return -1;
	return why_events_switched(&state->events, event);
}

int why_collect_waking(struct why_state *state, const struct mm_event *event)
{
	uint32_t tid = (uint32_t)event->fields[WHY_WOKEN_TID].u;

	if (event->type->kinds[WHY_WOKEN_TID] == MM_KIND_NONE || !tid)
		return 0;
	for (struct why_timeline *timeline = why_timeline_first(state, fn_thread_key(tid, 0));
	     timeline; timeline = why_timeline_next(state, timeline)) {
		if (!timeline->is_off || timeline->was_woken)
			continue;
		if (add_off(state, timeline))
			return -1;
		timeline->was_woken = true;
		timeline->off_ns = event->time_ns;
		timeline->off_first = state->now;
	}
	return 0;
}
