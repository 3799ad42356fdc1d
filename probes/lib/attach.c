// SPDX-License-Identifier: GPL-2.0-only
/* Attaches probes to kernel tracepoints and functions while their events are enabled. */

#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <probes/lib/attach.h>

bool lttng_mm_hook_needed(const struct lttng_mm_hooks *hooks, unsigned int hook)
{
	return hook < hooks->count && READ_ONCE(hooks->hook[hook].needed);
}
EXPORT_SYMBOL_GPL(lttng_mm_hook_needed);

static bool is_needed(const struct lttng_mm_hook *hook)
{
	return READ_ONCE(hook->needed) || (hook->also_for && READ_ONCE(hook->also_for->needed));
}

static int attach(struct lttng_mm_hooks *hooks, unsigned int i)
{
	struct lttng_mm_hook *hook = &hooks->hook[i];
	int ret;

	if (!hook->name) {
		hooks->attach(i);
		return 0;
	}
	ret = tracepoint_probe_register(hook->tracepoint, hook->callback, NULL);
	if (ret)
		pr_err("%s: cannot attach to tracepoint %s: error %d\n", module_name(hooks->owner),
		       hook->name, ret);
	return ret;
}

static void detach(struct lttng_mm_hooks *hooks, unsigned int i)
{
	struct lttng_mm_hook *hook = &hooks->hook[i];

	if (hook->name)
		tracepoint_probe_unregister(hook->tracepoint, hook->callback, NULL);
	else
		hooks->detach(i);
}

/* Attaches the needed hooks, and detaches the others. */
static void settle(struct lttng_mm_hooks *hooks)
{
	mutex_lock(&hooks->mutex);
	for (unsigned int i = 0; i < hooks->count; i++) {
		bool needed = is_needed(&hooks->hook[i]);

		if (needed == hooks->hook[i].attached)
			continue;
		if (needed && attach(hooks, i))
			continue;
		if (!needed)
			detach(hooks, i);
		hooks->hook[i].attached = needed;
	}
	if (hooks->settled)
		hooks->settled();
	mutex_unlock(&hooks->mutex);
}

static void settle_later(struct work_struct *work)
{
	settle(container_of(work, struct lttng_mm_hooks, work));
}

struct settle_work {
	struct callback_head head;
	struct lttng_mm_hooks *hooks;
};

/*
 * Runs when a task's system call returns. If the task drops the last reference to the probe here,
 * it still executes this library's text, and may be preempted there. The probe's exit function
 * calls lttng_mm_hooks_exit(), which waits for such tasks.
 */
static void settle_on_return(struct callback_head *head)
{
	struct settle_work *work = container_of(head, struct settle_work, head);
	struct lttng_mm_hooks *hooks = work->hooks;
	struct module *owner = hooks->owner;

	kfree(work);
	settle(hooks);
	module_put(owner);
}

void lttng_mm_hooks_changed(struct lttng_mm_hooks *hooks, bool soon)
{
	struct settle_work *work = NULL;

	if (soon && !(current->flags & PF_KTHREAD))
		work = kmalloc(sizeof(*work), GFP_KERNEL);
	if (work) {
		work->hooks = hooks;
		init_task_work(&work->head, settle_on_return);
		__module_get(hooks->owner);
		WRITE_ONCE(hooks->settled_on_return, true);
		if (!task_work_add(current, &work->head, TWA_RESUME))
			return;
		module_put(hooks->owner);
		kfree(work);
	}
	schedule_work(&hooks->work);
}
EXPORT_SYMBOL_GPL(lttng_mm_hooks_changed);

int lttng_mm_hook_get(struct lttng_mm_hooks *hooks, unsigned int i)
{
	struct lttng_mm_hook *hook = &hooks->hook[i];

	WRITE_ONCE(hook->needed, hook->needed + 1);
	if (hook->needed == 1)
		lttng_mm_hooks_changed(hooks, true);
	return 0;
}
EXPORT_SYMBOL_GPL(lttng_mm_hook_get);

/*
 * Drops one user of the hook. When the last one is gone, the hook fires no event. A work item
 * detaches it later (settle()).
 */
void lttng_mm_hook_put(struct lttng_mm_hooks *hooks, unsigned int i)
{
	struct lttng_mm_hook *hook = &hooks->hook[i];

	WRITE_ONCE(hook->needed, hook->needed - 1);
	if (!hook->needed)
		lttng_mm_hooks_changed(hooks, false);
}
EXPORT_SYMBOL_GPL(lttng_mm_hook_put);

static void find_tracepoint(struct tracepoint *tracepoint, void *data)
{
	struct lttng_mm_hooks *hooks = data;

	for (unsigned int i = 0; i < hooks->count; i++)
		if (hooks->hook[i].name && !strcmp(tracepoint->name, hooks->hook[i].name))
			hooks->hook[i].tracepoint = tracepoint;
}

int lttng_mm_hooks_init(struct lttng_mm_hooks *hooks)
{
	mutex_init(&hooks->mutex);
	INIT_WORK(&hooks->work, settle_later);
	for_each_kernel_tracepoint(find_tracepoint, hooks);
	for (unsigned int i = 0; i < hooks->count; i++) {
		if (!hooks->hook[i].name || hooks->hook[i].tracepoint)
			continue;
		pr_err("%s: this kernel has no tracepoint %s\n", module_name(hooks->owner),
		       hooks->hook[i].name);
		return -ENOENT;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(lttng_mm_hooks_init);

void lttng_mm_hooks_exit(struct lttng_mm_hooks *hooks)
{
	flush_work(&hooks->work);
	settle(hooks);
	tracepoint_synchronize_unregister();
	/*
	 * A task may still be leaving settle_on_return(). Wait until every task has slept or
	 * returned to user space.
	 */
	if (READ_ONCE(hooks->settled_on_return))
		synchronize_rcu_tasks();
}
EXPORT_SYMBOL_GPL(lttng_mm_hooks_exit);
