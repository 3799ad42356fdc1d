// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions that have been added.
 *
 *   prepared -> fn_all (added) -> fn_removed -> freed
 *                  ^                  |
 *                  +-- added again ---+
 *
 * A removed function keeps its descriptions, because LTTng cannot take an event out of a session.
 * If the same function is added again, its object is reused. When no session has an event of this
 * module, all removed functions are freed.
 */

#include <linux/err.h>
#include <linux/module.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <probes/fn/fn.h>
#include <probes/fn/hook.h>
#include <probes/fn/scope.h>
#include <probes/lib/descriptor.h>

DEFINE_MUTEX(fn_mutex);
LIST_HEAD(fn_all);
static LIST_HEAD(fn_removed);
static DECLARE_BITMAP(slots, LTTNG_MM_FN_FUNCTIONS);

/* The functions of fn_all, indexed by slot. Readers take no lock. */
static struct fn __rcu *shown[LTTNG_MM_FN_FUNCTIONS];

const struct fn *fn_of_slot(unsigned int slot)
{
	return rcu_dereference_raw(shown[slot]);
}

u64 fn_calls(const struct fn *fn)
{
	u64 calls = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		calls += READ_ONCE(per_cpu_ptr(fn->stats, cpu)->hits);
	return calls;
}

static void free_fn(struct fn *fn)
{
	fn_describe_end(fn);
	fn_scope_put(fn->scope);
	if (fn->slot < LTTNG_MM_FN_FUNCTIONS)
		clear_bit(fn->slot, slots);
	free_percpu(fn->stats);
	kfree(fn->name);
	kfree(fn->symbol);
	kfree(fn->module);
	kfree(fn->spec);
	kfree(fn);
}

static struct fn *find(const struct list_head *list, const char *name)
{
	struct fn *fn;

	list_for_each_entry(fn, list, node)
		if (!fn->threads && !strcmp(fn->name, name))
			return fn;
	return NULL;
}

/*
 * Adds DATA to the hash of the request for a function. If two hashes are equal, the requests count
 * as equal.
 */
static void hash(u64 *so_far, const void *data, size_t len)
{
	const siphash_key_t key = { { *so_far, len } };

	*so_far = siphash(data, len, &key);
}

static void hash_field(u64 *so_far, const struct fn_add_request *request, u32 index)
{
	struct lttng_mm_fn_field field = request->fields[index];

	if (field.source != LTTNG_MM_FN_RESULT)
		hash(so_far, fn_string(request, field.name),
		     strlen(fn_string(request, field.name)));
	if (field.labels != LTTNG_MM_FN_NONE) {
		const struct lttng_mm_fn_labels *set = &request->enums[field.labels];

		hash(so_far, &set->is_signed, sizeof(set->is_signed));
		for (u32 i = set->first; i < set->first + set->count; i++) {
			const struct lttng_mm_fn_label *label = &request->labels[i];

			hash(so_far, &label->value, sizeof(label->value));
			hash(so_far, fn_string(request, label->name),
			     strlen(fn_string(request, label->name)));
		}
	}
	field.name = field.labels = 0;
	hash(so_far, &field, sizeof(field));
}

static u64 definition_of(const struct fn_add_request *request,
			 const struct lttng_mm_fn_function *function)
{
	struct lttng_mm_fn_function plain = *function;
	u64 so_far = 0;

	hash(&so_far, fn_string(request, function->symbol),
	     strlen(fn_string(request, function->symbol)));
	if (function->module != LTTNG_MM_FN_NONE)
		hash(&so_far, fn_string(request, function->module),
		     strlen(fn_string(request, function->module)));
	for (u32 i = function->first; i < function->first + function->count; i++)
		hash_field(&so_far, request, i);
	if (function->result != LTTNG_MM_FN_NONE)
		hash_field(&so_far, request, function->result);
	if (function->inside != LTTNG_MM_FN_NONE)
		hash(&so_far, fn_string(request, function->inside),
		     strlen(fn_string(request, function->inside)));
	plain.name = plain.symbol = plain.spec = plain.first = 0;
	plain.inside = plain.inside != LTTNG_MM_FN_NONE;
	plain.module = plain.module != LTTNG_MM_FN_NONE;
	plain.result = plain.result != LTTNG_MM_FN_NONE;
	hash(&so_far, &plain, sizeof(plain));
	return so_far;
}

/*
 * Each event of a session holds a reference to the module. Each open file of the device does, too.
 * If no session has an event, the only reference is the file of the current request.
 */
void fn_free_unused(void)
{
	struct fn *fn, *next;

	if (list_empty(&fn_removed) || module_refcount(THIS_MODULE) > 1)
		return;
	synchronize_rcu();
	list_for_each_entry_safe(fn, next, &fn_removed, node) {
		list_del(&fn->node);
		free_fn(fn);
	}
}

/*
 * Returns the number of calls per batch on one CPU, a power of two. Calls of incomplete batches are
 * not counted yet; on all CPUs together, they are at most an eighth of the maximum rate.
 */
static u32 rate_batch(u32 max_rate)
{
	u32 most = max_rate / (8 * num_possible_cpus()), batch = 1;

	while (batch < 64 && (2 * batch <= most || !max_rate))
		batch *= 2;
	return batch;
}

static int copy_strings(struct fn *fn, const struct fn_add_request *request,
			const struct lttng_mm_fn_function *function)
{
	fn->name = kstrdup(fn_string(request, function->name), GFP_KERNEL);
	fn->symbol = kstrdup(fn_string(request, function->symbol), GFP_KERNEL);
	fn->spec = kstrdup(fn_string(request, function->spec), GFP_KERNEL);
	if (function->module != LTTNG_MM_FN_NONE)
		fn->module = kstrdup(fn_string(request, function->module), GFP_KERNEL);
	return fn->name && fn->symbol && fn->spec &&
			       (fn->module || function->module == LTTNG_MM_FN_NONE)
		       ? 0
		       : -ENOMEM;
}

/*
 * Is the result a pointer or an unsigned 64-bit number? If so, only values from -MAX_ERRNO to -1
 * are errors.
 */
static bool returns_unsigned(const struct lttng_mm_fn_field *result)
{
	return result->kind != LTTNG_MM_FN_SIGNED && result->mask_bits == 64;
}

static int fill(struct fn *fn, const struct fn_add_request *request,
		const struct lttng_mm_fn_function *function)
{
	int error;

	fn->slot = LTTNG_MM_FN_FUNCTIONS;
	fn->definition = definition_of(request, function);
	fn->wants_errors = function->flags & LTTNG_MM_FN_ERRORS;
	fn->error_mask = function->error_mask;
	fn->slower_ns = function->slower_ns;
	fn->max_rate = function->max_rate;
	fn->rate_batch = rate_batch(function->max_rate);
	fn->returns_unsigned = function->result != LTTNG_MM_FN_NONE &&
			       returns_unsigned(&request->fields[function->result]);
	fn->stats = alloc_percpu(struct fn_stats);
	if (!fn->stats || copy_strings(fn, request, function))
		return LTTNG_MM_FN_NO_MEMORY;
	error = fn_hook_find(fn);
	if (!error)
		error = fn_plan(fn, request, function);
	if (!error && function->inside != LTTNG_MM_FN_NONE)
		error = fn_scope_get(fn_string(request, function->inside), &fn->scope);
	if (error)
		return error;
	fn->slot = find_first_zero_bit(slots, LTTNG_MM_FN_FUNCTIONS);
	if (fn->slot == LTTNG_MM_FN_FUNCTIONS)
		return LTTNG_MM_FN_TOO_MANY;
	set_bit(fn->slot, slots);
	return LTTNG_MM_FN_OK;
}

static void start_again(struct fn *fn)
{
	WRITE_ONCE(fn->stopped, false);
	fn->stopped_ns = 0;
	atomic64_set(&fn->window_calls, 0);
}

/*
 * Appends a function to PREPARED. It is a removed function with an equal definition, or else a new
 * one without a provider. No other thread sees the function yet.
 */
static int prepare(const struct fn_add_request *request,
		   const struct lttng_mm_fn_function *function, struct list_head *prepared)
{
	const char *name = fn_string(request, function->name);
	struct fn *fn;
	int error;

	if (find(prepared, name))
		return LTTNG_MM_FN_TWO_OF_A_NAME;
	if (find(&fn_all, name))
		return LTTNG_MM_FN_EXISTS;
	fn = find(&fn_removed, name);
	if (fn) {
		/*
		 * A session may still have the events of the removed function. LTTng would not
		 * attach new events with the same names.
		 */
		if (fn->definition != definition_of(request, function))
			return LTTNG_MM_FN_EXISTS;
		error = fn_hook_find(fn);
		if (!error)
			list_move_tail(&fn->node, prepared);
		return error;
	}
	fn = kzalloc(struct_size(fn, ops, function->count), GFP_KERNEL);
	if (!fn)
		return LTTNG_MM_FN_NO_MEMORY;
	error = fill(fn, request, function);
	if (error)
		free_fn(fn);
	else
		list_add_tail(&fn->node, prepared);
	return error;
}

static int show(struct fn *fn, const struct fn_add_request *request,
		const struct lttng_mm_fn_function *function)
{
	int ret = fn->provider ? lttng_mm_provider_show(fn->provider)
			       : fn_describe(fn, request, function);

	if (ret)
		return ret == -ENOMEM ? LTTNG_MM_FN_NO_MEMORY : LTTNG_MM_FN_EXISTS;
	start_again(fn);
	fn->removed = false;
	list_move_tail(&fn->node, &fn_all);
	rcu_assign_pointer(shown[fn->slot], fn);
	return LTTNG_MM_FN_OK;
}

/* Undoes prepare(). Frees new functions, and returns removed ones to fn_removed. */
static void drop(struct list_head *prepared)
{
	struct fn *fn, *next;

	list_for_each_entry_safe(fn, next, prepared, node) {
		list_del(&fn->node);
		if (IS_ERR_OR_NULL(fn->provider))
			free_fn(fn);
		else
			list_add_tail(&fn->node, &fn_removed);
	}
}

static void hide(struct fn *fn)
{
	fn->removed = true;
	RCU_INIT_POINTER(shown[fn->slot], NULL);
	fn_hook_leave(fn);
	lttng_mm_provider_hide(fn->provider);
	list_move_tail(&fn->node, &fn_removed);
}

/*
 * Undoes show() for all functions after LAST. Leaves scopes alone: the last function that needs a
 * scope releases it.
 */
static void hide_after(struct list_head *last)
{
	struct list_head *node, *next;

	for (node = last->next; node != &fn_all; node = next) {
		struct fn *fn = list_entry(node, struct fn, node);

		next = node->next;
		if (!fn->threads)
			hide(fn);
	}
}

int fn_add_all(const struct lttng_mm_fn_add *add, const void *data, struct lttng_mm_fn_add *refused)
{
	struct fn_add_request request;
	struct list_head *last;
	LIST_HEAD(prepared);
	int error;

	fn_free_unused();
	error = fn_request_check(&request, add, data, refused);
	/* Check all functions before a session gets events of the first one. */
	for (u32 i = 0; i < add->functions && !error; i++) {
		refused->function = i;
		error = prepare(&request, &request.functions[i], &prepared);
		cond_resched();
	}
	last = fn_all.prev;
	for (u32 i = 0; i < add->functions && !error; i++) {
		refused->function = i;
		error = show(list_first_entry(&prepared, struct fn, node), &request,
			     &request.functions[i]);
		cond_resched();
	}
	if (error) {
		drop(&prepared);
		hide_after(last);
	}
	refused->error = error;
	/* Attaches events that a session has already enabled by a pattern, such as fn_*. */
	fn_changed(true);
	return error == LTTNG_MM_FN_NO_MEMORY ? -ENOMEM : error ? -EINVAL : 0;
}

int fn_remove(const char *name)
{
	struct fn *fn = find(&fn_all, name);

	if (!fn)
		return -ENOENT;
	hide(fn);
	fn_hook_settle();
	return 0;
}

const struct fn *fn_at(unsigned int index)
{
	struct fn *fn;

	list_for_each_entry(fn, &fn_all, node)
		if (!fn->threads && !index--)
			return fn;
	return NULL;
}

void fn_forget_all(void)
{
	struct fn *fn, *next;

	hide_after(&fn_all);
	fn_hook_settle();
	synchronize_rcu();
	list_for_each_entry_safe(fn, next, &fn_removed, node) {
		list_del(&fn->node);
		free_fn(fn);
	}
}
