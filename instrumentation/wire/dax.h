/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Widths of the fields of packed DAX events. The probe and the programs that read its events
 * include this file. It therefore includes no header, and contains only preprocessor definitions.
 *
 * A value that does not fit is recorded as all ones. The event's wide variant then contains the
 * complete value. The same thread records the wide variant on the same CPU, immediately before the
 * event. Thread, process and device always fit.
 */
#ifndef LTTNG_MM_WIRE_DAX_H
#define LTTNG_MM_WIRE_DAX_H

#define LTTNG_MM_DAX_TID_BITS 22   /* PID_MAX_LIMIT */
#define LTTNG_MM_DAX_MAJOR_BITS 12 /* dev_t */
#define LTTNG_MM_DAX_MINOR_BITS 20
#define LTTNG_MM_DAX_INO_BITS 38
#define LTTNG_MM_DAX_ADDRESS_BITS 47  /* user addresses with four-level page tables */
#define LTTNG_MM_DAX_VM_FLAGS_BITS 43 /* bit 63 is a separate field */
#define LTTNG_MM_DAX_PGOFF_BITS 34    /* pages: 64 TiB */
#define LTTNG_MM_DAX_FLAGS_BITS 13    /* up to VMA_LOCK */
#define LTTNG_MM_DAX_RESULT_BITS 20   /* up to HINDEX */
#define LTTNG_MM_DAX_PFN_BITS 38      /* 1 PiB of physical memory */
#define LTTNG_MM_DAX_ENTRY_BITS 45    /* a page cache entry with a 40-bit page frame number */
#define LTTNG_MM_DAX_POS_BITS 46      /* bytes: 64 TiB */
#define LTTNG_MM_DAX_LEN_BITS 24
#define LTTNG_MM_DAX_REQUEST_BITS 16
#define LTTNG_MM_DAX_DEVICE_BITS 52 /* bytes: 4 PiB; all ones can also mean: not on the device */
#define LTTNG_MM_DAX_TYPE_BITS 8
#define LTTNG_MM_DAX_EXTENT_BITS 16

/* The largest value of a field of @bits bits: all bits are 1. */
#define LTTNG_MM_DAX_ALL_ONES(bits) ((1ULL << (bits)) - 1)

/* Size of the packed events, without LTTng's header. */
#define LTTNG_MM_DAX_PMD_FAULT_BYTES 50
#define LTTNG_MM_DAX_PTE_FAULT_BYTES 34
#define LTTNG_MM_DAX_LOAD_HOLE_BYTES 36
#define LTTNG_MM_DAX_EXTENT_BYTES 46

#endif /* LTTNG_MM_WIRE_DAX_H */
