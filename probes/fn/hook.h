/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks. Functions that become needed at the same time are hooked together, as a group. Attaching
 * many hooks one by one takes minutes. Several hook objects on one function slow down each of its
 * calls.
 */
#ifndef LTTNG_MM_PROBES_FN_HOOK_H
#define LTTNG_MM_PROBES_FN_HOOK_H

#include <linux/list.h>
#include <linux/types.h>
#include <probes/fn/fn.h>

struct fn_group {
	struct list_head node;
	u32 number;
	bool keeps; /* calls keep data for fn_NAME_call */
	/* a function was removed or its module is being unloaded; replace the group */
	bool dissolve;
	bool is_going;	     /* its module is being unloaded and has no calls in progress */
	bool replaced;	     /* its functions have moved to another group */
	unsigned long until; /* jiffies; a replaced group is detached then, at the latest */
	unsigned int count;
	size_t kept_bytes;    /* bytes kept per call; 0 unless @keeps */
	long __percpu *calls; /* the sum over all CPUs is the number of calls in progress */
#ifdef LTTNG_MM_FN_FPROBE
	struct fprobe fprobe;
	unsigned int hooked; /* number of functions in the filter of the group's hook */
	unsigned int shift;  /* the hash of an address is shifted right by this */
	struct fn_hook_slot *slots;
	bool stores; /* calls keep more data than fprobe has room for */
	atomic64_t store_misses;
#ifdef LTTNG_MM_FN_KEPT_MAX
	struct objpool_head store;
	struct fn_stored **stored; /* all objects of the store */
	unsigned int stored_count;
	u64 seen_misses;
#endif
#else
	struct fn_return_probe *probes;
#endif
};

int fn_hooks_init(void);
/* All functions must have been removed. */
void fn_hooks_exit(void);

/* The following functions are called under fn_mutex. */

/* Finds the address of a function. Returns an enum lttng_mm_fn_error. */
int fn_hook_find(struct fn *fn);
/*
 * Stops recording a function. If the group cannot unhook it, the next fn_hook_settle() replaces the
 * group.
 */
void fn_hook_leave(struct fn *fn);
/* Hooks and unhooks functions as needed. Sleeps. */
void fn_hook_settle(void);
/* State of a function's hook. Read it under fn_mutex or with preemption off. */
struct fn_hook_state {
	bool hooked;
	u32 group;  /* number of the group; 0: none */
	u64 misses; /* calls missed by this and earlier groups, and by the scope */
};
struct fn_hook_state fn_hook_state(const struct fn *fn);

/* Looks up the kernel symbols that fn_group_may_hook() needs. */
void fn_group_init(void);
/*
 * Can this kernel's hooks (fprobe or kretprobe) hook the function? ftrace can hook more functions.
 */
bool fn_group_may_hook(unsigned long address);

/*
 * fn_group_attach, fn_group_detach - hook a group, by fprobe if the kernel supports it
 *
 * attach hooks the functions of an array. The functions must stay allocated until detach returns.
 * Until then, a CPU may be in a handler of the group. Returns 0, or a negative errno with nothing
 * attached.
 */
int fn_group_attach(struct fn_group *group, struct fn **functions);
void fn_group_detach(struct fn_group *group);
u64 fn_group_misses(const struct fn_group *group, const struct fn *fn);
/*
 * Returns a number that identifies FN's counter of misses. Functions that share a counter have the
 * same number.
 */
u32 fn_group_number(const struct fn_group *group, const struct fn *fn);
/*
 * Returns how many counters of misses a group of COUNT functions has. They are numbered from
 * group->number on.
 */
u32 fn_group_numbers(unsigned int count);
bool fn_group_has(const struct fn_group *group, const struct fn *fn);
/*
 * fn_group_forget - ensures that no handler uses the function after the next grace period
 *
 * The function need not be in the group. Returns true if the group no longer hooks the function.
 * Otherwise, replace the group to unhook the function.
 */
bool fn_group_forget(struct fn_group *group, struct fn *fn);
/*
 * Reclaims the objects of calls that never return, because their threads have ended. Returns true
 * if fn_group_reclaim() must be called again later.
 */
bool fn_group_reclaim(struct fn_group *group);

#endif /* LTTNG_MM_PROBES_FN_HOOK_H */
