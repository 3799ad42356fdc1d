// SPDX-License-Identifier: LGPL-2.1-only
/* A selected interval, while the second pass tells what happened in it. */
#include "analysis/why/story.h"

#include <stdlib.h>

void why_story_release(struct why_story *story)
{
	why_parts_release(&story->parts);
	why_lines_release(&story->lines);
	free(story->call);
	free(story->end);
	free(story->irq);
	free(story->dax);
}

struct why_story *why_story_first(const struct why_state *state, uint32_t key)
{
	const struct why_running *running = mm_rows_lookup(&state->running, key, 1);

	return running && running->first ? &state->stories[running->first - 1] : NULL;
}

struct why_story *why_story_next(const struct why_state *state, const struct why_story *story)
{
	return story->next == WHY_NONE ? NULL : &state->stories[story->next];
}

int why_story_attach(struct why_state *state, struct why_story *story, uint32_t key)
{
	struct why_running *running = mm_rows_get(&state->running, key, 1);

	if (!running)
		return -1;
	story->key = key;
	story->next = running->first ? running->first - 1 : WHY_NONE;
	running->first = (uint32_t)(story - state->stories) + 1;
	return 0;
}

int why_story_detach(struct why_state *state, struct why_story *story)
{
	struct why_running *running = mm_rows_get(&state->running, story->key, 1);
	uint32_t number = (uint32_t)(story - state->stories);

	if (!running)
		return -1;
	if (running->first == number + 1) {
		running->first = story->next == WHY_NONE ? 0 : story->next + 1;
		return 0;
	}
	for (struct why_story *at = why_story_first(state, story->key); at;
	     at = why_story_next(state, at))
		if (at->next == number)
			at->next = story->next;
	return 0;
}

int why_story_line(struct why_state *state, struct why_story *story, enum why_line_kind kind,
		   int64_t start_ns, uint64_t first, const char *text)
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
	return why_lines_add(&story->lines, &line, text);
}

bool why_story_takes_line(const struct why_state *state, struct why_story *story, int64_t start_ns)
{
	int64_t now_ns = state->event->time_ns;

	return why_lines_take(&story->lines, now_ns > start_ns ? (uint64_t)(now_ns - start_ns) : 0,
			      state->now);
}

uint64_t why_story_since(const struct why_state *state, const struct why_story *story,
			 const struct fn_thread *thread, uint32_t depth)
{
	uint64_t since = story->first;

	if (state->events.has_singles)
		return WHY_NO_SERIAL;
	if (story->irq_depth && story->irq_first > since)
		since = story->irq_first;
	if (story->dax && story->dax_first > since)
		since = story->dax_first;
	if (thread && depth && thread->frames[depth - 1].tag > since)
		since = thread->frames[depth - 1].tag;
	return since;
}

uint64_t why_story_since_now(const struct why_state *state, const struct why_story *story)
{
	const struct fn_thread *thread = fn_stacks_find(&state->pairing.stacks, story->key);

	return why_story_since(state, story, thread, thread ? thread->depth : 0);
}

enum why_part_kind why_story_self_kind(const struct why_story *story)
{
	return story->irq_depth ? WHY_INTERRUPT : WHY_SELF;
}

int why_story_lose(struct why_state *state, struct why_story *story, int64_t start_ns,
		   uint64_t first)
{
	const struct why_item item = { .start_ns = start_ns,
				       .end_ns = state->event->time_ns,
				       .first = first,
				       .last = state->now };

	story->may_lack = true;
	return why_parts_end(&story->parts, WHY_UNDETERMINED, WHY_IN_LOST, &item,
			     why_story_since_now(state, story));
}

int why_story_touch(struct why_state *state, struct why_story *story)
{
	int ret = 0;

	if (story->is_off) {
		story->is_off = false;
		ret = why_story_lose(state, story, story->off_ns, story->off_first);
	}
	story->cpu = state->event->cpu;
	story->last_ns = state->event->time_ns;
	return ret;
}
