// SPDX-License-Identifier: LGPL-2.1-only
/* The second pass: collects the events of each selected interval. */
#include "analysis/why/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int begin(struct why_state *state, struct why_timeline *timeline, uint32_t key)
{
	if (!why_timeline_first(state, key)) {
		/*
		 * Drop calls that are open. They started before the interval and are not part of
		 * it.
		 */
		struct fn_thread *thread = fn_stacks_find(&state->pairing.stacks, key);

		if (thread) {
			thread->depth = thread->above = thread->ended_count = 0;
			thread->used = 0;
		}
	}
	timeline->begun = true;
	timeline->first = state->now;
	timeline->last_ns = timeline->interval.start_ns;
	timeline->first_cpu = timeline->cpu = state->event->cpu;
	return why_timeline_attach(state, timeline, key);
}

static int begin_by_time(struct why_state *state)
{
	while (state->next_time < state->by_time_count) {
		struct why_timeline *timeline = &state->timelines[state->by_time[state->next_time]];

		if (timeline->interval.start_ns > state->event->time_ns)
			break;
		state->next_time++;
		if (begin(state, timeline, timeline->interval.key))
			return -1;
	}
	return 0;
}

static int begin_by_event(struct why_state *state, uint32_t key)
{
	while (state->next_serial < state->by_serial_count) {
		struct why_timeline *timeline =
			&state->timelines[state->by_serial[state->next_serial]];

		if (timeline->interval.start_serial > state->serial)
			break;
		state->next_serial++;
		/*
		 * If the serial numbers are equal but the times differ, the trace has changed since
		 * the first pass.
		 */
		if (timeline->interval.start_serial != state->serial ||
		    timeline->interval.start_ns != state->event->time_ns)
			continue;
		if (begin(state, timeline, key))
			return -1;
		if (timeline->interval.kind == WHY_CALL)
			continue;
		timeline->from = ((const struct why_class *)state->event->type->bound)->name;
		why_events_text(&state->events, state->event, &state->text);
		timeline->call = strdup(state->text.text);
		if (!timeline->call)
			return -1;
	}
	return 0;
}

static int irq_start(struct why_state *state, struct why_timeline *timeline)
{
	const struct why_class *class = state->event->type->bound;

	if (timeline->is_off || timeline->irq_depth++)
		return 0;
	timeline->irq_ns = state->event->time_ns;
	timeline->irq_first = state->now;
	timeline->irq_is_soft = class->is_soft;
	why_events_text(&state->events, state->event, &state->text);
	free(timeline->irq);
	timeline->irq = strdup(state->text.text);
	return timeline->irq ? 0 : -1;
}

static int irq_end(struct why_state *state, struct why_timeline *timeline)
{
	const struct why_span span = { .start_ns = timeline->irq_ns,
				       .end_ns = state->event->time_ns,
				       .first = timeline->irq_first,
				       .last = state->now };

	if (!timeline->irq_depth || --timeline->irq_depth)
		return 0;
	if (why_parts_end(&timeline->parts, WHY_INTERRUPT,
			  timeline->irq_is_soft ? WHY_IN_SOFT_IRQ : WHY_IN_HARD_IRQ, &span,
			  why_timeline_since_now(state, timeline)))
		return -1;
	if (!why_timeline_keeps_line(state, timeline, timeline->irq_ns))
		return 0;
	return why_timeline_line(state, timeline, WHY_LINE_INTERRUPT, timeline->irq_ns,
				 timeline->irq_first, timeline->irq);
}

/*
 * Returns true if the event gets no line of its own. A call gets its line when it ends. Wide
 * variants, and the start and the end of the interval, never get a line.
 */
static bool is_own(const struct why_state *state, const struct why_timeline *timeline,
		   const struct why_class *class)
{
	return class->role == WHY_ROLE_FN || class->is_wide || state->now == timeline->first ||
	       (class->ends && state->serial == timeline->interval.end_serial);
}

static int operation_start(struct why_state *state, struct why_timeline *timeline,
			   const struct why_operation *operation)
{
	why_events_text(&state->events, state->event, &state->text);
	free(timeline->operation);
	timeline->operation = strdup(state->text.text);
	timeline->operation_number = operation->number;
	timeline->operation_ns = state->event->time_ns;
	timeline->operation_first = state->now;
	return timeline->operation ? 0 : -1;
}

static int operation_end(struct why_state *state, struct why_timeline *timeline,
			 const struct why_operation *operation)
{
	const struct why_span span = { .start_ns = timeline->operation_ns,
				       .end_ns = state->event->time_ns,
				       .first = timeline->operation_first,
				       .last = state->now };
	char *text = timeline->operation;
	int ret;

	timeline->operation = NULL;
	if (!text || timeline->operation_number != operation->number) {
		free(text);
		return 0;
	}
	ret = why_parts_end(&timeline->parts, why_timeline_self_kind(timeline),
			    WHY_IN_OPERATION + operation->number, &span,
			    why_timeline_since_now(state, timeline));
	if (!ret && why_timeline_keeps_line(state, timeline, span.start_ns))
		ret = why_timeline_line(
			state, timeline,
			(enum why_line_kind)(WHY_LINE_OPERATION + operation->number), span.start_ns,
			span.first, text);
	free(text);
	return ret;
}

/*
 * Adds the event as a mark, which divides the time outside functions. Counts allocations and
 * touches.
 */
static int add_mark(struct why_state *state, struct why_timeline *timeline,
		    const struct why_class *class)
{
	const bool divides = timeline->interval.kind != WHY_CALL;
	struct why_span span = { .mark = divides ? class->name : NULL,
				 .start_ns = state->event->time_ns,
				 .end_ns = state->event->time_ns,
				 .first = state->now,
				 .last = state->now };

	if (class->role == WHY_ROLE_ALLOCATION) {
		span.allocations = 1;
		span.sized = why_events_bytes(state->event, &span.bytes);
		timeline->allocations++;
		timeline->bytes += span.bytes;
	}
	if (class->role == WHY_ROLE_TOUCH) {
		span.touches = 1;
		timeline->touches++;
	}
	return divides || span.allocations || span.touches
		       ? why_parts_add(&timeline->parts, &span,
				       why_timeline_since_now(state, timeline))
		       : 0;
}

static int collect_event(struct why_state *state, struct why_timeline *timeline)
{
	const struct why_class *class = state->event->type->bound;

	if (class->role == WHY_ROLE_IRQ_START)
		return irq_start(state, timeline);
	if (class->role == WHY_ROLE_IRQ_END)
		return irq_end(state, timeline);
	if (why_timeline_set_running(state, timeline))
		return -1;
	if (class->role == WHY_ROLE_OPERATION_END)
		return operation_end(state, timeline, class->operation);
	if (is_own(state, timeline, class))
		return 0;
	if (class->role == WHY_ROLE_OPERATION_START)
		return operation_start(state, timeline, class->operation);
	if (add_mark(state, timeline, class))
		return -1;
	if (!why_timeline_keeps_line(state, timeline, state->event->time_ns))
		return 0;
	why_events_text(&state->events, state->event, &state->text);
	return why_timeline_line(state, timeline,
				 class->role == WHY_ROLE_ALLOCATION ? WHY_LINE_ALLOCATION
								    : WHY_LINE_EVENT,
				 state->event->time_ns, state->now, state->text.text);
}

static int finish(struct why_state *state, struct why_timeline *timeline)
{
	const struct why_interval *interval = &timeline->interval;
	const struct why_span whole = { .start_ns = interval->start_ns,
					.end_ns = interval->end_ns,
					.first = timeline->first,
					.last = state->now };

	timeline->done = true;
	if (interval->kind != WHY_CALL) {
		why_events_text(&state->events, state->event, &state->text);
		timeline->end = strdup(state->text.text);
		if (!timeline->end)
			return -1;
	}
	if (timeline->from
		    ? why_parts_end_all(&timeline->parts, &whole, timeline->from,
					((const struct why_class *)state->event->type->bound)->name)
		    : why_parts_end(&timeline->parts, WHY_SELF,
				    interval->kind == WHY_CALL ? interval->function : WHY_IN_NONE,
				    &whole, WHY_NO_SERIAL))
		return -1;
	why_lines_sort(&timeline->lines);
	return why_timeline_detach(state, timeline);
}

static int finish_ended(struct why_state *state, uint32_t key)
{
	struct why_timeline *next;

	for (struct why_timeline *timeline = why_timeline_first(state, key); timeline;
	     timeline = next) {
		next = why_timeline_next(state, timeline);
		if (timeline->interval.end_serial == state->serial && finish(state, timeline))
			return -1;
	}
	return 0;
}

static int collect_events(struct why_state *state, uint32_t key)
{
	for (struct why_timeline *timeline = why_timeline_first(state, key); timeline;
	     timeline = why_timeline_next(state, timeline))
		if (collect_event(state, timeline))
			return -1;
	return 0;
}

/* Adds the event to all timelines of thread @key that have started and not ended. */
static int process(struct why_state *state, const struct mm_event *event, bool is_known,
		   uint32_t key)
{
	const struct why_class *class = event->type->bound;

	switch (class->role) {
	case WHY_ROLE_FN:
		return collect_events(state, key) || why_collect_function(state, class->fn, event)
			       ? -1
			       : 0;
	case WHY_ROLE_SWITCH:
		return why_collect_switch(state, event);
	case WHY_ROLE_WAKING:
		return why_collect_waking(state, event);
	case WHY_ROLE_THREAD:
		return why_track_thread(state, event);
	case WHY_ROLE_CALL_SITE:
		return 0;
	case WHY_ROLE_SAMPLE:
		state->sample = fmin(state->sample, why_events_sample(event));
		return is_known ? collect_events(state, key) : 0;
	default:
		return is_known ? collect_events(state, key) : 0;
	}
}

int why_collect(struct why_state *state, const struct mm_event *event)
{
	const struct why_class *class = event->type->bound;
	uint32_t tid = 0, key;
	bool is_known;

	state->now++;
	state->event = event;
	state->again = event->source;
	if (begin_by_time(state))
		return -1;
	is_known = why_events_thread(&state->events, class, event, &tid);
	key = fn_thread_key(tid, event->cpu);
	if (why_class_is_endpoint(class) && is_known && begin_by_event(state, key))
		return -1;
	if (process(state, event, is_known, key) ||
	    (why_class_is_endpoint(class) && is_known && finish_ended(state, key)))
		return -1;
	return why_events_wide(&state->events, event);
}

/* Marks intervals that overlap a time in which events may be missing. */
static void mark_lacking(struct why_state *state, int64_t since_ns, int64_t until_ns)
{
	for (uint32_t i = 0; i < state->timeline_count; i++) {
		struct why_timeline *timeline = &state->timelines[i];

		if (since_ns < timeline->interval.end_ns && until_ns > timeline->interval.start_ns)
			timeline->may_lack = true;
	}
}

void why_collect_lost(struct why_state *state, const struct mm_loss *loss, int64_t since_ns)
{
	why_events_lost(&state->events, loss->cpu);
	if (loss->has_subject)
		mark_lacking(state, since_ns, loss->lost_until_ns);
}

static int rename_timelines(struct why_state *state, uint32_t from, uint32_t key)
{
	struct why_timeline *next;

	for (struct why_timeline *timeline = why_timeline_first(state, from); timeline;
	     timeline = next) {
		next = why_timeline_next(state, timeline);
		if (why_timeline_detach(state, timeline) ||
		    why_timeline_attach(state, timeline, key))
			return -1;
	}
	return 0;
}

static int on_fork(struct why_state *state, int32_t tid, int64_t time_ns)
{
	if (tid <= 0)
		return 0;
	if (!state->pass && why_pairs_forked(&state->pairs, fn_thread_key((uint32_t)tid, 0)))
		return -1;
	return fn_pairing_forked(&state->pairing, tid, time_ns);
}

static int on_exec(struct why_state *state, int32_t tid, int32_t old_tid)
{
	uint32_t from = fn_thread_key((uint32_t)old_tid, 0), key = fn_thread_key((uint32_t)tid, 0);

	if (tid <= 0 || old_tid <= 0 || tid == old_tid)
		return 0;
	if (fn_pairing_executed(&state->pairing, tid, old_tid))
		return -1;
	return state->pass ? rename_timelines(state, from, key)
			   : why_pairs_renamed(&state->pairs, from, key);
}

static bool is_number(const struct mm_event *event, unsigned int field)
{
	enum mm_kind kind = event->type->kinds[field];

	return kind == MM_KIND_UNSIGNED || kind == MM_KIND_SIGNED;
}

int why_track_thread(struct why_state *state, const struct mm_event *event)
{
	enum mm_thread_event kind =
		(enum mm_thread_event)(event->type->request - FN_REQUEST_THREADS);
	const union mm_scalar *f = event->fields;

	if (!state->pass && mm_threads_see(&state->threads, kind, event, 0, NULL))
		return -1;
	if (!is_number(event, 0) || !is_number(event, 1))
		return 0;
	if (kind == MM_THREAD_FORK)
		return on_fork(state, (int32_t)f[0].i, event->time_ns);
	if (kind == MM_THREAD_EXEC)
		return on_exec(state, (int32_t)f[0].i, (int32_t)f[1].i);
	return 0;
}

/*
 * Are all switches in the interval known? They are if a switch precedes the start of the interval.
 * Otherwise, all streams of the CPU must be in the trace and start before the interval.
 */
static bool is_covered(const struct why_state *state, const struct why_timeline *timeline)
{
	const struct mm_source *source = state->again;
	int64_t start_ns = timeline->interval.start_ns;

	if (why_events_has_switch(&state->events, timeline->first_cpu, start_ns))
		return true;
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		/* For a stream without a readable packet, the start is unknown. */
		if (loss->has_subject &&
		    (loss->begin_ns == INT64_MIN || loss->begin_ns > start_ns) &&
		    (loss->cpu == timeline->first_cpu || loss->cpu == MM_CPU_UNKNOWN))
			return false;
	}
	return true;
}

void why_collect_finish(struct why_state *state)
{
	for (size_t i = 0; state->again && i < mm_source_loss_count(state->again); i++) {
		const struct mm_loss *loss = mm_source_loss_at(state->again, i);
		const struct mm_cut *cut = mm_missing_cut(state->again, loss);

		if (!cut || !loss->has_subject)
			continue;
		if (cut->before_ns)
			mark_lacking(state, INT64_MIN, cut->start_ns);
		if (cut->after_ns)
			mark_lacking(state, cut->end_ns, INT64_MAX);
	}
	for (uint32_t i = 0; i < state->timeline_count && state->again; i++) {
		struct why_timeline *timeline = &state->timelines[i];

		timeline->lacks_switches = !timeline->was_off && !is_covered(state, timeline);
	}
}
