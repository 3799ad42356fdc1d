// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The analysis of function calls. Binds event classes, pairs entries and exits, and counts calls.
 */
#include "analysis/fn/fn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fn/decode/states.h"
#include "analysis/fn/list/call-list.h"
#include "analysis/fn/report/report.h"
#include "analysis/fn/report/schema.h"

struct fn_state {
	struct fn_classes classes;
	struct fn_pairing pairing;
	struct fn_accounts accounts;
	struct mm_threads threads, earlier_threads;
	struct mm_call_sites call_sites;
	struct fn_state_dumps states;
	struct fn_results results;
	/*
	 * The selected threads; NULL: all. In a live session with --pid, selected_by_now() selects
	 * the threads instead.
	 */
	const struct mm_selection *selection;
	struct mm_selected_last selected;
	/*
	 * calls of the recorder's threads, which are paired separately and not part of any figure
	 */
	struct fn_pairing left_out;
	struct fn_recorder_calls recorder;
	bool selects; /* events of some threads are left out */
	bool by_pid;
	uint32_t pid;
	bool failed; /* out of memory in a function that cannot return an error */
};

static int on_call(void *user, const struct fn_call *call);
static int on_left_out(void *user, const struct fn_call *call);

static const struct fn_pairing_ops ops = { .call = on_call };
static const struct fn_pairing_ops left_out_ops = { .call = on_left_out };

static void fn_destroy(void *user)
{
	struct fn_state *state = user;

	if (!state)
		return;
	fn_classes_release(&state->classes);
	fn_pairing_release(&state->pairing);
	fn_pairing_release(&state->left_out);
	fn_accounts_release(&state->accounts);
	mm_threads_release(&state->threads);
	mm_threads_release(&state->earlier_threads);
	mm_call_sites_release(&state->call_sites);
	fn_state_dumps_release(&state->states);
	free(state->results.listed);
	free(state);
}

static void *fn_create(void)
{
	struct fn_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	fn_classes_init(&state->classes);
	fn_state_dumps_init(&state->states);
	mm_threads_init(&state->threads);
	mm_threads_init(&state->earlier_threads);
	if (!fn_pairing_init(&state->pairing, &ops, state) &&
	    !fn_pairing_init(&state->left_out, &left_out_ops, state) &&
	    !fn_accounts_init(&state->accounts))
		return state;
	fn_destroy(state);
	return NULL;
}

static void configure(void *user, const struct mm_report_options *options)
{
	const struct fn_option_values *given = MM_OPTIONS_OF(struct fn_option_values, options);
	struct fn_state *state = user;

	state->classes.functions = given->function;
	state->by_pid = state->selects = options->by_pid;
	state->pid = options->pid;
	if (given->by && fn_accounts_by(&state->accounts, given->by))
		state->failed = true;
}

static void fn_select(void *user, const struct mm_selection *selection)
{
	struct fn_state *state = user;

	state->selection = selection;
	state->selects = selection || state->by_pid;
	state->recorder.known |= selection && selection->no_recorder;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	fn_classes_request(requests);
	fn_state_dumps_request(requests);
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct fn_state *state = user;
	const struct fn_class *class;
	int ret;

	if (type->request > FN_REQUEST_CALL)
		return 0;
	ret = fn_classes_bind(&state->classes, type);
	if (ret)
		return ret < 0 ? out_of_memory(err) : ret;
	class = type->bound;
	if (fn_pairing_add(&state->pairing, class->function) ||
	    fn_pairing_add(&state->left_out, class->function) ||
	    fn_accounts_add_function(&state->accounts, class->function))
		return out_of_memory(err);
	return 0;
}

/*
 * Does --pid select the thread? Uses only the events so far. If the thread's process is not known,
 * compares the thread id.
 */
static enum mm_selected selected_by_now(struct fn_state *state, uint32_t tid)
{
	uint32_t number = mm_threads_number(&state->threads, (int32_t)tid);
	int32_t pid = number == MM_HASH_NONE ? -1 : mm_threads_pid_now(&state->threads, number);

	return (pid < 0 ? tid == state->pid : (uint32_t)pid == state->pid) ? MM_SELECTED
									   : MM_SELECTED_OTHER;
}

static enum mm_selected selected(struct fn_state *state, const struct mm_event *event)
{
	uint32_t tid = (uint32_t)event->fields[FN_TID].u;

	if (state->by_pid && !state->selection)
		return selected_by_now(state, tid);
	return mm_selection_of(state->selection, tid, -1, event->time_ns, &state->selected);
}

static int on_left_out(void *user, const struct fn_call *call)
{
	struct fn_state *state = user;

	if (!call->exit->is_shown)
		return 0;
	state->recorder.calls++;
	state->recorder.self_ns += call->self_ns;
	return 0;
}

static int on_call(void *user, const struct fn_call *call)
{
	struct fn_state *state = user;
	uint32_t tid = (uint32_t)call->event->fields[FN_TID].u;
	struct fn_slow_call *slow;

	if (!call->exit->is_shown)
		return 0;
	if (fn_accounts_add(&state->accounts, call, state->classes.names[call->exit->function],
			    &slow))
		return -1;
	if (!slow)
		return 0;
	slow->thread = mm_threads_number(&state->threads, (int32_t)tid);
	if (slow->thread == MM_HASH_NONE)
		return -1;
	slow->thread = mm_threads_before(&state->threads, slow->thread, call->start_ns);
	return 0;
}

static int on_fork(struct fn_state *state, const struct mm_event *event)
{
	int32_t tid;

	if (mm_threads_see(&state->threads, MM_THREAD_FORK, event, 0, &tid))
		return -1;
	if (state->recorder.known && fn_pairing_forked(&state->left_out, tid, event->time_ns))
		return -1;
	return fn_pairing_forked(&state->pairing, tid, event->time_ns);
}

static int on_exec(struct fn_state *state, const struct mm_event *event)
{
	int64_t old_tid = event->fields[1].i;
	int32_t tid;

	/*
	 * Open calls must show the name that the thread had before the exec. mm_threads keeps this
	 * name only if the thread has a number.
	 */
	if (old_tid > 0 && old_tid <= INT32_MAX &&
	    fn_stacks_find(&state->pairing.stacks, fn_thread_key((uint32_t)old_tid, 0)) &&
	    mm_threads_number(&state->threads, (int32_t)old_tid) == MM_HASH_NONE)
		return -1;
	if (mm_threads_see(&state->threads, MM_THREAD_EXEC, event, 0, &tid))
		return -1;
	if (tid < 0)
		return 0;
	if (state->recorder.known && fn_pairing_executed(&state->left_out, tid, (int32_t)old_tid))
		return -1;
	return fn_pairing_executed(&state->pairing, tid, (int32_t)old_tid);
}

static int on_thread_exit(struct fn_state *state, const struct mm_event *event)
{
	int32_t tid;

	if (mm_threads_see(&state->threads, MM_THREAD_EXIT, event, 0, &tid))
		return -1;
	fn_pairing_exited(&state->left_out, tid, event->time_ns);
	fn_pairing_exited(&state->pairing, tid, event->time_ns);
	return 0;
}

static int on_call_site(struct fn_state *state, const struct mm_event *event)
{
	enum { START, SIZE, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	bool alive = event->type->kinds[ALIVE] == MM_KIND_NONE || f[ALIVE].u;

	return mm_call_sites_add(&state->call_sites, (uint32_t)f[START].u, (uint32_t)f[SIZE].u,
				 alive, f[NAME].s);
}

__attribute__((noinline)) static int on_other(struct fn_state *state, const struct mm_event *event)
{
	switch (event->type->request) {
	case FN_REQUEST_CALL_SITE:
		return on_call_site(state, event);
	case FN_REQUEST_STATE:
		return fn_state_dumps_see(&state->states, event);
	case FN_REQUEST_FORK:
		return on_fork(state, event);
	case FN_REQUEST_EXEC:
		return on_exec(state, event);
	case FN_REQUEST_THREAD_EXIT:
		return on_thread_exit(state, event);
	default:
		return mm_threads_see(&state->threads, MM_THREAD_DUMP, event, 0, NULL);
	}
}

static inline int pair(struct fn_pairing *pairing, const struct fn_class *class,
		       const struct mm_event *event)
{
	if (class->form == FN_REQUEST_ENTRY)
		return fn_pairing_entry(pairing, class, event);
	if (class->form == FN_REQUEST_EXIT)
		return fn_pairing_exit(pairing, class, event);
	if (!class->is_ignored)
		return fn_pairing_single(pairing, class, event);
	pairing->counts[class->function].unused++;
	return 0;
}

/*
 * Handles an event. Calls nest only within a thread, so leaving out some threads does not affect
 * the others.
 */
static int fn_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fn_state *state = user;
	struct fn_class *class = event->type->bound;
	enum mm_selected is;
	int ret = 0;

	if (!class)
		return on_other(state, event) ? out_of_memory(err) : 0;
	if (!class->knows_bases) {
		fn_classes_learn(&state->classes, class, event);
		if (fn_pairing_start(&state->pairing, event->source) ||
		    fn_pairing_start(&state->left_out, event->source))
			return out_of_memory(err);
	}
	is = __builtin_expect(state->selects, 0) ? selected(state, event) : MM_SELECTED;
	if (is == MM_SELECTED)
		ret = pair(&state->pairing, class, event);
	else if (is == MM_SELECTED_RECORDER)
		ret = pair(&state->left_out, class, event);
	if (is != MM_SELECTED && class->form == FN_REQUEST_ENTRY)
		fn_pairing_entered(&state->pairing, class);
	return ret ? out_of_memory(err) : 0;
}

static void fn_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct fn_state *state = user;

	if (fn_pairing_lost(&state->pairing, loss, begin_ns) ||
	    fn_pairing_lost(&state->left_out, loss, begin_ns))
		state->failed = true;
}

static int fn_before(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fn_state *state = user;

	if (mm_threads_see(&state->earlier_threads, (enum mm_thread_event)event->type->request,
			   event, 0, NULL))
		return out_of_memory(err);
	return 0;
}

static int fn_after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct fn_state *state = user;

	if (mm_threads_see_later(&state->threads, (enum mm_thread_event)event->type->request, event,
				 0))
		return out_of_memory(err);
	return 0;
}

static int fn_finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		     struct mm_error *err)
{
	struct fn_state *state = user;

	(void)source;
	if (state->failed || fn_pairing_finish(&state->pairing) ||
	    mm_threads_precede(&state->threads, &state->earlier_threads) ||
	    mm_call_sites_load(&state->call_sites, mm_sysinfo_symbols(sysinfo)))
		return out_of_memory(err);
	state->recorder.any_unknown = state->selected.any_unknown;
	state->results = (struct fn_results){
		.classes = &state->classes,
		.pairing = &state->pairing,
		.accounts = &state->accounts,
		.threads = &state->threads,
		.call_sites = &state->call_sites,
		.states = &state->states,
		.recorder = &state->recorder,
		.sysinfo = sysinfo,
	};
	return fn_report_list(&state->results) ? out_of_memory(err) : 0;
}

static int fn_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	const struct fn_state *state = user;

	return fn_report_fill(&state->results, MM_OPTIONS_OF(struct fn_option_values, options),
			      report);
}

static bool fn_is_empty(const void *user)
{
	return !((const struct fn_state *)user)->pairing.started;
}

static const struct mm_listing *listing(const struct mm_report_options *options)
{
	const struct fn_option_values *given = MM_OPTIONS_OF(struct fn_option_values, options);

	if (given->graph)
		return &fn_graph_listing;
	return given->folded ? &fn_folded_listing : NULL;
}

static int check_options(const struct mm_report_options *options, struct mm_error *err)
{
	const struct fn_option_values *given = MM_OPTIONS_OF(struct fn_option_values, options);

	if ((given->graph && given->folded) || ((given->graph || given->folded) && given->by))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report fn: --graph, --folded and --by exclude each other; give one of them");
	return 0;
}

static const char *const folded[] = { "ns", "calls", NULL };

static const struct mm_option table[] = {
	MM_OPTION_TOP,
	{ .name = "by",
	  .argument = "WHAT",
	  .help = "also group calls by the value of an argument, such as handle_mm_fault.flags, or by FUNCTION.ret or FUNCTION.caller",
	  MM_TEXT_IN(struct fn_option_values, by) },
	{ .name = "graph",
	  .help = "the calls, one by one, as ftrace's function_graph tracer shows them",
	  MM_FLAG_IN(struct fn_option_values, graph) },
	{ .name = "by-task",
	  .help = "with --graph: start lines with the thread, not the CPU",
	  MM_FLAG_IN(struct fn_option_values, by_task),
	  .needs = "graph" },
	{ .name = "folded",
	  .argument = "WHAT",
	  .help = "call stacks with their self time in ns, or number of calls, for flame graphs",
	  MM_CHOICE_IN(struct fn_option_values, folded),
	  .choices = folded },
	{ .name = "function",
	  .argument = "GLOB",
	  .help = "only functions that match the shell pattern, or one of several patterns separated by commas",
	  MM_TEXT_IN(struct fn_option_values, function),
	  .selects = true },
	MM_OPTION_PID("only calls by threads of this process", "--all"),
	MM_OPTION_INCLUDE_RECORDER("include the recorder's own calls in all figures"),
	{ .name = NULL },
};

static const struct fn_option_values defaults = { .report = MM_REPORT_DEFAULTS };
static const struct mm_options options = MM_OPTIONS(table, defaults);

const struct mm_analysis mm_fn_analysis = {
	.name = "fn",
	.schema = &fn_schema,
	.configure = configure,
	.select = fn_select,
	.request = request,
	.bind = bind,
	.options = &options,
	.examples =
		"  $ lttng-mm report fn /tmp/snapshot-1\n"
		"  $ lttng-mm report fn --function 'ext4_*' /tmp/snapshot-1\n"
		"  $ lttng-mm report fn --graph --begin -1s /tmp/snapshot-1\n"
		"  $ lttng-mm report fn --folded ns /tmp/snapshot-1 | flamegraph.pl >time.svg\n",
	.listing = listing,
	.check_options = check_options,
	.request_history = mm_threads_request_history,
	.before = fn_before,
	.after = fn_after,
	.is_empty = fn_is_empty,
	.required = "fn_",
	.create = fn_create,
	.destroy = fn_destroy,
	.event = fn_event,
	.lost = fn_lost,
	.finish = fn_finish,
	.fill = fn_fill,
};
