/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Why a huge-page DAX fault was not mapped by a huge page: the kernel's own checks, in its order.
 */
#ifndef LTTNG_MM_DAX_CAUSE_H
#define LTTNG_MM_DAX_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which dax_iomap_pmd_fault() checks; the first failed check counts. */
enum dax_cause {
	DAX_CAUSE_MAPPING_MISALIGNED,
	DAX_CAUSE_PRIVATE_WRITE,
	DAX_CAUSE_STARTS_BEFORE_VMA,
	DAX_CAUSE_ENDS_AFTER_VMA,
	DAX_CAUSE_PAST_EOF,
	DAX_CAUSE_PTE_ENTRY,
	DAX_CAUSE_OOM,
	DAX_CAUSE_RACE,
	DAX_CAUSE_FS_ERROR,
	DAX_CAUSE_EXTENT_SHORT,
	DAX_CAUSE_HOLE_NO_ZERO_PAGE,
	DAX_CAUSE_EXTENT_MISALIGNED,
	DAX_CAUSE_DEVICE_MISALIGNED,
	DAX_CAUSE_UNDETERMINED,
	DAX_CAUSE_COUNT,
};

struct dax_cause_info {
	const char *id;	    /* stable: in metrics and JSON */
	const char *why;    /* one line */
	const char *remedy; /* one line */
};

extern const struct dax_cause_info dax_cause_info[DAX_CAUSE_COUNT];

/*
 * Bits of the kernel's enumerations that the checks use. They are numbers here because they are the
 * same in every kernel that the probe is built for, 6.1 to 7.2, and traces of other probes need not
 * label them. Bits that differ between kernels are not checked, only shown, by the labels of the
 * trace's metadata (enum dax_label_field).
 */
#define DAX_FLAG_WRITE 0x1u
#define DAX_FLAG_MKWRITE 0x2u
#define DAX_VM_SHARED 0x8u
#define DAX_VM_NOHUGEPAGE 0x40000000u
#define DAX_RESULT_OOM 0x1u
#define DAX_RESULT_SIGBUS 0x2u
#define DAX_RESULT_NOPAGE 0x100u
#define DAX_RESULT_LOCKED 0x200u
#define DAX_RESULT_RETRY 0x400u
#define DAX_RESULT_FALLBACK 0x800u
#define DAX_RESULT_DONE_COW 0x1000u
#define DAX_RESULT_NEEDDSYNC 0x2000u
#define DAX_RESULT_UNKNOWN UINT32_MAX /* not in the trace */

/* include/linux/iomap.h; the same in these kernels, too */
#define DAX_IOMAP_HOLE 0u
#define DAX_IOMAP_MAPPED 2u
#define DAX_IOMAP_UNWRITTEN 3u

#define DAX_PAGE_SIZE 4096ull
#define DAX_PMD_SIZE (2ull << 20)
#define DAX_PMD_PAGES (DAX_PMD_SIZE / DAX_PAGE_SIZE)

/* The values of one huge-page fault that are in the trace. */
struct dax_evidence {
	uint64_t vm_start, vm_end, vm_flags, address;
	uint64_t pgoff, max_pgoff; /* pages */
	uint32_t flags, result;
	bool incomplete; /* one of all these values is not known */

	bool extent_declared; /* the trace records dax_fault_extent at all */
	bool extent_seen;     /* ... and has one in this fault */
	uint64_t extent_pos;  /* bytes: the range's start in the file */
	uint64_t extent_offset, extent_length, extent_addr;
	uint32_t extent_type;

	bool entry_declared; /* the trace records dax_pmd_fallback */
	bool entry_seen;     /* ... and has one for this fault */
	uint64_t entry;	     /* radix_entry: 0 when there was none */

	bool hole_fallback_seen; /* dax_pmd_load_hole_fallback */
	uint64_t hole_zero_pfn;	 /* 0: there was no huge zero page */

	int device_aligned; /* the device's memory: 1 aligned to 2 MiB, 0 not, -1 unknown */
};

/* Was it a read of a hole? If it falls back, dax_pmd_load_hole_fallback shows the cause. */
bool dax_cause_is_hole(const struct dax_evidence *evidence);

/*
 * The checks that failed, as a bit mask of 1 << enum dax_cause, and in @first the first of them. 0
 * when the fault was mapped, or was a SIGBUS because it was completely past the end of the file.
 */
uint32_t dax_cause_find(const struct dax_evidence *evidence, enum dax_cause *first);

#endif /* LTTNG_MM_DAX_CAUSE_H */
