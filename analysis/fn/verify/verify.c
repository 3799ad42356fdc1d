// SPDX-License-Identifier: LGPL-2.1-only
/* Checks that each entry has an exit and each exit has an entry, unless an event may be lost. */
#include "analysis/fn/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fn/track/pairing.h"
#include "reader/sysinfo/threads.h"
#include "util/escape.h"

/* Maximum number of stored findings. Further findings are only counted. */
#define FINDINGS_MAX 65536u

/* Number of the first request after the requests for calls. */
enum { REQUEST_FORK = FN_REQUEST_CALL + 1 };

struct unpaired_event {
	const struct fn_class *class;
	int64_t time_ns;
	uint32_t key, cpu;
	enum fn_outcome outcome;
};

struct pair_checker {
	struct fn_classes classes;
	struct fn_pairing pairing;
	uint64_t events, notes;
	struct unpaired_event *all;
	size_t count, room;
	int64_t *last_entry_ns; /* indexed by function */
	size_t function_room;
	bool failed; /* out of memory in a function that cannot return an error */
};

static int on_call(void *user, const struct fn_call *call)
{
	(void)user;
	(void)call;
	return 0;
}

static int on_entry(void *user, struct fn_thread *thread, const struct mm_event *event)
{
	struct pair_checker *checker = user;

	(void)thread;
	checker->last_entry_ns[((struct fn_class *)event->type->bound)->function] = event->time_ns;
	return 0;
}

static int on_incomplete(void *user, enum fn_outcome outcome, const struct fn_thread *thread,
			 const struct fn_frame *frame, const struct fn_class *class,
			 const struct mm_event *event)
{
	struct pair_checker *checker = user;
	struct unpaired_event *grown;

	if (outcome != FN_NO_ENTRY && outcome != FN_NO_EXIT)
		return 0;
	if (checker->count == FINDINGS_MAX) {
		checker->notes++;
		return 0;
	}
	grown = mm_array_grow(checker->all, checker->count, &checker->room, sizeof(*grown));
	if (!grown)
		return -1;
	checker->all = grown;
	grown[checker->count++] =
		(struct unpaired_event){ .class = frame ? frame->class : class,
					 .time_ns = frame ? frame->time_ns : event->time_ns,
					 .key = thread->key,
					 .cpu = frame ? frame->cpu : event->cpu,
					 .outcome = outcome };
	return 0;
}

static const struct fn_pairing_ops ops = { on_call, on_entry, on_incomplete };

static void destroy(void *user)
{
	struct pair_checker *checker = user;

	if (!checker)
		return;
	fn_classes_release(&checker->classes);
	fn_pairing_release(&checker->pairing);
	free(checker->all);
	free(checker->last_entry_ns);
	free(checker);
}

static void *create(void)
{
	struct pair_checker *checker = calloc(1, sizeof(*checker));

	if (!checker)
		return NULL;
	fn_classes_init(&checker->classes);
	if (!fn_pairing_init(&checker->pairing, &ops, checker))
		return checker;
	destroy(checker);
	return NULL;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	fn_classes_request_calls(requests, false);
	/*
	 * A fork shows that a thread had no entry before the trace. If there is no source, the
	 * caller only asks which events have rules. Forks and execs have none.
	 */
	if (!requests->source)
		return;
	mm_requests_add(requests, MM_THREADS_FORK);
	mm_requests_add_field(requests, "parent_comm", MM_FIELD_ANY);
	mm_requests_add_field(requests, "child_tid", MM_FIELD_INTEGER);
	mm_requests_add(requests, MM_THREADS_EXEC);
	mm_requests_add_field(requests, "filename", MM_FIELD_ANY);
	mm_requests_add_field(requests, "tid", MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "old_tid", MM_FIELD_INTEGER);
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct pair_checker *checker = user;
	uint32_t function;
	int ret;

	if (type->request > FN_REQUEST_CALL)
		return 0;
	ret = fn_classes_bind(&checker->classes, type);
	if (ret)
		return ret < 0 ? out_of_memory(err) : ret;
	function = ((struct fn_class *)type->bound)->function;
	if (fn_pairing_add(&checker->pairing, function))
		return out_of_memory(err);
	while (checker->function_room <= function) {
		int64_t *grown = mm_array_grow(checker->last_entry_ns, checker->function_room,
					       &checker->function_room, sizeof(*grown));

		if (!grown)
			return out_of_memory(err);
		checker->last_entry_ns = grown;
	}
	checker->last_entry_ns[function] = INT64_MIN;
	return 0;
}

static int32_t tid_of(const struct mm_event *event, unsigned int field)
{
	int64_t tid = event->fields[field].i;

	return tid < 0 || tid > INT32_MAX ? -1 : (int32_t)tid;
}

static int on_thread(struct pair_checker *checker, const struct mm_event *event)
{
	if (event->type->request == REQUEST_FORK)
		return fn_pairing_forked(&checker->pairing, tid_of(event, 1), event->time_ns);
	return fn_pairing_executed(&checker->pairing, tid_of(event, 1), tid_of(event, 2));
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct pair_checker *checker = user;
	struct fn_class *class = event->type->bound;
	int ret = 0;

	if (!class)
		return on_thread(checker, event) ? out_of_memory(err) : 0;
	checker->events++;
	if (fn_pairing_start(&checker->pairing, event->source))
		return out_of_memory(err);
	if (class->form == FN_REQUEST_ENTRY)
		ret = fn_pairing_entry(&checker->pairing, class, event);
	else if (class->form == FN_REQUEST_EXIT)
		ret = fn_pairing_exit(&checker->pairing, class, event);
	return ret ? out_of_memory(err) : 0;
}

static void on_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct pair_checker *checker = user;

	if (fn_pairing_lost(&checker->pairing, loss, begin_ns))
		checker->failed = true;
}

/* Is a missing exit explained? If the function has no later entry, its recording may have ended. */
static bool is_explained(const struct pair_checker *checker, const struct unpaired_event *unpaired)
{
	return unpaired->outcome == FN_NO_EXIT &&
	       checker->last_entry_ns[unpaired->class->function] <= unpaired->time_ns;
}

static int compare(const void *a, const void *b)
{
	const struct unpaired_event *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int finish(void *user, struct mm_error *err)
{
	struct pair_checker *checker = user;
	size_t kept = 0;

	if (checker->failed)
		return out_of_memory(err);
	for (size_t i = 0; i < checker->count; i++)
		if (!is_explained(checker, &checker->all[i]))
			checker->all[kept++] = checker->all[i];
	checker->count = kept;
	checker->notes += kept;
	if (kept)
		qsort(checker->all, kept, sizeof(*checker->all), compare);
	return 0;
}

static void report(const void *user, uint64_t limit, mm_rules_finding_fn *finding, void *to,
		   struct mm_rules_counts *counts)
{
	const struct pair_checker *checker = user;

	for (size_t i = 0; i < checker->count && i < limit; i++) {
		const struct unpaired_event *unpaired = &checker->all[i];
		bool no_entry = unpaired->outcome == FN_NO_ENTRY;
		char event[6 * 256 + 16], what[128];
		char *name =
			mm_escape_terminal_copy(checker->classes.names[unpaired->class->function]);
		const struct mm_rules_finding found = { .event = event,
							.time_ns = unpaired->time_ns,
							.cpu = unpaired->cpu,
							.what = what };

		snprintf(event, sizeof(event), "fn_%s_%s", name ? name : "*",
			 no_entry ? "exit" : "entry");
		snprintf(what, sizeof(what),
			 "no %s of this call, and no loss explains it; tid=%" PRIu32,
			 no_entry ? "entry" : "exit", unpaired->key & FN_IDLE ? 0 : unpaired->key);
		finding(to, &found);
		free(name);
	}
	counts->events = checker->events;
	counts->notes = checker->notes;
}

const struct mm_rules mm_fn_rules = {
	.name = "fn",
	.subject = "Events of functions",
	.request = request,
	.create = create,
	.destroy = destroy,
	.event = on_event,
	.bind = bind,
	.lost = on_lost,
	.finish = finish,
	.report = report,
};
