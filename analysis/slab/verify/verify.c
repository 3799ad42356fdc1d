// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the slab events of a whole trace, and reports violations. */
#include "analysis/slab/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/verify/state.h"
#include "util/plural.h"

static void destroy(void *user)
{
	struct verify_checker *checker = user;

	if (!checker)
		return;
	mm_rows_release(&checker->sections);
	free(checker->caches);
	free(checker->nodes);
	free(checker->faults);
	free(checker);
}

static void *create(void)
{
	struct verify_checker *checker = calloc(1, sizeof(*checker));

	if (!checker)
		return NULL;
	checker->caches = calloc(CACHES_MAX, sizeof(*checker->caches));
	if (!checker->caches ||
	    mm_rows_init(&checker->sections, sizeof(struct verify_section), SECTIONS_MAX, 12)) {
		destroy(checker);
		return NULL;
	}
	return checker;
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	if (slab_verify_check(user, event))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	return 0;
}

static bool in_a_node(const struct verify_checker *checker, uint64_t pfn)
{
	for (size_t i = 0; i < checker->node_count; i++)
		if (pfn >= checker->nodes[i].start && pfn < checker->nodes[i].end)
			return true;
	return false;
}

static uint64_t frame(const struct verify_checker *checker, const struct verify_fault *fault)
{
	unsigned int shift = checker->page_shift ? checker->page_shift : PAGE_SHIFT;

	return fault->event < E_PAGE_ALLOC ? fault->a >> shift : fault->a;
}

static int judge_memory(struct verify_checker *checker)
{
	if (!checker->node_count || checker->nodes_dropped)
		return 0;
	for (uint32_t i = 1; i < checker->sections.count; i++) {
		const struct verify_section *section = mm_rows_at(&checker->sections, i);

		if (!in_a_node(checker, frame(checker, &section->lowest)) &&
		    slab_verify_keep(checker, &section->lowest))
			return -1;
		if (section->high != section->low &&
		    !in_a_node(checker, frame(checker, &section->highest)) &&
		    slab_verify_keep(checker, &section->highest))
			return -1;
	}
	return 0;
}

static int judge_caches(struct verify_checker *checker)
{
	bool dumped = false;

	/*
	 * Without a state dump, no cache is known. For example, a PID tracker may exclude the dump.
	 */
	for (size_t i = 0; i < CACHES_MAX; i++)
		dumped |= checker->caches[i].dumped;
	for (size_t i = 0; i < CACHES_MAX && dumped; i++) {
		struct verify_cache *cache = &checker->caches[i];

		cache->first.b = cache->events;
		if (cache->events && !cache->dumped && slab_verify_keep(checker, &cache->first))
			return -1;
	}
	return 0;
}

/* Sorts damage before notes, then by time and by numbers. */
static int compare_faults(const void *left, const void *right)
{
	const struct verify_fault *x = left, *y = right;
	bool note = x->rule >= RULES_DAMAGE;

	if (note != (y->rule >= RULES_DAMAGE))
		return note ? 1 : -1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->ptr > y->ptr) - (x->ptr < y->ptr);
}

static void print_what(const struct verify_fault *fault, char *text, size_t size)
{
	static const char *const paths[E_COUNT] = { [E_FREE_BULK] = "does not free",
						    [E_ALLOC_BULK] = "does not allocate",
						    [E_DUMP_PATH] = "has no name" };
	const uint64_t a = fault->a, b = fault->b;

	switch (fault->rule) {
	case MORE_THAN_GIVEN:
		snprintf(text, size, "%" PRIu64 " byte%s requested, %" PRIu64 " allocated", a,
			 mm_plural_s(a), b);
		return;
	case NO_SIZE_CLASS:
		snprintf(text, size, "size class %" PRIu64 " does not exist", a);
		return;
	case NO_OBJECT:
		snprintf(text, size, "%s", a ? "no memory has this address" : "null pointer");
		return;
	case NO_PATH:
		snprintf(text, size, "path %" PRIu64 " %s", a, paths[fault->event]);
		return;
	case ORDER_RANGE:
		snprintf(text, size, "order %" PRIu64 " is more than %u", a, ORDER_MAX);
		return;
	case ORDER_ALIGN:
		snprintf(text, size, "a block of order %" PRIu64 " cannot start at this page frame",
			 a);
		return;
	case ORDER_BULK:
		snprintf(text, size, "order %" PRIu64 " is not 0 in a bulk allocation", a);
		return;
	case CLASS_SIZES:
		snprintf(text, size, "size class %" PRIu64 " does not fit its %" PRIu64 " byte%s",
			 a, b, mm_plural_s(b));
		return;
	case CACHE_NUMBER:
		snprintf(text, size, "no cache has the number %" PRIu64, a);
		return;
	case CACHE_SIZES:
		snprintf(text, size,
			 "an object size of %" PRIu64 " byte%s exceeds the slot size of %" PRIu64,
			 a, mm_plural_s(a), b);
		return;
	case CACHE_TWICE:
		snprintf(text, size,
			 "cache %" PRIu64 " was another cache earlier in the state dump", a);
		return;
	case NODE_RANGE:
		snprintf(text, size, "node %" PRId64 " ends before it starts", (int64_t)a);
		return;
	case PAGE_SIZES:
		snprintf(text, size, "the page size of %" PRIu64 " byte%s is not a power of two", a,
			 mm_plural_s(a));
		return;
	case NO_THREAD:
		snprintf(text, size, "no thread has an id above %u", TID_MAX);
		return;
	case CACHE_UNKNOWN:
		snprintf(text, size,
			 "cache %" PRIu64 " is not in the state dump (%" PRIu64 " %s it)", a, b,
			 mm_plural(b, "event names", "events name"));
		return;
	default:
		snprintf(text, size, "outside the NUMA nodes in the state dump");
		return;
	}
}

static void print_where(const struct verify_fault *fault, char *text, size_t size)
{
	if (fault->event < E_PAGE_ALLOC)
		snprintf(text, size, "; tid=%" PRIu32 " call_site=0x%" PRIx32 " ptr=0x%" PRIx64,
			 fault->tid, fault->code, fault->ptr);
	else if (fault->event < E_PAGE_FAILED)
		snprintf(text, size, "; tid=%" PRIu32 " pfn=0x%" PRIx64, fault->tid, fault->ptr);
	else if (fault->event < E_DUMP_CACHE)
		snprintf(text, size, "; tid=%" PRIu32, fault->tid);
	else
		text[0] = '\0';
}

static void print_fault(const struct verify_fault *fault, char *text, size_t size)
{
	char where[128];

	print_where(fault, where, sizeof(where));
	print_what(fault, text, size - strlen(where));
	strcat(text, where);
}

static __attribute__((noinline, cold)) const char *print_last(struct verify_checker *checker)
{
	print_fault(&checker->last, checker->what, sizeof(checker->what));
	checker->last.event = E_COUNT;
	return checker->what;
}

static const char *damaged(void *user, const struct mm_event *event)
{
	struct verify_checker *checker = user;

	if (!checker->only_damage) {
		checker->only_damage = true;
		checker->last.event = E_COUNT;
	}
	/* With only_damage, nothing is stored, so the check cannot run out of memory. */
	slab_verify_check(checker, event);
	return checker->last.event == E_COUNT ? NULL : print_last(checker);
}

static void report(const void *user, uint64_t limit, mm_rules_finding_fn *finding, void *to,
		   struct mm_rules_counts *counts)
{
	const struct verify_checker *checker = user;

	for (size_t i = 0; i < checker->fault_count && i < limit; i++) {
		const struct verify_fault *fault = &checker->faults[i];
		char what[256];
		const struct mm_rules_finding found = {
			.damaged = fault->rule < RULES_DAMAGE,
			.event = slab_verify_events[fault->event].event,
			.time_ns = fault->time_ns,
			.cpu = fault->cpu,
			.what = what,
		};

		print_fault(fault, what, sizeof(what));
		finding(to, &found);
	}
	counts->events = checker->events;
	for (int i = 0; i < RULES; i++)
		*(i < RULES_DAMAGE ? &counts->damaged : &counts->notes) += checker->counts[i];
}

static int finish(void *user, struct mm_error *err)
{
	struct verify_checker *checker = user;

	if (judge_caches(checker) || judge_memory(checker))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	if (checker->fault_count)
		qsort(checker->faults, checker->fault_count, sizeof(*checker->faults),
		      compare_faults);
	return 0;
}

const struct mm_rules mm_slab_rules = {
	.name = "slab",
	.subject = "Slab and page events",
	.request = slab_verify_request,
	.create = create,
	.destroy = destroy,
	.event = on_event,
	.finish = finish,
	.damaged = damaged,
	.report = report,
};
