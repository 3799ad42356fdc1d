// SPDX-License-Identifier: GPL-2.0-only
/* A group hooked by kretprobes, one per function. For kernels without fprobe. */

#include <linux/kprobes.h>
#include <linux/slab.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/function.h>
#include <probes/compat/ibt.h>
#include <probes/fn/hook.h>

#ifndef LTTNG_MM_FN_FPROBE

/* Maximum number of concurrent calls of a function that can be followed. */
#define CALLS_OF_FUNCTION 512

struct fn_return_probe {
	struct kretprobe probe;
	struct fn *fn; /* NULL: the function is forgotten, and @probe is not registered */
	struct fn_group *group;
};

static bool (*is_blacklisted)(unsigned long address);
static struct kretprobe_blackpoint *without_return;

void fn_group_init(void)
{
	is_blacklisted = (void *)kallsyms_lookup_funcptr("within_kprobe_blacklist");
	without_return = (void *)kallsyms_lookup_dataptr("kretprobe_blacklist");
}

/*
 * kprobes exclude more functions than ftrace does. They exclude the handlers of their own traps,
 * for example.
 */
bool fn_group_may_hook(unsigned long address)
{
	struct irq_ibt_state state;
	bool listed;

	for (unsigned int i = 0; without_return && without_return[i].name; i++)
		if ((unsigned long)without_return[i].addr == address)
			return false;
	if (!is_blacklisted)
		return true;
	state = wrapper_irq_ibt_save();
	listed = is_blacklisted(address);
	wrapper_irq_ibt_restore(state);
	return !listed;
}

static struct fn_return_probe *probe_of(struct kretprobe_instance *instance)
{
	return container_of(get_kretprobe(instance), struct fn_return_probe, probe);
}

static int on_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct fn_return_probe *probe = probe_of(instance);
	struct fn_group *group = probe->group;
	struct fn *fn = READ_ONCE(probe->fn);

	if (unlikely(!fn || READ_ONCE(fn->group) != group))
		return 1;
	/*
	 * Read the caller's address from the stack, because the kernel puts it into the instance
	 * only after this handler.
	 */
	if (!fn_enter(fn, regs, lttng_mm_function_caller(regs),
		      group->keeps ? (void *)instance->data : NULL, group->number))
		return 1;
	this_cpu_inc(*group->calls);
	return 0;
}

static int on_exit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);
	struct fn_return_probe *probe;
	struct fn *fn;

	/* The kretprobe has been unregistered since the entry. */
	if (unlikely(!kretprobe))
		return 0;
	probe = container_of(kretprobe, struct fn_return_probe, probe);
	fn = READ_ONCE(probe->fn);
	this_cpu_dec(*probe->group->calls);
	/*
	 * Record the exit even if the function has moved to another group since the entry: only
	 * @instance has the data of the call.
	 */
	if (likely(fn && READ_ONCE(fn->group)))
		fn_leave(fn, regs, get_kretprobe_retaddr(instance),
			 probe->group->keeps ? (void *)instance->data : NULL, probe->group->number);
	return 0;
}

static void unregister(struct fn_group *group, unsigned int count)
{
	struct kretprobe **all = kvcalloc(count ? count : 1, sizeof(*all), GFP_KERNEL);
	unsigned int registered = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (!group->probes[i].fn)
			continue;
		if (all)
			all[registered++] = &group->probes[i].probe;
		else
			unregister_kretprobe(&group->probes[i].probe);
	}
	if (registered)
		unregister_kretprobes(all, registered);
	kvfree(all);
}

int fn_group_attach(struct fn_group *group, struct fn **functions)
{
	int ret = 0;

	group->probes = kvcalloc(group->count, sizeof(*group->probes), GFP_KERNEL);
	if (!group->probes)
		return -ENOMEM;
	for (unsigned int i = 0; i < group->count && !ret; i++) {
		struct fn_return_probe *probe = &group->probes[i];

		probe->fn = functions[i];
		probe->group = group;
		probe->probe.kp.addr = (void *)functions[i]->address;
		probe->probe.entry_handler = on_entry;
		probe->probe.handler = on_exit;
		probe->probe.data_size = group->keeps ? fn_kept_bytes(functions[i]) : 0;
		probe->probe.maxactive = CALLS_OF_FUNCTION;
		ret = register_kretprobe(&probe->probe);
		if (ret)
			unregister(group, i);
	}
	if (ret)
		kvfree(group->probes);
	return ret;
}

void fn_group_detach(struct fn_group *group)
{
	unregister(group, group->count);
	kvfree(group->probes);
}

static struct fn_return_probe *find(const struct fn_group *group, const struct fn *fn)
{
	for (unsigned int i = 0; i < group->count; i++)
		if (group->probes[i].fn == fn)
			return &group->probes[i];
	return NULL;
}

/* Returns the misses of the function's own kretprobe. */
u64 fn_group_misses(const struct fn_group *group, const struct fn *fn)
{
	const struct fn_return_probe *probe = find(group, fn);

	return probe ? (u64)READ_ONCE(probe->probe.nmissed) + READ_ONCE(probe->probe.kp.nmissed)
		     : 0;
}

u32 fn_group_numbers(unsigned int count)
{
	return count;
}

u32 fn_group_number(const struct fn_group *group, const struct fn *fn)
{
	const struct fn_return_probe *probe = find(group, fn);

	return group->number + (probe ? (u32)(probe - group->probes) : 0);
}

bool fn_group_has(const struct fn_group *group, const struct fn *fn)
{
	return find(group, fn);
}

bool fn_group_forget(struct fn_group *group, struct fn *fn)
{
	struct fn_return_probe *probe = find(group, fn);

	if (!probe)
		return true;
	unregister_kretprobe(&probe->probe);
	WRITE_ONCE(probe->fn, NULL);
	return true;
}

bool fn_group_reclaim(struct fn_group *group)
{
	return false;
}

#endif /* !LTTNG_MM_FN_FPROBE */
