/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks: functions that become needed at one time are hooked together, as a group, since attaching
 * many hooks one by one takes minutes, and many objects on one function cost each of its calls.
 */
#ifndef LTTNG_MM_PROBES_FN_HOOK_H
#define LTTNG_MM_PROBES_FN_HOOK_H

#include <linux/list.h>
#include <linux/types.h>
#include <probes/fn/fn.h>

struct fn_group {
	struct list_head node;
	u32 number;
	bool keeps;	     /* room is kept for fn_NAME_call */
	bool dissolve;	     /* a function of it was removed, or its module is unloaded */
	bool is_going;	     /* its module is unloaded: no function is in a call */
	bool replaced;	     /* functions of it have moved to another group */
	unsigned long until; /* jiffies: when it is detached even if calls have not ended */
	unsigned int count;
	size_t kept_bytes;    /* of one call; 0 unless @keeps */
	long __percpu *calls; /* the sum: of which the end is awaited */
#ifdef LTTNG_MM_FN_FPROBE
	struct fprobe fprobe;
	unsigned int hooked; /* functions that were not forgotten */
	unsigned int shift;  /* of the table below */
	struct fn_hook_slot *slots;
	bool stores; /* calls keep more than fprobe has room for */
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
/* No function is left. */
void fn_hooks_exit(void);

/* The rest is under fn_mutex. */

/* Finds the address. Returns an enum lttng_mm_fn_error. */
int fn_hook_find(struct fn *fn);
/* The function is recorded no longer; its group is replaced by one without it when settling. */
void fn_hook_leave(struct fn *fn);
/* Hooks and unhooks as needed; sleeps. */
void fn_hook_settle(void);
/* Whether and how a function is hooked. Under fn_mutex, or with preemption off. */
struct fn_hook_state {
	bool hooked;
	u32 group;  /* number; 0: none */
	u64 misses; /* of the group */
};
struct fn_hook_state fn_hook_state(const struct fn *fn);

/* Looks up what fn_group_may_hook() needs. */
void fn_group_init(void);
/* Of a function that ftrace can hook: may it be hooked by the means of this kernel? */
bool fn_group_may_hook(unsigned long address);

/*
 * fn_group_attach, fn_group_detach - by the means of this kernel: fprobe or kretprobes
 *
 * attach takes the functions of an array, whose members may be used until detach returns; then no
 * CPU is in a handler of the group. Returns a negative errno with nothing attached.
 */
int fn_group_attach(struct fn_group *group, struct fn **functions);
void fn_group_detach(struct fn_group *group);
u64 fn_group_misses(const struct fn_group *group, const struct fn *fn);
/* The number by which functions are known that share their misses. */
u32 fn_group_number(const struct fn_group *group, const struct fn *fn);
/* How many such numbers a group of COUNT functions has, from its own on. */
u32 fn_group_numbers(unsigned int count);
bool fn_group_has(const struct fn_group *group, const struct fn *fn);
/*
 * fn_group_forget - no handler uses a function any more, after a grace period
 *
 * The function need not be in the group. Returns whether it is not hooked by the group any more,
 * either; otherwise the group must be replaced for that.
 */
bool fn_group_forget(struct fn_group *group, struct fn *fn);
/*
 * Makes room that calls have taken which never return, as their threads have ended. Returns
 * whether that may become necessary again.
 */
bool fn_group_reclaim(struct fn_group *group);

#endif /* LTTNG_MM_PROBES_FN_HOOK_H */
