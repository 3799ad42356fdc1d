/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Numbers in page-reference events, and the control file of the probe. The trace format, not the
 * kernel, defines the meaning of the numbers. The probe and the programs that read its events
 * include this file. It therefore includes no header, and contains only preprocessor definitions
 * and enumerations.
 */
#ifndef LTTNG_MM_WIRE_PAGEREF_H
#define LTTNG_MM_WIRE_PAGEREF_H

/*
 * The control file, /dev/lttng-mm-pageref. Only root may open it, and only one process at a time.
 * Each write() contains one command line:
 *
 *   pid N[,N...]     record these processes, and processes that they start from now on
 *   uid N            record all processes of a user
 *   cgroup PATH      record all processes of a cgroup (version 2) and of the cgroups below it
 *   interval MS      time between two passes, each of which marks all pages
 *   dax 1            also record file mappings with DAX; `dax 0` is the default
 *   sample N         record a sample of the pages: N of 2^24 (pageref-sample.h), 2^24 by default
 *   max-overhead N   choose the sample so that recording takes at most N / 10,000 of the processor
 *                    time of the recorded processes; 0, the default, is no limit
 *   from BYTES       also mark all pages when BYTES / 2 have been touched; 0, the default, is off
 *   arm              mark all pages now; write() returns when they are marked
 *
 * Processes are recorded until the file is closed. Then no page is marked any more. Samples change
 * only when a pass starts. `sample` and `max-overhead` replace each other: the last command counts.
 *
 * Reading the file returns the settings, the state of the sample and counters, one "NAME VALUE" per
 * line: `sample` is the current sample and `sample_lowest` the lowest one since recording started,
 * `overhead` is the overhead of the last interval in 1/10,000, and `touch_ns` is the measured cost
 * of a recorded touch.
 */
#define LTTNG_MM_PAGEREF_DEVICE "lttng-mm-pageref"
#define LTTNG_MM_PAGEREF_COMMAND_BYTES 4096
#define LTTNG_MM_PAGEREF_PIDS 256 /* maximum number of `pid` targets */
#define LTTNG_MM_PAGEREF_INTERVAL_MS 500
#define LTTNG_MM_PAGEREF_INTERVAL_MIN_MS 10
#define LTTNG_MM_PAGEREF_INTERVAL_MAX_MS 3600000
#define LTTNG_MM_PAGEREF_OVERHEAD_MAX 10000
#define LTTNG_MM_PAGEREF_FROM_MIN 65536 /* bytes */
#define LTTNG_MM_PAGEREF_FROM_MAX (1ull << 46)

/* Widths of the fields of pageref_touch, in the order of the fields, from low to high. */
#define LTTNG_MM_PAGEREF_TID_BITS 22 /* PID_MAX_LIMIT */
#define LTTNG_MM_PAGEREF_MM_BITS 20
#define LTTNG_MM_PAGEREF_ADDRESS_BITS 48
#define LTTNG_MM_PAGEREF_IP_BITS 48
#define LTTNG_MM_PAGEREF_NODE_BITS 8
#define LTTNG_MM_PAGEREF_KIND_BITS 3

/* A field is all ones if its value does not fit. pageref_touch_wide has the value. */
#define LTTNG_MM_PAGEREF_MM_ONES ((1u << LTTNG_MM_PAGEREF_MM_BITS) - 1)
#define LTTNG_MM_PAGEREF_ADDRESS_ONES ((1ull << LTTNG_MM_PAGEREF_ADDRESS_BITS) - 1)

#define LTTNG_MM_PAGEREF_TOUCH_BITS                                                              \
	(LTTNG_MM_PAGEREF_TID_BITS + LTTNG_MM_PAGEREF_MM_BITS + LTTNG_MM_PAGEREF_ADDRESS_BITS +  \
	 LTTNG_MM_PAGEREF_IP_BITS + LTTNG_MM_PAGEREF_NODE_BITS + LTTNG_MM_PAGEREF_KIND_BITS + 3)
#define LTTNG_MM_PAGEREF_TOUCH_BYTES (LTTNG_MM_PAGEREF_TOUCH_BITS / 8)

/*
 * How a touch was noticed. X(NAME, NUMBER): NAME is also the label.
 *
 *   ARMED      the page was marked; the first touch since then
 *   DEMAND     the page was not mapped
 *   SWAP_IN    the page was in swap
 *   COPY       a write to a shared page: the process has a copy from now on
 *   NUMA_HINT  the kernel's NUMA balancing had marked the page
 *   MIGRATED   the page was being migrated
 */
#define LTTNG_MM_PAGEREF_KINDS(X) \
	X(ARMED, 0)               \
	X(DEMAND, 1)              \
	X(SWAP_IN, 2)             \
	X(COPY, 3)                \
	X(NUMA_HINT, 4)           \
	X(MIGRATED, 5)

/*
 * Why pages are gone. X(NAME, NUMBER)
 *
 *   UNMAP    the range was unmapped or moved: munmap(), mremap(), brk(), a mapping over it
 *   DISCARD  the pages were removed from the mapping: MADV_DONTNEED, truncation, a punched hole
 *   RECLAIM  reclaim removed the page: a file page, or a page given up with MADV_FREE
 *   EXIT     the address space is gone: the process has ended or executed a program
 */
#define LTTNG_MM_PAGEREF_CAUSES(X) \
	X(UNMAP, 0)                \
	X(DISCARD, 1)              \
	X(RECLAIM, 2)              \
	X(EXIT, 3)

/*
 * Why pages of a mapping are never marked. X(NAME, NUMBER)
 *
 *   HUGETLB       explicit huge pages
 *   DEVICE        device memory, or pages of a driver: VM_PFNMAP, VM_IO, VM_MIXEDMAP
 *   SHADOW_STACK  a shadow stack
 *   NO_ACCESS     the mapping permits no access (PROT_NONE)
 *   DAX           a DAX mapping of a device, or of a file unless `dax 1` is set
 */
#define LTTNG_MM_PAGEREF_REASONS(X) \
	X(HUGETLB, 0)               \
	X(DEVICE, 1)                \
	X(SHADOW_STACK, 2)          \
	X(NO_ACCESS, 3)             \
	X(DAX, 4)
#define LTTNG_MM_PAGEREF_REASONS_COUNT 5

#define LTTNG_MM_PAGEREF_KIND_VALUE(name, number) LTTNG_MM_PAGEREF_##name = number,
enum lttng_mm_pageref_kind {
	LTTNG_MM_PAGEREF_KINDS(LTTNG_MM_PAGEREF_KIND_VALUE) LTTNG_MM_PAGEREF_KIND_END,
};

#define LTTNG_MM_PAGEREF_CAUSE_VALUE(name, number) LTTNG_MM_PAGEREF_GONE_##name = number,
enum lttng_mm_pageref_cause {
	LTTNG_MM_PAGEREF_CAUSES(LTTNG_MM_PAGEREF_CAUSE_VALUE)
};

#define LTTNG_MM_PAGEREF_REASON_VALUE(name, number) LTTNG_MM_PAGEREF_LEFT_##name = number,
enum lttng_mm_pageref_reason {
	LTTNG_MM_PAGEREF_REASONS(LTTNG_MM_PAGEREF_REASON_VALUE)
};

#endif /* LTTNG_MM_WIRE_PAGEREF_H */
