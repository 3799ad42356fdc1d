// SPDX-License-Identifier: LGPL-2.1-only
/* Turns events into operations. */
#include "analysis/slab/decode/events.h"

#include <string.h>

#include "analysis/slab/decode/nodes.h"
#include "analysis/slab/decode/threads.h"
#include "instrumentation/wire/slab.h"

/* Upper limit for the orders in a damaged trace. No kernel allocates pages of such an order. */
#define ORDER_MAX 19u

#define WHERE "tid", "call_site", "ptr"

static const char *const kmalloc_fields[] = { WHERE, "bytes_req", "size_class", NULL };
static const char *const kmalloc_wide_fields[] = { WHERE, "bytes_req", "bytes_alloc", NULL };
static const char *const kmalloc_failed_fields[] = { "tid", "gfp_flags", "call_site", "bytes_req",
						     NULL };
static const char *const where_fields[] = { WHERE, NULL };
static const char *const cache_fields[] = { WHERE, "cache", NULL };
static const char *const cache_failed_fields[] = { "tid", "gfp_flags", "call_site", "cache", NULL };
static const char *const page_failed_fields[] = { "tid", "gfp_flags", "order", NULL };
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
static const char *const dump_thread_fields[] = { MM_THREADS_DUMP_FIELDS, NULL };
static const char *const fork_fields[] = { MM_THREADS_FORK_FIELDS, NULL };
static const char *const exec_fields[] = { MM_THREADS_EXEC_FIELDS, NULL };
static const char *const exit_fields[] = { MM_THREADS_EXIT_FIELDS, NULL };

static const struct mm_event_fields events[] = {
	[SLAB_EVENT_KMALLOC] = { "slab_kmalloc", kmalloc_fields },
	[SLAB_EVENT_KMALLOC_WIDE] = { "slab_kmalloc_wide", kmalloc_wide_fields },
	[SLAB_EVENT_KMALLOC_FAILED] = { "slab_kmalloc_failed", kmalloc_failed_fields },
	[SLAB_EVENT_KFREE] = { "slab_kfree", where_fields },
	[SLAB_EVENT_KFREE_WIDE] = { "slab_kfree_wide", where_fields },
	[SLAB_EVENT_CACHE_ALLOC] = { "slab_cache_alloc", cache_fields },
	[SLAB_EVENT_CACHE_ALLOC_WIDE] = { "slab_cache_alloc_wide", cache_fields },
	[SLAB_EVENT_CACHE_ALLOC_FAILED] = { "slab_cache_alloc_failed", cache_failed_fields },
	[SLAB_EVENT_CACHE_FREE] = { "slab_cache_free", cache_fields },
	[SLAB_EVENT_CACHE_FREE_WIDE] = { "slab_cache_free_wide", cache_fields },
	[SLAB_EVENT_FREE_BULK] = { "slab_free_bulk", free_bulk_fields },
	[SLAB_EVENT_ALLOC_BULK] = { "slab_alloc_bulk", alloc_bulk_fields },
	[SLAB_EVENT_KFREE_RCU] = { "slab_kfree_rcu", where_fields },
	[SLAB_EVENT_REALLOC] = { "slab_krealloc_in_place", realloc_fields },
	[SLAB_EVENT_PAGE_ALLOC] = { "page_alloc", page_alloc_fields },
	[SLAB_EVENT_PAGE_BULK] = { "page_alloc_bulk", page_bulk_fields },
	[SLAB_EVENT_PAGE_FAILED] = { "page_alloc_failed", page_failed_fields },
	[SLAB_EVENT_PAGE_FREE] = { "page_free", page_free_fields },
	[SLAB_EVENT_PAGE_BATCHED] = { "page_free_batched", tid_fields },
	[SLAB_EVENT_FORK] = { MM_THREADS_FORK, fork_fields },
	[SLAB_EVENT_EXEC] = { MM_THREADS_EXEC, exec_fields },
	[SLAB_EVENT_EXIT] = { MM_THREADS_EXIT, exit_fields },
	[SLAB_EVENT_DUMP_CACHE] = { "slab_statedump_cache", dump_cache_fields },
	[SLAB_EVENT_DUMP_ALIAS] = { "slab_statedump_alias", dump_alias_fields },
	[SLAB_EVENT_DUMP_CODE] = { "callsite_statedump_range", dump_code_fields },
	[SLAB_EVENT_DUMP_PATH] = { "slab_statedump_path", dump_path_fields },
	[SLAB_EVENT_DUMP_NODE] = { "page_statedump_node", dump_node_fields },
	[SLAB_EVENT_DUMP_CPU] = { "page_statedump_cpu", dump_cpu_fields },
	[SLAB_EVENT_DUMP_THREAD] = { MM_THREADS_DUMP, dump_thread_fields },
	[SLAB_EVENT_DUMP_THREAD_LTTNG] = { MM_THREADS_DUMP_LTTNG, dump_thread_fields },
	{ NULL, NULL },
};

/* Events of threads before the requested part of the trace. */
static const struct mm_event_fields history[] = {
	{ MM_THREADS_FORK, fork_fields },
	{ MM_THREADS_EXEC, exec_fields },
	{ MM_THREADS_DUMP, dump_thread_fields },
	{ MM_THREADS_DUMP_LTTNG, dump_thread_fields },
	{ NULL, NULL },
};

_Static_assert(sizeof(history) / sizeof(history[0]) == SLAB_HISTORY_THREADS + 1, "as declared");

static const char *const ptr_fields[] = { "ptr", NULL };

/*
 * Events after the requested part of the trace. If such an event has the address of an object, the
 * object is no longer live: it was freed, or its address was allocated again.
 */
static const struct mm_event_fields later[] = {
	{ "slab_kmalloc", ptr_fields },
	{ "slab_kmalloc_wide", ptr_fields },
	{ "slab_kfree", ptr_fields },
	{ "slab_kfree_wide", ptr_fields },
	{ "slab_cache_alloc", ptr_fields },
	{ "slab_cache_alloc_wide", ptr_fields },
	{ "slab_cache_free", ptr_fields },
	{ "slab_cache_free_wide", ptr_fields },
	{ "slab_alloc_bulk", ptr_fields },
	{ "slab_free_bulk", ptr_fields },
	{ NULL, NULL },
};

_Static_assert(sizeof(events) / sizeof(events[0]) == SLAB_EVENTS + 1, "one for each");

static void expect_texts(struct mm_requests *requests)
{
	static const char *const texts[] = { "name", "function", "comm", "child_comm" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		mm_requests_expect(requests, texts[i], MM_FIELD_STRING);
	/* Accept execs without a file name, and forks that do not name the caller. */
	mm_requests_expect(requests, "filename", MM_FIELD_STRING | MM_FIELD_OPTIONAL);
	mm_requests_expect(requests, "parent_comm", MM_FIELD_STRING | MM_FIELD_OPTIONAL);
	mm_requests_expect(requests, "parent_tid", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	mm_requests_expect(requests, "parent_pid", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
}

/* Events whose last field may be a call stack. */
static const int with_stacks[] = { SLAB_EVENT_KMALLOC,	   SLAB_EVENT_KMALLOC_WIDE,
				   SLAB_EVENT_CACHE_ALLOC, SLAB_EVENT_CACHE_ALLOC_WIDE,
				   SLAB_EVENT_ALLOC_BULK,  SLAB_EVENT_PAGE_ALLOC,
				   SLAB_EVENT_PAGE_BULK };

static void request_stacks(struct mm_requests *requests)
{
	/*
	 * The reader decodes classes with fields of variable length slowly, so request call stacks
	 * only if the trace may have them.
	 */
	if (!mm_source_may_have_context(requests->source, MM_CONTEXT_CALLSTACK))
		return;
	for (size_t i = 0; i < sizeof(with_stacks) / sizeof(with_stacks[0]); i++) {
		mm_requests_add(requests, events[with_stacks[i]].event);
		mm_requests_add_field(requests, "$ctx." MM_CONTEXT_CALLSTACK,
				      MM_FIELD_ARRAY | MM_FIELD_OPTIONAL);
	}
}

bool slab_event_has_stack(const struct mm_event_type *type)
{
	unsigned int last = type->field_count - 1;

	return type->field_count && type->kinds[last] == MM_KIND_ARRAY &&
	       type->element_kinds[last] == MM_KIND_UNSIGNED;
}

/* Losing these events does not affect the pairing of allocations and frees. */
static const int failures[] = { SLAB_EVENT_KMALLOC_FAILED, SLAB_EVENT_CACHE_ALLOC_FAILED,
				SLAB_EVENT_PAGE_FAILED };

void slab_request(struct mm_requests *requests)
{
	mm_requests_add_table(requests, events, MM_FIELD_INTEGER);
	expect_texts(requests);
	/* Older traces have no page size. */
	mm_requests_expect(requests, "page_size", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	request_stacks(requests);
	mm_threads_mark(requests);
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		mm_requests_add(requests, events[failures[i]].event);
		mm_requests_set_role(requests, MM_ROLE_COUNTED);
	}
}

void slab_request_history(struct mm_requests *requests)
{
	mm_requests_add_table(requests, history, MM_FIELD_INTEGER);
	expect_texts(requests);
}

void slab_request_later(struct mm_requests *requests)
{
	mm_requests_add_table(requests, later, MM_FIELD_INTEGER);
}

#define SIZE_CLASS_IF(number, size, label) bytes == (size) ? (number):

/* Returns the number that packed events use for the size class of @bytes. */
static uint32_t size_class(uint64_t bytes)
{
	return LTTNG_MM_SLAB_SIZE_CLASSES(SIZE_CLASS_IF) SLAB_KIND_LARGE;
}

#define SIZE_CLASS_BYTES(number, bytes, label) [number] = (bytes),
const uint16_t slab_class_bytes[LTTNG_MM_SLAB_SIZE_CLASS_COUNT] = { LTTNG_MM_SLAB_SIZE_CLASSES(
	SIZE_CLASS_BYTES) };

/* Returns the size that kmalloc() allocates for a request of @bytes. */
static uint32_t allocated_bytes(uint64_t bytes)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t class = LTTNG_MM_SLAB_SIZE_CLASS_MIN; class < LTTNG_MM_SLAB_SIZE_CLASS_COUNT;
	     class ++)
		if (slab_class_bytes[class] >= bytes && slab_class_bytes[class] < least)
			least = slab_class_bytes[class];
	if (least < UINT32_MAX || bytes > 1u << 31)
		return least;
	return 1u << (64 - (unsigned int)__builtin_clzll(bytes - 1));
}

/* The type of an operation on an object other than pages. */
#define OP_TYPE(what, api)                    \
	{                                     \
		what, api, 0, SLAB_ORDER_NONE \
	}

#define SIZE_CLASS_MASK (LTTNG_MM_SLAB_SIZE_CLASS_COUNT - 1)

static const struct slab_form forms[SLAB_EVENT_FREQUENT_LAST + 1] = {
	[SLAB_EVENT_KMALLOC] = { SIZE_CLASS_MASK, UINT64_MAX, SIZE_CLASS_MASK, 0,
				 OP_TYPE(SLAB_OPERATION_ALLOC, 0), SLAB_FIELD_5, SLAB_FIELD_4,
				 SLAB_FIELD_5 },
	[SLAB_EVENT_KFREE... SLAB_EVENT_KFREE_WIDE] = { .kind = SLAB_KIND_NONE,
							.op_type = OP_TYPE(SLAB_OPERATION_FREE,
									   SLAB_API_KFREE) },
	[SLAB_EVENT_CACHE_ALLOC...
		SLAB_EVENT_CACHE_ALLOC_WIDE] = { .kind = SLAB_KIND_CACHE,
						 .kind_mask = UINT64_MAX,
						 .kind_at = SLAB_FIELD_4,
						 .op_type = OP_TYPE(SLAB_OPERATION_ALLOC, 0) },
	[SLAB_EVENT_CACHE_FREE...
		SLAB_EVENT_CACHE_FREE_WIDE] = { .kind = SLAB_KIND_CACHE,
						.kind_mask = UINT64_MAX,
						.kind_at = SLAB_FIELD_4,
						.op_type = OP_TYPE(SLAB_OPERATION_FREE,
								   SLAB_API_CACHE_FREE) },
};

void slab_decoder_init(struct slab_decoder *decoder)
{
	slab_caches_init(&decoder->caches);
	mm_labels_init(&decoder->labels.gfp, MM_LABELS_OF_BITS, 10);
	mm_labels_init(&decoder->labels.migrate, MM_LABELS_OF_VALUES, 10);
	mm_labels_init(&decoder->labels.path, MM_LABELS_OF_VALUES, 10);
}

void slab_decoder_release(struct slab_decoder *decoder)
{
	slab_caches_release(&decoder->caches);
	mm_labels_release(&decoder->labels.gfp);
	mm_labels_release(&decoder->labels.migrate);
	mm_labels_release(&decoder->labels.path);
}

const struct slab_form *slab_form_of(const struct mm_event_type *type)
{
	return type->request > SLAB_EVENT_FREQUENT_LAST ? NULL : &forms[type->request];
}

int slab_decoder_bind(struct slab_decoder *decoder, struct mm_event_type *type)
{
	const struct {
		const char *field;
		struct mm_labels *labels;
	} labelled[] = {
		{ "gfp_flags", &decoder->labels.gfp },
		{ "migrate_type", &decoder->labels.migrate },
		{ "path", &decoder->labels.path },
	};
	const char *const *fields = events[type->request].fields;

	for (unsigned int i = 0; fields[i]; i++)
		for (size_t j = 0; j < sizeof(labelled) / sizeof(labelled[0]); j++)
			if (!strcmp(fields[i], labelled[j].field) &&
			    mm_labels_read(labelled[j].labels, type, i))
				return -1;
	type->bound = (void *)slab_form_of(type);
	return 0;
}

uint32_t slab_decode_far_kind(struct slab_decoder *decoder, uint64_t number)
{
	return SLAB_KIND_CACHE + slab_cache_index(&decoder->caches, number);
}

static uint32_t cache_kind(struct slab_decoder *decoder, uint64_t number)
{
	return SLAB_KIND_CACHE + slab_cache_index(&decoder->caches, number);
}

static void decode_alloc_bulk(struct slab_decoder *decoder, const struct mm_event *event,
			      struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	slab_decode_common(event, op);
	op->key.kind = cache_kind(decoder, f[SLAB_FIELD_4].u);
	op->bytes_req = op->bytes_alloc = 0;
	op->op_type = (struct slab_op_type)OP_TYPE(SLAB_OPERATION_ALLOC, 0);
	if (f[SLAB_FIELD_5].u == LTTNG_MM_SLAB_PATH_KMALLOC_NOLOCK) {
		op->flags = SLAB_FLAG_NOLOCK;
		op->bytes_req = slab_clamp32(f[SLAB_FIELD_6].u);
		op->bytes_alloc = allocated_bytes(f[SLAB_FIELD_6].u);
		op->key.kind = size_class(op->bytes_alloc);
	}
}

static void decode_free_bulk(struct slab_decoder *decoder, const struct mm_event *event,
			     struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	slab_decode_common(event, op);
	/* A bulk free without a cache is a bulk kfree(). */
	op->key.kind = f[SLAB_FIELD_4].u ? cache_kind(decoder, f[SLAB_FIELD_4].u) : SLAB_KIND_NONE;
	op->op_type = (struct slab_op_type)OP_TYPE(
		SLAB_OPERATION_FREE, f[SLAB_FIELD_5].u == LTTNG_MM_SLAB_PATH_KFREE_NOLOCK
					     ? SLAB_API_NOLOCK
					     : SLAB_API_BULK);
}

static void decode_pages(const struct mm_event *event, struct slab_op *op, enum slab_operation what)
{
	const union mm_scalar *f = event->fields;
	uint32_t order = f[P_ORDER].u < ORDER_MAX ? (uint32_t)f[P_ORDER].u : ORDER_MAX;

	*op = (struct slab_op){ .time_ns = event->time_ns,
				.key = { .code = SLAB_NO_CODE,
					 .kind = SLAB_KIND_PAGES + order,
					 .tid = (uint32_t)f[P_TID].u,
					 .cpu = event->cpu < SLAB_CPU_MAX ? event->cpu
									  : SLAB_CPU_MAX },
				.address = f[P_PFN].u | SLAB_ADDRESS_PAGE,
				.op_type = { (uint8_t)what, SLAB_API_PAGES, 0, (uint8_t)order } };
	op->bytes_req = op->bytes_alloc = SLAB_PAGE_UNIT << order;
}

void slab_decode(struct slab_decoder *decoder, const struct mm_event *event, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	switch (event->type->request) {
	case SLAB_EVENT_KMALLOC_WIDE:
		slab_decode_common(event, op);
		op->bytes_req = slab_clamp32(f[SLAB_FIELD_4].u);
		op->bytes_alloc = slab_clamp32(f[SLAB_FIELD_5].u);
		op->key.kind = size_class(f[SLAB_FIELD_5].u);
		op->op_type = (struct slab_op_type)OP_TYPE(SLAB_OPERATION_ALLOC, 0);
		return;
	case SLAB_EVENT_ALLOC_BULK:
		decode_alloc_bulk(decoder, event, op);
		return;
	case SLAB_EVENT_FREE_BULK:
		decode_free_bulk(decoder, event, op);
		return;
	case SLAB_EVENT_KFREE_RCU:
		slab_decode_common(event, op);
		op->key.kind = SLAB_KIND_NONE;
		op->bytes_req = 0;
		op->op_type = (struct slab_op_type)OP_TYPE(SLAB_OPERATION_RCU, 0);
		return;
	case SLAB_EVENT_REALLOC:
		slab_decode_common(event, op);
		op->key.kind = SLAB_KIND_NONE;
		op->bytes_req = slab_clamp32(f[SLAB_FIELD_4].u);
		op->op_type = (struct slab_op_type)OP_TYPE(SLAB_OPERATION_REALLOC, 0);
		return;
	case SLAB_EVENT_PAGE_FREE:
		decode_pages(event, op, SLAB_OPERATION_FREE_PAGES);
		return;
	case SLAB_EVENT_PAGE_BULK:
		decode_pages(event, op, SLAB_OPERATION_ALLOC_PAGES);
		op->key.code = (uint32_t)f[P_CODE].u;
		return;
	default:
		decode_pages(event, op, SLAB_OPERATION_ALLOC_PAGES);
	}
}

void slab_decode_page_flags(const struct mm_event *event, uint32_t *gfp, uint32_t *migrate)
{
	*gfp = (uint32_t)event->fields[P_GFP].u;
	*migrate = (uint32_t)event->fields[P_MIGRATE].u;
}

uint64_t slab_decode_failed(struct slab_decoder *decoder, const struct mm_event *event,
			    struct mm_row *key)
{
	enum { TID, GFP, CODE_OR_ORDER, SIZE_OR_CACHE };
	const union mm_scalar *f = event->fields;
	uint32_t code = (uint32_t)f[CODE_OR_ORDER].u, order;

	*key = (struct mm_row){ code, SLAB_KIND_NONE, (uint32_t)f[GFP].u, 0 };
	switch (event->type->request) {
	case SLAB_EVENT_PAGE_FAILED:
		order = code < ORDER_MAX ? code : ORDER_MAX;
		key->a = SLAB_NO_CODE;
		key->b = SLAB_KIND_PAGES + order;
		return (uint64_t)SLAB_PAGE_UNIT << order;
	case SLAB_EVENT_KMALLOC_FAILED:
		return f[SIZE_OR_CACHE].u;
	default:
		key->b = cache_kind(decoder, f[SIZE_OR_CACHE].u);
		return 0;
	}
}
