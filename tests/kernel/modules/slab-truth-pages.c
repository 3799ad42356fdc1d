// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates pages with the page allocator's bulk interface. A probe of this module notes the pages
 * that the tracepoint mm_page_alloc reports. The module does not count these as bulk pages.
 */

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

#include "slab-truth.h"

enum { PAGES = 16, LEAKS_MAX = 256, SEEN_MAX = 8, CPUS = 2 };

/* The function keeps its own symbol: the compiler does not inline it or merge it with others. */
#define OPERATION static noinline __attribute__((noclone, no_icf))

enum page_site_number { P_EMPTY, P_BETWEEN, P_ONE, P_ACCOUNTED, P_FULL, P_LIST, PAGE_SITES };

static struct page_site {
	const char *name;
	atomic64_t allocs, frees, other_cpu, cross_allocs, cross_frees;
} page_sites[PAGE_SITES] = {
	[P_EMPTY] = { "take_pages" },	[P_BETWEEN] = { "take_pages_between" },
	[P_ONE] = { "take_one_page" },	[P_ACCOUNTED] = { "take_accounted_pages" },
	[P_FULL] = { "take_no_pages" }, [P_LIST] = { "take_pages_as_list" },
};

/*
 * Pages that the tracepoint reports while a thread calls the bulk interface. Each CPU has one
 * thread.
 */
static struct page_watch {
	const struct task_struct *task;
	const struct page *seen[SEEN_MAX];
	unsigned int count;
} watches[CPUS];

static struct tracepoint *page_alloc_tracepoint;
static struct page *leaks[LEAKS_MAX];
static atomic_t leak_count;
/* A page that the other thread frees. */
static struct page *handed_over;

static void on_page_alloc(void *unused, struct page *page, unsigned int order, gfp_t gfp,
			  int migrate_type)
{
	unsigned int cpu = raw_smp_processor_id();
	struct page_watch *watch = &watches[cpu % CPUS];

	if (in_task() && READ_ONCE(watch->task) == current && page)
		watch->seen[watch->count++ % SEEN_MAX] = page;
}

static bool was_seen(const struct page_watch *watch, const struct page *page)
{
	for (unsigned int i = 0; i < SEEN_MAX; i++)
		if (watch->seen[i] == page)
			return true;
	return false;
}

static struct page_watch *start_watch(void)
{
	struct page_watch *watch = &watches[smp_processor_id() % CPUS];

	memset(watch, 0, sizeof(*watch));
	WRITE_ONCE(watch->task, current);
	return watch;
}

static void stop_watch(struct page_watch *watch)
{
	WRITE_ONCE(watch->task, NULL);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define bulk_into_array(gfp, node, array) __alloc_pages_bulk(gfp, node, NULL, PAGES, array)
#else
#define HAVE_LIST
#define bulk_into_array(gfp, node, array) __alloc_pages_bulk(gfp, node, NULL, PAGES, NULL, array)
#endif

#define ARRAY_ACT(name)                                                        \
	OPERATION unsigned long name(gfp_t gfp, int node, struct page **array) \
	{                                                                      \
		unsigned long count = bulk_into_array(gfp, node, array);       \
                                                                               \
		barrier();                                                     \
		return count;                                                  \
	}

ARRAY_ACT(take_pages)
ARRAY_ACT(take_pages_between)
ARRAY_ACT(take_one_page)
ARRAY_ACT(take_accounted_pages)
ARRAY_ACT(take_no_pages)

#ifdef HAVE_LIST
OPERATION unsigned long take_pages_as_list(int node, struct list_head *list)
{
	unsigned long count = __alloc_pages_bulk(GFP_KERNEL, node, NULL, PAGES, list, NULL);

	barrier();
	return count;
}
#endif

/*
 * Stores the page's call site and CPU in page_private, which the owner of a page may use. The
 * stored value is never 0.
 */
static void label(struct page *page, enum page_site_number site)
{
	set_page_private(page, 1 + site * CPUS + smp_processor_id());
	atomic64_inc(&page_sites[site].allocs);
	atomic64_add(page_to_nid(page) != numa_node_id(), &page_sites[site].cross_allocs);
}

static void give(struct page *page)
{
	unsigned long tag = page_private(page);

	if (tag) {
		struct page_site *site = &page_sites[(tag - 1) / CPUS];

		atomic64_inc(&site->frees);
		atomic64_add((tag - 1) % CPUS != smp_processor_id(), &site->other_cpu);
		atomic64_add(page_to_nid(page) != numa_node_id(), &site->cross_frees);
		set_page_private(page, 0);
	}
	__free_page(page);
}

/* FILLED is a bit mask of the array entries that contain a page before the call. */
static void use_array(enum page_site_number site,
		      unsigned long (*take)(gfp_t gfp, int node, struct page **array), gfp_t gfp,
		      int node, u32 filled, struct page **array)
{
	struct page_watch *watch;

	for (int i = 0; i < PAGES; i++)
		array[i] = filled & 1u << i ? alloc_page(GFP_KERNEL | __GFP_NOFAIL) : NULL;
	watch = start_watch();
	take(gfp, node, array);
	stop_watch(watch);
	for (int i = 0; i < PAGES; i++)
		if (array[i] && !(filled & 1u << i) && !was_seen(watch, array[i]))
			label(array[i], site);
}

static void give_array(struct page **array)
{
	for (int i = 0; i < PAGES; i++)
		if (array[i])
			give(array[i]);
}

#ifdef HAVE_LIST
/* The list contains one page before the call. */
static void use_list(int node)
{
	struct page *page = alloc_page(GFP_KERNEL | __GFP_NOFAIL), *before = page, *next;
	struct page_watch *watch;
	LIST_HEAD(list);

	list_add(&page->lru, &list);
	watch = start_watch();
	take_pages_as_list(node, &list);
	stop_watch(watch);
	list_for_each_entry(page, &list, lru) {
		if (page != before && !was_seen(watch, page))
			label(page, P_LIST);
	}
	list_for_each_entry_safe(page, next, &list, lru) {
		list_del(&page->lru);
		give(page);
	}
}
#else
static void use_list(int node)
{
}
#endif

/*
 * Hands one page over to the other thread, which frees it. In one of eight rounds, leaks another
 * page.
 */
static void keep_some(struct page **array, unsigned int round)
{
	struct page *page = xchg(&handed_over, array[0]);
	int number;

	if (page)
		give(page);
	array[0] = NULL;
	if (round % 8 || !array[1] || !page_private(array[1]))
		return;
	number = atomic_inc_return(&leak_count) - 1;
	if (number >= LEAKS_MAX)
		return;
	leaks[number] = array[1];
	array[1] = NULL;
}

void truth_act_on_pages(unsigned int round)
{
	int local = numa_node_id(), node = round % 2 ? next_online_node(local) : local;
	struct page *array[PAGES];

	node = node == MAX_NUMNODES ? first_online_node : node;
	use_array(P_EMPTY, take_pages, GFP_KERNEL, node, 0, array);
	keep_some(array, round);
	give_array(array);
	/* The masks leave gaps of one and of several entries, at the ends and elsewhere. */
	use_array(P_BETWEEN, take_pages_between, GFP_KERNEL, node, round % 3 ? 0x0863 : 0x9a4c,
		  array);
	give_array(array);
	use_array(P_ONE, take_one_page, GFP_KERNEL, node, 0xffff & ~(1u << round % PAGES), array);
	give_array(array);
	use_array(P_ACCOUNTED, take_accounted_pages, GFP_KERNEL_ACCOUNT, node, 0, array);
	give_array(array);
	use_array(P_FULL, take_no_pages, GFP_KERNEL, node, 0xffff, array);
	give_array(array);
	use_list(node);
}

/* Runs after all other contexts have finished. */
void truth_act_on_pages_last(void)
{
	struct page *page = xchg(&handed_over, NULL);

	if (page)
		give(page);
}

void truth_show_pages(struct seq_file *file)
{
	for (int i = 0; i < PAGE_SITES; i++) {
		const struct page_site *site = &page_sites[i];
		s64 allocs = atomic64_read(&site->allocs), frees = atomic64_read(&site->frees);

		seq_printf(file,
			   "site %s pages hooked %lld %lld %lld 0 0 %lld %lu %lu 0 %lld %lld\n",
			   site->name, allocs, frees, allocs - frees,
			   (s64)atomic64_read(&site->other_cpu), PAGE_SIZE, PAGE_SIZE,
			   (s64)atomic64_read(&site->cross_allocs),
			   (s64)atomic64_read(&site->cross_frees));
	}
}

static void find_tracepoint(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "mm_page_alloc"))
		page_alloc_tracepoint = tracepoint;
}

int truth_begin_pages(void)
{
	int ret;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	if (!page_alloc_tracepoint)
		return -ENOENT;
	ret = tracepoint_probe_register(page_alloc_tracepoint, on_page_alloc, NULL);
	if (ret)
		page_alloc_tracepoint = NULL;
	return ret;
}

void truth_end_pages(void)
{
	for (int i = 0; i < LEAKS_MAX; i++) {
		if (!leaks[i])
			continue;
		set_page_private(leaks[i], 0);
		__free_page(leaks[i]);
	}
	if (page_alloc_tracepoint) {
		tracepoint_probe_unregister(page_alloc_tracepoint, on_page_alloc, NULL);
		tracepoint_synchronize_unregister();
	}
}
