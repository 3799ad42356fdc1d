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
	bool keeps;    /* room is kept for fn_NAME_call */
	bool dissolve; /* a function of it was removed, or its module unloaded */
	unsigned int count;
	size_t kept_bytes; /* of one call; 0 unless @keeps */
#ifdef LTTNG_MM_FN_FPROBE
	struct fprobe fprobe;
	unsigned int shift; /* of the table below */
	struct fn_hook_slot *slots;
	bool stores; /* calls keep more than fprobe has room for */
	atomic64_t store_misses;
#ifdef LTTNG_MM_FN_KEPT_MAX
	struct objpool_head store;
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

/*
 * fn_group_attach, fn_group_detach - by the means of this kernel: fprobe or kretprobes
 *
 * attach takes the functions of an array, whose members may be used until detach returns; then no
 * CPU is in a handler of the group. Returns a negative errno with nothing attached.
 */
int fn_group_attach(struct fn_group *group, struct fn **functions);
void fn_group_detach(struct fn_group *group);
u64 fn_group_misses(const struct fn_group *group, const struct fn *fn);

#endif /* LTTNG_MM_PROBES_FN_HOOK_H */
