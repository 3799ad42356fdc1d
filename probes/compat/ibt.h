/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Indirect calls of functions that the kernel does not export. A function without indirect callers
 * has no ENDBR instruction. With indirect branch tracking (Linux 6.2 and later), an indirect call
 * to such a function faults. LTTng 2.13.9 lacks the helpers that prevent this. It is not used with
 * such kernels, so the helpers below do nothing.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_IBT_H
#define LTTNG_MM_PROBES_COMPAT_IBT_H

#include <linux/types.h>

#if __has_include(<wrapper/ibt.h>)
#include <wrapper/ibt.h>
#else
struct irq_ibt_state {
	u64 unused;
};

static inline struct irq_ibt_state wrapper_irq_ibt_save(void)
{
	return (struct irq_ibt_state){ 0 };
}

static inline void wrapper_irq_ibt_restore(struct irq_ibt_state state)
{
}
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_IBT_H */
