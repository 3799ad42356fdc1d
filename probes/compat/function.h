/* SPDX-License-Identifier: GPL-2.0-only */
/* The caller of a function, as seen by a probe on its first instruction. */
#ifndef LTTNG_MM_PROBES_COMPAT_FUNCTION_H
#define LTTNG_MM_PROBES_COMPAT_FUNCTION_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

/*
 * Returns 0 if the architecture is not supported. The return address is on the stack that the
 * function uses, so it is read without the checks of regs_get_kernel_stack_nth(), which take a
 * hundred instructions.
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
