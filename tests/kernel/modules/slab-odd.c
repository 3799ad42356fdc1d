// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses rare and invalid arguments once when it is loaded, for the tests of lttng-probe-slab:
 * pointers that no allocator returned, a large kvmalloc(), and a block of pages that is larger than
 * the page allocator's largest block.
 *
 * The pointers are only passed to the tracepoint of kfree(), which precedes the kernel's own
 * checks. kfree() itself would crash.
 */

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <trace/events/kmem.h>

/* One more than the largest order that four bits can hold. */
enum { ORDER = 16 };
#define PAGES (1UL << ORDER)

static void free_strangers(void)
{
	void *mapped = vmalloc(PAGE_SIZE);

	trace_kfree(_THIS_IP_, ERR_PTR(-ENOMEM));
	trace_kfree(_THIS_IP_, &ioport_resource);
	trace_kfree(_THIS_IP_, mapped);
	vfree(mapped);
}

/* This size is unique. The slab allocator forwards such large requests to the page allocator. */
enum { LARGE_BYTES = 99991 };

static void allocate_by_kvmalloc(void)
{
	void *object = kvmalloc(LARGE_BYTES, GFP_KERNEL);

	pr_info("slab-odd: kvmalloc() gave %s\n",
		is_vmalloc_addr(object) ? "mapped pages" : "a block");
	kvfree(object);
}

/* Returns a block of 2^ORDER pages, or NULL if the kernel cannot provide it. */
#if defined(alloc_contig_frozen_pages)
static struct page *take_block(void)
{
	struct page *page =
		alloc_contig_frozen_pages(PAGES, GFP_KERNEL | __GFP_COMP | __GFP_NOWARN, 0, NULL);

	if (page)
		init_page_count(page);
	return page;
}
#elif defined(alloc_contig_range)
static struct page *take_block(void)
{
	unsigned long end = PHYS_PFN(virt_to_phys(high_memory - 1)) + 1;

	for (unsigned long pfn = PAGES; pfn + PAGES <= end; pfn += PAGES) {
		const struct page *first = pfn_to_online_page(pfn);
		const struct page *last = pfn_to_online_page(pfn + PAGES - 1);

		if (!first || !last || page_zone(first) != page_zone(last))
			continue;
		if (!alloc_contig_range(pfn, pfn + PAGES, MIGRATE_MOVABLE,
					GFP_KERNEL | __GFP_COMP | __GFP_NOWARN))
			return pfn_to_page(pfn);
	}
	return NULL;
}
#else /* Linux before 6.10, which frees such blocks page by page */
static struct page *take_block(void)
{
	return NULL;
}
#endif

static int __init slab_odd_init(void)
{
	struct page *block;

	free_strangers();
	allocate_by_kvmalloc();
	block = take_block();
	if (!block) {
		pr_info("slab-odd: no block\n");
		return 0;
	}
	pr_info("slab-odd: freeing %lu pages from page frame %lu\n", PAGES, page_to_pfn(block));
	__free_pages(block, ORDER);
	return 0;
}

static void __exit slab_odd_exit(void)
{
}

module_init(slab_odd_init);
module_exit(slab_odd_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Rare arguments of allocators for the tests of lttng-probe-slab");
