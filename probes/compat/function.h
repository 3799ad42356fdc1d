/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the caller of a function at the function's first instruction. */
#ifndef LTTNG_MM_PROBES_COMPAT_FUNCTION_H
#define LTTNG_MM_PROBES_COMPAT_FUNCTION_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

/*
 * Returns the return address, or 0 if the architecture is not supported. Reads the stack without
 * the checks of regs_get_kernel_stack_nth(), which take a hundred instructions. They are not
 * needed, because the hooked function is running on this stack.
 */
static inline unsigned long lttng_mm_function_caller(struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	return READ_ONCE_NOCHECK(*(unsigned long *)kernel_stack_pointer(regs));
#elif defined(CONFIG_ARM64)
	return procedure_link_pointer(regs);
#else
	return 0;
#endif
}

#endif /* LTTNG_MM_PROBES_COMPAT_FUNCTION_H */
