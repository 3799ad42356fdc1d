/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a function was called from, seen from a probe on its first instruction.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_FUNCTION_H
#define LTTNG_MM_PROBES_COMPAT_FUNCTION_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

/* 0 where the architecture is not known here. */
static inline unsigned long lttng_mm_function_caller(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	return regs_get_kernel_stack_nth(regs, 0);
#elif defined(CONFIG_ARM64)
	return procedure_link_pointer(regs);
#else
	return 0;
#endif
}

#endif /* LTTNG_MM_PROBES_COMPAT_FUNCTION_H */
