/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Encoding of kernel pointers in events. The module and the program both include this file. It
 * therefore includes no header.
 */
#ifndef LTTNG_MM_WIRE_POINTER_H
#define LTTNG_MM_WIRE_POINTER_H

/*
 * Encoded pointers: the high byte is the memory region, and the other bytes locate the pointer in
 * the region. Equal pointers have equal encodings, and no encoding reveals where KASLR placed the
 * region.
 *
 *   0x00  not a kernel pointer, such as NULL or a user address: the value itself
 *   0x01  direct map: the physical address
 *   0x02  struct page or folio: bits 0 to 43 are the pfn, bits 44 to 55 the offset in struct page
 *   0x03  code: the call-site number
 *   0x04  kernel image except code: the offset from its start
 *   0x05  vmalloc memory, such as stacks: the offset from its start
 *   0x06  anything else: a number that identifies the address until the module is unloaded
 *   0xff  an error pointer: the error as a negative 64-bit number
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
