/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locates the arguments and the result of a hooked function.
 *
 * The location of an argument is a number, computed once. It is an offset in struct pt_regs, or
 * LTTNG_MM_FN_STACK plus the index of a stack slot.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_FN_REGISTERS_H
#define LTTNG_MM_PROBES_COMPAT_FN_REGISTERS_H

#include <linux/kconfig.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <lttng/kernel-version.h>

/*
 * One fprobe object follows the calls and returns of many functions. In Linux 6.1, fprobe cannot
 * pass data from a call to its return, and Debian's build does not have fprobe. Such kernels use
 * kretprobes.
 */
#if IS_ENABLED(CONFIG_FPROBE) && (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 6, 0))
#define LTTNG_MM_FN_FPROBE
#include <linux/fprobe.h>
#endif

/* Since Linux 6.14, fprobe passes struct ftrace_regs. On x86, it starts with the registers. */
#if defined(LTTNG_MM_FN_FPROBE) && (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 14, 0))
#include <linux/objpool.h>
typedef struct ftrace_regs lttng_mm_fn_fprobe_regs;
/* Maximum size of the data that fprobe keeps from entry to exit, on a per-thread stack. */
#define LTTNG_MM_FN_KEPT_MAX MAX_FPROBE_DATA_SIZE
#else
typedef struct pt_regs lttng_mm_fn_fprobe_regs;
#endif

#define LTTNG_MM_FN_STACK 0x8000
#define LTTNG_MM_FN_UNAVAILABLE 0xffff

#ifdef CONFIG_X86_64
/*
 * System V ABI: the first six integer arguments are in registers. The others are on the stack,
 * above the return address.
 */
static inline unsigned int lttng_mm_fn_argument_at(unsigned int argument)
{
	static const u16 offsets[] = {
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	};

	if (argument < ARRAY_SIZE(offsets))
		return offsets[argument];
	return LTTNG_MM_FN_STACK + argument - ARRAY_SIZE(offsets) + 1;
}

/* Returns an argument that is in a register. */
static __always_inline u64 lttng_mm_fn_register(const void *regs, unsigned int at)
{
	return *(const u64 *)((const char *)regs + at);
}

/* Returns the address of a stack argument. It is wrong if the request's declaration is wrong. */
static __always_inline const void *lttng_mm_fn_on_stack(const void *regs, unsigned int at)
{
	return (const u64 *)((const struct pt_regs *)regs)->sp + (at - LTTNG_MM_FN_STACK);
}

static __always_inline u64 lttng_mm_fn_result(const void *regs)
{
	return ((const struct pt_regs *)regs)->ax;
}
#else
static inline unsigned int lttng_mm_fn_argument_at(unsigned int argument)
{
	return LTTNG_MM_FN_UNAVAILABLE;
}

static __always_inline u64 lttng_mm_fn_register(const void *regs, unsigned int at)
{
	return 0;
}

static __always_inline const void *lttng_mm_fn_on_stack(const void *regs, unsigned int at)
{
	return NULL;
}

static __always_inline u64 lttng_mm_fn_result(const void *regs)
{
	return 0;
}
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_FN_REGISTERS_H */
