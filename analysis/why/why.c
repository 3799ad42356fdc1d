// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The analysis of slow intervals. The first pass finds the slowest intervals. The second pass
 * collects their events.
 */
#include "analysis/why/why.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/why/schema.h"
#include "analysis/why/state.h"
#include "reader/coverage/missing.h"

static void why_destroy(void *user)
{
	struct why_state *state = user;

	if (!state)
		return;
	why_events_release(&state->events);
	why_files_release(&state->files);
	fn_pairing_release(&state->pairing);
	why_pairs_release(&state->pairs);
	why_slowest_release(&state->slowest);
	mm_rows_release(&state->counts);
	mm_rows_release(&state->running);
	mm_threads_release(&state->threads);
	mm_threads_release(&state->earlier_threads);
	mm_call_sites_release(&state->call_sites);
	for (uint32_t i = 0; i < state->timeline_count; i++)
		why_timeline_release(&state->timelines[i]);
	free(state->timelines);
	free(state->by_serial);
	free(state->by_time);
	free(state);
}

static void *why_create(void)
{
	struct why_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	mm_threads_init(&state->threads);
	mm_threads_init(&state->earlier_threads);
	why_files_init(&state->files);
	state->has_calls = true;
	state->sample = 1;
	state->listed_max = 10;
	state->lines_max = WHY_LINES_DEFAULT;
	if (!why_events_init(&state->events) &&
	    !fn_pairing_init(&state->pairing, &why_find_ops, state) &&
	    !why_pairs_init(&state->pairs, WHY_OPERATION + state->events.operation_count) &&
	    !why_slowest_init(&state->slowest) &&
	    !mm_rows_init(&state->counts, sizeof(struct why_interval_count),
			  FN_FUNCTIONS_MAX + WHY_KINDS, 8) &&
	    !mm_rows_init(&state->running, sizeof(struct why_thread_timelines), 1u << 16, 8))
		return state;
	why_destroy(state);
	return NULL;
}

static void configure(void *user, const struct mm_report_options *options)
{
	const struct why_option_values *given = MM_OPTIONS_OF(struct why_option_values, options);
	struct why_state *state = user;

	state->listed_max = options->top;
	state->lines_max = given->lines;
	state->events.functions.functions = given->function;
	state->pair_given = given->pair;
	state->files.pattern = given->file;
	state->events.needs_files = given->file != NULL;
	if (why_options_select(given)) {
		state->has_calls = given->function != NULL;
		why_events_select(&state->events, given->only, given->file != NULL);
	}
	if (given->pair && why_events_pair(&state->events, given->pair))
		state->failed = true;
}

static void why_select(void *user, const struct mm_selection *selection)
{
	struct why_state *state = user;

	state->selection = selection;
	state->knows_recorder |= selection && selection->no_recorder;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	struct why_state *state = user;

	if (pass && !state->pass) {
		if (why_find_finish(state))
			state->failed = true;
		fn_pairing_release(&state->pairing);
		if (fn_pairing_init(&state->pairing, &why_collect_ops, state))
			state->failed = true;
		state->pass = pass;
		state->serial = 0;
		why_events_lost(&state->events, MM_CPU_UNKNOWN);
	}
	why_events_request(&state->events, pass, requests);
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct why_state *state = user;
	const struct why_class *class;
	int ret;

	ret = why_events_bind(&state->events, type);
	if (ret)
		return ret < 0 ? out_of_memory(err) : ret;
	class = type->bound;
	if (class->fn && fn_pairing_add(&state->pairing, class->fn->function))
		return out_of_memory(err);
	return 0;
}

static int why_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct why_state *state = user;
	const struct why_class *class = event->type->bound;
	int ret;

	if (state->failed)
		return out_of_memory(err);
	if (class->fn && !class->fn->knows_bases)
		fn_classes_learn(&state->events.functions, class->fn, event);
	if (why_class_is_endpoint(class)) {
		state->serial++;
		if (fn_pairing_start(&state->pairing, event->source))
			return out_of_memory(err);
	}
	ret = state->pass ? why_collect(state, event) : why_find(state, event);
	return ret ? out_of_memory(err) : 0;
}

static void why_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct why_state *state = user;

	why_events_lost(&state->events, loss->cpu);
	why_files_lost(&state->files, loss->cpu);
	if (fn_pairing_lost(&state->pairing, loss, begin_ns))
		state->failed = true;
}

static void lost_again(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	why_collect_lost(user, loss, begin_ns);
}

static int why_before(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct why_state *state = user;

	if (mm_threads_see(&state->earlier_threads, (enum mm_thread_event)event->type->request,
			   event, 0, NULL))
		return out_of_memory(err);
	return 0;
}

static int why_after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct why_state *state = user;

	if (mm_threads_see_later(&state->threads, (enum mm_thread_event)event->type->request, event,
				 0))
		return out_of_memory(err);
	return 0;
}

/* Names the report for allocations if the trace declares allocation events of a subsystem. */
static void hint_allocations(const struct mm_source *source, char *hint, size_t size)
{
	*hint = '\0';
	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_event_roles *roles = mm_subsystems[i]->roles;

		for (size_t a = 0; roles && roles->allocations && roles->allocations[a]; a++)
			if (mm_subsystems[i]->analysis && !*hint &&
			    mm_source_declares(source, roles->allocations[a]))
				snprintf(
					hint, size,
					", or analyze the allocations in the trace with `lttng-mm report %s`",
					mm_subsystems[i]->analysis->name);
	}
}

/* Checks that the trace declares the starts and ends of the selected intervals. Returns 0 or -1. */
static int check_events(const struct why_state *state, const struct mm_source *source,
			struct mm_error *err)
{
	static const char calls[] = "calls of functions (fn_*)";
	const char *names[] = { state->events.start, state->events.end };
	char operations[256], what[sizeof(calls) + sizeof(operations) + 8], hint[128];
	bool has_any = (state->has_calls && mm_source_declares_prefix(source, "fn_")) ||
		       why_events_declared(&state->events, source);

	for (size_t i = 0; i < 2 && state->pair_given; i++)
		if (!mm_source_declares(source, names[i]))
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"trace: %s: the trace has no event named %s; `lttng-mm info --events` lists its events",
				mm_source_path(source), names[i]);
	if (state->pair_given || has_any)
		return 0;
	why_events_name_operations(&state->events, WHY_NAME_EVENTS, operations, sizeof(operations));
	snprintf(what, sizeof(what), "%s%s%s", state->has_calls ? calls : "",
		 state->has_calls && *operations ? " and no " : "", operations);
	if (mm_source_orphan_count(source))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "trace: %s: the trace has no %s, but it has " MM_ORPHANS_REMEDY,
				    mm_source_path(source), what, mm_source_orphan_at(source, 0));
	hint_allocations(source, hint, sizeof(hint));
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: %s: the trace has no %s; record them with `lttng-mm record %s`%s",
		mm_source_path(source), what,
		state->has_calls ? "fn" : why_events_profile(&state->events), hint);
}

static int why_finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_error *err)
{
	struct why_state *state = user;

	if (check_events(state, source, err))
		return -1;
	if (state->failed || mm_threads_precede(&state->threads, &state->earlier_threads) ||
	    mm_call_sites_load(&state->call_sites, mm_sysinfo_symbols(sysinfo)))
		return out_of_memory(err);
	/* A PID tracker or a filter of the session may have excluded events of an interval. */
	for (uint32_t i = 0; i < state->timeline_count; i++)
		state->timelines[i].may_lack |= mm_missing_is_limited(mm_source_missing(source));
	state->sysinfo = sysinfo;
	why_collect_finish(state);
	return 0;
}

static int why_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return why_report_fill(user, MM_OPTIONS_OF(struct why_option_values, options), report);
}

/* Always returns false: if there are no intervals, the report itself explains why. */
static bool why_is_empty(const void *user)
{
	(void)user;
	return false;
}

const struct mm_analysis mm_why_analysis = {
	.name = "why",
	.schema = &why_schema,
	.passes = 2,
	.configure = configure,
	.select = why_select,
	.request = request,
	.bind = bind,
	.options = &why_options,
	.examples = "  $ lttng-mm report why /tmp/snapshot-1\n"
		    "  $ lttng-mm report why --function handle_mm_fault /tmp/snapshot-1\n"
		    "  $ lttng-mm report why --pair sched_waking,sched_switch /tmp/snapshot-1\n",
	.check_options = why_options_check,
	.request_history = mm_threads_request_history,
	.before = why_before,
	.after = why_after,
	.is_empty = why_is_empty,
	.create = why_create,
	.destroy = why_destroy,
	.event = why_event,
	.lost = why_lost,
	.lost_again = lost_again,
	.finish = why_finish,
	.fill = why_fill,
};
