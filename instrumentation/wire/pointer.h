/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * How events encode kernel pointers. Module and program both include this file, so there are no
 * headers in it.
 */
#ifndef LTTNG_MM_WIRE_POINTER_H
#define LTTNG_MM_WIRE_POINTER_H

/*
 * Encoded pointers: the region is in the high byte, the rest is relative to it, so that equal
 * pointers are equal numbers and none reveals where KASLR put the region.
 *
 *   0x00  not a pointer into the kernel, such as NULL or an address of user space: the value itself
 *   0x01  direct map: the physical address
 *   0x02  struct page or folio: in bits 0 to 43 the pfn, in bits 44 to 55 the offset in struct page
 *   0x03  code: the call-site number
 *   0x04  the kernel's image, code excepted: the offset from its start
 *   0x05  vmalloc memory, such as stacks: the offset from its start
 *   0x06  anything else: a number that stands for the address until the module is unloaded
 *   0xff  an error pointer: the error, as a negative number of 64 bits
 */
#define LTTNG_MM_POINTER_SHIFT 56
enum lttng_mm_pointer_region {
	LTTNG_MM_POINTER_PLAIN,
	LTTNG_MM_POINTER_DIRECT,
	LTTNG_MM_POINTER_PAGE,
	LTTNG_MM_POINTER_CODE,
	LTTNG_MM_POINTER_IMAGE,
	LTTNG_MM_POINTER_VMALLOC,
	LTTNG_MM_POINTER_OTHER,
	LTTNG_MM_POINTER_ERROR = 0xff,
};
#define LTTNG_MM_POINTER_PFN_BITS 44

#endif /* LTTNG_MM_WIRE_POINTER_H */
