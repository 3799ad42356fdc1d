// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks the ends of single calls of a function, with the kernel's rethook nodes. A return probe
 * would slow the calls of all processes.
 */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <probes/compat/rethook.h>
#include <probes/pageref/pageref.h>

/*
 * The kernel does not export these functions, and may have removed the ENDBR instructions that
 * indirect calls need. Static calls are direct.
 */
DEFINE_STATIC_CALL_NULL(pageref_rethook_try_get, rethook_try_get);
DEFINE_STATIC_CALL_NULL(pageref_rethook_hook, rethook_hook);
DEFINE_STATIC_CALL_NULL(pageref_rethook_stop, rethook_stop);
DEFINE_STATIC_CALL_NULL(pageref_rethook_free, rethook_free);
DEFINE_STATIC_CALL_NULL(pageref_rethook_alloc, rethook_alloc);
#ifndef LTTNG_MM_RETHOOK_NODES
DEFINE_STATIC_CALL_NULL(pageref_rethook_add_node, rethook_add_node);
#endif

#ifdef LTTNG_MM_RETHOOK_NODES
struct rethook *pageref_make_ends(rethook_handler_t handler, size_t bytes, unsigned int count)
{
	struct rethook *made =
		static_call(pageref_rethook_alloc)(NULL, handler, (int)bytes, (int)count);

	return IS_ERR(made) ? NULL : made;
}
#else
struct rethook *pageref_make_ends(rethook_handler_t handler, size_t bytes, unsigned int count)
{
	struct rethook *made = static_call(pageref_rethook_alloc)(NULL, handler);
	struct rethook_node *node;

	for (unsigned int i = 0; made && i < count; i++) {
		node = kzalloc(bytes, GFP_KERNEL);
		if (!node) {
			static_call(pageref_rethook_free)(made);
			return NULL;
		}
		static_call(pageref_rethook_add_node)(made, node);
	}
	return made;
}
#endif

void pageref_free_ends(struct rethook *made)
{
	static_call(pageref_rethook_stop)(made);
	synchronize_rcu();
	static_call(pageref_rethook_free)(made);
}

bool pageref_ends_init(void)
{
	void *try_get = pageref_find_function("rethook_try_get"),
	     *hook = pageref_find_function("rethook_hook");
	void *alloc = pageref_find_function("rethook_alloc"),
	     *stop = pageref_find_function("rethook_stop");
	void *free = pageref_find_function("rethook_free");

	if (!try_get || !hook || !alloc || !stop || !free)
		return false;
	static_call_update(pageref_rethook_try_get, try_get);
	static_call_update(pageref_rethook_hook, hook);
	static_call_update(pageref_rethook_alloc, alloc);
	static_call_update(pageref_rethook_stop, stop);
	static_call_update(pageref_rethook_free, free);
#ifndef LTTNG_MM_RETHOOK_NODES
	hook = pageref_find_function("rethook_add_node");
	if (!hook)
		return false;
	static_call_update(pageref_rethook_add_node, hook);
#endif
	return true;
}
