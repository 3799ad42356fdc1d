// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module to be loaded in two forms that differ in the name of one function:
 * tests/kernel/slab-twins.sh replaces it in the file. Loading it allocates a known number of
 * objects, which are freed when it is unloaded.
 */

#include <linux/module.h>
#include <linux/slab.h>

enum { OBJECTS = 10 };

static void *objects[OBJECTS];

/* Not init text, which has a code range of its own. */
noinline void slab_twin_first_act(void);
noinline void slab_twin_first_act(void)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		objects[i] = kmalloc(100 + i, GFP_KERNEL);
}

static int __init slab_twin_init(void)
{
	slab_twin_first_act();
	return 0;
}

static void __exit slab_twin_exit(void)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		kfree(objects[i]);
}

module_init(slab_twin_init);
module_exit(slab_twin_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("lttng-mm");
MODULE_DESCRIPTION("A module that comes back with other symbols, for tests");
