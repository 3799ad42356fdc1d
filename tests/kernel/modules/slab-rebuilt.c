// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that is loaded in two builds. tests/kernel/slab/slab-rebuilt.sh makes the other build by
 * replacing the name of one function in the file. Allocates a known number of objects when it is
 * loaded, and frees them when it is unloaded.
 */

#include <linux/module.h>
#include <linux/slab.h>

enum { OBJECTS = 10 };

static void *objects[OBJECTS];

/* This function is not __init, because call sites in init code have a separate code range. */
noinline void slab_rebuilt_first_call(void);
noinline void slab_rebuilt_first_call(void)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		objects[i] = kmalloc(100 + i, GFP_KERNEL);
}

static int __init slab_rebuilt_init(void)
{
	slab_rebuilt_first_call();
	return 0;
}

static void __exit slab_rebuilt_exit(void)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		kfree(objects[i]);
}

module_init(slab_rebuilt_init);
module_exit(slab_rebuilt_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("A module that is loaded again with other symbols, for tests");
