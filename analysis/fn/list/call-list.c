// SPDX-License-Identifier: LGPL-2.1-only
/* Turns events into items of listings. */
#include "analysis/fn/list/call-list.h"

#include <stdlib.h>
#include <string.h>

#define THREADS_MAX (1u << 18)

static int on_call(void *user, const struct fn_call *call);
static int on_entry(void *user, struct fn_thread *thread, const struct mm_event *event);
static int on_incomplete(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			 const struct fn_frame *frame, const struct fn_class *class,
			 const struct mm_event *event);

static const struct fn_pairing_ops ops = { on_call, on_entry, on_incomplete };

struct fn_list *fn_list_create(const struct fn_option_values *options,
			       const struct mm_sysinfo *sysinfo, FILE *out,
			       fn_list_release_fn *release)
{
	struct fn_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	fn_classes_init(&list->classes);
	list->classes.functions = options->function;
	mm_threads_init(&list->threads);
	mm_threads_init(&list->names);
	/* Before the first fork that creates a thread id, the id belongs to an older thread. */
	list->names.continues = true;
	list->sysinfo = sysinfo;
	list->out = out;
	list->by_task = options->by_task;
	list->by_pid = options->report.by_pid;
	list->pid = options->report.pid;
	if (!fn_pairing_init(&list->pairing, &ops, list) &&
	    !mm_rows_init(&list->by_key, sizeof(struct fn_list_thread), THREADS_MAX, 10) &&
	    !fn_order_init(&list->order, release, list))
		return list;
	fn_list_destroy(list);
	return NULL;
}

void fn_list_destroy(struct fn_list *list)
{
	if (!list)
		return;
	fn_classes_release(&list->classes);
	fn_pairing_release(&list->pairing);
	mm_threads_release(&list->threads);
	mm_threads_release(&list->names);
	mm_rows_release(&list->by_key);
	fn_order_release(&list->order);
	free(list);
}

void fn_list_request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	fn_classes_request(requests);
	mm_requests_add(requests, "sched_switch");
	mm_requests_add_field(requests, "prev_tid", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "next_tid", MM_FIELD_INTEGER);
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

int fn_list_ahead(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fn_list *list = user;
	int32_t tid;

	list->has_names = true;
	if (mm_threads_see(&list->names, (enum mm_thread_event)event->type->request, event, 0,
			   &tid))
		return out_of_memory(err);
	/* If the thread id was reused, give the new thread a number, too. */
	if (tid >= 0 && mm_threads_last(&list->names, tid) != MM_HASH_NONE &&
	    mm_threads_number(&list->names, tid) == MM_HASH_NONE)
		return out_of_memory(err);
	return 0;
}

/* Returns the number of the thread at an event. Calls must be in time order. */
static uint32_t number_at(struct fn_list *list, struct fn_list_thread *of, uint32_t tid,
			  int64_t time_ns)
{
	const struct mm_thread *all = list->names.all;
	uint32_t next;

	if (!tid)
		return MM_HASH_NONE;
	if (!list->has_names)
		return of->number = mm_threads_number(&list->threads, (int32_t)tid);
	/*
	 * All threads beyond the maximum share one row, so the row may contain the number of
	 * another thread.
	 */
	if (of->number == MM_HASH_NONE || all[of->number].tid != (int32_t)tid)
		of->number = mm_threads_first(&list->names, (int32_t)tid);
	if (!of->row.a)
		return MM_HASH_NONE;
	while (of->number != MM_HASH_NONE && (next = all[of->number].next) != MM_HASH_NONE &&
	       all[next].since_ns <= time_ns)
		of->number = next;
	return of->number;
}

/*
 * Returns the thread's number at the start of a call. @number is the thread's number at the end of
 * the call. An exec in between changes the number.
 */
static uint32_t number_before(const struct fn_list *list, uint32_t number, int64_t start_ns)
{
	const struct mm_threads *threads = list->has_names ? &list->names : &list->threads;

	return number == MM_HASH_NONE ? number : mm_threads_before(threads, number, start_ns);
}

const char *fn_list_comm(const struct fn_list *list, uint32_t thread, uint32_t tid)
{
	const struct mm_threads *threads = list->has_names ? &list->names : &list->threads;

	if (thread != MM_HASH_NONE)
		return mm_threads_comm(threads, thread, list->sysinfo);
	return mm_sysinfo_comm(list->sysinfo, (int)tid);
}

int fn_list_bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct fn_list *list = user;
	int ret;

	if (type->request > FN_REQUEST_CALL)
		return 0;
	ret = fn_classes_bind(&list->classes, type);
	if (!ret)
		ret = fn_pairing_add(&list->pairing, ((struct fn_class *)type->bound)->function);
	return ret < 0 ? out_of_memory(err) : ret;
}

struct fn_list_thread *fn_list_thread(struct fn_list *list, uint32_t key)
{
	struct fn_list_thread *thread = mm_rows_get(&list->by_key, key, 1);

	if (thread && !thread->last && !thread->last_ns) {
		thread->last = FN_LIST_NO_ITEM;
		thread->last_ns = thread->out_ns = INT64_MIN;
		thread->number = MM_HASH_NONE;
	}
	return thread;
}

/*
 * Computes the time off the CPU until @time_ns. Returns false if this time depends on a switch that
 * is no longer stored.
 */
static bool off_until(const struct fn_list_thread *thread, int64_t time_ns, uint64_t *off_ns)
{
	uint64_t oldest = thread->switches > FN_SWITCHES ? thread->switches - FN_SWITCHES : 0;

	for (uint64_t i = thread->switches; i-- > oldest;)
		if (thread->in_ns[i % FN_SWITCHES] <= time_ns) {
			*off_ns = thread->off_ns[i % FN_SWITCHES];
			return true;
		}
	*off_ns = 0;
	return !oldest;
}

static void set_off(const struct fn_list *list, const struct fn_list_thread *thread,
		    int64_t start_ns, int64_t end_ns, struct fn_list_item *item)
{
	uint64_t start_off = 0, end_off = 0;

	item->has_off = list->has_switches && !(thread->row.a & FN_IDLE) &&
			off_until(thread, start_ns, &start_off) &&
			off_until(thread, end_ns, &end_off);
	item->off_ns = end_off - start_off;
}

void fn_list_select(void *user, const struct mm_selection *selection)
{
	((struct fn_list *)user)->selection = selection;
}

uint64_t fn_list_left_out(const void *user)
{
	return ((const struct fn_list *)user)->left_out;
}

static bool is_listed(struct fn_list *list, const struct fn_class *class, uint32_t tid,
		      int64_t time_ns)
{
	uint32_t number;
	int32_t pid = -1;

	if (class->is_shown && list->selection)
		return mm_selection_of(list->selection, tid, -1, time_ns, &list->selected) ==
		       MM_SELECTED;
	if (!class->is_shown || !list->by_pid)
		return class->is_shown;
	number = mm_threads_number(&list->threads, (int32_t)tid);
	if (number != MM_HASH_NONE)
		pid = mm_threads_pid_now(&list->threads, number);
	return pid < 0 ? tid == list->pid : (uint32_t)pid == list->pid;
}

static struct fn_values *copy(const struct fn_values *values)
{
	struct fn_values *made = malloc(values->bytes);

	if (made)
		memcpy(made, values, values->bytes);
	return made;
}

static int on_entry(void *user, struct fn_thread *thread, const struct mm_event *event)
{
	struct fn_list *list = user;
	struct fn_frame *frame = &thread->frames[thread->depth - 1];
	uint32_t tid = (uint32_t)event->fields[FN_TID].u;
	struct fn_list_thread *of;
	struct fn_list_item item = { .kind = FN_LIST_START,
				     .outcome = FN_OUTCOMES,
				     .time_ns = event->time_ns,
				     .key = thread->key,
				     .tid = tid,
				     .cpu = event->cpu,
				     .entry = frame->class,
				     .unread = frame->unread };

	frame->tag = FN_LIST_NO_ITEM;
	if (!is_listed(list, frame->class, tid, event->time_ns))
		return 0;
	of = fn_list_thread(list, thread->key);
	if (!of)
		return -1;
	item.thread = number_at(list, of, tid, event->time_ns);
	item.values = copy(fn_frame_values(thread, frame));
	if (!item.values || fn_order_add(&list->order, &item, &frame->tag))
		return -1;
	of->last = frame->tag;
	of->last_ns = event->time_ns;
	return 0;
}

/*
 * Adds the end of a call. @start is the handle of the item for its start. If the call has no listed
 * callees, its start and end become one item (FN_LIST_LEAF).
 */
static int add_end(struct fn_list *list, struct fn_list_item *item, uint64_t start)
{
	struct fn_list_thread *of = fn_list_thread(list, item->key);
	struct fn_list_item *begun = fn_order_find(&list->order, start);
	uint64_t handle;

	if (!of)
		return -1;
	/* An exec during the call may have changed the thread's id. */
	if (begun)
		item->key = begun->key;
	if (begun && of->last == start && item->outcome == FN_OUTCOMES) {
		begun->kind = FN_LIST_LEAF;
		begun->exit = item->exit;
		begun->ret = item->ret;
		begun->ret_unread = item->ret_unread;
		begun->duration_ns = item->duration_ns;
		begun->has_off = item->has_off;
		begun->off_ns = item->off_ns;
		begun->self_ns = item->self_ns;
	} else if (fn_order_add(&list->order, item, &handle)) {
		return -1;
	}
	of->last = FN_LIST_NO_ITEM;
	of->last_ns = item->time_ns;
	return 0;
}

/*
 * Adds the start and the end of a single record. The list still holds the items of its callees
 * (order.h), so the start can be inserted before them.
 */
static int add_single(struct fn_list *list, const struct fn_call *call, struct fn_list_item *end)
{
	struct fn_list_thread *of = fn_list_thread(list, end->key);
	size_t bytes = fn_values_room(call->entry);
	struct fn_list_item start = *end;
	uint64_t handle;

	if (!of)
		return -1;
	end->is_single = start.is_single = true;
	start.kind = of->last_ns <= call->start_ns ? FN_LIST_LEAF : FN_LIST_START;
	start.time_ns = call->start_ns;
	start.thread = number_before(list, end->thread, call->start_ns);
	start.entry = call->entry;
	start.unread = call->unread;
	of->last = FN_LIST_NO_ITEM;
	of->last_ns = end->time_ns;
	end->has_start = call->start_ns >= list->order.released_ns;
	if (!end->has_start) {
		list->late++;
	} else {
		start.values = malloc(bytes);
		if (!start.values)
			return -1;
		fn_values_keep(call->entry, call->event, start.values);
		if (fn_order_add(&list->order, &start, &handle))
			return -1;
		if (start.kind == FN_LIST_LEAF)
			return 0;
	}
	return fn_order_add(&list->order, end, &handle);
}

static int on_call(void *user, const struct fn_call *call)
{
	struct fn_list *list = user;
	const struct mm_event *event = call->event;
	struct fn_list_item item = { .kind = FN_LIST_END,
				     .outcome = FN_OUTCOMES,
				     .time_ns = event->time_ns,
				     .key = call->key,
				     .tid = (uint32_t)event->fields[FN_TID].u,
				     .cpu = event->cpu,
				     .has_start = true,
				     .entry = call->entry,
				     .exit = call->exit,
				     .ret = call->exit->has_ret ? event->fields[FN_RET].u : 0,
				     .ret_unread = fn_event_unread(event) & call->exit->ret.unread,
				     .duration_ns = call->duration_ns,
				     .self_ns = call->self_ns };
	struct fn_list_thread *of;

	if (!is_listed(list, call->exit, item.tid, event->time_ns)) {
		list->left_out += call->exit->is_shown && list->selection &&
				  list->selected.selected == MM_SELECTED_RECORDER;
		return 0;
	}
	of = fn_list_thread(list, call->key);
	if (!of)
		return -1;
	item.thread = number_at(list, of, item.tid, event->time_ns);
	set_off(list, of, call->start_ns, event->time_ns, &item);
	if (call->exit->form == FN_REQUEST_CALL)
		return add_single(list, call, &item);
	/*
	 * If --pid did not select the thread when the call started, the start is not in the list.
	 */
	item.has_start = call->tag != FN_LIST_NO_ITEM;
	return add_end(list, &item, call->tag);
}

static int on_incomplete(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			 const struct fn_frame *frame, const struct fn_class *class,
			 const struct mm_event *event)
{
	struct fn_list *list = user;
	struct fn_list_item item = { .kind = FN_LIST_END,
				     .outcome = outcome,
				     .key = thread->key,
				     .tid = thread->key & FN_IDLE ? 0 : thread->key,
				     .cpu = MM_CPU_UNKNOWN,
				     .has_start = frame != NULL,
				     .entry = frame ? frame->class : NULL,
				     .exit = class };
	struct fn_list_thread *of;

	if (!is_listed(list, frame ? frame->class : class, item.tid,
		       frame   ? frame->time_ns
		       : event ? event->time_ns
			       : INT64_MAX) ||
	    (frame && frame->tag == FN_LIST_NO_ITEM))
		return 0;
	of = fn_list_thread(list, thread->key);
	if (!of)
		return -1;
	/* At least one of @event and @frame is set, but the static analyzer does not know that. */
	if (!event && !frame)
		return 0;
	item.thread = number_at(list, of, item.tid, event ? event->time_ns : frame->time_ns);
	if (event) {
		item.time_ns = event->time_ns;
		item.cpu = event->cpu;
		item.ret = class->has_ret ? event->fields[FN_RET].u : 0;
		item.ret_unread = fn_event_unread(event) & class->ret.unread;
	} else {
		/* The exit is missing, so the end follows the thread's last item. */
		item.thread = number_before(list, item.thread, frame->time_ns);
		item.has_no_event = true;
		item.time_ns = outcome == FN_NOT_ENDED ? INT64_MAX : of->last_ns;
		item.cpu = frame->cpu;
	}
	return add_end(list, &item, FN_LIST_NO_ITEM);
}

static int on_switch(struct fn_list *list, const struct mm_event *event)
{
	uint32_t prev = (uint32_t)event->fields[0].u, next = (uint32_t)event->fields[1].u;
	struct fn_list_thread *of;

	list->has_switches = true;
	if (prev) {
		of = fn_list_thread(list, fn_thread_key(prev, event->cpu));
		if (!of)
			return -1;
		of->out_ns = event->time_ns;
	}
	if (!next)
		return 0;
	of = fn_list_thread(list, fn_thread_key(next, event->cpu));
	if (!of)
		return -1;
	if (of->out_ns != INT64_MIN && event->time_ns >= of->out_ns) {
		uint64_t before = of->switches ? of->off_ns[(of->switches - 1) % FN_SWITCHES] : 0;

		of->in_ns[of->switches % FN_SWITCHES] = event->time_ns;
		of->off_ns[of->switches % FN_SWITCHES] =
			before + (uint64_t)(event->time_ns - of->out_ns);
		of->switches++;
	}
	of->out_ns = INT64_MIN;
	return 0;
}

static int on_fork(struct fn_list *list, const struct mm_event *event, uint32_t tid)
{
	const struct fn_list_item item = { .kind = FN_LIST_FORK,
					   .time_ns = event->time_ns,
					   .key = fn_thread_key(tid, 0) };
	uint64_t handle;

	if (fn_pairing_forked(&list->pairing, (int32_t)tid, event->time_ns) ||
	    !fn_list_thread(list, item.key))
		return -1;
	return fn_order_add(&list->order, &item, &handle);
}

static int on_thread(struct fn_list *list, const struct mm_event *event)
{
	enum mm_thread_event kind =
		(enum mm_thread_event)(event->type->request - FN_REQUEST_THREADS);
	int32_t tid;

	if (event->type->request == FN_REQUEST_CALL_SITE)
		return 0;
	if (event->type->request == FN_REQUEST_SWITCH)
		return on_switch(list, event);
	if (mm_threads_see(&list->threads, kind, event, 0, &tid))
		return -1;
	if (kind == MM_THREAD_FORK && tid > 0)
		return on_fork(list, event, (uint32_t)tid);
	if (kind == MM_THREAD_EXIT)
		fn_pairing_exited(&list->pairing, tid, event->time_ns);
	if (kind == MM_THREAD_EXEC && tid >= 0)
		return fn_pairing_executed(&list->pairing, tid, (int32_t)event->fields[1].i);
	return 0;
}

int fn_list_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fn_list *list = user;
	struct fn_class *class = event->type->bound;
	int ret = 0;

	if (list->has_names && !list->names_ready) {
		struct mm_threads none;

		mm_threads_init(&none);
		list->names_ready = true;
		/* Threads that occur only in state dumps need numbers, too. */
		if (mm_threads_precede(&list->names, &none))
			return out_of_memory(err);
	}
	if (class && !class->knows_bases) {
		fn_classes_learn(&list->classes, class, event);
		if (fn_pairing_start(&list->pairing, event->source))
			return out_of_memory(err);
	}
	if (!class)
		ret = on_thread(list, event);
	else if (class->form == FN_REQUEST_ENTRY)
		ret = fn_pairing_entry(&list->pairing, class, event);
	else if (class->form == FN_REQUEST_EXIT)
		ret = fn_pairing_exit(&list->pairing, class, event);
	else if (!class->is_ignored)
		ret = fn_pairing_single(&list->pairing, class, event);
	return ret || list->failed ? out_of_memory(err) : 0;
}

void fn_list_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct fn_list *list = user;
	struct fn_list_item item = { .kind = FN_LIST_LOSS,
				     .time_ns = begin_ns,
				     .cpu = loss->cpu,
				     .ret = loss->lost_events };
	uint64_t handle;

	if (!loss->has_subject)
		return;
	if (fn_pairing_lost(&list->pairing, loss, begin_ns) ||
	    fn_order_add(&list->order, &item, &handle))
		list->failed = true;
}

int fn_list_finish(struct fn_list *list, struct mm_error *err)
{
	if (list->failed || fn_pairing_finish(&list->pairing) || fn_order_flush(&list->order))
		return out_of_memory(err);
	return 0;
}
