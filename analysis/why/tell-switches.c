// SPDX-License-Identifier: LGPL-2.1-only
/* The second pass: time off the CPU. */
#include <stdio.h>

#include "analysis/report/render.h"
#include "analysis/why/story.h"

/* States of threads, as LTTng records them: bits, and one above these if it was preempted. */
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

static int add_off(struct why_state *state, struct why_story *story)
{
	int64_t now_ns = state->event->time_ns;
	uint64_t ns = now_ns > story->off_ns ? (uint64_t)(now_ns - story->off_ns) : 0;
	const struct why_item item = { .start_ns = story->off_ns,
				       .end_ns = now_ns,
				       .first = story->off_first,
				       .last = state->now,
				       .sleeping_ns = story->was_woken ? 0 : ns,
				       .runnable_ns = story->was_woken ? ns : 0 };

	if (!story->was_woken)
		story->off_sleeping_ns += ns;
	return why_parts_add(&story->parts, &item, why_story_since_now(state, story));
}

static void text_of_off(const struct why_state *state, const struct why_story *story, char *text,
			size_t size)
{
	const char *name = state_name(story->off_state);
	char slept[40];

	if (!state->has_states)
		snprintf(text, size, "off the CPU");
	else if (is_runnable(story->off_state))
		snprintf(text, size, "off the CPU: preempted, ready to run");
	else if (!story->was_woken)
		snprintf(text, size, "off the CPU: %s", name);
	else {
		mm_render_ns(slept, sizeof(slept), (double)story->off_sleeping_ns);
		snprintf(text, size, "off the CPU: %s for %s, then ready to run", name, slept);
	}
}

static int switch_in(struct why_state *state, struct why_story *story)
{
	char text[128];
	int ret;

	if (!story->is_off) {
		ret = why_story_lose(state, story, story->last_ns, state->now);
		story->last_ns = state->event->time_ns;
		story->cpu = state->event->cpu;
		return ret;
	}
	ret = add_off(state, story);
	story->is_off = false;
	story->cpu = state->event->cpu;
	story->last_ns = state->event->time_ns;
	if (ret || !why_story_takes_line(state, story, story->off_start_ns))
		return ret;
	text_of_off(state, story, text, sizeof(text));
	return why_story_line(state, story, WHY_LINE_OFF, story->off_start_ns, story->off_start,
			      text);
}

static int switch_out(struct why_state *state, struct why_story *story)
{
	const struct mm_event *event = state->event;

	if (why_story_touch(state, story))
		return -1;
	/* An interrupt whose end is missing. */
	story->irq_depth = 0;
	story->is_off = story->was_off = true;
	story->off_ns = story->off_start_ns = event->time_ns;
	story->off_first = story->off_start = state->now;
	story->off_sleeping_ns = 0;
	story->off_state = event->fields[WHY_PREV_STATE].u;
	story->was_woken = !state->has_states || is_runnable(story->off_state);
	return 0;
}

int why_tell_switch(struct why_state *state, const struct mm_event *event)
{
	const enum mm_kind *kinds = event->type->kinds;
	uint32_t prev = (uint32_t)event->fields[WHY_PREV_TID].u;
	uint32_t next = (uint32_t)event->fields[WHY_NEXT_TID].u;

	state->has_switches = true;
	state->has_states = kinds[WHY_PREV_STATE] != MM_KIND_NONE;
	if (kinds[WHY_PREV_TID] == MM_KIND_NONE || kinds[WHY_NEXT_TID] == MM_KIND_NONE)
		return 0;
	for (struct why_story *story = why_story_first(state, fn_thread_key(prev, event->cpu));
	     story; story = why_story_next(state, story))
		if (switch_out(state, story))
			return -1;
	for (struct why_story *story = why_story_first(state, fn_thread_key(next, event->cpu));
	     story; story = why_story_next(state, story))
		if (switch_in(state, story))
			return -1;
	return why_events_switched(&state->events, event);
}

int why_tell_waking(struct why_state *state, const struct mm_event *event)
{
	uint32_t tid = (uint32_t)event->fields[WHY_WOKEN_TID].u;

	if (event->type->kinds[WHY_WOKEN_TID] == MM_KIND_NONE || !tid)
		return 0;
	for (struct why_story *story = why_story_first(state, fn_thread_key(tid, 0)); story;
	     story = why_story_next(state, story)) {
		if (!story->is_off || story->was_woken)
			continue;
		if (add_off(state, story))
			return -1;
		story->was_woken = true;
		story->off_ns = event->time_ns;
		story->off_first = state->now;
	}
	return 0;
}
