// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Connects the slab analysis to the reader. Decodes events, passes operations to the tracker in
 * batches, and prepares the results for the report at the end.
 */
#include "analysis/slab/slab.h"

#include <stdlib.h>

#include "analysis/slab/decode/events.h"
#include "analysis/slab/omission.h"
#include "analysis/slab/report/compare.h"
#include "analysis/slab/report/report.h"
#include "analysis/slab/report/select.h"

static void slab_destroy(void *user)
{
	struct slab_state *state = user;

	if (!state)
		return;
	slab_batches_stop(&state->batches);
	slab_tracker_release(&state->tracker);
	slab_requests_release(&state->requests);
	slab_stacks_release(&state->stacks);
	mm_addresses_destroy(state->addresses);
	slab_threads_release(&state->threads);
	slab_decoder_release(&state->decoder);
	slab_nodes_release(&state->nodes);
	slab_recorder_release(&state->recorder);
	slab_coverage_release(&state->coverage);
	mm_call_sites_release(&state->call_sites);
	free(state->omissions);
	free(state);
}

static void *slab_create(void)
{
	struct slab_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	slab_decoder_init(&state->decoder);
	slab_threads_init(&state->threads);
	state->by_tid = UINT32_MAX;
	if (slab_batches_init(&state->batches, &state->tracker) ||
	    slab_tracker_init(&state->tracker) || slab_requests_init(&state->requests)) {
		slab_destroy(state);
		return NULL;
	}
	return state;
}

static void slab_select(void *user, const struct mm_selection *selection)
{
	struct slab_state *state = user;

	if (!selection) {
		/* slab_finish() reports an out-of-memory error. */
		slab_batches_drain(&state->batches);
		state->selection = (struct mm_selection){ .sysinfo = NULL };
		return;
	}
	state->selection = *selection;
	/* The first reading ignores --pid; the second reading applies it. */
	state->selection.by_pid = false;
	state->recorder_known = selection->no_recorder && selection->is_whole;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	slab_request(requests);
}

static void request_history(void *user, unsigned int pass, struct mm_requests *requests)
{
	struct slab_state *state = user;

	(void)pass;
	slab_request_history(requests);
	/*
	 * Request the later events only when the trace is read after the time range. When it is
	 * read before the time range, there is no start time.
	 */
	if (!requests->source || mm_source_options(requests->source)->begin_ns == INT64_MIN)
		return;
	slab_request_later(requests);
	state->later_known = true;
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct slab_state *state = user;

	if (slab_decoder_bind(&state->decoder, type))
		return out_of_memory(err);
	/*
	 * slab_event() passes events of unbound classes to on_other(), which also processes call
	 * stacks.
	 */
	if (slab_event_has_stack(type))
		type->bound = NULL;
	return 0;
}

/* Returns the thread of a page event or failed allocation, or NULL when out of memory. */
static const struct slab_requester *requester(struct slab_state *state,
					      const struct mm_event *event)
{
	uint32_t tid = slab_decode_tid(event);

	state->by.time_ns = event->time_ns;
	if (tid == state->by_tid)
		return &state->by;
	state->by.thread = mm_threads_number(&state->threads.seen, (int32_t)tid);
	if (state->by.thread == MM_HASH_NONE)
		return NULL;
	state->by_tid = tid;
	return &state->by;
}

static int on_page_alloc(struct slab_state *state, const struct mm_event *event)
{
	const struct slab_requester *by = requester(state, event);
	const struct slab_op *op = state->batches.next;
	uint32_t gfp, migrate;

	state->requests.has_pages = true;
	state->requests.has_bulk_pages |= event->type->request == SLAB_EVENT_PAGE_BULK;
	slab_decode_page_flags(event, &gfp, &migrate);
	return by ? slab_requests_pages(&state->requests, by, gfp, migrate, op->order) : -1;
}

static int on_stack(struct slab_state *state, const struct mm_event *event)
{
	unsigned int last = event->type->field_count - 1;

	return slab_stacks_add(&state->stacks, state->batches.next, event->fields[last].span);
}

static int on_operation(struct slab_state *state, const struct mm_event *event)
{
	slab_decode(&state->decoder, event, state->batches.next);
	if (slab_event_has_stack(event->type) && on_stack(state, event))
		return -1;
	switch (event->type->request) {
	case SLAB_EVENT_PAGE_ALLOC:
	case SLAB_EVENT_PAGE_BULK:
		if (on_page_alloc(state, event))
			return -1;
		break;
	case SLAB_EVENT_PAGE_FREE:
		state->requests.has_pages = true;
		break;
	default:
		break;
	}
	return slab_batches_push(&state->batches);
}

/*
 * Handles a fork. If a thread id is reused, assigns its previous counts to the number of the
 * earlier thread.
 */
static int on_fork(struct slab_state *state, const struct mm_event *event)
{
	uint32_t tid, number;

	if (slab_threads_fork(&state->threads, event, &tid, &number))
		return -1;
	state->by_tid = UINT32_MAX;
	if (number == MM_HASH_NONE)
		return 0;
	*state->batches.next = (struct slab_op){ .time_ns = event->time_ns,
						 .key = { .tid = tid },
						 .bytes_req = number,
						 .op_type = { .what = SLAB_OPERATION_RENEW } };
	return slab_batches_push(&state->batches);
}

static int on_thread(struct slab_state *state, enum mm_thread_event kind,
		     const struct mm_event *event)
{
	return mm_threads_see(&state->threads.seen, kind, event, 0, NULL);
}

static int on_failed(struct slab_state *state, const struct mm_event *event)
{
	const struct slab_requester *by = requester(state, event);
	struct mm_row key;
	uint64_t bytes = slab_decode_failed(&state->decoder, event, &key);

	return by ? slab_requests_failed(&state->requests, by, &key, bytes) : -1;
}

static int on_batched(struct slab_state *state, const struct mm_event *event)
{
	const struct slab_requester *by = requester(state, event);

	return by ? slab_requests_batched(&state->requests, by) : -1;
}

/*
 * Adds the sizes of a cache. Processes earlier operations first, because the sizes apply only to
 * later operations.
 */
static int on_cache(struct slab_state *state, const struct mm_event *event)
{
	uint32_t kind;

	if (slab_batches_drain(&state->batches) ||
	    slab_caches_dump(&state->decoder.caches, event, &kind))
		return -1;
	if (kind != SLAB_KIND_NONE)
		slab_live_set_size(&state->tracker.live, kind,
				   slab_cache_find(&state->decoder.caches, kind), event->time_ns);
	return 0;
}

/* Adds a node, or the node of a CPU. Waits for the tracker's thread first: it reads the nodes. */
static int on_node(struct slab_state *state, const struct mm_event *event)
{
	struct slab_cross_node *cross_node = &state->tracker.cross_node;

	if (slab_batches_drain(&state->batches) ||
	    (event->type->request == SLAB_EVENT_DUMP_NODE
		     ? slab_nodes_dump(&state->nodes, event)
		     : slab_nodes_dump_cpu(&state->nodes, event)))
		return -1;
	if (!state->nodes.map || cross_node->nodes)
		return 0;
	cross_node->late = state->started;
	return slab_cross_node_start(cross_node, &state->nodes);
}

static int on_call_site(struct slab_state *state, const struct mm_event *event)
{
	enum { CODE, SIZE, ALIVE, NAME };
	const union mm_scalar *f = event->fields;
	bool alive = event->type->kinds[ALIVE] == MM_KIND_NONE || f[ALIVE].u;

	return mm_call_sites_add(&state->call_sites, (uint32_t)f[CODE].u, (uint32_t)f[SIZE].u,
				 alive, f[NAME].s);
}

static int on_state(struct slab_state *state, const struct mm_event *event)
{
	switch (event->type->request) {
	case SLAB_EVENT_DUMP_CACHE:
		return on_cache(state, event);
	case SLAB_EVENT_DUMP_ALIAS:
		return slab_caches_dump_alias(&state->decoder.caches, event);
	case SLAB_EVENT_DUMP_CODE:
		return on_call_site(state, event);
	case SLAB_EVENT_DUMP_PATH:
		slab_paths_dump(&state->paths, event, &state->decoder.labels.path);
		return 0;
	case SLAB_EVENT_DUMP_NODE:
	case SLAB_EVENT_DUMP_CPU:
		return on_node(state, event);
	default:
		return on_thread(state, MM_THREAD_DUMP, event);
	}
}

static int on_rare(struct slab_state *state, const struct mm_event *event)
{
	switch (event->type->request) {
	case SLAB_EVENT_KMALLOC_FAILED:
	case SLAB_EVENT_CACHE_ALLOC_FAILED:
	case SLAB_EVENT_PAGE_FAILED:
		return on_failed(state, event);
	case SLAB_EVENT_PAGE_BATCHED:
		return on_batched(state, event);
	case SLAB_EVENT_FORK:
		return on_fork(state, event);
	case SLAB_EVENT_EXEC:
		return on_thread(state, MM_THREAD_EXEC, event);
	case SLAB_EVENT_EXIT:
		return mm_threads_see(&state->threads.seen, MM_THREAD_EXIT, event, 0, NULL);
	default:
		return event->type->request >= SLAB_EVENT_STATE_FIRST ? on_state(state, event)
								      : on_operation(state, event);
	}
}

/*
 * Starts the analysis at the first event other than a state dump, when the streams' starts are
 * known.
 */
static int start(struct slab_state *state, const struct mm_event *event)
{
	const struct mm_source *source = event->source;

	state->started = true;
	state->boot_ns = (int64_t)((uint64_t)event->time_ns - event->clock_ns);
	slab_omission_start(state);
	return slab_batches_start(&state->batches, source, mm_source_options(source)->jobs > 1);
}

__attribute__((noinline)) static int on_other(struct slab_state *state,
					      const struct mm_event *event, struct mm_error *err)
{
	const struct slab_form *form = slab_form_of(event->type);
	int ret = 0;

	if (!state->started && event->type->request < SLAB_EVENT_STATE_FIRST)
		ret = start(state, event);
	if (!ret && !form) {
		ret = on_rare(state, event);
	} else if (!ret) {
		slab_decode_frequent(&state->decoder, event, form, state->batches.next);
		ret = (slab_event_has_stack(event->type) && on_stack(state, event)) ||
		      slab_batches_push(&state->batches);
	}
	return ret ? out_of_memory(err) : 0;
}

__attribute__((noinline)) static int pass_batch(struct slab_state *state, struct mm_error *err)
{
	return slab_batches_pass(&state->batches) ? out_of_memory(err) : 0;
}

/* Handles frequent events. This function is short, because nearly all events are frequent. */
static int slab_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct slab_state *state = user;
	struct slab_batches *batches = &state->batches;
	const struct slab_form *form = event->type->bound;

	if (!form || !state->started)
		return on_other(state, event, err);
	slab_decode_frequent(&state->decoder, event, form, batches->next);
	slab_op_locate(&state->tracker.pairing, batches->next);
	return ++batches->next == batches->full ? pass_batch(state, err) : 0;
}

static void slab_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct slab_state *state = user;

	(void)begin_ns;
	/* The next event, or slab_finish(), reports an out-of-memory error. */
	slab_batches_drain(&state->batches);
	if (loss->affects_others)
		slab_pairing_lost(&state->tracker.pairing, loss->lost_until_ns);
}

static int tally_live(struct slab_state *state)
{
	const struct slab_pairing *pairing = &state->tracker.pairing;
	const struct slab_object *object;
	uint32_t at = 0;

	while ((object = slab_pairing_next_live(pairing, &at)))
		if (slab_account_is_counted(&pairing->accounts, object->account) &&
		    slab_tallies_add_live(
			    &state->tracker.tallies, object->address, object->bytes_alloc,
			    &slab_account_at(&pairing->accounts, object->account)->key))
			return -1;
	return 0;
}

/*
 * Counts live objects by call stack, and loads the names of addresses. Returns 0, or -1 when out of
 * memory.
 */
static int finish_stacks(struct slab_state *state, const char *folder)
{
	const struct slab_pairing *pairing = &state->tracker.pairing;
	const struct slab_object *object;
	uint32_t at = 0;

	if (!state->stacks.used)
		return 0;
	while ((object = slab_pairing_next_live(pairing, &at)))
		slab_stacks_add_live(&state->stacks, object->address, object->bytes_alloc);
	state->addresses = mm_addresses_load(folder);
	return state->addresses ? 0 : -1;
}

/*
 * Decides the outcomes of objects after the whole trace, and adds up the accounts. Returns nonzero
 * when out of memory.
 */
static int sum_up(struct slab_state *state, const struct mm_source *source)
{
	const struct mm_sysinfo *sysinfo = state->threads.sysinfo;
	struct slab_tracker *tracker = &state->tracker;
	struct slab_pairing *pairing = &tracker->pairing;

	slab_live_finish(&tracker->live, &state->decoder.caches);
	if (slab_coverage_find(&state->coverage, source, sysinfo, &state->decoder.caches,
			       &state->paths))
		return -1;
	/* Unreadable parts of the trace may contain frees of objects that seem live at the end. */
	if (state->coverage.damaged)
		slab_pairing_lost(pairing, INT64_MAX);
	slab_pairing_judge(pairing, &state->coverage);
	return slab_recorder_find(&state->recorder, &pairing->accounts, &state->threads,
				  state->boot_ns, state->recorder_known) ||
	       slab_remote_finish(&tracker->remote) ||
	       slab_tallies_add_accounts(&tracker->tallies, &pairing->accounts) ||
	       tally_live(state);
}

static int slab_finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		       struct mm_error *err)
{
	struct slab_state *state = user;

	if (slab_batches_drain(&state->batches) || state->decoder.caches.far_failed ||
	    state->tracker.pairing.failed || slab_threads_finish(&state->threads, sysinfo))
		return out_of_memory(err);
	/*
	 * If there is no state dump of nodes, the snapshot's system information has the page size.
	 */
	if (!state->nodes.page_shift)
		slab_set_page_size(&state->nodes,
				   (uint64_t)mm_sysinfo_system_number(sysinfo, "page_size", 0));
	if (mm_call_sites_load(&state->call_sites, mm_sysinfo_symbols(sysinfo)) ||
	    slab_aliases_finish(&state->decoder.caches, sysinfo) || sum_up(state, source) ||
	    finish_stacks(state, mm_sysinfo_symbols(sysinfo)))
		return out_of_memory(err);
	state->results = (struct slab_results){
		.tracker = &state->tracker,
		.pairing = &state->tracker.pairing,
		.accounts = &state->tracker.pairing.accounts,
		.requests = &state->requests,
		.caches = &state->decoder.caches,
		.labels = &state->decoder.labels,
		.threads = &state->threads,
		.paths = &state->paths,
		.nodes = &state->nodes,
		.stacks = &state->stacks,
		.addresses = state->addresses,
		.call_sites = &state->call_sites,
		.recorder = &state->recorder,
		.coverage = &state->coverage,
		.later_known = state->later_known,
		.sysinfo = sysinfo,
		.source = source,
	};
	return 0;
}

static int slab_again(const void *user, const struct mm_report_options *options, void **next,
		      struct mm_error *err)
{
	const struct slab_options *given = MM_OPTIONS_OF(struct slab_options, options);
	const struct slab_state *state = user;
	struct slab_state *again = NULL;
	uint8_t *omissions;

	*next = NULL;
	if (slab_omission_find(state, given, &omissions))
		return out_of_memory(err);
	if (!omissions)
		return 0;
	again = slab_create();
	if (!again) {
		free(omissions);
		return out_of_memory(err);
	}
	again->recorder_known = state->recorder_known;
	again->tracker.remote.counted_only = slab_filters_objects(given);
	slab_omission_set(again, omissions, slab_accounts_count(&state->tracker.pairing.accounts));
	*next = again;
	return 0;
}

static int slab_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	const struct slab_state *state = user;

	return slab_report_fill(&state->results, MM_OPTIONS_OF(struct slab_options, options),
				report);
}

static const enum mm_thread_event history_kinds[] = { MM_THREAD_FORK, MM_THREAD_EXEC,
						      MM_THREAD_DUMP, MM_THREAD_DUMP_LTTNG };

static int slab_before(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct slab_state *state = user;

	if (mm_threads_see(&state->threads.earlier, history_kinds[event->type->request], event, 0,
			   NULL))
		return out_of_memory(err);
	return 0;
}

/*
 * Marks an object that was live at the end of the time range if a later event frees it or reuses
 * its address.
 */
static int see_later(struct slab_state *state, const struct mm_event *event)
{
	struct slab_objects *objects = &state->tracker.pairing.objects;
	uint64_t address = event->fields[0].u & ~SLAB_ADDRESS_PAGE;
	struct slab_object *object;

	if (slab_batches_drain(&state->batches))
		return -1;
	object = slab_objects_find(objects, address, slab_objects_tag(objects, address));
	if (object && object->state == SLAB_OBJECT_LIVE)
		object->flags |= SLAB_OBJECT_FREED_LATER;
	return 0;
}

static int slab_after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct slab_state *state = user;

	if (event->type->request >= SLAB_HISTORY_THREADS)
		return see_later(state, event) ? out_of_memory(err) : 0;
	if (mm_threads_see_later(&state->threads.seen, history_kinds[event->type->request], event,
				 0))
		return out_of_memory(err);
	return 0;
}

/*
 * Does the trace have no allocations, frees or failed allocations? Account 0 and row 0 of the
 * failed allocations always exist, so they do not count.
 */
static bool slab_is_empty(const void *user)
{
	const struct slab_state *state = user;

	return slab_accounts_count(&state->tracker.pairing.accounts) <= 1 &&
	       state->requests.failed.count <= 1;
}

const struct mm_analysis mm_slab_analysis = {
	.name = "slab",
	.schema = &slab_schema,
	.select = slab_select,
	.request = request,
	.bind = bind,
	.options = &slab_report_options,
	.examples = "  $ lttng-mm report slab /tmp/snapshot-1\n"
		    "  $ lttng-mm report slab --by call-site --top 50 /tmp/snapshot-1\n"
		    "  $ lttng-mm report slab --cache dentry /tmp/snapshot-1\n"
		    "  $ lttng-mm report slab --leaks --since -10s /tmp/snapshot-1\n"
		    "  $ lttng-mm report slab --compare /tmp/snapshot-1 /tmp/snapshot-2\n",
	.check_options = slab_check_options,
	.request_history = request_history,
	.before = slab_before,
	.after = slab_after,
	.is_empty = slab_is_empty,
	.required = "slab_",
	.create = slab_create,
	.destroy = slab_destroy,
	.event = slab_event,
	.lost = slab_lost,
	.finish = slab_finish,
	.again = slab_again,
	.needs_again = slab_needs_again,
	.fill = slab_fill,
	.compare_schema = &slab_compare_schema,
	.compare = slab_compare,
};
