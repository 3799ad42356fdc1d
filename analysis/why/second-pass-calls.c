// SPDX-License-Identifier: LGPL-2.1-only
/* The second pass: collects calls. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/why/timeline.h"

static int text_of_call(struct why_state *state, const struct fn_call *call, char **text)
{
	const struct fn_class *entry = call->entry, *exit = call->exit;
	const char *name = state->events.functions.names[exit->function];
	const struct fn_values *values = call->values;
	struct fn_values *read = NULL;
	char arguments[FN_TEXT_MAX], result[FN_TEXT_MAX / 4] = "";

	if (!values) {
		read = malloc(fn_values_room(entry));
		if (!read)
			return -1;
		fn_values_keep(entry, call->event, read);
		values = read;
	}
	fn_arguments_text(entry, values, call->unread, "", arguments, sizeof(arguments));
	for (unsigned int i = 0; i < entry->count; i++)
		fn_value_add_remarks(&entry->arguments[i], values->numbers[i],
				     entry->arguments[i].unread & call->unread, &state->oddities);
	free(read);
	if (exit->has_ret)
		fn_result_text(exit, call->event->fields[FN_RET].u,
			       fn_event_unread(call->event) & exit->ret.unread, result,
			       sizeof(result));
	return asprintf(text, "%s(%s)%s%s", name, arguments, *result ? " = " : "", result) < 0 ? -1
											       : 0;
}

static int collect_itself(struct why_state *state, struct why_timeline *timeline,
			  const struct fn_call *call)
{
	free(timeline->call);
	timeline->call = NULL;
	if (call->exit->has_caller) {
		timeline->has_call_site = true;
		timeline->call_site = (uint32_t)call->event->fields[FN_CALLER].u;
	}
	return text_of_call(state, call, &timeline->call);
}

static int collect_call(struct why_state *state, struct why_timeline *timeline,
			const struct fn_call *call)
{
	bool single = call->exit->form == FN_REQUEST_CALL;
	struct why_span span = { .start_ns = call->start_ns,
				 .end_ns = call->event->time_ns,
				 .first = single ? WHY_NO_SERIAL : call->tag,
				 .last = state->now };
	const struct why_interval *interval = &timeline->interval;
	char *text = NULL;
	int ret = 0;

	if (interval->kind == WHY_CALL && interval->end_serial == state->serial)
		return collect_itself(state, timeline, call);
	/* The call started before the interval, so the call is not part of the interval. */
	if (single && interval->kind != WHY_CALL && call->start_ns < interval->start_ns)
		return 0;
	/*
	 * Each event reads the clock separately, so a nested call may seem to start before its
	 * caller.
	 */
	if (span.start_ns < interval->start_ns)
		span.start_ns = interval->start_ns;
	if (why_parts_end(&timeline->parts, why_timeline_self_kind(timeline), call->exit->function,
			  &span, why_timeline_since_now(state, timeline)))
		return -1;
	if (!why_timeline_keeps_line(state, timeline, span.start_ns))
		return 0;
	ret = text_of_call(state, call, &text);
	if (!ret)
		ret = why_timeline_line(state, timeline, WHY_LINE_CALL, span.start_ns, span.first,
					text);
	free(text);
	return ret;
}

static int on_entry(void *user, struct fn_thread *thread, const struct mm_event *event)
{
	const struct why_state *state = user;

	(void)event;
	thread->frames[thread->depth - 1].tag = state->now;
	return 0;
}

static int on_call(void *user, const struct fn_call *call)
{
	struct why_state *state = user;

	for (struct why_timeline *timeline = why_timeline_first(state, call->key); timeline;
	     timeline = why_timeline_next(state, timeline))
		if (collect_call(state, timeline, call))
			return -1;
	return 0;
}

/* Adds a call that has no exit event, but must have ended by now. */
static int collect_unended(struct why_state *state, struct why_timeline *timeline,
			   const struct fn_thread *thread, const struct fn_frame *frame)
{
	const struct why_span span = { .start_ns = frame->time_ns,
				       .end_ns = state->event->time_ns,
				       .first = frame->tag,
				       .last = state->now };
	const char *name = state->events.functions.names[frame->class->function];
	char text[WHY_LINE_TEXT];

	if (frame->tag < timeline->first)
		return 0;
	if (why_parts_end(&timeline->parts, WHY_UNDETERMINED, frame->class->function, &span,
			  why_timeline_since(state, timeline, thread, thread->depth - 1)))
		return -1;
	if (!why_timeline_keeps_line(state, timeline, frame->time_ns))
		return 0;
	snprintf(text, sizeof(text), "%s(): the exit of this call is missing", name);
	return why_timeline_line(state, timeline, WHY_LINE_INCOMPLETE, frame->time_ns, frame->tag,
				 text);
}

/* Adds an exit without an entry. The entry may have been at any time in the innermost open call. */
static int collect_unentered(struct why_state *state, struct why_timeline *timeline,
			     const struct fn_thread *thread, const struct fn_class *class)
{
	const struct fn_frame *open = thread->depth ? &thread->frames[thread->depth - 1] : NULL;
	struct why_span span = { .start_ns = timeline->interval.start_ns,
				 .end_ns = state->event->time_ns,
				 .first = timeline->first,
				 .last = state->now };
	const char *name = state->events.functions.names[class->function];
	char text[WHY_LINE_TEXT];

	if (open && open->tag >= timeline->first) {
		span.start_ns = open->time_ns;
		span.first = open->tag;
	} else if (timeline->interval.kind != WHY_CALL) {
		return 0;
	}
	if (why_parts_end(&timeline->parts, WHY_UNDETERMINED, class->function, &span,
			  why_timeline_since_now(state, timeline)))
		return -1;
	if (!why_timeline_keeps_line(state, timeline, state->event->time_ns))
		return 0;
	snprintf(text, sizeof(text), "exit of %s(), whose entry is missing", name);
	return why_timeline_line(state, timeline, WHY_LINE_INCOMPLETE, state->event->time_ns,
				 state->now, text);
}

static int on_incomplete(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			 const struct fn_frame *frame, const struct fn_class *class,
			 const struct mm_event *event)
{
	struct why_state *state = user;
	int ret = 0;

	(void)outcome;
	(void)event;
	for (struct why_timeline *timeline = why_timeline_first(state, thread->key);
	     timeline && !ret; timeline = why_timeline_next(state, timeline))
		ret = frame ? collect_unended(state, timeline, thread, frame)
			    : collect_unentered(state, timeline, thread, class);
	return ret;
}

const struct fn_pairing_ops why_collect_ops = { on_call, on_entry, on_incomplete };

int why_collect_function(struct why_state *state, struct fn_class *class,
			 const struct mm_event *event)
{
	if (class->form == FN_REQUEST_ENTRY)
		return fn_pairing_entry(&state->pairing, class, event);
	if (class->form == FN_REQUEST_EXIT)
		return fn_pairing_exit(&state->pairing, class, event);
	return class->is_ignored ? 0 : fn_pairing_single(&state->pairing, class, event);
}
