/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaching on demand. A kernel tracepoint or function is hooked only while one of its events is
 * enabled.
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
	const char *name; /* a kernel tracepoint; NULL: the hook uses attach() and detach() below */
	void *callback;
	const struct lttng_mm_hook
		*also_for; /* attach this hook also while @also_for is needed; NULL: none */
	/* Private to the library. */
	struct tracepoint *tracepoint;
	unsigned int needed; /* number of enabled events; written under the tracepoint mutex */
	bool attached;	     /* protected by the mutex in struct lttng_mm_hooks */
};

/* Does the callback take the arguments that the kernel's tracepoint passes? */
#define lttng_mm_callback_fits(_tracepoint, _callback)                                \
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##_tracepoint), \
				     void(typeof(&(_callback))))

/*
 * LTTNG_MM_HOOK_OF(TRACEPOINT, CALLBACK) - initializes a hook on a kernel tracepoint
 *
 * Include the kernel's declaration of the tracepoint. If the callback does not match it, the
 * compiler reports an error.
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
 * All hooks of a probe. They are attached and detached in this order. A hook precedes hooks that
 * rely on it.
 */
struct lttng_mm_hooks {
	struct module *owner;
	struct lttng_mm_hook *hook;
	unsigned int count;
	/* Attach and detach a hook without a tracepoint. Both may sleep. */
	void (*attach)(unsigned int hook);
	void (*detach)(unsigned int hook);
	/* Called after hooks have changed. May be NULL. May sleep. */
	void (*settled)(void);
	/* Private to the library. */
	struct mutex mutex;
	struct work_struct work;
	bool settled_on_return;
};

/*
 * Looks up the tracepoints. If the kernel lacks one, returns -ENOENT, and the kernel log names it.
 */
int lttng_mm_hooks_init(struct lttng_mm_hooks *hooks);
/*
 * Detaches all hooks. No event of the probe may be enabled. Waits until no CPU executes the probe's
 * text.
 */
void lttng_mm_hooks_exit(struct lttng_mm_hooks *hooks);

/*
 * lttng_mm_hook_get, lttng_mm_hook_put - an event of the hook has been enabled or disabled
 *
 * The kernel calls these functions when the first callback is attached to one of our tracepoints,
 * and when the last callback is detached. It holds its tracepoint mutex meanwhile, so hooks cannot
 * be attached or detached here:
 *
 *   enabling: tracepoint mutex held -> get() queues task work -> mutex released
 *             -> the task work attaches the hooks -> the system call returns
 *
 * A recording therefore contains everything after the system call. get returns 0.
 */
int lttng_mm_hook_get(struct lttng_mm_hooks *hooks, unsigned int hook);
void lttng_mm_hook_put(struct lttng_mm_hooks *hooks, unsigned int hook);

/*
 * lttng_mm_hooks_changed - attaches and detaches hooks as needed, then calls settled()
 *
 * Called in the context of lttng_mm_hook_get(). If SOON is true, the hooks change before the system
 * call that enables an event returns. Otherwise, they may change later.
 */
void lttng_mm_hooks_changed(struct lttng_mm_hooks *hooks, bool soon);

/* Is an event of the hook enabled? Context: any. */
bool lttng_mm_hook_needed(const struct lttng_mm_hooks *hooks, unsigned int hook);

#endif /* LTTNG_MM_PROBES_LIB_ATTACH_H */
