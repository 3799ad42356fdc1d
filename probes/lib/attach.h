/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching on demand: the tracepoints and functions of the kernel from which a probe's events
 * originate are hooked only while an event that needs them is enabled.
 */
#ifndef LTTNG_MM_PROBES_LIB_ATTACH_H
#define LTTNG_MM_PROBES_LIB_ATTACH_H

#include <linux/build_bug.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct module;
struct tracepoint;

struct lttng_mm_hook {
	const char *name; /* a tracepoint of the kernel; NULL: attached by attach() and detach() */
	void *callback;
	const struct lttng_mm_hook
		*also_for; /* this hook is also needed whenever that one is; NULL: none */
	/* Private to the library. */
	struct tracepoint *tracepoint;
	unsigned int needed; /* under the kernel's tracepoint mutex; read without it */
	bool attached;	     /* under the mutex of the set */
};

/* Whether a callback takes exactly what the kernel passes, by the kernel's own declaration. */
#define lttng_mm_callback_fits(_tracepoint, _callback)                                \
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##_tracepoint), \
				     void(typeof(&(_callback))))

/*
 * LTTNG_MM_HOOK_OF(TRACEPOINT, CALLBACK) - how a hook on a tracepoint of the kernel begins
 *
 * The kernel's declaration of the tracepoint is included. A callback that does not fit it does not
 * compile.
 */
#define LTTNG_MM_HOOK_OF(_tracepoint, _callback)                                                   \
	.name = #_tracepoint,                                                                      \
	.callback = (void *)(_callback) +                                                          \
		    0 * sizeof(struct {                                                            \
			    static_assert(                                                         \
				    lttng_mm_callback_fits(_tracepoint, _callback), #_callback     \
				    "() does not take what the kernel's " #_tracepoint " passes"); \
			    int unused;                                                            \
		    })

/*
 * All hooks of a probe. They are attached and detached in this order, so a hook on which others
 * rely precedes them.
 */
struct lttng_mm_hooks {
	struct module *owner;
	struct lttng_mm_hook *hook;
	unsigned int count;
	/* For hooks without a tracepoint; both may sleep. */
	void (*attach)(unsigned int hook);
	void (*detach)(unsigned int hook);
	/* After the hooks, whenever anything has changed; may sleep. NULL: none. */
	void (*settled)(void);
	/* Private to the library. */
	struct mutex mutex;
	struct work_struct work;
	bool settled_on_return;
};

/* Finds the tracepoints. -ENOENT: the kernel lacks one, which is named in its log. */
int lttng_mm_hooks_init(struct lttng_mm_hooks *hooks);
/*
 * Detaches all, when no event of the probe is enabled. Waits until no CPU executes the probe's
 * text.
 */
void lttng_mm_hooks_exit(struct lttng_mm_hooks *hooks);

/*
 * lttng_mm_hook_get, lttng_mm_hook_put - an event of the hook has been enabled or disabled
 *
 * Called for the first callback that is attached to one of our tracepoints, and for the last that
 * is detached, with the kernel's tracepoint mutex held, so the kernel's tracepoints cannot be
 * changed here. They are as soon as the mutex is released: before the system call that enables the
 * event returns, so that the recording includes everything after it. get returns 0.
 */
int lttng_mm_hook_get(struct lttng_mm_hooks *hooks, unsigned int hook);
void lttng_mm_hook_put(struct lttng_mm_hooks *hooks, unsigned int hook);

/*
 * lttng_mm_hooks_changed - attaches and detaches what is needed, and calls settled()
 *
 * Called as lttng_mm_hook_get() and _put(): SOON, before the system call returns that enables an
 * event; otherwise it may be later.
 */
void lttng_mm_hooks_changed(struct lttng_mm_hooks *hooks, bool soon);

/* Returns whether an event of the hook is enabled. Context: any. */
bool lttng_mm_hook_needed(const struct lttng_mm_hooks *hooks, unsigned int hook);

#endif /* LTTNG_MM_PROBES_LIB_ATTACH_H */
