// SPDX-License-Identifier: LGPL-2.1-only
/* Connects the DAX analysis to the reader: its functions, options and descriptor. */
#include "analysis/dax/dax.h"

#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"
#include "reader/coverage/coverage.h"
#include "reader/coverage/missing.h"

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static void dax_request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	dax_request_events(requests);
}

static void add_fault(void *user, const struct dax_fault *fault)
{
	struct dax_state *state = user;

	if (dax_state_add(state, fault))
		state->short_of_memory = true;
}

static void *dax_create(void)
{
	struct dax_state *state = dax_state_create();

	if (!state)
		return NULL;
	state->pairing = dax_pairing_create(add_fault, state);
	if (!state->pairing) {
		dax_state_destroy(state);
		return NULL;
	}
	return state;
}

static void dax_destroy(void *user)
{
	dax_state_destroy(user);
}

static void dax_select(void *user, const struct mm_selection *selection)
{
	struct dax_state *state = user;

	state->selection = selection;
	state->knows_recorder |= selection && selection->no_recorder;
}

static void dax_configure(void *user, const struct mm_report_options *options)
{
	struct dax_state *state = user;

	state->file_pattern = MM_OPTIONS_OF(struct dax_options, options)->file;
}

static int dax_bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	return dax_read_labels(user, type) ? out_of_memory(err) : 0;
}

static int dax_before(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct dax_state *state = user;

	if (mm_threads_see(&state->earlier_threads, (enum mm_thread_event)event->type->request,
			   event, 0, NULL))
		return out_of_memory(err);
	return 0;
}

static int dax_after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct dax_state *state = user;

	if (mm_threads_see_later(&state->threads, (enum mm_thread_event)event->type->request, event,
				 0))
		return out_of_memory(err);
	return 0;
}

static int start(struct dax_state *state, const struct mm_source *source)
{
	int ret = 0;

	state->started = true;
	state->is_filtered = mm_missing_is_filtered(mm_source_missing(source));
	for (size_t i = 0; i < mm_source_loss_count(source) && !ret; i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_cut *cut = mm_missing_cut(source, loss);

		if (cut && loss->affects_others)
			ret = mm_loss_times_add_cut(&state->pairing->losses, cut);
	}
	return ret;
}

static int dax_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct dax_state *state = user;

	/*
	 * Do not start with a state dump: it may come from a separate source, which is read first.
	 */
	if (!state->started && !event->type->is_state && start(state, event->source))
		return out_of_memory(err);
	if (dax_state_event(state, event))
		return out_of_memory(err);
	return 0;
}

static void dax_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct dax_state *state = user;

	/* This loss affects no pair: the lost events are only counted (MM_ROLE_COUNTED). */
	if (!loss->affects_others)
		return;
	state->cannot_join = true;
	if (dax_wides_lost(&state->wides, loss) || dax_pairing_lost(state->pairing, loss, begin_ns))
		state->short_of_memory = true;
}

static void dax_continues(void *user)
{
	struct dax_state *state = user;

	state->continues = state->threads.continues = true;
	dax_pairing_continues(state->pairing);
}

static int dax_merge(void *user, void *later)
{
	return dax_state_merge(user, later);
}

static int dax_finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_error *err)
{
	struct dax_state *state = user;

	state->sysinfo = sysinfo;
	state->extent_declared = mm_source_declares(source, "dax_fault_extent");
	state->switches_declared = mm_source_declares(source, "sched_switch");
	state->interrupts_declared = mm_source_declares(source, "irq_handler_entry") ||
				     mm_source_declares(source, "irq_softirq_entry");
	state->entry_declared = mm_source_declares(source, "dax_pmd_fallback");
	state->counts_accesses = mm_source_declares(source, "dax_pte_fault") && !state->is_filtered;
	state->writes_declared = mm_source_declares(source, "dax_writeback_one");
	state->wide_declared = dax_wides_are_declared(source);
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		state->rare_lossy |= loss->has_counted && !loss->affects_others &&
				     (mm_loss_may_lack(loss) || mm_missing_cut(source, loss));
	}
	state->undetermined_by_loss |= state->lacks_hole && state->rare_lossy;
	mm_coverage(source, &state->begin_ns, &state->end_ns);
	for (uint32_t i = 0; i < state->pairing->thread_count; i++)
		state->writebacks_unpaired += state->pairing->threads[i].writeback_open;
	state->pairing_counts = dax_pairing_finish(state->pairing);
	if (state->short_of_memory || dax_state_resolve(state))
		return out_of_memory(err);
	return 0;
}

static int dax_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return dax_report_fill(user, MM_OPTIONS_OF(struct dax_options, options), report);
}

static bool dax_is_empty(const void *user)
{
	const struct dax_state *state = user;

	return !state->file_count && !state->any_left_out && !state->pairing->thread_count;
}

static const struct mm_option table[] = {
	MM_OPTION_TOP,
	{ .name = "file",
	  .argument = "PATTERN",
	  .help = "only faults and writebacks of files whose path, file name, or inode number (0x...) matches the shell pattern",
	  MM_TEXT_IN(struct dax_options, file),
	  MM_GIVEN_IN(struct dax_options, report.by_name),
	  .selects = true },
	MM_OPTION_PID("only faults and writebacks of the process with this process id",
		      "--table processes"),
	MM_OPTION_INCLUDE_RECORDER(
		"include the recorder's own faults and writebacks in all figures"),
	{ .name = NULL },
};

static const struct dax_options defaults = { .report = MM_REPORT_DEFAULTS };
static const struct mm_options options = MM_OPTIONS(table, defaults);

const struct mm_analysis mm_dax_analysis = {
	.name = "dax",
	.schema = &dax_schema,
	.options = &options,
	.configure = dax_configure,
	.examples = "  $ lttng-mm report dax /tmp/snapshot-1\n"
		    "  $ lttng-mm report dax --all /tmp/snapshot-1\n"
		    "  $ lttng-mm report dax --begin -10s /tmp/snapshot-1\n"
		    "  $ lttng-mm report dax --json /tmp/snapshot-1 | jq '.tables.causes'\n",
	.select = dax_select,
	.request = dax_request,
	.bind = dax_bind,
	.request_history = mm_threads_request_history,
	.before = dax_before,
	.after = dax_after,
	.is_empty = dax_is_empty,
	.required = "dax_",
	.create = dax_create,
	.destroy = dax_destroy,
	.event = dax_event,
	.lost = dax_lost,
	.continues = dax_continues,
	.merge = dax_merge,
	.finish = dax_finish,
	.fill = dax_fill,
};
