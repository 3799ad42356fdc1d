// SPDX-License-Identifier: LGPL-2.1-only
/* The slab analysis as a consumer: from events to allocations and frees. */
#include "analysis/slab/slab.h"

#include <stdlib.h>

#include "analysis/slab/slab-state.h"

/* What the events of objects begin with, and what follows. */
enum { F_TID, F_CODE, F_PTR, F_FOURTH, F_FIFTH, F_SIXTH };
#define WHERE "tid", "call_site", "ptr"

static const char *const kmalloc_fields[] = { WHERE, "bytes_req", "size_class", NULL };
static const char *const kmalloc_wide_fields[] = { WHERE, "bytes_req", "bytes_alloc", NULL };
static const char *const kmalloc_failed_fields[] = { "tid", "call_site", NULL };
static const char *const where_fields[] = { WHERE, NULL };
static const char *const cache_fields[] = { WHERE, "cache", NULL };
static const char *const cache_failed_fields[] = { "tid", "call_site", "cache", NULL };
static const char *const free_bulk_fields[] = { WHERE, "cache", "path", NULL };
static const char *const alloc_bulk_fields[] = { WHERE, "cache", "path", "bytes_req", NULL };
static const char *const realloc_fields[] = { WHERE, "bytes_req", NULL };

enum { P_TID, P_PFN, P_ORDER, P_MIGRATE, P_GFP };
static const char *const page_alloc_fields[] = { "tid",		 "pfn",	      "order",
						 "migrate_type", "gfp_flags", NULL };
static const char *const page_free_fields[] = { "tid", "pfn", "order", NULL };
static const char *const tid_fields[] = { "tid", NULL };

static const char *const dump_cache_fields[] = { "cache",     "object_size", "size", "align",
						 "accounted", "alive",	     "name", NULL };
static const char *const dump_alias_fields[] = { "cache", "name", NULL };
static const char *const dump_code_fields[] = { "code", "size", "name", NULL };
static const char *const dump_path_fields[] = { "path", "hooked", "missed", "function", NULL };
static const char *const dump_node_fields[] = { "node", "pfn_start", "pfn_end", NULL };
static const char *const dump_process_fields[] = { "tid", "pid", "name", NULL };

enum {
	E_KMALLOC,
	E_KMALLOC_WIDE,
	E_KMALLOC_FAILED,
	E_KFREE,
	E_KFREE_WIDE,
	E_CACHE_ALLOC,
	E_CACHE_ALLOC_WIDE,
	E_CACHE_ALLOC_FAILED,
	E_CACHE_FREE,
	E_CACHE_FREE_WIDE,
	E_FREE_BULK,
	E_ALLOC_BULK,
	E_KFREE_RCU,
	E_REALLOC,
	E_PAGE_ALLOC,
	E_PAGE_FAILED,
	E_PAGE_FREE,
	E_PAGE_BATCHED,
	E_DUMP_CACHE,
	E_DUMP_ALIAS,
	E_DUMP_CODE,
	E_DUMP_PATH,
	E_DUMP_NODE,
	E_DUMP_PROCESS,
};

static const struct mm_want wants[] = {
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
	[E_PAGE_FAILED] = { "page_alloc_failed", tid_fields },
	[E_PAGE_FREE] = { "page_free", page_free_fields },
	[E_PAGE_BATCHED] = { "page_free_batched", tid_fields },
	[E_DUMP_CACHE] = { "slab_statedump_cache", dump_cache_fields },
	[E_DUMP_ALIAS] = { "slab_statedump_alias", dump_alias_fields },
	[E_DUMP_CODE] = { "slab_statedump_code", dump_code_fields },
	[E_DUMP_PATH] = { "slab_statedump_path", dump_path_fields },
	[E_DUMP_NODE] = { "page_statedump_node", dump_node_fields },
	[E_DUMP_PROCESS] = { "lttng_statedump_process_state", dump_process_fields },
	{ NULL, NULL },
};

_Static_assert(sizeof(wants) / sizeof(wants[0]) <= SLAB_WANTS_MAX, "room to check each type");

/* The paths of enum mm_slab_path that tell one free or allocation from another. */
#define PATH_KFREE_NOLOCK   2u
#define PATH_KMALLOC_NOLOCK 4u

static bool is_text(int want, unsigned int field)
{
	const char *name = wants[want].fields[field];

	return want >= E_DUMP_CACHE && (name[0] == 'n' || name[0] == 'f') &&
	       (name[1] == 'a' || name[1] == 'u');
}

/* Are the fields there, and what they should be? A foreign trace may have others of the same names.
 */
static bool check_type(struct slab_state *state, const struct mm_event_type *type)
{
	for (unsigned int i = 0; i < type->field_count; i++) {
		enum mm_kind kind = type->kinds[i];

		if (is_text(type->want, i) ? kind != MM_KIND_STRING
					   : kind != MM_KIND_UNSIGNED && kind != MM_KIND_SIGNED)
			return false;
	}
	state->checked[type->want] = type;
	return true;
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

static uint32_t cache_kind(uint64_t number)
{
	return number < SLAB_CACHES_MAX ? SLAB_KIND_CACHE + (uint32_t)number : SLAB_KIND_CACHE;
}

/* The class of a size, as packed events code it. */
static uint32_t size_class(uint64_t bytes)
{
	if (bytes >= 8 && bytes <= 8192 && !(bytes & (bytes - 1)))
		return (uint32_t)__builtin_ctzll(bytes);
	return bytes == 96 ? 14 : bytes == 192 ? 15 : SLAB_KIND_LARGE;
}

static uint32_t class_bytes(uint64_t class)
{
	static const uint16_t bytes[16] = { 0,	 0,   0,    8,	  16,	32,   64, 128,
					    256, 512, 1024, 2048, 4096, 8192, 96, 192 };

	return bytes[class & 15];
}

/* What kmalloc() gives for so many bytes. */
static uint32_t round_up(uint64_t bytes)
{
	if (bytes > 64 && bytes <= 96)
		return 96;
	if (bytes > 128 && bytes <= 192)
		return 192;
	if (bytes <= 8)
		return 8;
	return bytes > 1u << 31 ? UINT32_MAX
				: 1u << (64 - (unsigned int)__builtin_clzll(bytes - 1));
}

static uint16_t cpu_of(const struct mm_event *event)
{
	return event->cpu < SLAB_CPU_MAX ? (uint16_t)event->cpu : (uint16_t)SLAB_CPU_MAX;
}

static void read_where(const struct mm_event *event, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;

	op->time_ns = event->time_ns;
	op->tid = (uint32_t)f[F_TID].u;
	op->code = (uint32_t)f[F_CODE].u;
	/* The highest bit is the pages'. */
	op->key = f[F_PTR].u & ~SLAB_KEY_PAGE;
	op->cpu = cpu_of(event);
	op->kind = SLAB_KIND_NONE;
	op->bytes_req = op->bytes_alloc = 0;
	op->flags = 0;
	op->api = SLAB_API_KFREE;
}

/*
 * The sums that are of the moment: one object of @kind more or, with @sign -1, one fewer. An object
 * of a cache has no bytes of its own, one of kmalloc() no cache with a size: so nothing has to be
 * decided.
 */
static inline void move_live(struct slab_state *state, uint32_t kind, uint64_t req, uint64_t alloc,
			     uint64_t sign)
{
	struct slab_kind_live *of = &state->kinds[kind];
	struct slab_live *live = &state->now[slab_kind_is_cache(kind)];

	of->live += sign;
	of->peak = of->live > of->peak ? of->live : of->peak;
	live->req += sign * (req + of->object_size);
	live->alloc += sign * (alloc + of->size);
}

static void see_peak(struct slab_state *state, int64_t now)
{
	uint64_t alloc = state->now[0].alloc + state->now[1].alloc;

	if (alloc <= state->peak.alloc)
		return;
	state->peak.alloc = alloc;
	state->peak.req = state->now[0].req + state->now[1].req;
	state->peak_ns = now;
}

static void ended(struct slab_state *state, const struct slab_freed *freed)
{
	if (freed->objects && freed->row)
		move_live(state, slab_pairing_site(&state->pairing, freed->row)->row.b,
			  freed->bytes_req, freed->bytes_alloc, -1ull);
}

static inline void tally_alloc(struct slab_tally *tally, const struct slab_op *op)
{
	tally->allocs++;
	tally->bytes_req += op->bytes_req;
	tally->bytes_alloc += op->bytes_alloc;
}

/* By whom, and on which CPU and in which section of memory. */
static int tally_allocs(struct slab_state *state, const struct slab_op *op, uint64_t section)
{
	struct slab_site *site = slab_pairing_site(&state->pairing, state->pairing.last_row);

	struct slab_tally *by =
		slab_rows_get(&state->threads, op->tid, SLAB_ON_CPU(op->kind, (uint32_t)op->cpu));
	struct slab_tally *in =
		slab_rows_guess(&state->sections, &site->guess_section, clamp32(section), op->kind);

	if (!by || !in)
		return -1;
	tally_alloc(by, op);
	tally_alloc(in, op);
	return 0;
}

static int allocated(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed before;

	if (slab_pairing_alloc(&state->pairing, op, &before) ||
	    tally_allocs(state, op, op->key >> SLAB_SECTION_SHIFT))
		return -1;
	ended(state, &before);
	if (state->pairing.last_row)
		move_live(state, op->kind, op->bytes_req, op->bytes_alloc, 1);
	see_peak(state, op->time_ns);
	if (op->bytes_alloc > op->bytes_req &&
	    op->bytes_alloc - op->bytes_req >= state->worst_least)
		slab_state_worst(
			state, op,
			&slab_pairing_site(&state->pairing, state->pairing.last_row)->guess_worst);
	return 0;
}

static int count(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	struct slab_count *row = slab_rows_get(rows, a, b);

	if (!row)
		return -1;
	row->count++;
	return 0;
}

/* Frees are the freeing thread's and CPU's; of what kind is known where the object is. */
static int tally_free(struct slab_state *state, const struct slab_op *op,
		      const struct slab_freed *freed)
{
	uint32_t kind =
		freed->objects ? slab_pairing_site(&state->pairing, freed->row)->row.b : op->kind;
	struct slab_tally *tally = slab_rows_get(
		&state->threads, op->tid, SLAB_ON_CPU(SLAB_KIND_OF(kind), (uint32_t)op->cpu));

	if (!tally || (op->code != SLAB_NO_CODE && count(&state->freers, op->code, 0)))
		return -1;
	tally->frees++;
	if (!freed->paired)
		return 0;
	if ((freed->cpu | op->cpu) < SLAB_FEW_CPUS)
		state->few[freed->cpu][op->cpu]++;
	else if (count(&state->matrix, freed->cpu, op->cpu))
		return -1;
	return freed->tid != op->tid ? count(&state->strangers, freed->tid, op->tid) : 0;
}

static int freed_object(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed freed;

	if (slab_pairing_free(&state->pairing, op, &freed) || tally_free(state, op, &freed))
		return -1;
	ended(state, &freed);
	return 0;
}

/* The first of those that wait. */
static int act(struct slab_state *state)
{
	struct slab_waiting *waiting = &state->waiting[state->went++ % SLAB_WAITING];

	if (waiting->op.time_ns >= state->next_sample_ns)
		slab_state_sample(state, waiting->op.time_ns);
	state->last_ns = waiting->op.time_ns;
	return waiting->act(state, &waiting->op);
}

static int act_on_all(struct slab_state *state)
{
	int ret = 0;

	while (!ret && state->went != state->came)
		ret = act(state);
	return ret;
}

/* Room for an event that waits. */
static struct slab_op *next_op(struct slab_state *state)
{
	return &state->waiting[state->came % SLAB_WAITING].op;
}

/* next_op() is filled: it waits while as many others come as memory may take to answer. */
static int later(struct slab_state *state, int (*how)(struct slab_state *, const struct slab_op *))
{
	struct slab_waiting *waiting = &state->waiting[state->came++ % SLAB_WAITING];

	waiting->act = how;
	waiting->op.guess = 0;
	waiting->op.tag = slab_objects_tag(&state->pairing.objects, waiting->op.key);
	slab_pairing_expect(&state->pairing, &waiting->op);
	if (state->came - state->went > SLAB_WAITING / 2)
		slab_pairing_expect_soon(
			&state->pairing,
			&state->waiting[(state->came - SLAB_WAITING / 2) % SLAB_WAITING].op);
	return state->came - state->went == SLAB_WAITING ? act(state) : 0;
}

static int on_kmalloc(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->bytes_req = clamp32(f[F_FOURTH].u);
	op->kind = (uint32_t)f[F_FIFTH].u & 15;
	op->bytes_alloc = class_bytes(f[F_FIFTH].u);
	return later(state, allocated);
}

static int on_kmalloc_wide(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->bytes_req = clamp32(f[F_FOURTH].u);
	op->kind = size_class(f[F_FIFTH].u);
	op->bytes_alloc = clamp32(f[F_FIFTH].u);
	return later(state, allocated);
}

static int on_cache_alloc(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->kind = cache_kind(event->fields[F_FOURTH].u);
	return later(state, allocated);
}

static int on_alloc_bulk(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->kind = cache_kind(f[F_FOURTH].u);
	if (f[F_FIFTH].u == PATH_KMALLOC_NOLOCK) {
		op->flags = SLAB_OBJECT_NOLOCK;
		op->bytes_req = clamp32(f[F_SIXTH].u);
		op->bytes_alloc = round_up(f[F_SIXTH].u);
		op->kind = size_class(op->bytes_alloc);
	}
	return later(state, allocated);
}

static int on_kfree(struct slab_state *state, const struct mm_event *event)
{
	read_where(event, next_op(state));
	return later(state, freed_object);
}

static int on_cache_free(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->api = SLAB_API_CACHE_FREE;
	op->kind = cache_kind(event->fields[F_FOURTH].u);
	return later(state, freed_object);
}

static int on_free_bulk(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);

	read_where(event, op);
	op->api = f[F_FIFTH].u == PATH_KFREE_NOLOCK ? SLAB_API_NOLOCK : SLAB_API_BULK;
	/* Without a cache it is kfree() of many. */
	if (f[F_FOURTH].u)
		op->kind = cache_kind(f[F_FOURTH].u);
	return later(state, freed_object);
}

static int on_realloc(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op op = { 0 };
	int64_t grown;

	read_where(event, &op);
	op.tag = slab_objects_tag(&state->pairing.objects, op.key);
	op.bytes_req = clamp32(event->fields[F_FOURTH].u);
	if (slab_pairing_realloc(&state->pairing, &op, &grown))
		return -1;
	state->now[0].req += (uint64_t)grown;
	return 0;
}

static void read_pages(const struct mm_event *event, struct slab_op *op)
{
	const union mm_scalar *f = event->fields;
	uint32_t order = f[P_ORDER].u < 19 ? (uint32_t)f[P_ORDER].u : 19;

	*op = (struct slab_op){ .time_ns = event->time_ns,
				.tid = (uint32_t)f[P_TID].u,
				.key = f[P_PFN].u | SLAB_KEY_PAGE,
				.code = SLAB_NO_CODE,
				.kind = SLAB_KIND_PAGES + order,
				.api = SLAB_API_PAGES,
				.cpu = cpu_of(event) };
	op->bytes_req = op->bytes_alloc = 4096u << order;
}

static int allocated_pages(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed before;

	return slab_pairing_alloc(&state->pairing, op, &before) ||
	       tally_allocs(state, op, (op->key & ~SLAB_KEY_PAGE) >> (SLAB_SECTION_SHIFT - 12));
}

static int freed_pages(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed freed;

	return slab_pairing_free_pages(&state->pairing, op, &freed) ||
	       tally_free(state, op, &freed);
}

static int on_page_alloc(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct slab_op *op = next_op(state);
	struct slab_page_flags *flags;

	read_pages(event, op);
	flags = slab_rows_get(&state->page_flags, (uint32_t)f[P_GFP].u,
			      (uint32_t)(f[P_MIGRATE].u & 0xff) << 8 | (op->kind & 0xff));
	if (!flags || (!flags->allocs++ && slab_page_flags_label(flags, event)))
		return -1;
	return later(state, allocated_pages);
}

static int on_page_free(struct slab_state *state, const struct mm_event *event)
{
	read_pages(event, next_op(state));
	return later(state, freed_pages);
}

static int on_failed(struct slab_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;

	if (event->type->want == E_PAGE_FAILED) {
		state->failed_pages++;
		return 0;
	}
	return count(&state->failed, (uint32_t)f[1].u,
		     event->type->want == E_KMALLOC_FAILED ? SLAB_KIND_NONE : cache_kind(f[2].u));
}

/* State is of no time: the first of the other events tells when all streams had begun. */
static int on_dump(struct slab_state *state, const struct mm_event *event)
{
	state->events--;
	switch (event->type->want) {
	case E_DUMP_CACHE:
		return slab_dump_cache(state, event);
	case E_DUMP_ALIAS:
		return slab_dump_alias(state, event);
	case E_DUMP_CODE:
		return slab_dump_code(state, event);
	case E_DUMP_PATH:
		slab_dump_path(state, event);
		return 0;
	case E_DUMP_NODE:
		slab_dump_node(state, event);
		return 0;
	default:
		return slab_dump_thread(state, event);
	}
}

static int on_rare(struct slab_state *state, const struct mm_event *event)
{
	struct slab_op op;

	if (act_on_all(state))
		return -1;
	switch (event->type->want) {
	case E_KFREE_RCU:
		read_where(event, &op);
		op.tag = slab_objects_tag(&state->pairing.objects, op.key);
		slab_pairing_rcu(&state->pairing, &op);
		return 0;
	case E_REALLOC:
		return on_realloc(state, event);
	case E_PAGE_BATCHED:
		state->batched++;
		return 0;
	case E_DUMP_CACHE ... E_DUMP_PROCESS:
		return on_dump(state, event);
	default:
		return on_failed(state, event);
	}
}

/* What is not here is rare. */
static int (*const handlers[])(struct slab_state *, const struct mm_event *) = {
	[E_KMALLOC] = on_kmalloc,
	[E_KMALLOC_WIDE] = on_kmalloc_wide,
	[E_KMALLOC_FAILED] = on_rare,
	[E_KFREE] = on_kfree,
	[E_KFREE_WIDE] = on_kfree,
	[E_CACHE_ALLOC] = on_cache_alloc,
	[E_CACHE_ALLOC_WIDE] = on_cache_alloc,
	[E_CACHE_ALLOC_FAILED] = on_rare,
	[E_CACHE_FREE] = on_cache_free,
	[E_CACHE_FREE_WIDE] = on_cache_free,
	[E_FREE_BULK] = on_free_bulk,
	[E_ALLOC_BULK] = on_alloc_bulk,
	[E_KFREE_RCU] = on_rare,
	[E_REALLOC] = on_rare,
	[E_PAGE_ALLOC] = on_page_alloc,
	[E_PAGE_FAILED] = on_rare,
	[E_PAGE_FREE] = on_page_free,
	[E_PAGE_BATCHED... E_DUMP_PROCESS] = on_rare,
};

/* Before that moment a stream that may have our events had not begun. */
static int64_t all_began(const struct mm_source *source)
{
	int64_t begin_ns = INT64_MIN;

	for (size_t i = 0; i < source->loss_count; i++)
		if (source->losses[i].wanted && source->losses[i].begin_ns > begin_ns)
			begin_ns = source->losses[i].begin_ns;
	return begin_ns;
}

static int slab_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct slab_state *state = user;

	if (state->checked[event->type->want] != event->type && !check_type(state, event->type))
		return 0;
	if (!state->events++)
		state->pairing.begin_ns = all_began(event->source);
	if (handlers[event->type->want](state, event) || state->short_of_memory)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	return 0;
}

static void slab_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct slab_state *state = user;

	(void)begin_ns;
	if (act_on_all(state))
		state->short_of_memory = true;
	if (loss->wanted)
		slab_pairing_lost(&state->pairing, loss->lost_until_ns);
}

static int slab_finish(void *user, const struct mm_source *source, const struct mm_context *context,
		       struct mm_error *err)
{
	struct slab_state *state = user;

	state->context = context;
	if (act_on_all(state) || state->short_of_memory || slab_state_finish(state, source))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	return 0;
}

static int slab_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return slab_report_fill(user, options, report);
}

static const char *const by[] = { "call-site", "cache", "cpu", "node", "process", "order", NULL };

const struct mm_analysis mm_slab_analysis = {
	.name = "slab",
	.summary = "slab and page allocations: who, how much, how long, and what was not freed",
	.wants = wants,
	.by = by,
	.leaks = true,
	.required = "slab_",
	.create = slab_create,
	.destroy = slab_destroy,
	.event = slab_event,
	.lost = slab_lost,
	.finish = slab_finish,
	.fill = slab_fill,
};
