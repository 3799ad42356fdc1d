// SPDX-License-Identifier: LGPL-2.1-only
/* A selected interval during the second pass. */
#include "analysis/why/timeline.h"

#include <stdlib.h>

void why_timeline_release(struct why_timeline *timeline)
{
	why_parts_release(&timeline->parts);
	why_lines_release(&timeline->lines);
	free(timeline->call);
	free(timeline->end);
	free(timeline->irq);
	free(timeline->operation);
}

struct why_timeline *why_timeline_first(const struct why_state *state, uint32_t key)
{
	const struct why_thread_timelines *running = mm_rows_lookup(&state->running, key, 1);

	return running && running->first ? &state->timelines[running->first - 1] : NULL;
}

struct why_timeline *why_timeline_next(const struct why_state *state,
				       const struct why_timeline *timeline)
{
	return timeline->next == WHY_NONE ? NULL : &state->timelines[timeline->next];
}

int why_timeline_attach(struct why_state *state, struct why_timeline *timeline, uint32_t key)
{
	struct why_thread_timelines *running = mm_rows_get(&state->running, key, 1);

	if (!running)
		return -1;
	timeline->key = key;
	timeline->next = running->first ? running->first - 1 : WHY_NONE;
	running->first = (uint32_t)(timeline - state->timelines) + 1;
	return 0;
}

int why_timeline_detach(struct why_state *state, struct why_timeline *timeline)
{
	struct why_thread_timelines *running = mm_rows_get(&state->running, timeline->key, 1);
	uint32_t number = (uint32_t)(timeline - state->timelines);

	if (!running)
		return -1;
	if (running->first == number + 1) {
		running->first = timeline->next == WHY_NONE ? 0 : timeline->next + 1;
		return 0;
	}
	for (struct why_timeline *at = why_timeline_first(state, timeline->key); at;
	     at = why_timeline_next(state, at))
		if (at->next == number)
			at->next = timeline->next;
	return 0;
}

int why_timeline_line(struct why_state *state, struct why_timeline *timeline,
		      enum why_line_kind kind, int64_t start_ns, uint64_t first, const char *text)
{
	const struct mm_event *event = state->event;
	struct why_line line = { .kind = kind,
				 .start_ns = start_ns,
				 .duration_ns = event->time_ns > start_ns
							? (uint64_t)(event->time_ns - start_ns)
							: 0,
				 .first = first,
				 .serial = state->now,
				 .cpu = event->cpu };

	if (kind == WHY_LINE_ALLOCATION || kind == WHY_LINE_EVENT) {
		line.call_site = state->text.call_site;
		line.has_call_site = state->text.has_call_site;
	}
	return why_lines_add(&timeline->lines, &line, text);
}

bool why_timeline_keeps_line(const struct why_state *state, struct why_timeline *timeline,
			     int64_t start_ns)
{
	int64_t now_ns = state->event->time_ns;

	return why_lines_would_keep(&timeline->lines,
				    now_ns > start_ns ? (uint64_t)(now_ns - start_ns) : 0,
				    state->now);
}

uint64_t why_timeline_since(const struct why_state *state, const struct why_timeline *timeline,
			    const struct fn_thread *thread, uint32_t depth)
{
	uint64_t since = timeline->first;

	if (state->events.has_singles)
		return WHY_NO_SERIAL;
	if (timeline->irq_depth && timeline->irq_first > since)
		since = timeline->irq_first;
	if (timeline->operation && timeline->operation_first > since)
		since = timeline->operation_first;
	if (thread && depth && thread->frames[depth - 1].tag > since)
		since = thread->frames[depth - 1].tag;
	return since;
}

uint64_t why_timeline_since_now(const struct why_state *state, const struct why_timeline *timeline)
{
	const struct fn_thread *thread = fn_stacks_find(&state->pairing.stacks, timeline->key);

	return why_timeline_since(state, timeline, thread, thread ? thread->depth : 0);
}

enum why_part_kind why_timeline_self_kind(const struct why_timeline *timeline)
{
	return timeline->irq_depth ? WHY_INTERRUPT : WHY_SELF;
}

int why_timeline_add_lost(struct why_state *state, struct why_timeline *timeline, int64_t start_ns,
			  uint64_t first)
{
	const struct why_span span = { .start_ns = start_ns,
				       .end_ns = state->event->time_ns,
				       .first = first,
				       .last = state->now };

	timeline->may_lack = true;
	return why_parts_end(&timeline->parts, WHY_UNDETERMINED, WHY_IN_LOST, &span,
			     why_timeline_since_now(state, timeline));
}

int why_timeline_set_running(struct why_state *state, struct why_timeline *timeline)
{
	int ret = 0;

	if (timeline->is_off) {
		timeline->is_off = false;
		ret = why_timeline_add_lost(state, timeline, timeline->off_ns, timeline->off_first);
	}
	timeline->cpu = state->event->cpu;
	timeline->last_ns = state->event->time_ns;
	return ret;
}
