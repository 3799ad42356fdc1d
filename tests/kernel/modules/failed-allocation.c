// SPDX-License-Identifier: GPL-2.0-only
/*
 * When it is loaded, this module allocates blocks of the given ORDER without reclaim until an
 * allocation fails, and then frees them. The kernel logs the failure unless QUIET is set.
 */

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned int order = 9;
module_param(order, uint, 0444);

static bool quiet;
module_param(quiet, bool, 0444);

static int __init failed_allocation_init(void)
{
	unsigned long count = 0, most = totalram_pages() >> order;
	LIST_HEAD(blocks);
	struct page *page, *next;

	while (count <= most) {
		page = alloc_pages(quiet ? __GFP_NOWARN : 0, order);
		if (!page)
			break;
		list_add(&page->lru, &blocks);
		count++;
	}
	list_for_each_entry_safe(page, next, &blocks, lru)
		__free_pages(page, order);
	pr_info("failed-allocation: after %lu blocks\n", count);
	return count <= most ? 0 : -EINVAL;
}

static void __exit failed_allocation_exit(void)
{
}

module_init(failed_allocation_init);
module_exit(failed_allocation_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A page allocation that fails");
