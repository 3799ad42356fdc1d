// SPDX-License-Identifier: GPL-2.0-only
/* Decides which functions are hooked, and in which groups. */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/ibt.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>
#include <probes/fn/scope.h>
#include <probes/lib/attach.h>
#include <probes/lib/call-site.h>

static LIST_HEAD(groups);
/*
 * Replaced groups, the most recent one first. Their functions have moved to other groups or are no
 * longer needed. The groups stay hooked until their running calls have returned, because the exits
 * of these calls must be recorded. New calls belong to the current groups.
 */
static LIST_HEAD(replaced);
static u32 last_number;
static unsigned long (*ftrace_location_of)(unsigned long address);
static struct module *(*module_at)(unsigned long address);

/*
 * Interval for checking whether the kernel has made the changes that it announced by calling
 * on_use() or on_disuse() (tracepoints.c). A change usually takes less time, but the kernel may
 * wait for a grace period.
 */
#define CHANGE_MS 20
/* Interval for checking replaced groups, and the maximum time for which they are kept. */
#define REPLACED_MS 100
#define REPLACED_MAX_MS 10000
/* Maximum number of replaced groups. Each slows down the calls of its functions. */
#define REPLACED_MAX 8
/* Interval for reclaiming objects of calls that never return (fn_group_reclaim()). */
#define RECLAIM_MS 5000

static void settle_again(struct work_struct *work);
static DECLARE_DELAYED_WORK(again, settle_again);

/* Schedules the next fn_hook_settle() if a group needs one. Under fn_mutex. */
static void schedule_again(void)
{
	struct fn_group *group;
	unsigned int ms = 0;

	list_for_each_entry(group, &groups, node)
		if (fn_group_reclaim(group))
			ms = RECLAIM_MS;
	if (!list_empty(&replaced))
		ms = REPLACED_MS;
	if (fn_tracepoints_change())
		ms = CHANGE_MS;
	if (!ms)
		return;
	cancel_delayed_work(&again);
	schedule_delayed_work(&again, msecs_to_jiffies(ms));
}

static void settle(void)
{
	mutex_lock(&fn_mutex);
	fn_hook_settle();
	mutex_unlock(&fn_mutex);
}

static void settle_again(struct work_struct *work)
{
	settle();
}

static struct lttng_mm_hooks fn_hooks = {
	.owner = THIS_MODULE,
	.settled = settle,
};

void fn_changed(bool soon)
{
	lttng_mm_hooks_changed(&fn_hooks, soon);
}

static bool is_traceable(unsigned long address)
{
	struct irq_ibt_state state;
	unsigned long location;

	if (!ftrace_location_of)
		return true;
	state = wrapper_irq_ibt_save();
	location = ftrace_location_of(address);
	wrapper_irq_ibt_restore(state);
	return location != 0;
}

static bool is_own_path(const struct fn *fn)
{
	static const char *const called[] = { LTTNG_MM_FN_WRITER_CALLS };

	for (size_t i = 0; i < ARRAY_SIZE(called); i++)
		if (!fn->module && !strcmp(fn->symbol, called[i]))
			return true;
	return !strncmp(fn->symbol, "lttng_", 6) || !strncmp(fn->symbol, "lib_ring_buffer_", 16) ||
	       (fn->module &&
		(!strncmp(fn->module, "lttng_", 6) || !strncmp(fn->module, "lttng-", 6)));
}

/*
 * Is the module at ADDRESS loaded and not going away? A module keeps its symbols until it is freed,
 * but from MODULE_STATE_GOING on, its functions must not be hooked any more.
 */
static bool is_loaded(unsigned long address)
{
	struct irq_ibt_state state;
	struct module *mod;
	bool loaded;

	if (!module_at)
		return true;
	preempt_disable();
	rcu_read_lock();
	state = wrapper_irq_ibt_save();
	mod = module_at(address);
	wrapper_irq_ibt_restore(state);
	loaded = mod && READ_ONCE(mod->state) != MODULE_STATE_GOING;
	rcu_read_unlock();
	preempt_enable();
	return loaded;
}

static unsigned long address_of(const struct fn *fn)
{
	char name[LTTNG_MM_FN_NAME_MAX + MODULE_NAME_LEN + 2];
	unsigned long address;

	if (!fn->module) {
		address = wrapper_kallsyms_lookup_name(fn->symbol);
		return address - lttng_mm_text_start < lttng_mm_text_size ? address : 0;
	}
	if (snprintf(name, sizeof(name), "%s:%s", fn->module, fn->symbol) >= (int)sizeof(name))
		return 0;
	address = wrapper_kallsyms_lookup_name(name);
	return address && is_loaded(address) ? address : 0;
}

int fn_hook_find(struct fn *fn)
{
	if (is_own_path(fn))
		return LTTNG_MM_FN_OWN_PATH;
	fn->address = address_of(fn);
	if (!fn->address)
		return LTTNG_MM_FN_NO_SYMBOL;
	if (!is_traceable(fn->address))
		return LTTNG_MM_FN_NOT_TRACEABLE;
	return fn_group_may_hook(fn->address) ? LTTNG_MM_FN_OK : LTTNG_MM_FN_EXCLUDED;
}

enum need {
	NOT_NEEDED,
	NEEDED,
	NEEDS_KEPT, /* fn_NAME_call is enabled and needs data from the entry */
};

static enum need need_of(const struct fn *fn);

/* Is some function recorded only during calls of SCOPE? */
static bool is_scope_needed(const struct fn *scope)
{
	const struct fn *fn;

	list_for_each_entry(fn, &fn_all, node)
		if (fn->scope == scope && need_of(fn))
			return true;
	return false;
}

static enum need need_of(const struct fn *fn)
{
	if (fn->removed || !fn->address)
		return NOT_NEEDED;
	if (fn->threads)
		return is_scope_needed(fn) ? NEEDED : NOT_NEEDED;
	if (fn_tracepoint_used(fn->tracepoint[FN_CALL]))
		return NEEDS_KEPT;
	return fn_tracepoint_used(fn->tracepoint[FN_ENTRY]) ||
			       fn_tracepoint_used(fn->tracepoint[FN_EXIT])
		       ? NEEDED
		       : NOT_NEEDED;
}

static bool is_to_be_hooked(const struct fn *fn)
{
	enum need need = need_of(fn);

	return need && !fn->error &&
	       (!fn->group || fn->group->dissolve || (need == NEEDS_KEPT && !fn->group->keeps));
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Does a call keep more data than fprobe has room for? Such functions are in separate groups. */
static bool keeps_much(const struct fn *fn)
{
#ifdef LTTNG_MM_FN_KEPT_MAX
	return fn_kept_bytes(fn) > LTTNG_MM_FN_KEPT_MAX;
#else
	return false;
#endif
}

static bool has_address(struct fn *const *functions, unsigned int count, unsigned long address)
{
	for (unsigned int i = 0; i < count; i++)
		if (functions[i]->address == address)
			return true;
	return false;
}

/*
 * Collects all functions that can be hooked together with FIRST. Returns their number. A group
 * finds a function by its address, so two functions with the same address go into different groups.
 */
static unsigned int collect(const struct fn *first, struct fn **functions)
{
	bool keeps = need_of(first) == NEEDS_KEPT;
	unsigned int count = 0;
	struct fn *fn;

	list_for_each_entry(fn, &fn_all, node)
		if (is_to_be_hooked(fn) && (need_of(fn) == NEEDS_KEPT) == keeps &&
		    (!keeps || keeps_much(fn) == keeps_much(first)) &&
		    same(fn->module, first->module) && !has_address(functions, count, fn->address))
			functions[count++] = fn;
	return count;
}

/* Adds up the misses of a function that leaves its group. */
static void leave(struct fn *fn)
{
	if (!fn->group)
		return;
	fn->past_misses += fn_group_misses(fn->group, fn);
	fn->last_group = fn_group_number(fn->group, fn);
}

static void free_group(struct fn_group *group)
{
	free_percpu(group->calls);
	kfree(group);
}

/* Hooks COUNT functions as one group. Returns 0 or a negative errno. */
static int hook_group(struct fn **functions, unsigned int count, bool keeps)
{
	struct fn_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	int ret;

	if (!group)
		return -ENOMEM;
	group->calls = alloc_percpu(long);
	if (!group->calls) {
		free_group(group);
		return -ENOMEM;
	}
	if (last_number > U32_MAX - fn_group_numbers(count))
		last_number = 0;
	group->number = last_number + 1;
	last_number += fn_group_numbers(count);
	group->keeps = keeps;
	group->count = count;
	for (unsigned int i = 0; i < count; i++) {
		if (keeps)
			group->kept_bytes = max(group->kept_bytes, fn_kept_bytes(functions[i]));
		if (functions[i]->threads && !functions[i]->group)
			fn_scope_clear(functions[i]);
	}
	ret = fn_group_attach(group, functions);
	if (ret) {
		free_group(group);
		return ret;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (functions[i]->group)
			functions[i]->group->replaced = true;
		leave(functions[i]);
		WRITE_ONCE(functions[i]->group, group);
	}
	list_add(&group->node, &groups);
	return 0;
}

/* Hooks the functions as a group. If that fails, hooks each half of the list separately. */
static void hook_all(struct fn **functions, unsigned int count, bool keeps)
{
	int ret = hook_group(functions, count, keeps);

	if (ret && count > 1) {
		hook_all(functions, count / 2, keeps);
		hook_all(functions + count / 2, count - count / 2, keeps);
	} else if (ret) {
		functions[0]->error = ret;
		pr_warn("lttng-probe-fn: %s cannot be hooked: error %d\n", functions[0]->symbol,
			ret);
	}
}

static void hook_together(const struct fn *first, struct fn **functions)
{
	bool keeps = need_of(first) == NEEDS_KEPT;
	unsigned int count = collect(first, functions);

	if (count)
		hook_all(functions, count, keeps);
}

/* Must the group stay hooked, because one of its functions is needed? */
static bool is_group_needed(const struct fn_group *group)
{
	struct fn *fn;

	list_for_each_entry(fn, &fn_all, node)
		if (fn->group == group && !group->dissolve && need_of(fn))
			return true;
	return false;
}

static void detach_group(struct fn_group *group)
{
	list_del(&group->node);
	fn_group_detach(group);
	synchronize_rcu();
	free_group(group);
}

/* Are calls in progress? The group gets no new calls. While calls end, the sum can be too large. */
static bool has_calls(const struct fn_group *group)
{
	long calls = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		calls += READ_ONCE(*per_cpu_ptr(group->calls, cpu));
	return calls > 0;
}

/* Must the exit of a call in progress be recorded by this group? */
static bool is_awaited(const struct fn_group *group)
{
	struct fn *fn;

	if (!has_calls(group) || time_after_eq(jiffies, group->until))
		return false;
	list_for_each_entry(fn, &fn_all, node)
		if (fn->group && need_of(fn) && fn_group_has(group, fn))
			return true;
	return false;
}

static void release_replaced(void)
{
	struct fn_group *group, *next;
	unsigned int count = 0;

	list_for_each_entry_safe(group, next, &replaced, node)
		if (++count > REPLACED_MAX || !is_awaited(group))
			detach_group(group);
}

static void release_groups(void)
{
	struct fn_group *group, *next;
	bool waited = false;
	struct fn *fn;

	list_for_each_entry_safe(group, next, &groups, node) {
		if (is_group_needed(group))
			continue;
		list_for_each_entry(fn, &fn_all, node)
			if (fn->group == group) {
				leave(fn);
				WRITE_ONCE(fn->group, NULL);
			}
		if (!group->replaced || group->is_going) {
			detach_group(group);
			continue;
		}
		group->until = jiffies + msecs_to_jiffies(REPLACED_MAX_MS);
		list_move(&group->node, &replaced);
		waited = true;
	}
	/* A call that has just begun is in @calls only after the grace period. */
	if (waited)
		synchronize_rcu();
	release_replaced();
}

void fn_hook_leave(struct fn *fn)
{
	struct fn_group *group;

	leave(fn);
	list_for_each_entry(group, &groups, node)
		group->dissolve |= !fn_group_forget(group, fn);
	list_for_each_entry(group, &replaced, node)
		fn_group_forget(group, fn);
	WRITE_ONCE(fn->group, NULL);
}

void fn_hook_settle(void)
{
	unsigned int count = 0;
	struct fn **functions;
	struct fn *fn;

	list_for_each_entry(fn, &fn_all, node) {
		count++;
		if (!need_of(fn))
			fn->error = 0;
	}
	functions = kvcalloc(count ? count : 1, sizeof(*functions), GFP_KERNEL);
	if (!functions)
		pr_err("lttng-probe-fn: no memory to hook %u functions\n", count);
	list_for_each_entry(fn, &fn_all, node)
		if (functions && is_to_be_hooked(fn))
			hook_together(fn, functions);
	kvfree(functions);
	/* Do this even when out of memory. Functions that are freed next must not be hooked. */
	release_groups();
	schedule_again();
}

struct fn_hook_state fn_hook_state(const struct fn *fn)
{
	const struct fn_group *group = READ_ONCE(fn->group);
	struct fn_hook_state state = {
		.hooked = group,
		.group = group ? fn_group_number(group, fn) : READ_ONCE(fn->last_group),
		.misses = READ_ONCE(fn->past_misses) + atomic64_read(&fn->lost),
	};

	if (group)
		state.misses += fn_group_misses(group, fn);
	if (fn->scope) {
		const struct fn_group *around = READ_ONCE(fn->scope->group);

		state.misses += atomic64_read(&fn->scope->lost);
		if (around && around != group)
			state.misses += fn_group_misses(around, fn->scope);
	}
	return state;
}

/* Hooks a module's functions before its first function runs. Unhooks them when it is unloaded. */
static int on_module(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *mod = data;
	bool changed = false;
	struct fn *fn;

	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_OK;
	mutex_lock(&fn_mutex);
	list_for_each_entry(fn, &fn_all, node) {
		if (!fn->module || strcmp(fn->module, mod->name))
			continue;
		changed = true;
		fn->error = 0;
		fn->address = state == MODULE_STATE_COMING ? address_of(fn) : 0;
		if (fn->group && state == MODULE_STATE_GOING)
			fn->group->dissolve = fn->group->is_going = true;
	}
	if (changed)
		fn_hook_settle();
	mutex_unlock(&fn_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = { .notifier_call = on_module };

int fn_hooks_init(void)
{
	int ret = fn_capture_init();

	if (ret)
		return ret;
	ftrace_location_of = (void *)kallsyms_lookup_funcptr("ftrace_location");
	module_at = (void *)kallsyms_lookup_funcptr("__module_address");
	fn_group_init();
	ret = lttng_mm_hooks_init(&fn_hooks);
	if (!ret)
		ret = register_module_notifier(&module_block);
	if (ret)
		fn_capture_exit();
	return ret;
}

void fn_hooks_exit(void)
{
	unregister_module_notifier(&module_block);
	lttng_mm_hooks_exit(&fn_hooks);
	cancel_delayed_work_sync(&again);
	fn_capture_exit();
}
