// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group by fprobe: one object for all of its functions, which are found by their addresses.
 *
 * The object is allocated anew for each group: 6.12 crashes if it is registered twice without being
 * cleared.
 */

#include <linux/kernel.h>
#include <linux/log2.h>
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

/*
 * What fprobe keeps of a call that keeps more than it has room for: its place. The group is named,
 * since a call may end after its group, and another one be in its place.
 */
struct stored {
	struct fn_kept *kept;
	u32 group;
};

#ifdef LTTNG_MM_FN_KEPT_MAX
static bool has_store(const struct fn_group *group)
{
	return group->kept_bytes > LTTNG_MM_FN_KEPT_MAX;
}

static int make_store(struct fn_group *group, unsigned int calls)
{
	return objpool_init(&group->store, calls, group->kept_bytes, GFP_KERNEL, NULL, NULL, NULL);
}

static void free_store(struct fn_group *group)
{
	objpool_free(&group->store);
}

static __always_inline struct fn_kept *take(struct fn_group *group, struct stored *stored)
{
	stored->group = group->number;
	stored->kept = objpool_pop(&group->store);
	if (unlikely(!stored->kept))
		atomic64_inc(&group->store_misses);
	return stored->kept;
}

static __always_inline void give_back(struct fn_group *group, struct stored *stored)
{
	objpool_push(stored->kept, &group->store);
	stored->kept = NULL;
}
#else
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

static void give_back(struct fn_group *group, struct stored *stored)
{
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
	return group->slots[i].fn;
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
	if (unlikely(group->stores))
		kept = take(group, data);
	if (likely(fn_enter(fn, regs, caller, kept, group->number)))
		return 0;
	if (group->stores && kept)
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

	if (unlikely(stored))
		kept = stored->group == group->number ? stored->kept : NULL;
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
	return ret;
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
