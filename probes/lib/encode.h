/* SPDX-License-Identifier: GPL-2.0-only */
/* Encodes any kernel pointer as a number that does not reveal the layout chosen by KASLR. */
#ifndef LTTNG_MM_PROBES_LIB_ENCODE_H
#define LTTNG_MM_PROBES_LIB_ENCODE_H

#include <linux/types.h>
#include <instrumentation/wire/pointer.h>
#include <probes/compat/memory-layout.h>
#include <probes/lib/pointer.h>

/* Looks up the kernel's image. Returns -ENOENT if kallsyms lacks its symbols. */
int lttng_mm_encode_init(void);

/* Slow path of lttng_mm_encode_pointer(), for pointers outside the direct map. */
u64 lttng_mm_encode_other(u64 pointer);

/*
 * lttng_mm_encode_pointer - encodes a pointer as enum lttng_mm_pointer_region describes
 *
 * Equal pointers give equal numbers.
 *
 * Context: preemption off. Takes no lock. The longest loop is a call-site lookup.
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
 * Is a number an address in one of the kernel's regions? Such a number is recorded only if its
 * field is declared as a pointer. Error pointers are not addresses.
 */
bool lttng_mm_is_kernel_address(u64 number);

#endif /* LTTNG_MM_PROBES_LIB_ENCODE_H */
