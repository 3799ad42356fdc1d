// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group by fprobe: one object for all of its functions, which are found by their addresses.
 *
 * The object is allocated anew for each group: 6.12 crashes if it is registered twice without being
 * cleared.
 */

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <probes/fn/hook.h>

#ifdef LTTNG_MM_FN_FPROBE

/* Hooked calls that last, per function and in addition: 6.12 allocates room for them beforehand. */
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
 * An object of the store. A call that never returns, as its thread has ended, does not give it
 * back: it is taken back then. The owner says whose it is: 0, a thread, or OBJECT_USED while it is
 * written or read, when it cannot be taken back. So a call whose thread only seems to have ended
 * finds at its end that the object is its own no longer, and its record is not written.
 */
struct fn_stored {
	unsigned long owner;
	struct fn_kept kept;
};
#define OBJECT_USED 1ul

/*
 * What fprobe keeps of a call that keeps more than it has room for: its object. The group is named,
 * since a call may end after its group, and another one be in its place.
 */
struct stored {
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

static __always_inline struct fn_kept *take(struct fn_group *group, struct stored *stored)
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

/* Idle threads, in whose name interrupts call, do not end. */
static __always_inline unsigned long owner_of_call(void)
{
	return is_idle_task(current) ? OBJECT_USED : (unsigned long)current;
}

/* What was taken is filled. */
static __always_inline void keep(struct stored *stored)
{
	if (stored->object)
		smp_store_release(&stored->object->owner, owner_of_call());
}

/* What was kept, or NULL if there is nothing, or no longer. */
static __always_inline struct fn_kept *take_out(struct fn_group *group, struct stored *stored)
{
	const unsigned long owner = owner_of_call();

	if (stored->group != group->number || !stored->object ||
	    cmpxchg(&stored->object->owner, owner, OBJECT_USED) != owner)
		return NULL;
	return &stored->object->kept;
}

static __always_inline void give_back(struct fn_group *group, struct stored *stored)
{
	smp_store_release(&stored->object->owner, 0);
	objpool_push(stored->object, &group->store);
	stored->object = NULL;
}

/* Has a thread ended? Another one that is at the same address only delays what follows from it. */
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
struct stored {
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

static struct fn_kept *take(struct fn_group *group, struct stored *stored)
{
	return NULL;
}

static void keep(struct stored *stored)
{
}

static struct fn_kept *take_out(struct fn_group *group, struct stored *stored)
{
	return NULL;
}

static void give_back(struct fn_group *group, struct stored *stored)
{
}

bool fn_group_reclaim(struct fn_group *group)
{
	return false;
}
#endif

/* A table has a free slot at least for each used one. */
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

/* The address is that of the call to ftrace, after the instruction that IBT requires. */
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
		kept = take(group, data);
		/* A miss, as where fprobe itself has no room: nothing of the call is recorded. */
		if (!kept)
			return 1;
	}
	if (likely(fn_enter(fn, regs, caller, kept, group->number))) {
		if (unlikely(group->stores))
			keep(data);
		this_cpu_inc(*group->calls);
		return 0;
	}
	if (group->stores)
		give_back(group, data);
	return 1;
}

static void on_exit(struct fprobe *fprobe, unsigned long address, unsigned long caller,
		    lttng_mm_fn_fprobe_regs *regs, void *data)
{
	struct fn_group *group = container_of(fprobe, struct fn_group, fprobe);
	struct fn *fn = find(group, address);
	struct stored *stored = group->stores ? data : NULL;
	struct fn_kept *kept = data;

	this_cpu_dec(*group->calls);
	if (unlikely(stored))
		kept = take_out(group, stored);
	/* The group may have been replaced since: this call is known to this one only. */
	if (likely(fn && READ_ONCE(fn->group)))
		fn_leave(fn, regs, caller, kept, group->number);
	if (unlikely(stored) && kept)
		give_back(group, stored);
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
	group->fprobe.entry_data_size = group->stores ? sizeof(struct stored) : group->kept_bytes;
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
 * Takes an address out of what ftrace calls the hook for. The last one stays: without addresses, it
 * would be called for all functions.
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
		/* The first of its two addresses is the lower one. */
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
