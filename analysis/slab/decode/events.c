// SPDX-License-Identifier: LGPL-2.1-only
/* The slab analysis as a consumer: from events to allocations and frees. */
#include "analysis/slab/slab.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/schema.h"
#include "analysis/slab/state.h"
#include "instrumentation/wire/slab.h"

/* What the events of objects begin with, and what follows. */
enum { F_TID, F_CODE, F_PTR, F_FOURTH, F_FIFTH, F_SIXTH };
#define WHERE "tid", "call_site", "ptr"

static const char *const kmalloc_fields[] = { WHERE, "bytes_req", "size_class", NULL };
static const char *const kmalloc_wide_fields[] = { WHERE, "bytes_req", "bytes_alloc", NULL };
static const char *const kmalloc_failed_fields[] = { "gfp_flags", "call_site", "bytes_req", NULL };
static const char *const where_fields[] = { WHERE, NULL };
static const char *const cache_fields[] = { WHERE, "cache", NULL };
static const char *const cache_failed_fields[] = { "gfp_flags", "call_site", "cache", NULL };
static const char *const page_failed_fields[] = { "gfp_flags", "order", NULL };
static const char *const free_bulk_fields[] = { WHERE, "cache", "path", NULL };
static const char *const alloc_bulk_fields[] = { WHERE, "cache", "path", "bytes_req", NULL };
static const char *const realloc_fields[] = { WHERE, "bytes_req", NULL };

enum { P_TID, P_PFN, P_ORDER, P_MIGRATE, P_GFP, P_CODE };
static const char *const page_alloc_fields[] = { "tid",		 "pfn",	      "order",
						 "migrate_type", "gfp_flags", NULL };
static const char *const page_bulk_fields[] = { "tid",	     "pfn",	  "order", "migrate_type",
						"gfp_flags", "call_site", NULL };
static const char *const page_free_fields[] = { "tid", "pfn", "order", NULL };
static const char *const tid_fields[] = { "tid", NULL };

static const char *const dump_cache_fields[] = { "cache",     "object_size", "size", "align",
						 "accounted", "alive",	     "name", NULL };
static const char *const dump_alias_fields[] = { "cache", "name", NULL };
static const char *const dump_code_fields[] = { "start", "size", "alive", "name", NULL };
static const char *const dump_path_fields[] = { "path", "hooked", "missed", "function", NULL };
static const char *const dump_node_fields[] = { "node", "pfn_start", "pfn_end", "page_size", NULL };
static const char *const dump_cpu_fields[] = { "cpu", "node", NULL };
static const char *const dump_process_fields[] = { MM_THREADS_DUMP_FIELDS, NULL };
static const char *const fork_fields[] = { MM_THREADS_FORK_FIELDS, NULL };
static const char *const exit_fields[] = { MM_THREADS_EXIT_FIELDS, NULL };

/* The first are those that there are most of. */
enum {
	E_KMALLOC,
	E_KFREE,
	E_KFREE_WIDE,
	E_CACHE_ALLOC,
	E_CACHE_ALLOC_WIDE,
	E_CACHE_FREE,
	E_CACHE_FREE_WIDE,
	E_KMALLOC_WIDE,
	E_KMALLOC_FAILED,
	E_CACHE_ALLOC_FAILED,
	E_FREE_BULK,
	E_ALLOC_BULK,
	E_KFREE_RCU,
	E_REALLOC,
	E_PAGE_ALLOC,
	E_PAGE_BULK,
	E_PAGE_FAILED,
	E_PAGE_FREE,
	E_PAGE_BATCHED,
	E_FORK,
	E_EXIT,
	E_DUMP_CACHE,
	E_DUMP_ALIAS,
	E_DUMP_CODE,
	E_DUMP_PATH,
	E_DUMP_NODE,
	E_DUMP_CPU,
	E_DUMP_PROCESS,
};

static const struct mm_event_fields events[] = {
	[E_KMALLOC] = { "slab_kmalloc", kmalloc_fields },
	[E_KMALLOC_WIDE] = { "slab_kmalloc_wide", kmalloc_wide_fields },
	[E_KMALLOC_FAILED] = { "slab_kmalloc_failed", kmalloc_failed_fields },
	[E_KFREE] = { "slab_kfree", where_fields },
	[E_KFREE_WIDE] = { "slab_kfree_wide", where_fields },
	[E_CACHE_ALLOC] = { "slab_cache_alloc", cache_fields },
	[E_CACHE_ALLOC_WIDE] = { "slab_cache_alloc_wide", cache_fields },
	[E_CACHE_ALLOC_FAILED] = { "slab_cache_alloc_failed", cache_failed_fields },
	[E_CACHE_FREE] = { "slab_cache_free", cache_fields },
	[E_CACHE_FREE_WIDE] = { "slab_cache_free_wide", cache_fields },
	[E_FREE_BULK] = { "slab_free_bulk", free_bulk_fields },
	[E_ALLOC_BULK] = { "slab_alloc_bulk", alloc_bulk_fields },
	[E_KFREE_RCU] = { "slab_kfree_rcu", where_fields },
	[E_REALLOC] = { "slab_krealloc_in_place", realloc_fields },
	[E_PAGE_ALLOC] = { "page_alloc", page_alloc_fields },
	[E_PAGE_BULK] = { "page_alloc_bulk", page_bulk_fields },
	[E_PAGE_FAILED] = { "page_alloc_failed", page_failed_fields },
	[E_PAGE_FREE] = { "page_free", page_free_fields },
	[E_PAGE_BATCHED] = { "page_free_batched", tid_fields },
	[E_FORK] = { MM_THREADS_FORK, fork_fields },
	[E_EXIT] = { MM_THREADS_EXIT, exit_fields },
	[E_DUMP_CACHE] = { "slab_statedump_cache", dump_cache_fields },
	[E_DUMP_ALIAS] = { "slab_statedump_alias", dump_alias_fields },
	[E_DUMP_CODE] = { "callsite_statedump_range", dump_code_fields },
	[E_DUMP_PATH] = { "slab_statedump_path", dump_path_fields },
	[E_DUMP_NODE] = { "page_statedump_node", dump_node_fields },
	[E_DUMP_CPU] = { "page_statedump_cpu", dump_cpu_fields },
	[E_DUMP_PROCESS] = { MM_THREADS_DUMP, dump_process_fields },
	{ NULL, NULL },
};

/* Of threads that the part of the trace does not tell of: both say the same in the same order. */
static const struct mm_event_fields history[] = {
	{ MM_THREADS_FORK, fork_fields },
	{ MM_THREADS_DUMP, dump_process_fields },
	{ NULL, NULL },
};

static void expect_texts(struct mm_requests *requests)
{
	static const char *const texts[] = { "name", "function", "comm", "child_comm" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		mm_requests_expect(requests, texts[i], MM_FIELD_STRING);
}

static void slab_request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mm_requests_add_table(requests, events, MM_FIELD_INTEGER);
	expect_texts(requests);
	/* Not every trace tells the size of pages. */
	mm_requests_expect(requests, "page_size", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
}

static void slab_request_history(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mm_requests_add_table(requests, history, MM_FIELD_INTEGER);
	expect_texts(requests);
}

static void *slab_create(void)
{
	return slab_state_create();
}

static void slab_destroy(void *user)
{
	slab_state_destroy(user);
}

static uint32_t clamp32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

__attribute__((cold, noinline)) static uint32_t far_cache_kind(struct slab_state *state,
							       uint64_t number)
{
	return SLAB_KIND_CACHE + slab_state_cache_index(state, number);
}

static uint32_t cache_kind(struct slab_state *state, uint64_t number)
{
	return number < SLAB_CACHES_NEAR ? SLAB_KIND_CACHE + (uint32_t)number
					 : far_cache_kind(state, number);
}

#define SIZE_CLASS_IF(number, size, label) bytes == (size) ? (number):

/* The class of a size, as packed events code it. */
static uint32_t size_class(uint64_t bytes)
{
	return LTTNG_MM_SIZE_CLASSES(SIZE_CLASS_IF) SLAB_KIND_LARGE;
}

#define SIZE_CLASS_BYTES(number, bytes, label) [number] = bytes,
static const uint16_t class_bytes[LTTNG_MM_SIZE_CLASS_COUNT] = { LTTNG_MM_SIZE_CLASSES(
	SIZE_CLASS_BYTES) };

/* The size that kmalloc() allocates for a request of so many bytes. */
static uint32_t allocated_bytes(uint64_t bytes)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t class = LTTNG_MM_SIZE_CLASS_MIN; class < LTTNG_MM_SIZE_CLASS_COUNT; class ++)
		if (class_bytes[class] >= bytes && class_bytes[class] < least)
			least = class_bytes[class];
	if (least < UINT32_MAX || bytes > 1u << 31)
		return least;
	return 1u << (64 - (unsigned int)__builtin_clzll(bytes - 1));
}

/* What is done to an object that is no pages. */
#define HOW(what, api)                        \
	{                                     \
		what, api, 0, SLAB_ORDER_NONE \
	}

/*
 * The events that there are most of differ in numbers only: which one comes next nobody can guess,
 * so nothing depends on it. The kind is @kind and what the field says under the mask.
 */
#define SIZE_CLASS_MASK (LTTNG_MM_SIZE_CLASS_COUNT - 1)

static const struct form {
	uint64_t kind_mask, req_mask, class_mask;
	uint32_t kind;
	struct slab_how how;
	uint8_t kind_at, req_at, class_at;
} forms[] = {
	[E_KMALLOC] = { SIZE_CLASS_MASK, UINT64_MAX, SIZE_CLASS_MASK, 0,
			HOW(SLAB_OPERATION_ALLOC, 0), F_FIFTH, F_FOURTH, F_FIFTH },
	[E_KFREE... E_KFREE_WIDE] = { .kind = SLAB_KIND_NONE,
				      .how = HOW(SLAB_OPERATION_FREE, SLAB_API_KFREE) },
	[E_CACHE_ALLOC... E_CACHE_ALLOC_WIDE] = { .kind = SLAB_KIND_CACHE,
						  .kind_mask = UINT64_MAX,
						  .kind_at = F_FOURTH,
						  .how = HOW(SLAB_OPERATION_ALLOC, 0) },
	[E_CACHE_FREE...
		E_CACHE_FREE_WIDE] = { .kind = SLAB_KIND_CACHE,
				       .kind_mask = UINT64_MAX,
				       .kind_at = F_FOURTH,
				       .how = HOW(SLAB_OPERATION_FREE, SLAB_API_CACHE_FREE) },
};

/* Room for an event that will be acted on, in its turn. */
static inline struct slab_op *next_op(struct slab_state *state)
{
	return state->next;
}

/* next_op() is filled. */
static inline int push(struct slab_state *state)
{
	slab_op_aim(&state->pairing, state->next);
	return ++state->next == state->full ? slab_work_pass(state) : 0;
}

static inline void read_where(const struct mm_event *event, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	op->time_ns = event->time_ns;
	op->key.tid = (uint32_t)f[F_TID].u;
	op->key.code = (uint32_t)f[F_CODE].u;
	op->key.cpu = event->cpu < SLAB_CPU_MAX ? event->cpu : SLAB_CPU_MAX;
	/* The highest bit is the pages'. */
	op->address = f[F_PTR].u & ~SLAB_ADDRESS_PAGE;
}

static int slab_bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	(void)user;
	(void)err;
	type->bound = type->request > E_CACHE_FREE_WIDE ? NULL : (void *)&forms[type->request];
	return 0;
}

static inline void on_frequent(struct slab_state *state, const struct mm_event *event,
			       const struct form *form)
{
	struct slab_op *op = state->next;
	const union mm_scalar *f = event->fields;
	uint64_t kind = f[form->kind_at].u & form->kind_mask;

	read_where(event, op);
	/* Only caches have numbers that large, and only in wide events. */
	op->key.kind = __builtin_expect(kind < SLAB_CACHES_NEAR, 1) ? form->kind + (uint32_t)kind
								    : far_cache_kind(state, kind);
	op->bytes_req = clamp32(f[form->req_at].u & form->req_mask);
	op->bytes_alloc = class_bytes[f[form->class_at].u & form->class_mask];
	op->how = form->how;
}

static int on_kmalloc_wide(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->bytes_req = clamp32(f[F_FOURTH].u);
	op->bytes_alloc = clamp32(f[F_FIFTH].u);
	op->key.kind = size_class(f[F_FIFTH].u);
	op->how = (struct slab_how)HOW(SLAB_OPERATION_ALLOC, 0);
	return push(state);
}

static int on_alloc_bulk(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->key.kind = cache_kind(state, f[F_FOURTH].u);
	op->bytes_req = op->bytes_alloc = 0;
	op->how = (struct slab_how)HOW(SLAB_OPERATION_ALLOC, 0);
	if (f[F_FIFTH].u == LTTNG_MM_PATH_KMALLOC_NOLOCK) {
		op->flags = SLAB_OBJECT_NOLOCK;
		op->bytes_req = clamp32(f[F_SIXTH].u);
		op->bytes_alloc = allocated_bytes(f[F_SIXTH].u);
		op->key.kind = size_class(op->bytes_alloc);
	}
	return push(state);
}

static int on_free_bulk(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	/* Without a cache it is kfree() of many. */
	op->key.kind = f[F_FOURTH].u ? cache_kind(state, f[F_FOURTH].u) : SLAB_KIND_NONE;
	op->how = (struct slab_how)HOW(SLAB_OPERATION_FREE,
				       f[F_FIFTH].u == LTTNG_MM_PATH_KFREE_NOLOCK ? SLAB_API_NOLOCK
										  : SLAB_API_BULK);
	return push(state);
}

static int on_handed(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op *op = next_op(state);
	bool realloc = event->type->request == E_REALLOC;

	read_where(event, op);
	op->key.kind = SLAB_KIND_NONE;
	op->bytes_req = realloc ? clamp32(event->fields[F_FOURTH].u) : 0;
	op->how = (struct slab_how)HOW(realloc ? SLAB_OPERATION_REALLOC : SLAB_OPERATION_RCU, 0);
	return push(state);
}

static void read_pages(const struct mm_event *event, struct slab_op *op, enum slab_operation what)
{
	const union mm_scalar *f = event->fields;
	uint32_t order = f[P_ORDER].u < 19 ? (uint32_t)f[P_ORDER].u : 19;

	*op = (struct slab_op){ .time_ns = event->time_ns,
				.key = { .code = SLAB_NO_CODE,
					 .kind = SLAB_KIND_PAGES + order,
					 .tid = (uint32_t)f[P_TID].u,
					 .cpu = event->cpu < SLAB_CPU_MAX ? event->cpu
									  : SLAB_CPU_MAX },
				.address = f[P_PFN].u | SLAB_ADDRESS_PAGE,
				.how = { (uint8_t)what, SLAB_API_PAGES, 0, (uint8_t)order } };
	op->bytes_req = op->bytes_alloc = SLAB_PAGE_UNIT << order;
}

static int on_page_alloc(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);
	struct slab_page_flags *flags;

	read_pages(event, op, SLAB_OPERATION_ALLOC_PAGES);
	state->has_pages = true;
	if (event->type->request == E_PAGE_BULK) {
		state->has_bulk_pages = true;
		op->key.code = (uint32_t)f[P_CODE].u;
	}
	flags = mm_rows_get(&state->page_flags, (uint32_t)f[P_GFP].u,
			    (uint32_t)(f[P_MIGRATE].u & 0xff) << 8 | (op->key.kind & 0xff));
	if (!flags || (!flags->allocs++ && slab_page_flags_label(flags, event)))
		return -1;
	return push(state);
}

static int on_page_free(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op *op = next_op(state);

	read_pages(event, op, SLAB_OPERATION_FREE_PAGES);
	state->has_pages = true;
	return push(state);
}

static int on_failed(struct slab_state *state, const struct mm_event *event)
{
	enum { GFP, CODE_OR_ORDER, SIZE_OR_CACHE };
	const union mm_scalar *f = event->fields;
	uint32_t code = (uint32_t)f[CODE_OR_ORDER].u, kind;
	uint64_t bytes = 0;

	switch (event->type->request) {
	case E_PAGE_FAILED:
		kind = SLAB_KIND_PAGES + (code < 19 ? code : 19);
		bytes = (uint64_t)SLAB_PAGE_UNIT << (kind - SLAB_KIND_PAGES);
		code = SLAB_NO_CODE;
		break;
	case E_KMALLOC_FAILED:
		kind = SLAB_KIND_NONE;
		bytes = f[SIZE_OR_CACHE].u;
		break;
	default:
		kind = cache_kind(state, f[SIZE_OR_CACHE].u);
	}
	return slab_state_failed(state, event, code, kind, (uint32_t)f[GFP].u, bytes);
}

/* The state dump; sizes of caches count from when they are known. */
static int on_dump(struct slab_state *state, const struct mm_event *event)
{
	switch (event->type->request) {
	case E_DUMP_CACHE:
		return slab_work_drain(state) ? -1 : slab_dump_cache(state, event);
	case E_DUMP_ALIAS:
		return slab_dump_alias(state, event);
	case E_DUMP_CODE:
		return slab_dump_code(state, event);
	case E_DUMP_PATH:
		slab_dump_path(state, event);
		return 0;
	case E_DUMP_NODE:
		return slab_work_drain(state) ? -1 : slab_dump_node(state, event);
	case E_DUMP_CPU:
		return slab_work_drain(state) ? -1 : slab_dump_cpu(state, event);
	default:
		return mm_threads_see(&state->thread_names, MM_THREAD_DUMP, event, 0, NULL);
	}
}

static int on_rare(struct slab_state *state, const struct mm_event *event)
{
	switch (event->type->request) {
	case E_KMALLOC_WIDE:
		return on_kmalloc_wide(state, event);
	case E_KMALLOC_FAILED:
	case E_CACHE_ALLOC_FAILED:
	case E_PAGE_FAILED:
		return on_failed(state, event);
	case E_FREE_BULK:
		return on_free_bulk(state, event);
	case E_ALLOC_BULK:
		return on_alloc_bulk(state, event);
	case E_KFREE_RCU:
	case E_REALLOC:
		return on_handed(state, event);
	case E_PAGE_ALLOC:
	case E_PAGE_BULK:
		return on_page_alloc(state, event);
	case E_PAGE_FREE:
		return on_page_free(state, event);
	case E_PAGE_BATCHED:
		state->batched++;
		return 0;
	case E_FORK:
		return mm_threads_see(&state->thread_names, MM_THREAD_FORK, event, 0, NULL);
	case E_EXIT:
		return mm_threads_see(&state->thread_names, MM_THREAD_EXIT, event, 0, NULL);
	default:
		return on_dump(state, event);
	}
}

/* Before that moment a stream that may have our events had not begun. */
static int64_t all_began(const struct mm_source *source)
{
	int64_t begin_ns = INT64_MIN;

	for (size_t i = 0; i < source->loss_count; i++)
		if (source->losses[i].wanted && source->losses[i].begin_ns > begin_ns)
			begin_ns = source->losses[i].begin_ns;
	return begin_ns;
}

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

/* State is of no time: the first of the other events tells when all streams had begun. */
static int begin(struct slab_state *state, const struct mm_event *event)
{
	const struct mm_source *source = event->source;

	state->began = true;
	state->boot_ns = (int64_t)((uint64_t)event->time_ns - event->clock_ns);
	state->pairing.begin_ns = all_began(source);
	return slab_work_start(state, source->options.jobs > 1);
}

__attribute__((noinline)) static int on_other(struct slab_state *state,
					      const struct mm_event *event, struct mm_error *err)
{
	const struct form *form = event->type->bound;
	int ret = 0;

	if (!state->began && event->type->request < E_DUMP_CACHE)
		ret = begin(state, event);
	if (!ret && !form) {
		ret = on_rare(state, event);
	} else if (!ret) {
		on_frequent(state, event, form);
		ret = push(state);
	}
	return ret ? out_of_memory(err) : 0;
}

__attribute__((noinline)) static int pass(struct slab_state *state, struct mm_error *err)
{
	return slab_work_pass(state) ? out_of_memory(err) : 0;
}

/* What nearly every event needs, and no more. */
static int slab_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct slab_state *state = user;
	const struct form *form = event->type->bound;

	if (!form || !state->began)
		return on_other(state, event, err);
	on_frequent(state, event, form);
	slab_op_aim(&state->pairing, state->next);
	return ++state->next == state->full ? pass(state, err) : 0;
}

static void slab_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct slab_state *state = user;

	(void)begin_ns;
	/* Memory that was short is told at the next event, or at the end. */
	slab_work_drain(state);
	if (loss->wanted)
		slab_pairing_lost(&state->pairing, loss->lost_until_ns);
}

static int slab_finish(void *user, const struct mm_source *source, const struct mm_context *context,
		       struct mm_error *err)
{
	struct slab_state *state = user;

	state->context = context;
	return slab_work_drain(state) || state->far_failed || slab_state_finish(state, source)
		       ? out_of_memory(err)
		       : 0;
}

static int slab_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return slab_report_fill(user, options, report);
}

static int slab_before(void *user, const struct mm_event *event, struct mm_error *err)
{
	static const enum mm_thread_event kinds[] = { MM_THREAD_FORK, MM_THREAD_DUMP };
	struct slab_state *state = user;

	if (mm_threads_see(&state->earlier_thread_names, kinds[event->type->request], event, 0,
			   NULL))
		return out_of_memory(err);
	return 0;
}

/* Of all that allocates or frees there is an account; number 0 is nobody. */
static bool slab_is_empty(const void *user)
{
	const struct slab_state *state = user;

	return state->pairing.accounts.count <= 1 && state->failed.count <= 1;
}

static const char *const by[] = { "call-site", "cache", "cpu", "node", "process", "order", NULL };

const struct mm_analysis mm_slab_analysis = {
	.name = "slab",
	.summary = "slab and page allocations: who, how much, how long, and what was not freed",
	.schema = &slab_schema,
	.request = slab_request,
	.bind = slab_bind,
	.by = by,
	.leaks = true,
	.request_history = slab_request_history,
	.before = slab_before,
	.is_empty = slab_is_empty,
	.required = "slab_",
	.create = slab_create,
	.destroy = slab_destroy,
	.event = slab_event,
	.lost = slab_lost,
	.finish = slab_finish,
	.fill = slab_fill,
};
