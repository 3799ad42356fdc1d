// SPDX-License-Identifier: GPL-2.0-only
/* LTTng probe of page references (provider "pageref"). */

#include <linux/rcupdate.h>
#include <wrapper/kallsyms.h>
#include <wrapper/vmalloc.h>
#include <probes/compat/page-marks.h>
#include <probes/lib/module.h>
#include <probes/pageref/pageref.h>
#include <trace/events/sched.h>

void *pageref_find_function(const char *name)
{
	void *function = (void *)wrapper_kallsyms_lookup_name(name);

	if (!function)
		pr_err("lttng-probe-pageref: this kernel has no %s()\n", name);
	return function;
}

static struct lttng_mm_hook hooks[] = {
	[lttng_mm_hook_touch] = { .name = NULL },
	[lttng_mm_hook_fork] = { LTTNG_MM_HOOK_OF(sched_process_fork, pageref_on_fork),
				 .also_for = &hooks[lttng_mm_hook_touch] },
	[lttng_mm_hook_exec] = { LTTNG_MM_HOOK_OF(sched_process_exec, pageref_on_exec),
				 .also_for = &hooks[lttng_mm_hook_touch] },
	[lttng_mm_hook_file_io] = { .name = NULL },
};

static void attach(unsigned int hook)
{
	const bool is_io = hook == lttng_mm_hook_file_io;
	int ret = is_io ? pageref_file_io_attach() : pageref_hook_attach();

	if (ret)
		pr_err("lttng-probe-pageref: %s cannot be hooked: error %d\n",
		       is_io ? "reads and writes" : "handle_mm_fault()", ret);
}

static void detach(unsigned int hook)
{
	if (hook == lttng_mm_hook_file_io)
		pageref_file_io_detach();
	else
		pageref_hook_detach(hook);
}

struct lttng_mm_hooks pageref_hooks = {
	.owner = THIS_MODULE,
	.hook = hooks,
	.count = ARRAY_SIZE(hooks),
	.attach = attach,
	.detach = detach,
	.settled = pageref_hook_settled,
};

static int __init pageref_init(void)
{
	const char *refused = lttng_mm_marks_refused();
	int ret;

	if (refused) {
		pr_err("lttng-probe-pageref: %s\n", refused);
		return -EOPNOTSUPP;
	}
	wrapper_vmalloc_sync_mappings();
	ret = pageref_walk_init();
	if (ret)
		return ret;
	ret = pageref_hook_init();
	if (ret)
		return ret;
	ret = pageref_file_io_init();
	if (ret)
		goto exit_hook;
	ret = lttng_mm_hooks_init(&pageref_hooks);
	if (ret)
		goto exit_file_io;
	ret = pageref_marker_init();
	if (ret)
		goto exit_hooks;
	ret = pageref_events_init();
	if (ret)
		goto exit_marker;
	ret = pageref_control_init();
	if (ret)
		goto exit_events;
	return 0;

exit_events:
	pageref_events_exit();
exit_marker:
	pageref_marker_exit();
	pageref_spaces_exit();
exit_hooks:
	lttng_mm_hooks_exit(&pageref_hooks);
exit_file_io:
	pageref_file_io_exit();
exit_hook:
	pageref_hook_exit();
	return ret;
}

/*
 * Each session with an event of the probe, the open control file, and each task with work of
 * add_later() hold references to the module. None of them is left when the module is unloaded.
 */
static void __exit pageref_exit(void)
{
	pageref_control_exit();
	pageref_events_exit();
	pageref_marker_exit();
	lttng_mm_hooks_exit(&pageref_hooks);
	pageref_spaces_exit();
	pageref_overhead_exit();
	pageref_file_io_exit();
	pageref_hook_exit();
	/*
	 * A task in add_on_return() may have dropped its reference, but still execute the module.
	 */
	synchronize_rcu_tasks();
	rcu_barrier();
}

module_init(pageref_init);
module_exit(pageref_exit);

LTTNG_MM_MODULE("LTTng probe of page references");
