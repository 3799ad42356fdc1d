/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds out why the kernel did not map a huge page, by repeating the kernel's checks in order. */
#ifndef LTTNG_MM_DAX_CAUSE_H
#define LTTNG_MM_DAX_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* Causes, in the order of the checks in dax_iomap_pmd_fault(). The first failed check counts. */
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
	const char *id; /* stable: used in metrics and JSON */
	const char *why;
	const char *remedy;
};

extern const struct dax_cause_info dax_cause_info[DAX_CAUSE_COUNT];

/*
 * Bits of the kernel's enumerations that the checks need. The checks cannot use the labels in the
 * trace, because traces of other probes may lack labels. The numbers are the same in all supported
 * kernels, 6.1 to 7.2. Bits that differ between kernels are not checked, only shown with labels
 * from the trace's metadata (enum dax_label_field).
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
#define DAX_RESULT_UNKNOWN UINT32_MAX /* the trace contains no result */

/* The values are from include/linux/iomap.h, and equal in all supported kernels. */
#define DAX_IOMAP_HOLE 0u
#define DAX_IOMAP_MAPPED 2u
#define DAX_IOMAP_UNWRITTEN 3u

#define DAX_PAGE_SIZE 4096ull
#define DAX_PMD_SIZE (2ull << 20)
#define DAX_PMD_PAGES (DAX_PMD_SIZE / DAX_PAGE_SIZE)

/* The recorded values of one huge-page fault. */
struct dax_evidence {
	uint64_t vm_start, vm_end, vm_flags, address;
	uint64_t pgoff, max_pgoff; /* both in pages */
	uint32_t flags, result;
	bool incomplete; /* at least one of the values above is unknown */

	bool extent_declared; /* the trace records dax_fault_extent events */
	bool extent_seen;     /* the fault has a dax_fault_extent event */
	uint64_t extent_pos;  /* start of the range in the file, in bytes */
	uint64_t extent_offset, extent_length, extent_addr;
	uint32_t extent_type;

	bool entry_declared; /* the trace records dax_pmd_fallback events */
	bool entry_seen;     /* the fault has a dax_pmd_fallback event */
	uint64_t entry;	     /* radix_entry; 0: the page cache had no entry */

	bool hole_fallback_seen; /* the fault has a dax_pmd_load_hole_fallback event */
	uint64_t hole_zero_pfn;	 /* 0: there was no huge zero page */

	int device_aligned; /* is the device aligned to 2 MiB? 1, 0, or -1: unknown */
};

/*
 * Did the fault read a hole? If such a fault falls back, its dax_pmd_load_hole_fallback event shows
 * why.
 */
bool dax_cause_is_hole(const struct dax_evidence *evidence);

/*
 * Returns the failed checks as a mask of 1 << enum dax_cause. *@first receives the first failed
 * check. Returns 0 if the result is unknown or the fault mapped a page. Also returns 0 if the fault
 * got SIGBUS because it was past the end of the file.
 */
uint32_t dax_cause_find(const struct dax_evidence *evidence, enum dax_cause *first);

#endif /* LTTNG_MM_DAX_CAUSE_H */
