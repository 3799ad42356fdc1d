// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scopes. A scope is a function; other functions are recorded only during its calls (--inside). It
 * is hooked like other functions, but has no events. A table contains the threads that are in a
 * call.
 *
 * Only the thread itself changes its entry. Interrupts are not part of its call, and do not change
 * the entry. An entry is in one of SCOPE_PROBE consecutive places, starting at the hash of its
 * thread.
 */

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>
#include <probes/fn/scope.h>

#define SCOPE_BITS 11
#define SCOPE_PROBE 32

struct fn_scope_thread {
	const struct task_struct *task; /* NULL: free */
	u64 start_time;			/* the thread's start time, because @task may be reused */
	u32 group;			/* the group that hooked the call */
	unsigned int depth;
};

struct fn_scope_table {
	struct fn_scope_thread thread[(1 << SCOPE_BITS) + SCOPE_PROBE];
};

static struct fn_scope_thread *first_place(const struct fn *scope)
{
	return &scope->threads->thread[hash_ptr(current, SCOPE_BITS)];
}

static struct fn_scope_thread *find(const struct fn *scope)
{
	struct fn_scope_thread *thread = first_place(scope);

	for (unsigned int i = 0; i < SCOPE_PROBE; i++, thread++)
		if (READ_ONCE(thread->task) == current)
			return thread;
	return NULL;
}

static struct fn_scope_thread *take_place(const struct fn *scope)
{
	struct fn_scope_thread *thread = first_place(scope);

	for (unsigned int i = 0; i < SCOPE_PROBE; i++, thread++)
		if (!READ_ONCE(thread->task) && !cmpxchg(&thread->task, NULL, current))
			return thread;
	return NULL;
}

bool fn_scope_enter(struct fn *scope, u32 group)
{
	struct fn_scope_thread *thread;

	if (!in_task())
		return false;
	thread = find(scope);
	/*
	 * Reset a stale entry. It belongs to an earlier thread that ended within a call, or to a
	 * call whose return is no longer hooked.
	 */
	if (thread && (thread->start_time != current->start_time || thread->group != group))
		thread->depth = 0;
	else if (!thread)
		thread = take_place(scope);
	if (!thread) {
		atomic64_inc(&scope->lost);
		return false;
	}
	thread->start_time = current->start_time;
	thread->group = group;
	thread->depth++;
	return true;
}

void fn_scope_leave(struct fn *scope, u32 group)
{
	struct fn_scope_thread *thread = in_task() ? find(scope) : NULL;

	if (!thread || thread->start_time != current->start_time || thread->group != group ||
	    --thread->depth)
		return;
	WRITE_ONCE(thread->task, NULL);
}

bool fn_scope_has(const struct fn *scope)
{
	const struct fn_group *group = READ_ONCE(scope->group);
	const struct fn_scope_thread *thread = group && in_task() ? find(scope) : NULL;

	return thread && thread->start_time == current->start_time &&
	       thread->group == group->number;
}

void fn_scope_clear(struct fn *scope)
{
	memset(scope->threads, 0, sizeof(*scope->threads));
}

/* All functions below are called under fn_mutex. */
static struct fn *known(const char *symbol)
{
	struct fn *scope;

	list_for_each_entry(scope, &fn_all, node)
		if (scope->threads && !strcmp(scope->symbol, symbol))
			return scope;
	return NULL;
}

static void fn_scope_free(struct fn *scope)
{
	kvfree(scope->threads);
	kfree(scope->name);
	kfree(scope->symbol);
	kfree(scope->spec);
	kfree(scope);
}

int fn_scope_get(const char *symbol, struct fn **result)
{
	struct fn *scope = known(symbol);
	int error = LTTNG_MM_FN_NO_MEMORY;

	if (!scope) {
		scope = kzalloc(struct_size(scope, ops, 0), GFP_KERNEL);
		if (!scope)
			return error;
		scope->name = kstrdup("", GFP_KERNEL);
		scope->spec = kstrdup("", GFP_KERNEL);
		scope->symbol = kstrdup(symbol, GFP_KERNEL);
		scope->threads = kvzalloc(sizeof(*scope->threads), GFP_KERNEL);
		if (scope->name && scope->spec && scope->symbol && scope->threads)
			error = fn_hook_find(scope) ? LTTNG_MM_FN_NO_INSIDE : LTTNG_MM_FN_OK;
		if (error) {
			fn_scope_free(scope);
			return error;
		}
		list_add_tail(&scope->node, &fn_all);
	}
	scope->scope_users++;
	*result = scope;
	return LTTNG_MM_FN_OK;
}

void fn_scope_put(struct fn *scope)
{
	if (!scope || --scope->scope_users)
		return;
	scope->removed = true;
	fn_hook_leave(scope);
	list_del(&scope->node);
	fn_hook_settle();
	/*
	 * After the grace period, no handler uses the scope. The functions that referred to it are
	 * gone.
	 */
	synchronize_rcu();
	fn_scope_free(scope);
}
