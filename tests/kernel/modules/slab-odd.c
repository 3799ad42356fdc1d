// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a correct kernel rarely does or never does, for the tests of lttng-probe-slab, once when the
 * module is loaded: pointers that no allocator returned.
 *
 * The pointers are only passed to the tracepoint of kfree(), which precedes the kernel's own checks:
 * kfree() itself would crash.
 */

#include <linux/err.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include <trace/events/kmem.h>

static void free_strangers(void)
{
	void *mapped = vmalloc(PAGE_SIZE);

	trace_kfree(_THIS_IP_, ERR_PTR(-ENOMEM));
	trace_kfree(_THIS_IP_, &ioport_resource);
	trace_kfree(_THIS_IP_, mapped);
	vfree(mapped);
}

static int __init slab_odd_init(void)
{
	free_strangers();
	return 0;
}

static void __exit slab_odd_exit(void)
{
}

module_init(slab_odd_init);
module_exit(slab_odd_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Rare arguments of allocators for the tests of lttng-probe-slab");
