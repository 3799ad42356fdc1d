/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares this project's tracepoints, and finds the kernel's tracepoints by name. */
#ifndef LTTNG_MM_PROBES_COMPAT_TRACEPOINT_H
#define LTTNG_MM_PROBES_COMPAT_TRACEPOINT_H

#include <linux/preempt.h>
#include <linux/static_call.h>
#include <linux/tracepoint.h>
#include <lttng/kernel-version.h>

/* Since Linux 6.16, DECLARE_TRACE() appends "_tp" to the name. DECLARE_TRACE_EVENT() does not. */
#ifdef DECLARE_TRACE_EVENT
#define LTTNG_MM_DECLARE_TRACE DECLARE_TRACE_EVENT
#else
#define LTTNG_MM_DECLARE_TRACE DECLARE_TRACE
#endif

/*
 * lttng_mm_enter, lttng_mm_leave - enclose each callback of the kernel's tracepoints
 *
 * Since Linux 7.0 these callbacks are preemptible. On earlier kernels, preemption is off already,
 * and the two functions only cost an increment and a decrement.
 */
static __always_inline void lttng_mm_enter(void)
{
	preempt_disable_notrace();
}

static __always_inline void lttng_mm_leave(void)
{
	preempt_enable_notrace();
}

/*
 * lttng_mm_fire - calls the callbacks of our tracepoint lttng_mm_NAME
 *
 * Only for callbacks of the kernel's tracepoints, after lttng_mm_enter(). The kernel has already
 * made the checks of trace_lttng_mm_NAME(), so this macro omits them. Elsewhere, as in a kprobe,
 * call trace_lttng_mm_NAME(). The kernel's tracepoint protects the list of callbacks: since Linux
 * 7.0 by the tracepoints' SRCU, before by disabling preemption.
 */
#define lttng_mm_fire(_name, ...)                                                                \
	do {                                                                                     \
		struct tracepoint_func *lttng_mm_func =                                          \
			rcu_dereference_raw(__tracepoint_lttng_mm_##_name.funcs);                \
                                                                                                 \
		if (lttng_mm_func)                                                               \
			static_call(tp_func_lttng_mm_##_name)(lttng_mm_func->data, __VA_ARGS__); \
	} while (0)

/*
 * lttng_mm_callbacks_lock, lttng_mm_callbacks_unlock - protect a tracepoint's list of callbacks
 *
 * Needed around every use of the list outside a tracepoint, with preemption off. Since Linux 7.0,
 * the tracepoints' SRCU protects the list. Before, preemption off is enough.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(7, 0, 0))
#define lttng_mm_callbacks_lock() srcu_read_lock_fast_notrace(&tracepoint_srcu)
#define lttng_mm_callbacks_unlock(_state) srcu_read_unlock_fast_notrace(&tracepoint_srcu, _state)
typedef struct srcu_ctr __percpu *lttng_mm_callbacks_state;
#else
#define lttng_mm_callbacks_lock() 0
#define lttng_mm_callbacks_unlock(_state) ((void)(_state))
typedef int lttng_mm_callbacks_state;
#endif

#define lttng_mm_fires(_name) (READ_ONCE(__tracepoint_lttng_mm_##_name.funcs) != NULL)

#endif /* LTTNG_MM_PROBES_COMPAT_TRACEPOINT_H */
