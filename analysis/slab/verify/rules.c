// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rules of slab and page events.
 *
 * Most rules are about a single event. Caches and memory in events must be in the state dump. The
 * dump may be later than these events. The first event of each cache, and the lowest and highest
 * address in each section of memory, are therefore stored, and judged at the end.
 */
#include "analysis/slab/verify/state.h"
#include "instrumentation/wire/slab.h"

#include <string.h>

/* Field numbers of events of objects. The fields after F_PTR differ between events. */
enum { F_TID, F_CODE, F_PTR, F_FOURTH, F_FIFTH };
#define WHERE "tid", "call_site", "ptr"

static const char *const kmalloc_fields[] = { WHERE, "bytes_req", "size_class", NULL };
static const char *const kmalloc_wide_fields[] = { WHERE, "bytes_req", "bytes_alloc", NULL };
static const char *const where_fields[] = { WHERE, NULL };
static const char *const cache_fields[] = { WHERE, "cache", NULL };
static const char *const bulk_fields[] = { WHERE, "cache", "path", NULL };

enum { P_TID, P_PFN, P_ORDER };
static const char *const page_fields[] = { "tid", "pfn", "order", NULL };
static const char *const batched_fields[] = { "tid", "pfn", NULL };
static const char *const page_failed_fields[] = { "tid", "order", NULL };

enum { D_CACHE, D_OBJECT_SIZE, D_SIZE, D_ALIGN, D_NAME };
static const char *const dump_cache_fields[] = { "cache", "object_size", "size",
						 "align", "name",	 NULL };
enum { K_CLASS, K_BYTES, K_REQ_MIN, K_REQ_MAX };
static const char *const dump_kmalloc_fields[] = { "size_class", "bytes_alloc", "bytes_req_min",
						   "bytes_req_max", NULL };
static const char *const dump_path_fields[] = { "path", NULL };
enum { N_NODE, N_START, N_END, N_PAGE_SIZE };
static const char *const dump_node_fields[] = { "node", "pfn_start", "pfn_end", "page_size", NULL };

const struct mm_event_fields slab_verify_events[] = {
	[E_KMALLOC] = { "slab_kmalloc", kmalloc_fields },
	[E_KMALLOC_WIDE] = { "slab_kmalloc_wide", kmalloc_wide_fields },
	[E_KFREE] = { "slab_kfree", where_fields },
	[E_KFREE_WIDE] = { "slab_kfree_wide", where_fields },
	[E_CACHE_ALLOC] = { "slab_cache_alloc", cache_fields },
	[E_CACHE_ALLOC_WIDE] = { "slab_cache_alloc_wide", cache_fields },
	[E_CACHE_FREE] = { "slab_cache_free", cache_fields },
	[E_CACHE_FREE_WIDE] = { "slab_cache_free_wide", cache_fields },
	[E_FREE_BULK] = { "slab_free_bulk", bulk_fields },
	[E_ALLOC_BULK] = { "slab_alloc_bulk", bulk_fields },
	[E_KFREE_RCU] = { "slab_kfree_rcu", where_fields },
	[E_REALLOC] = { "slab_krealloc_in_place", where_fields },
	[E_PAGE_ALLOC] = { "page_alloc", page_fields },
	[E_PAGE_BULK] = { "page_alloc_bulk", page_fields },
	[E_PAGE_FREE] = { "page_free", page_fields },
	[E_PAGE_BATCHED] = { "page_free_batched", batched_fields },
	[E_PAGE_FAILED] = { "page_alloc_failed", page_failed_fields },
	[E_DUMP_CACHE] = { "slab_statedump_cache", dump_cache_fields },
	[E_DUMP_KMALLOC] = { "slab_statedump_kmalloc", dump_kmalloc_fields },
	[E_DUMP_PATH] = { "slab_statedump_path", dump_path_fields },
	[E_DUMP_NODE] = { "page_statedump_node", dump_node_fields },
	[E_COUNT] = { NULL, NULL },
};

void slab_verify_request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mm_requests_add_table(requests, slab_verify_events, MM_FIELD_INTEGER);
	mm_requests_expect(requests, "name", MM_FIELD_STRING);
	mm_requests_expect(requests, "page_size", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
}

static struct verify_fault describe(const struct mm_event *event, enum slab_rule rule, uint64_t a,
				    uint64_t b)
{
	const union mm_scalar *f = event->fields;
	int kind = event->type->request;
	struct verify_fault fault = { .time_ns = event->time_ns,
				      .a = a,
				      .b = b,
				      .cpu = event->cpu,
				      .event = (uint8_t)kind,
				      .rule = (uint8_t)rule };

	if (kind < E_DUMP_CACHE)
		fault.tid = (uint32_t)f[F_TID].u;
	if (kind < E_PAGE_ALLOC) {
		fault.code = (uint32_t)f[F_CODE].u;
		fault.ptr = f[F_PTR].u;
	} else if (kind < E_PAGE_FAILED) {
		fault.ptr = f[P_PFN].u;
	}
	return fault;
}

int slab_verify_keep(struct verify_checker *checker, const struct verify_fault *fault)
{
	struct verify_fault *grown;

	checker->counts[fault->rule]++;
	if (checker->only_damage) {
		checker->last = *fault;
		return 0;
	}
	if (checker->fault_count == SLAB_VERIFY_FINDINGS_MAX)
		return 0;
	grown = mm_array_grow(checker->faults, checker->fault_count, &checker->fault_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	checker->faults = grown;
	grown[checker->fault_count++] = *fault;
	return 0;
}

/*
 * Records a violated rule. This function is not inlined, because most events violate no rule.
 * Returns 0, or -1 when out of memory.
 */
static __attribute__((noinline, cold)) int violated(struct verify_checker *checker,
						    const struct mm_event *event,
						    enum slab_rule rule, uint64_t a, uint64_t b)
{
	struct verify_fault fault = describe(event, rule, a, b);

	return slab_verify_keep(checker, &fault);
}

#define BYTES(number, bytes, label) [number] = (bytes),

static uint32_t class_bytes(uint64_t class)
{
	static const uint32_t bytes_of[LTTNG_MM_SLAB_SIZE_CLASS_COUNT] = {
		LTTNG_MM_SLAB_SIZE_CLASSES(BYTES)
	};

	return class < LTTNG_MM_SLAB_SIZE_CLASS_COUNT ? bytes_of[class] : 0;
}

/*
 * Extends the used range of the section to @low and @high. In a damaged trace, @high may lie
 * outside the section, because it is the end of a block of pages. Returns 0, or -1 when out of
 * memory.
 */
static int note_memory(struct verify_checker *checker, const struct mm_event *event,
		       uint64_t section, uint64_t low, uint64_t high)
{
	struct verify_section *in =
		mm_rows_get(&checker->sections, (uint32_t)section, (uint32_t)(section >> 32));

	if (!in)
		return -1;
	if (in == mm_rows_at(&checker->sections, 0))
		return 0;
	if (!in->used || low < in->low) {
		in->low = low;
		in->lowest = describe(event, MEMORY_UNKNOWN, low, 0);
	}
	if (!in->used || high > in->high) {
		in->high = high;
		in->highest = describe(event, MEMORY_UNKNOWN, high, 0);
	}
	in->used = true;
	return 0;
}

static int check_object(struct verify_checker *checker, const struct mm_event *event)
{
	uint64_t ptr = event->fields[F_PTR].u;

	/*
	 * Addresses are offsets in the direct map. Offset 0 stands for NULL, because the start of
	 * the direct map is never allocated.
	 */
	if (ptr - 1 >= (1ull << PTR_BITS_MAX) - 1)
		return violated(checker, event, NO_OBJECT, ptr, 0);
	if (checker->only_damage)
		return 0;
	return note_memory(checker, event, ptr >> SECTION_SHIFT, ptr, ptr);
}

static int check_pages(struct verify_checker *checker, const struct mm_event *event, uint64_t order)
{
	uint64_t pfn = event->fields[P_PFN].u, last;

	if (order > ORDER_MAX)
		return violated(checker, event, ORDER_RANGE, order, 0);
	if (pfn & ((1ull << order) - 1))
		return violated(checker, event, ORDER_ALIGN, order, 0);
	if (checker->only_damage)
		return 0;
	last = pfn | ((1ull << order) - 1);
	return note_memory(checker, event, PAGES | pfn >> SECTION_PAGES_SHIFT, pfn, last);
}

static void note_cache(struct verify_checker *checker, const struct mm_event *event)
{
	uint64_t number = event->fields[F_FOURTH].u;
	struct verify_cache *cache = &checker->caches[number < CACHES_MAX ? number : 0];

	if (checker->only_damage)
		return;
	/* Number 0 means that the cache has no number. */
	if (number && !cache->events++)
		cache->first = describe(event, CACHE_UNKNOWN, number, 0);
}

static int check_bytes(struct verify_checker *checker, const struct mm_event *event, uint64_t given)
{
	uint64_t asked = event->fields[F_FOURTH].u;

	if (asked <= given || checker->only_damage)
		return 0;
	return violated(checker, event, MORE_THAN_GIVEN, asked, given);
}

/*
 * Does the trace itself have a label for the path? A number without a label is printed as digits,
 * or as the labels of its bits.
 */
static bool has_label(const struct mm_event *event)
{
	struct mm_value value;
	const char *name;
	char text[64];

	for (size_t i = 0; !mm_event_field_at(event, i, &name, &value); i++)
		if (name && !strcmp(name, "path")) {
			mm_event_field_text(event, &value, text, sizeof(text));
			return !strchr(text, '|') && (text[0] < '0' || text[0] > '9');
		}
	return false;
}

/*
 * Checks that this event may report @path. The @count paths from @first on are valid. Accepts an
 * unknown path that has a label in the trace, because newer probes may have more paths.
 */
static int check_path(struct verify_checker *checker, const struct mm_event *event, uint64_t path,
		      uint64_t first, uint64_t count)
{
	if (path - first < count || (path > LTTNG_MM_SLAB_PATH_LAST && has_label(event)))
		return 0;
	return violated(checker, event, NO_PATH, path, 0);
}

static uint32_t name_hash(const char *name)
{
	uint32_t hash = 0x811c9dc5; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193;
	return hash;
}

static int check_dumped_cache(struct verify_checker *checker, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	uint64_t number = f[D_CACHE].u;
	struct verify_cache *cache, dumped_now = { .dumped = true,
						   .object_size = (uint32_t)f[D_OBJECT_SIZE].u,
						   .size = (uint32_t)f[D_SIZE].u,
						   .name = name_hash(f[D_NAME].s) };

	if (!number)
		return violated(checker, event, CACHE_NUMBER, number, 0);
	/* The kernel reports size 0 if it does not know the size. */
	if (dumped_now.size && dumped_now.object_size > dumped_now.size &&
	    violated(checker, event, CACHE_SIZES, dumped_now.object_size, dumped_now.size))
		return -1;
	/*
	 * Caches with larger numbers are not stored, so contradictory state dumps of them are not
	 * noticed.
	 */
	if (number >= CACHES_MAX) {
		checker->caches[0].dumped = true;
		return 0;
	}
	cache = &checker->caches[number];
	if (!cache->dumped) {
		cache->dumped = true;
		cache->object_size = dumped_now.object_size;
		cache->size = dumped_now.size;
		cache->name = dumped_now.name;
		return 0;
	}
	if (same_cache(cache, &dumped_now))
		return 0;
	return violated(checker, event, CACHE_TWICE, number, 0);
}

static int check_dumped_class(struct verify_checker *checker, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;

	if (class_bytes(f[K_CLASS].u) == f[K_BYTES].u && f[K_REQ_MIN].u <= f[K_REQ_MAX].u &&
	    f[K_REQ_MAX].u <= f[K_BYTES].u)
		return 0;
	return violated(checker, event, CLASS_SIZES, f[K_CLASS].u, f[K_BYTES].u);
}

/*
 * Adds a range of memory. Joins it with all known ranges that it touches, even of other nodes,
 * because only the union of all nodes matters. Returns 0, or -1 when out of memory.
 */
static int add_node(struct verify_checker *checker, const struct verify_range *range)
{
	struct verify_range joined = *range, *grown;
	size_t kept = 0;

	for (size_t i = 0; i < checker->node_count; i++) {
		const struct verify_range *known = &checker->nodes[i];

		if (joined.start > known->end || known->start > joined.end) {
			checker->nodes[kept++] = *known;
			continue;
		}
		joined.start = known->start < joined.start ? known->start : joined.start;
		joined.end = known->end > joined.end ? known->end : joined.end;
	}
	checker->node_count = kept;
	if (checker->node_count == NODES_MAX) {
		checker->nodes_dropped = true;
		return 0;
	}
	grown = mm_array_grow(checker->nodes, checker->node_count, &checker->node_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	checker->nodes = grown;
	grown[checker->node_count++] = joined;
	return 0;
}

static int check_dumped_node(struct verify_checker *checker, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const struct verify_range range = { f[N_START].u, f[N_END].u };

	/* Older traces have no page size. */
	if (f[N_PAGE_SIZE].u) {
		if (f[N_PAGE_SIZE].u & (f[N_PAGE_SIZE].u - 1))
			return violated(checker, event, PAGE_SIZES, f[N_PAGE_SIZE].u, 0);
		checker->page_shift = (unsigned int)__builtin_ctzll(f[N_PAGE_SIZE].u);
	}
	if (range.start > range.end)
		return violated(checker, event, NODE_RANGE, f[N_NODE].u, 0);
	return add_node(checker, &range);
}

static int hold(struct verify_checker *checker, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;

	switch (event->type->request) {
	case E_KMALLOC:
		if (!class_bytes(f[F_FIFTH].u))
			return violated(checker, event, NO_SIZE_CLASS, f[F_FIFTH].u, 0);
		return check_bytes(checker, event, class_bytes(f[F_FIFTH].u)) ||
		       check_object(checker, event);
	case E_KMALLOC_WIDE:
		return check_bytes(checker, event, f[F_FIFTH].u) || check_object(checker, event);
	case E_FREE_BULK:
		note_cache(checker, event);
		return check_path(checker, event, f[F_FIFTH].u, LTTNG_MM_SLAB_PATH_FREE_BULK, 2) ||
		       check_object(checker, event);
	case E_ALLOC_BULK:
		note_cache(checker, event);
		return check_path(checker, event, f[F_FIFTH].u, LTTNG_MM_SLAB_PATH_ALLOC_BULK, 2) ||
		       check_object(checker, event);
	case E_CACHE_ALLOC:
	case E_CACHE_ALLOC_WIDE:
	case E_CACHE_FREE:
	case E_CACHE_FREE_WIDE:
		note_cache(checker, event);
		return check_object(checker, event);
	case E_PAGE_BULK:
		if (f[P_ORDER].u)
			return violated(checker, event, ORDER_BULK, f[P_ORDER].u, 0);
		return check_pages(checker, event, 0);
	case E_PAGE_ALLOC:
	case E_PAGE_FREE:
		return check_pages(checker, event, f[P_ORDER].u);
	case E_PAGE_BATCHED:
		return check_pages(checker, event, 0);
	case E_PAGE_FAILED:
		return f[1].u > ORDER_MAX ? violated(checker, event, ORDER_RANGE, f[1].u, 0) : 0;
	case E_DUMP_CACHE:
		return check_dumped_cache(checker, event);
	case E_DUMP_KMALLOC:
		return check_dumped_class(checker, event);
	case E_DUMP_PATH:
		return check_path(checker, event, f[0].u, LTTNG_MM_SLAB_PATH_FREE_BULK,
				  LTTNG_MM_SLAB_PATH_LAST);
	case E_DUMP_NODE:
		return check_dumped_node(checker, event);
	default:
		return check_object(checker, event);
	}
}

int slab_verify_check(struct verify_checker *checker, const struct mm_event *event)
{
	checker->events++;
	if (event->type->request < E_DUMP_CACHE && event->fields[F_TID].u > TID_MAX)
		return violated(checker, event, NO_THREAD, 0, 0);
	return hold(checker, event);
}
