// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs the entry and the exit of each call. */
#include "analysis/fn/track/pairing.h"

#include <stdlib.h>
#include <string.h>

int fn_pairing_init(struct fn_pairing *pairing, const struct fn_pairing_ops *ops, void *user)
{
	*pairing = (struct fn_pairing){
		.last_ns = INT64_MIN, .started_ns = INT64_MIN, .ops = ops, .user = user
	};
	fn_stacks_init(&pairing->stacks);
	mm_loss_times_init(&pairing->times);
	return fn_outer_init(&pairing->outer);
}

void fn_pairing_release(struct fn_pairing *pairing)
{
	fn_stacks_release(&pairing->stacks);
	mm_loss_times_release(&pairing->times);
	mm_rows_release(&pairing->outer);
	free(pairing->counts);
}

int fn_pairing_add(struct fn_pairing *pairing, uint32_t function)
{
	size_t room = pairing->function_room ? pairing->function_room : 64;
	struct fn_counts *grown;

	if (function < pairing->function_room)
		return 0;
	while (room <= function)
		room *= 2;
	grown = reallocarray(pairing->counts, room, sizeof(*grown));
	if (!grown)
		return -1;
	memset(grown + pairing->function_room, 0, (room - pairing->function_room) * sizeof(*grown));
	pairing->counts = grown;
	pairing->function_room = room;
	return 0;
}

/*
 * Returns which events of the thread may be missing since @since_ns. An idle thread always runs on
 * the same CPU, so only losses on this CPU matter. For other threads, losses on any CPU matter.
 */
static inline struct mm_loss_bound missed_since(struct fn_pairing *pairing,
						const struct fn_thread *thread, int64_t since_ns)
{
	bool is_idle = thread->key & FN_IDLE && !pairing->unknown_cpus;
	struct mm_loss_times *times = is_idle ? thread->times : &pairing->times;

	if (!pairing->losses || !times)
		return (struct mm_loss_bound){ 0, false };
	return mm_loss_between(times, since_ns, pairing->last_ns);
}

static bool missed_any(struct fn_pairing *pairing, const struct fn_thread *thread, int64_t since_ns)
{
	return mm_loss_bound_any(missed_since(pairing, thread, since_ns));
}

/* Counts a call that is not complete. See fn_pairing_ops.incomplete() for the parameters. */
static int incomplete(struct fn_pairing *pairing, enum fn_outcome outcome,
		      const struct fn_thread *thread, const struct fn_frame *frame,
		      const struct fn_class *class, const struct mm_event *event)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): frame or class is set */
	struct fn_counts *counts = &pairing->counts[(frame ? frame->class : class)->function];

	/*
	 * The exit may be missing because the function was removed. If the function is entered
	 * again, pending calls become FN_NO_EXIT. Calls that are still pending at the end of the
	 * trace become FN_STOPPED.
	 */
	if (outcome == FN_NO_EXIT)
		counts->pending++;
	else
		counts->outcomes[outcome]++;
	if (!pairing->ops->incomplete)
		return 0;
	return pairing->ops->incomplete(pairing->user, outcome, thread, frame, class, event);
}

static int no_thread(const struct fn_pairing *pairing)
{
	return pairing->stacks.too_many ? 0 : -1;
}

/*
 * Removes the outermost calls whose exits may be lost. Without their exits, they would stay on the
 * stack forever.
 */
static int discard_lost(struct fn_pairing *pairing, struct fn_thread *thread)
{
	uint32_t count = 0, offset;

	for (; count < thread->depth &&
	       missed_since(pairing, thread, thread->frames[count].time_ns).events;
	     count++)
		if (incomplete(pairing, FN_UNDETERMINED, thread, &thread->frames[count], NULL,
			       NULL))
			return -1;
	if (!count)
		return 0;
	thread->above = 0;
	thread->depth -= count;
	thread->exited_depth -= count < thread->exited_depth ? count : thread->exited_depth;
	offset = thread->depth ? thread->frames[count].values : (uint32_t)thread->used;
	memmove(thread->frames, thread->frames + count, thread->depth * sizeof(*thread->frames));
	memmove(thread->memory, thread->memory + offset, thread->used - offset);
	thread->used -= offset;
	for (uint32_t i = 0; i < thread->depth; i++)
		thread->frames[i].values -= offset;
	return 0;
}

void fn_pairing_entered(struct fn_pairing *pairing, const struct fn_class *class)
{
	struct fn_counts *counts = &pairing->counts[class->function];

	counts->entered = true;
	counts->outcomes[FN_NO_EXIT] += counts->pending;
	counts->pending = 0;
}

int fn_pairing_entry(struct fn_pairing *pairing, const struct fn_class *class,
		     const struct mm_event *event)
{
	struct fn_thread *thread =
		fn_stacks_get(&pairing->stacks, (uint32_t)event->fields[FN_TID].u, event->cpu);
	struct fn_counts *counts = &pairing->counts[class->function];

	pairing->last_ns = event->time_ns;
	if (!thread)
		return no_thread(pairing);
	fn_pairing_entered(pairing, class);
	if (thread->depth == FN_DEPTH_MAX && discard_lost(pairing, thread))
		return -1;
	if (thread->depth < FN_DEPTH_MAX && !thread->above) {
		if (fn_thread_push(thread, class, event))
			return -1;
		return pairing->ops->entry ? pairing->ops->entry(pairing->user, thread, event) : 0;
	}
	thread->above++;
	counts->outcomes[FN_TOO_DEEP]++;
	return 0;
}

static struct fn_frame *innermost(const struct fn_thread *thread, uint32_t function)
{
	for (uint32_t i = thread->depth; i--;)
		if (thread->frames[i].class->function == function)
			return &thread->frames[i];
	return NULL;
}

/*
 * Call this after removing an open call of @function from the stack. Its complete nested calls of
 * @function took @ns. The next outer call of @function must not count this time again.
 */
static void hand_up(const struct fn_thread *thread, uint32_t function, uint64_t ns)
{
	struct fn_frame *caller = ns ? innermost(thread, function) : NULL;

	if (caller)
		caller->recursive_ns += ns;
}

/* Removes the innermost call, whose exit is missing. */
static int drop(struct fn_pairing *pairing, struct fn_thread *thread)
{
	const struct fn_frame *frame = &thread->frames[thread->depth - 1];
	bool lost = frame->time_ns <= pairing->started_ns ||
		    missed_any(pairing, thread, frame->time_ns);
	int ret =
		incomplete(pairing, lost ? FN_UNDETERMINED : FN_NO_EXIT, thread, frame, NULL, NULL);

	fn_thread_pop(thread);
	/* The caller's self time must also exclude the callees of the removed call. */
	if (thread->depth)
		thread->frames[thread->depth - 1].callees_ns += frame->callees_ns;
	hand_up(thread, frame->class->function, frame->recursive_ns);
	return ret;
}

static int exit_without_entry(struct fn_pairing *pairing, const struct fn_thread *thread,
			      const struct fn_class *class, const struct mm_event *event)
{
	int64_t since_ns = thread->forked_ns;
	enum fn_outcome outcome = FN_NO_ENTRY;

	/*
	 * The missing entry came after the innermost open entry. If no entry is open, it came after
	 * the fork of the thread.
	 */
	if (thread->depth)
		since_ns = thread->frames[thread->depth - 1].time_ns;
	if (missed_any(pairing, thread, since_ns))
		outcome = FN_UNDETERMINED;
	else if (since_ns <= pairing->started_ns || !pairing->counts[class->function].entered)
		outcome = FN_BEFORE_TRACE;
	return incomplete(pairing, outcome, thread, NULL, class, event);
}

/* Ends the innermost call, at @event. */
static int end(struct fn_pairing *pairing, struct fn_thread *thread, const struct fn_class *class,
	       const struct mm_event *event)
{
	struct fn_frame *frame = &thread->frames[thread->depth - 1];
	struct fn_call call = { .entry = frame->class,
				.exit = class,
				.values = fn_frame_values(thread, frame),
				.event = event,
				.start_ns = frame->time_ns,
				.unread = frame->unread,
				.cpu = event->cpu,
				.key = thread->key,
				.thread = thread,
				.tag = frame->tag };
	struct mm_loss_bound missed;
	uint64_t callees_ns;

	call.duration_ns =
		event->time_ns > frame->time_ns ? (uint64_t)(event->time_ns - frame->time_ns) : 0;
	callees_ns = frame->callees_ns;
	fn_thread_pop(thread);
	if (pairing->has_singles) {
		fn_thread_sum_callees(thread, call.start_ns);
		if (fn_thread_add_ended(thread, event->time_ns, call.duration_ns))
			return -1;
	}
	if (thread->depth)
		frame[-1].callees_ns += call.duration_ns;
	call.self_ns = call.duration_ns > callees_ns ? call.duration_ns - callees_ns : 0;
	missed = missed_since(pairing, thread, call.start_ns);
	hand_up(thread, class->function, missed.events ? frame->recursive_ns : call.duration_ns);
	if (missed.events)
		return incomplete(pairing, FN_UNDETERMINED, thread, frame, class, event);
	pairing->counts[class->function].uncertain += missed.absent;
	/*
	 * Nested calls of the same function were counted when they ended, so count only the rest of
	 * the duration.
	 */
	if (call.duration_ns > frame->recursive_ns)
		call.outer_ns = call.duration_ns - frame->recursive_ns;
	return pairing->ops->call(pairing->user, &call);
}

int fn_pairing_exit(struct fn_pairing *pairing, const struct fn_class *class,
		    const struct mm_event *event)
{
	struct fn_thread *thread =
		fn_stacks_get(&pairing->stacks, (uint32_t)event->fields[FN_TID].u, event->cpu);

	pairing->last_ns = event->time_ns;
	if (!thread)
		return no_thread(pairing);
	if (thread->above) {
		thread->above--;
		return 0;
	}
	if (!thread->depth ||
	    thread->frames[thread->depth - 1].class->function != class->function) {
		if (!innermost(thread, class->function))
			return exit_without_entry(pairing, thread, class, event);
		while (thread->frames[thread->depth - 1].class->function != class->function)
			if (drop(pairing, thread))
				return -1;
	}
	return end(pairing, thread, class, event);
}

int fn_pairing_single(struct fn_pairing *pairing, const struct fn_class *class,
		      const struct mm_event *event)
{
	struct fn_thread *thread =
		fn_stacks_get(&pairing->stacks, (uint32_t)event->fields[FN_TID].u, event->cpu);
	struct fn_call call = { .entry = class,
				.exit = class,
				.event = event,
				.duration_ns = event->fields[FN_DURATION].u,
				.unread = fn_event_unread(event),
				.cpu = event->cpu };
	uint64_t callees_ns;

	if (!thread)
		return no_thread(pairing);
	call.key = thread->key;
	call.thread = thread;
	/* A duration this long is possible only in a hostile trace. */
	if (call.duration_ns > INT64_MAX / 2)
		call.duration_ns = 0;
	call.start_ns = event->time_ns - (int64_t)call.duration_ns;
	pairing->last_ns = event->time_ns;
	/*
	 * Open calls that started during this call must have ended with it, so their exits are
	 * missing.
	 */
	while (thread->depth && thread->frames[thread->depth - 1].time_ns > call.start_ns)
		if (drop(pairing, thread))
			return -1;
	callees_ns = fn_thread_sum_callees(thread, call.start_ns);
	call.self_ns = call.duration_ns > callees_ns ? call.duration_ns - callees_ns : 0;
	/*
	 * The time of this call's callees is already part of @callees_ns of the innermost open
	 * call.
	 */
	if (thread->depth)
		thread->frames[thread->depth - 1].callees_ns += call.self_ns;
	if (fn_thread_add_ended(thread, event->time_ns, call.duration_ns) ||
	    fn_outer_add(&pairing->outer, &call, class->function, &call.outer_ns))
		return -1;
	return pairing->ops->call(pairing->user, &call);
}

/* Returns the loss times of the CPU's idle thread, or NULL when out of memory. */
static struct mm_loss_times *times_of(struct fn_pairing *pairing, uint32_t cpu)
{
	struct fn_thread *idle = fn_stacks_make(&pairing->stacks, fn_thread_key(0, cpu));

	if (!idle)
		return NULL;
	if (!idle->times) {
		idle->times = malloc(sizeof(*idle->times));
		if (idle->times)
			mm_loss_times_init(idle->times);
	}
	return idle->times;
}

int fn_pairing_lost(struct fn_pairing *pairing, const struct mm_loss *loss, int64_t since_ns)
{
	struct mm_loss_times *idle;

	if (!loss->has_subject)
		return 0;
	pairing->losses++;
	pairing->has_missing |= loss->missing;
	pairing->has_ended |= !loss->missing && loss->lost_until_ns == INT64_MAX;
	if (mm_loss_times_add(&pairing->times, loss, since_ns))
		return -1;
	/* A missing stream affects no idle thread: the trace has no events of that CPU at all. */
	if (loss->cpu == MM_CPU_UNKNOWN) {
		pairing->unknown_cpus |= !loss->missing;
		return 0;
	}
	idle = times_of(pairing, loss->cpu);
	return idle ? mm_loss_times_add(idle, loss, since_ns) : no_thread(pairing);
}

/*
 * Adds the times before the start and after the end of a stream: its events may be missing there.
 */
static int add_cut(struct fn_pairing *pairing, uint32_t cpu, const struct mm_cut *cut)
{
	struct mm_loss_times *idle;

	pairing->losses++;
	pairing->has_ended |= cut->after_ns != 0;
	pairing->unknown_cpus |= cpu == MM_CPU_UNKNOWN;
	if (mm_loss_times_add_cut(&pairing->times, cut))
		return -1;
	if (cpu == MM_CPU_UNKNOWN)
		return 0;
	idle = times_of(pairing, cpu);
	return idle ? mm_loss_times_add_cut(idle, cut) : no_thread(pairing);
}

int fn_pairing_start(struct fn_pairing *pairing, const struct mm_source *source)
{
	int ret = 0;

	if (pairing->started)
		return 0;
	for (size_t i = 0; i < mm_source_loss_count(source) && !ret; i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_cut *cut = mm_missing_cut(source, loss);

		if (loss->has_subject && loss->begin_ns > pairing->started_ns)
			pairing->started_ns = loss->begin_ns;
		if (loss->has_subject && cut)
			ret = add_cut(pairing, loss->cpu, cut);
	}
	pairing->has_singles = fn_classes_use_singles(source);
	pairing->started = true;
	pairing->windowed = mm_source_options_windowed(mm_source_options(source));
	return ret;
}

/*
 * Did the thread exit during call @number of its stack? Sets *@lost if the call's exit event may be
 * lost. A loss after the exit of the thread does not count.
 */
static bool exited_in(struct fn_pairing *pairing, const struct fn_thread *thread, uint32_t number,
		      bool *lost)
{
	const struct fn_frame *frame = &thread->frames[number];
	bool exited = thread->exited_ns != INT64_MIN && number < thread->exited_depth;

	if (exited && pairing->losses)
		*lost = mm_loss_bound_any(
			mm_loss_between(&pairing->times, frame->time_ns, thread->exited_ns));
	else
		*lost = !exited && missed_any(pairing, thread, frame->time_ns);
	return exited;
}

/*
 * After its exit event, a thread still calls functions. The last one, such as do_task_dead(), never
 * returns. This function returns the index of that call on the stack, or the depth of the stack if
 * no such call is open.
 */
static uint32_t last_call(const struct fn_thread *thread)
{
	uint32_t number = thread->exited_ns == INT64_MIN ? thread->depth : thread->exited_depth;

	while (number < thread->depth && !thread->frames[number].class->never_returns)
		number++;
	return number;
}

/* Removes all open calls of the thread, because they can no longer end. */
static int clear(struct fn_pairing *pairing, struct fn_thread *thread, enum fn_outcome outcome)
{
	const uint32_t last = last_call(thread);

	while (thread->depth) {
		const struct fn_frame *frame = &thread->frames[thread->depth - 1];
		bool lost, exited = exited_in(pairing, thread, thread->depth - 1, &lost);
		enum fn_outcome found = lost				      ? FN_UNDETERMINED
					: exited || thread->depth - 1 >= last ? FN_THREAD_ENDED
									      : outcome;

		if (incomplete(pairing, found, thread, frame, NULL, NULL))
			return -1;
		fn_thread_pop(thread);
	}
	thread->above = thread->ended_count = thread->exited_depth = 0;
	thread->exited_ns = INT64_MIN;
	return 0;
}

int fn_pairing_forked(struct fn_pairing *pairing, int32_t tid, int64_t time_ns)
{
	struct fn_thread *thread;

	if (tid <= 0)
		return 0;
	thread = fn_stacks_make(&pairing->stacks, fn_thread_key((uint32_t)tid, 0));
	if (!thread)
		return no_thread(pairing);
	thread->forked_ns = pairing->last_ns = time_ns;
	thread->moved = false;
	return clear(pairing, thread, FN_THREAD_ENDED);
}

void fn_pairing_exited(struct fn_pairing *pairing, int32_t tid, int64_t time_ns)
{
	struct fn_thread *thread =
		tid > 0 ? fn_stacks_find(&pairing->stacks, fn_thread_key((uint32_t)tid, 0)) : NULL;

	/*
	 * If several profiles record exits, each exit is recorded several times. Only the first
	 * record counts.
	 */
	if (!thread || thread->exited_ns != INT64_MIN)
		return;
	thread->exited_ns = time_ns;
	thread->exited_depth = thread->depth;
}

int fn_pairing_executed(struct fn_pairing *pairing, int32_t tid, int32_t old_tid)
{
	if (tid <= 0 || old_tid <= 0 || tid == old_tid)
		return 0;
	return fn_stacks_rename(&pairing->stacks, fn_thread_key((uint32_t)old_tid, 0),
				fn_thread_key((uint32_t)tid, 0));
}

int fn_pairing_finish(struct fn_pairing *pairing)
{
	/* Losses after the last event count, too. */
	pairing->last_ns = INT64_MAX;
	for (uint32_t i = 0; i < pairing->stacks.count; i++)
		if (clear(pairing, pairing->stacks.all[i], FN_NOT_ENDED))
			return -1;
	for (size_t i = 0; i < pairing->function_room; i++) {
		struct fn_counts *counts = &pairing->counts[i];

		counts->outcomes[FN_STOPPED] += counts->pending;
		counts->pending = 0;
	}
	return 0;
}
