// SPDX-License-Identifier: LGPL-2.1-only
/* The first pass: finds the slowest intervals. */
#include "analysis/why/state.h"

#include <stdlib.h>
#include <string.h>

#include "util/glob.h"

static int count_interval(struct why_state *state, const struct why_interval *interval)
{
	struct why_interval_count *count =
		mm_rows_get(&state->counts, (uint32_t)interval->kind + 1, interval->function);

	if (!count)
		return -1;
	count->intervals++;
	state->total++;
	return 0;
}

/* Counts an interval, and stores it if it is one of the slowest. */
static int add(struct why_state *state, struct why_interval *interval, uint32_t tid, uint32_t cpu)
{
	if (count_interval(state, interval))
		return -1;
	if (!why_slowest_would_keep(&state->slowest, interval->duration_ns))
		return 0;
	interval->tid = tid;
	interval->cpu = cpu;
	interval->thread = mm_threads_number(&state->threads, (int32_t)tid);
	if (interval->thread == MM_HASH_NONE)
		return -1;
	why_slowest_add(&state->slowest, interval);
	return 0;
}

static int on_entry(void *user, struct fn_thread *thread, const struct mm_event *event)
{
	const struct why_state *state = user;

	(void)event;
	thread->frames[thread->depth - 1].tag = state->serial;
	return 0;
}

static int on_call(void *user, const struct fn_call *call)
{
	struct why_state *state = user;
	bool single = call->exit->form == FN_REQUEST_CALL;
	struct why_interval interval = { .kind = WHY_CALL,
					 .function = call->exit->function,
					 .start_ns = call->start_ns,
					 .end_ns = call->event->time_ns,
					 .duration_ns = call->duration_ns,
					 .start_serial = single ? WHY_NO_SERIAL : call->tag,
					 .end_serial = state->serial,
					 .key = call->key };

	if (!call->exit->is_shown || !state->has_calls)
		return 0;
	return add(state, &interval, (uint32_t)call->event->fields[FN_TID].u, call->event->cpu);
}

const struct fn_pairing_ops why_find_ops = { .call = on_call, .entry = on_entry };

/* Is the event excluded by --pid, or is it an event of the recorder? */
static bool is_left_out(struct why_state *state, uint32_t tid, int32_t pid,
			const struct mm_event *event, bool ends)
{
	enum mm_selected selected = mm_selection_of(state->selection, tid, pid > 0 ? pid : -1,
						    event->time_ns, &state->selected);

	state->recorder_ends += ends && selected == MM_SELECTED_RECORDER;
	return selected != MM_SELECTED;
}

static int add_endpoint(struct why_state *state, const struct mm_event *event, enum why_kind kind,
			bool starts, bool ends)
{
	const struct why_class *class = event->type->bound;
	struct why_endpoint made = { .kind = kind,
				     .time_ns = event->time_ns,
				     .serial = state->serial };
	struct why_interval interval;
	int32_t pid = -1;
	uint32_t tid;
	bool found;
	int ret;

	if (!why_events_thread(&state->events, class, event, &tid)) {
		state->pairs.counts[WHY_NO_THREAD]++;
		return 0;
	}
	if (class->role == WHY_ROLE_OPERATION_START || class->role == WHY_ROLE_OPERATION_END)
		pid = (int32_t)event->fields[WHY_OPERATION_PID].i;
	if (is_left_out(state, tid, pid, event, ends))
		return 0;
	if (kind != WHY_PAIR && state->files.pattern && class->operation->of->roles->file) {
		ret = why_files_exclude(&state->files,
					state->selection ? state->selection->sysinfo : NULL, event);
		if (ret)
			return ret < 0 ? -1 : 0;
	}
	made.key = fn_thread_key(tid, event->cpu);
	if (kind != WHY_PAIR) {
		made.a = class->operation->same_count > 0
				 ? event->fields[class->operation->same_at[0]].u
				 : 0;
		made.b = class->operation->same_count > 1
				 ? event->fields[class->operation->same_at[1]].u
				 : 0;
	}
	if (ends) {
		if (why_pairs_end(&state->pairs, &made, &state->pairing.times, &interval, &found) ||
		    (found && add(state, &interval, tid, event->cpu)))
			return -1;
	}
	return starts ? why_pairs_start(&state->pairs, &made) : 0;
}

static int of_function(struct why_state *state, struct fn_class *class,
		       const struct mm_event *event)
{
	if (!state->has_calls)
		return 0;
	if (is_left_out(state, (uint32_t)event->fields[FN_TID].u, -1, event,
			class->form != FN_REQUEST_ENTRY && class->is_shown && !class->is_ignored)) {
		if (class->form == FN_REQUEST_ENTRY)
			fn_pairing_entered(&state->pairing, class);
		return 0;
	}
	if (class->form == FN_REQUEST_ENTRY)
		return fn_pairing_entry(&state->pairing, class, event);
	if (class->form == FN_REQUEST_EXIT)
		return fn_pairing_exit(&state->pairing, class, event);
	return class->is_ignored ? 0 : fn_pairing_single(&state->pairing, class, event);
}

static int on_call_site(struct why_state *state, const struct mm_event *event)
{
	enum { START, SIZE, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	bool alive = event->type->kinds[ALIVE] == MM_KIND_NONE || f[ALIVE].u;

	return mm_call_sites_add(&state->call_sites, (uint32_t)f[START].u, (uint32_t)f[SIZE].u,
				 alive, f[NAME].s);
}

int why_find(struct why_state *state, const struct mm_event *event)
{
	const struct why_class *class = event->type->bound;
	int ret = 0;

	switch (class->role) {
	case WHY_ROLE_FN:
		ret = of_function(state, class->fn, event);
		break;
	case WHY_ROLE_OPERATION_START:
	case WHY_ROLE_OPERATION_END:
		if (class->operation->selected)
			ret = add_endpoint(
				state, event,
				(enum why_kind)(WHY_OPERATION + class->operation->number),
				class->role == WHY_ROLE_OPERATION_START,
				class->role == WHY_ROLE_OPERATION_END);
		break;
	case WHY_ROLE_SWITCH:
		/*
		 * If --pair names sched_switch, the event belongs to the thread that ran before the
		 * switch.
		 */
		if (class->starts || class->ends)
			break;
		return why_events_switched(&state->events, event);
	case WHY_ROLE_THREAD:
		ret = why_track_thread(state, event);
		break;
	case WHY_ROLE_CALL_SITE:
		return on_call_site(state, event);
	default:
		if (class->wide_of && state->files.pattern)
			why_files_wide(&state->files, event);
		break;
	}
	if (!ret && (class->starts || class->ends))
		ret = add_endpoint(state, event, WHY_PAIR, class->starts, class->ends);
	if (!ret && class->role == WHY_ROLE_SWITCH)
		ret = why_events_switched(&state->events, event);
	return ret;
}

static void add_outcomes(struct why_state *state)
{
	static const enum why_outcome of[FN_OUTCOMES] = {
		[FN_NOT_ENDED] = WHY_NOT_ENDED,	      [FN_BEFORE_TRACE] = WHY_WITHOUT_START,
		[FN_NO_ENTRY] = WHY_WITHOUT_START,    [FN_NO_EXIT] = WHY_WITHOUT_END,
		[FN_THREAD_ENDED] = WHY_THREAD_ENDED, [FN_UNDETERMINED] = WHY_LOST,
		[FN_TOO_DEEP] = WHY_TOO_DEEP,	      [FN_STOPPED] = WHY_WITHOUT_END,
	};
	const struct fn_classes *classes = &state->events.functions;

	for (size_t i = 0; i < WHY_OUTCOMES; i++)
		state->outcomes[i] = state->pairs.counts[i];
	state->uncertain = state->pairs.uncertain;
	for (size_t f = 0; f < classes->function_count && f < state->pairing.function_room; f++) {
		const struct fn_counts *counts = &state->pairing.counts[f];

		if (!mm_glob_match(classes->functions, classes->names[f]))
			continue;
		for (size_t i = 0; i < FN_OUTCOMES; i++)
			state->outcomes[of[i]] += counts->outcomes[i];
		state->uncertain += counts->uncertain;
	}
}

static int by_serial(const void *a, const void *b, void *timelines)
{
	const struct why_timeline *all = timelines;
	const struct why_interval *x = &all[*(const uint32_t *)a].interval;
	const struct why_interval *y = &all[*(const uint32_t *)b].interval;

	return (x->start_serial > y->start_serial) - (x->start_serial < y->start_serial);
}

static int by_time(const void *a, const void *b, void *timelines)
{
	const struct why_timeline *all = timelines;
	const struct why_interval *x = &all[*(const uint32_t *)a].interval;
	const struct why_interval *y = &all[*(const uint32_t *)b].interval;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_serial > y->end_serial) - (x->end_serial < y->end_serial);
}

static int begin_timelines(struct why_state *state, const uint32_t *numbers, uint32_t count)
{
	state->timelines = calloc(count + 1, sizeof(*state->timelines));
	state->by_serial = calloc(count + 1, sizeof(*state->by_serial));
	state->by_time = calloc(count + 1, sizeof(*state->by_time));
	if (!state->timelines || !state->by_serial || !state->by_time)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct why_timeline *timeline = &state->timelines[i];

		timeline->interval = state->slowest.all[numbers[i]];
		timeline->number = numbers[i];
		timeline->next = WHY_NONE;
		timeline->lines.max = state->lines_max;
		state->timeline_count++;
		if (why_parts_init(&timeline->parts))
			return -1;
		if (timeline->interval.start_serial == WHY_NO_SERIAL)
			state->by_time[state->by_time_count++] = i;
		else
			state->by_serial[state->by_serial_count++] = i;
	}
	qsort_r(state->by_serial, state->by_serial_count, sizeof(uint32_t), by_serial,
		state->timelines);
	qsort_r(state->by_time, state->by_time_count, sizeof(uint32_t), by_time, state->timelines);
	return 0;
}

int why_find_finish(struct why_state *state)
{
	uint32_t *numbers = calloc(state->listed_max + 1, sizeof(*numbers));
	uint32_t count;
	int ret = -1;

	if (numbers && !fn_pairing_finish(&state->pairing)) {
		why_pairs_finish(&state->pairs);
		add_outcomes(state);
		why_slowest_sort(&state->slowest);
		count = why_slowest_select(&state->slowest, numbers, state->listed_max);
		ret = begin_timelines(state, numbers, count);
	}
	free(numbers);
	return ret;
}
