/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching on demand: what a probe's events come from, tracepoints and functions of the kernel, is
 * hooked only while an event that needs it is enabled.
 */
#ifndef LTTNG_MM_PROBES_LIB_ATTACH_H
#define LTTNG_MM_PROBES_LIB_ATTACH_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct module;
struct tracepoint;

struct lttng_mm_hook {
	const char *name; /* a tracepoint of the kernel; NULL: attach() and detach() do it */
	void *callback;
	const struct lttng_mm_hook
		*also_for; /* this hook is needed where that one is; NULL: no other */
	/* The library's own. */
	struct tracepoint *tracepoint;
	unsigned int needed; /* under the kernel's tracepoint mutex; read without it */
	bool attached;	     /* under the set's mutex */
};

/*
 * All hooks of a probe. They are attached and detached in their order, so one that others rely on
 * comes before them.
 */
struct lttng_mm_hooks {
	struct module *owner;
	struct lttng_mm_hook *hook;
	unsigned int count;
	/* Of hooks without a tracepoint; both may sleep. */
	void (*attach)(unsigned int hook);
	void (*detach)(unsigned int hook);
	/* The library's own. */
	struct mutex mutex;
	struct work_struct work;
	bool settled_on_return;
};

/* Finds the tracepoints. -ENOENT: the kernel lacks one, which is named in its log. */
int lttng_mm_hooks_init(struct lttng_mm_hooks *hooks);
/* Detaches all; no event of the probe is left. Waits until nothing runs in the probe's text. */
void lttng_mm_hooks_exit(struct lttng_mm_hooks *hooks);

/*
 * lttng_mm_hook_get, lttng_mm_hook_put - an event that comes from the hook is enabled, or no longer
 *
 * Called by the first that attaches to a tracepoint of ours, and by the last that leaves it, with
 * the kernel's tracepoint mutex held, so that nothing can be attached to the kernel's tracepoints
 * here. It is done as soon as the mutex is free: before the system call that enabled the event
 * returns, so that what is recorded starts with what comes after it. get returns 0.
 */
int lttng_mm_hook_get(struct lttng_mm_hooks *hooks, unsigned int hook);
void lttng_mm_hook_put(struct lttng_mm_hooks *hooks, unsigned int hook);

/* Whether an event that comes from the hook is enabled. Context: any. */
bool lttng_mm_hook_needed(const struct lttng_mm_hooks *hooks, unsigned int hook);

#endif /* LTTNG_MM_PROBES_LIB_ATTACH_H */
