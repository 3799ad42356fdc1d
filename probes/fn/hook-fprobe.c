// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group hooked by fprobe. One fprobe object serves all functions of the group. Its handlers find
 * a function by its address.
 */

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <probes/fn/hook.h>

#ifdef LTTNG_MM_FN_FPROBE

/*
 * Maximum number of concurrent calls that can be followed, per function and per group. Linux 6.12
 * allocates memory for all of them in advance.
 */
#define CALLS_OF_FUNCTION 32
#define CALLS_OF_GROUP 2048

struct fn_hook_slot {
	unsigned long address;
	struct fn *fn;
};

static __always_inline unsigned int slot_of(const struct fn_group *group, unsigned long address)
{
	return (unsigned int)((address * 0x9e3779b97f4a7c15ULL) >> group->shift);
}

#ifdef LTTNG_MM_FN_KEPT_MAX
/*
 * An object of the store, which keeps the data of one call. @owner is one of:
 *
 *   0            free
 *   OBJECT_USED  being written or read; cannot be reclaimed
 *   a thread     waiting for the exit of the thread's call; reclaimed if the thread has ended
 *
 * A thread that ends within a call never returns its object, so fn_group_reclaim() reclaims it. If
 * an object is reclaimed before its call returns, the exit handler finds another owner and does not
 * record fn_NAME_call.
 */
struct fn_stored {
	unsigned long owner;
	struct fn_kept kept;
};
#define OBJECT_USED 1ul

/*
 * If a call has more data than fprobe can keep, fprobe keeps this reference to an object of the
 * store. @group is the number of the group that owns the object. The exit handler may be called for
 * another group, which must not use the object.
 */
struct stored_ref {
	struct fn_stored *object;
	u32 group;
};

static bool has_store(const struct fn_group *group)
{
	return group->kept_bytes > LTTNG_MM_FN_KEPT_MAX;
}

static int note_object(void *object, void *context)
{
	struct fn_group *group = context;

	((struct fn_stored *)object)->owner = 0;
	group->stored[group->stored_count++] = object;
	return 0;
}

static int make_store(struct fn_group *group, unsigned int calls)
{
	int ret;

	group->stored = kvcalloc(calls, sizeof(struct fn_stored *), GFP_KERNEL);
	if (!group->stored)
		return -ENOMEM;
	ret = objpool_init(&group->store, calls,
			   offsetof(struct fn_stored, kept) + group->kept_bytes, GFP_KERNEL, group,
			   note_object, NULL);
	if (ret)
		kvfree(group->stored);
	return ret;
}

static void free_store(struct fn_group *group)
{
	objpool_free(&group->store);
	kvfree(group->stored);
}

static __always_inline struct fn_kept *take_object(struct fn_group *group,
						   struct stored_ref *stored)
{
	stored->group = group->number;
	stored->object = objpool_pop(&group->store);
	if (unlikely(!stored->object)) {
		atomic64_inc(&group->store_misses);
		return NULL;
	}
	WRITE_ONCE(stored->object->owner, OBJECT_USED);
	return &stored->object->kept;
}

/* An idle thread never ends, but is_thread() does not find it. Never reclaim its objects. */
static __always_inline unsigned long owner_of_call(void)
{
	return is_idle_task(current) ? OBJECT_USED : (unsigned long)current;
}

/* Hands over the filled object to the thread. */
static __always_inline void hand_over_object(struct stored_ref *stored)
{
	if (stored->object)
		smp_store_release(&stored->object->owner, owner_of_call());
}

/* Takes the object back at the exit. Returns NULL if there is none, or if it was reclaimed. */
static __always_inline struct fn_kept *take_object_back(struct fn_group *group,
							struct stored_ref *stored)
{
	const unsigned long owner = owner_of_call();

	if (stored->group != group->number || !stored->object ||
	    cmpxchg(&stored->object->owner, owner, OBJECT_USED) != owner)
		return NULL;
	return &stored->object->kept;
}

static __always_inline void return_object(struct fn_group *group, struct stored_ref *stored)
{
	smp_store_release(&stored->object->owner, 0);
	objpool_push(stored->object, &group->store);
	stored->object = NULL;
}

/* Does the thread exist? If a new thread has the same address, the object is reclaimed later. */
static bool is_thread(unsigned long owner)
{
	struct task_struct *process, *thread;

	for_each_process_thread(process, thread) {
		if ((unsigned long)thread == owner)
			return true;
	}
	return false;
}

bool fn_group_reclaim(struct fn_group *group)
{
	u64 misses = atomic64_read(&group->store_misses);

	if (!group->stores || misses == group->seen_misses)
		return group->stores;
	group->seen_misses = misses;
	for (unsigned int i = 0; i < group->stored_count; i++) {
		struct fn_stored *object = group->stored[i];
		unsigned long owner = READ_ONCE(object->owner);
		bool has_ended;

		if (!owner || owner == OBJECT_USED)
			continue;
		rcu_read_lock();
		has_ended = !is_thread(owner);
		rcu_read_unlock();
		if (has_ended && cmpxchg(&object->owner, owner, 0) == owner)
			objpool_push(object, &group->store);
		cond_resched();
	}
	return true;
}
#else
struct stored_ref {
	u32 group;
};

static bool has_store(const struct fn_group *group)
{
	return false;
}

static int make_store(struct fn_group *group, unsigned int calls)
{
	return -EINVAL;
}

static void free_store(struct fn_group *group)
{
}

static struct fn_kept *take_object(struct fn_group *group, struct stored_ref *stored)
{
	return NULL;
}

static void hand_over_object(struct stored_ref *stored)
{
}

static struct fn_kept *take_object_back(struct fn_group *group, struct stored_ref *stored)
{
	return NULL;
}

static void return_object(struct fn_group *group, struct stored_ref *stored)
{
}

bool fn_group_reclaim(struct fn_group *group)
{
	return false;
}
#endif

/* The loop ends, because at least half of the slots are free. */
static __always_inline struct fn *find(const struct fn_group *group, unsigned long address)
{
	const unsigned int mask = (1u << (64 - group->shift)) - 1;
	unsigned int i = slot_of(group, address);

	while (group->slots[i].address != address) {
		if (unlikely(!group->slots[i].address))
			return NULL;
		i = (i + 1) & mask;
	}
	return READ_ONCE(group->slots[i].fn);
}

static void insert(struct fn_group *group, unsigned long address, struct fn *fn)
{
	const unsigned int mask = (1u << (64 - group->shift)) - 1;
	unsigned int i = slot_of(group, address);

	while (group->slots[i].address)
		i = (i + 1) & mask;
	group->slots[i].address = address;
	group->slots[i].fn = fn;
}

/*
 * ftrace passes the address of its call instruction. With IBT, an ENDBR instruction precedes it, so
 * the table has two addresses for each function.
 */
#ifdef ENDBR_INSN_SIZE
#define FN_SECOND_ADDRESS ENDBR_INSN_SIZE
#else
#define FN_SECOND_ADDRESS 0
#endif

static int on_entry(struct fprobe *fprobe, unsigned long address, unsigned long caller,
		    lttng_mm_fn_fprobe_regs *regs, void *data)
{
	struct fn_group *group = container_of(fprobe, struct fn_group, fprobe);
	struct fn *fn = find(group, address);
	struct fn_kept *kept = data;

	if (unlikely(!fn || READ_ONCE(fn->group) != group))
		return 1;
	if (unlikely(group->stores)) {
		kept = take_object(group, data);
		/* The store has no free object. take_object() has counted the call as missed. */
		if (!kept)
			return 1;
	}
	if (likely(fn_enter(fn, regs, caller, kept, group->number))) {
		if (unlikely(group->stores))
			hand_over_object(data);
		this_cpu_inc(*group->calls);
		return 0;
	}
	if (group->stores)
		return_object(group, data);
	return 1;
}

static void on_exit(struct fprobe *fprobe, unsigned long address, unsigned long caller,
		    lttng_mm_fn_fprobe_regs *regs, void *data)
{
	struct fn_group *group = container_of(fprobe, struct fn_group, fprobe);
	struct fn *fn = find(group, address);
	struct stored_ref *stored = group->stores ? data : NULL;
	struct fn_kept *kept = data;

	this_cpu_dec(*group->calls);
	if (unlikely(stored))
		kept = take_object_back(group, stored);
	/*
	 * Record the exit even if the function has moved to another group since the entry: only
	 * @group has the data of the call.
	 */
	if (likely(fn && READ_ONCE(fn->group)))
		fn_leave(fn, regs, caller, kept, group->number);
	if (unlikely(stored) && kept)
		return_object(group, stored);
}

static int make_table(struct fn_group *group, struct fn **functions)
{
	unsigned int bits = order_base_2(4 * group->count) + 1;

	group->slots = kvcalloc(1u << bits, sizeof(*group->slots), GFP_KERNEL);
	if (!group->slots)
		return -ENOMEM;
	group->shift = 64 - bits;
	for (unsigned int i = 0; i < group->count; i++) {
		insert(group, functions[i]->address, functions[i]);
		if (FN_SECOND_ADDRESS)
			insert(group, functions[i]->address + FN_SECOND_ADDRESS, functions[i]);
	}
	return 0;
}

void fn_group_init(void)
{
}

bool fn_group_may_hook(unsigned long address)
{
	return true;
}

int fn_group_attach(struct fn_group *group, struct fn **functions)
{
	unsigned long *addresses = kvcalloc(group->count, sizeof(*addresses), GFP_KERNEL);
	const unsigned int calls = CALLS_OF_GROUP + CALLS_OF_FUNCTION * group->count;
	int ret = addresses ? make_table(group, functions) : -ENOMEM;

	group->stores = has_store(group);
	if (!ret && group->stores)
		ret = make_store(group, calls);
	if (ret)
		goto out;
	for (unsigned int i = 0; i < group->count; i++)
		addresses[i] = functions[i]->address;
	group->fprobe.entry_handler = on_entry;
	group->fprobe.exit_handler = on_exit;
	group->fprobe.entry_data_size =
		group->stores ? sizeof(struct stored_ref) : group->kept_bytes;
#ifndef LTTNG_MM_FN_KEPT_MAX
	group->fprobe.nr_maxactive = calls;
#endif
	ret = register_fprobe_ips(&group->fprobe, addresses, group->count);
	if (ret && group->stores)
		free_store(group);
out:
	if (ret)
		kvfree(group->slots);
	kvfree(addresses);
	group->hooked = group->count;
	return ret;
}

u32 fn_group_numbers(unsigned int count)
{
	return 1;
}

u32 fn_group_number(const struct fn_group *group, const struct fn *fn)
{
	return group->number;
}

bool fn_group_has(const struct fn_group *group, const struct fn *fn)
{
	return find(group, fn->address) == fn;
}

/*
 * Removes an address from the filter of the group's hook. The last address stays. With an empty
 * filter, ftrace would call the hook for all functions.
 */
static bool unhook(struct fn_group *group, unsigned long address)
{
#ifndef LTTNG_MM_FN_KEPT_MAX
	if (group->hooked > 1 && !ftrace_set_filter_ip(&group->fprobe.ops, address, 1, 0)) {
		group->hooked--;
		return true;
	}
#endif
	return false;
}

bool fn_group_forget(struct fn_group *group, struct fn *fn)
{
	const unsigned int size = 1u << (64 - group->shift);
	unsigned long address = 0;

	for (unsigned int i = 0; i < size; i++) {
		if (group->slots[i].fn != fn)
			continue;
		WRITE_ONCE(group->slots[i].fn, NULL);
		/* Remember the lower of the function's two addresses. */
		if (!address || group->slots[i].address < address)
			address = group->slots[i].address;
	}
	return !address || unhook(group, address);
}

void fn_group_detach(struct fn_group *group)
{
	unregister_fprobe(&group->fprobe);
	/* Handlers run with preemption off. */
	synchronize_rcu();
	if (group->stores)
		free_store(group);
	kvfree(group->slots);
}

u64 fn_group_misses(const struct fn_group *group, const struct fn *fn)
{
	return READ_ONCE(group->fprobe.nmissed) + atomic64_read(&group->store_misses);
}

#endif /* LTTNG_MM_FN_FPROBE */
