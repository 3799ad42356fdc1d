/* SPDX-License-Identifier: GPL-2.0-only */
/* Any kernel pointer as a number that does not reveal the layout that KASLR chose. */
#ifndef LTTNG_MM_PROBES_LIB_ENCODE_H
#define LTTNG_MM_PROBES_LIB_ENCODE_H

#include <linux/types.h>
#include <instrumentation/wire/pointer.h>
#include <probes/compat/memory-layout.h>
#include <probes/lib/pointer.h>

/* Finds the regions that do not move. -ENOENT: the kernel's image is not in kallsyms. */
int lttng_mm_encode_init(void);

/* The rest of lttng_mm_encode_pointer(). */
u64 lttng_mm_encode_other(u64 pointer);

/*
 * lttng_mm_encode_pointer - a pointer as enum lttng_mm_pointer_region describes it
 *
 * Equal pointers give equal numbers.
 *
 * Context: preemption off. No lock; the loop is that of a call-site number.
 */
static __always_inline u64 lttng_mm_encode_pointer(u64 pointer)
{
	const void *ptr = (const void *)(unsigned long)pointer;

	if (likely(lttng_mm_is_direct(ptr)))
		return (u64)LTTNG_MM_POINTER_DIRECT << LTTNG_MM_POINTER_SHIFT |
		       lttng_mm_physical(ptr);
	return lttng_mm_encode_other(pointer);
}

/*
 * Returns whether a number is an address in one of the kernel's regions: it is not recorded unless
 * it is said to be a pointer. Error pointers are none.
 */
bool lttng_mm_is_kernel_address(u64 number);

#endif /* LTTNG_MM_PROBES_LIB_ENCODE_H */
