// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Classifies huge-page DAX faults.
 *
 * The checks follow the order of dax_iomap_pmd_fault(), dax_fault_check_fallback(),
 * grab_mapping_entry(), dax_fault_iter() and dax_iomap_direct_access() in fs/dax.c. These functions
 * make the same checks in Linux 6.1, 6.12 and 7.2.
 */
#include "analysis/dax/cause.h"

const struct dax_cause_info dax_cause_info[DAX_CAUSE_COUNT] = {
	[DAX_CAUSE_MAPPING_MISALIGNED] = {
		"mapping-misaligned",
		"address and file offset are not congruent modulo 2 MiB",
		"map at an address congruent to the file offset modulo 2 MiB: reserve 2 MiB more, align, mmap with MAP_FIXED",
	},
	[DAX_CAUSE_PRIVATE_WRITE] = {
		"private-write",
		"write to a private mapping: the kernel copies 4 KiB pages",
		"map with MAP_SHARED, or expect 4 KiB copies",
	},
	[DAX_CAUSE_STARTS_BEFORE_VMA] = {
		"starts-before-vma",
		"the 2 MiB range starts before the mapping does",
		"start the mapping on a 2 MiB boundary of the file and of the address space",
	},
	[DAX_CAUSE_ENDS_AFTER_VMA] = {
		"ends-after-vma",
		"the 2 MiB range ends after the mapping does",
		"make the mapping's length a multiple of 2 MiB",
	},
	[DAX_CAUSE_PAST_EOF] = {
		"past-eof",
		"the 2 MiB range reaches past the end of the file",
		"extend the file to a multiple of 2 MiB (ftruncate, fallocate) before mapping it",
	},
	[DAX_CAUSE_PTE_ENTRY] = {
		"pte-entry",
		"the file's page-cache index, which DAX uses, too, has a 4 KiB entry of the same range",
		"make the first access to the range one that can map a huge page; a 4 KiB entry stays until the file is truncated or its inode is dropped (umount)",
	},
	[DAX_CAUSE_OOM] = {
		"oom",
		"out of memory for the page cache entry or the page table",
		"free memory, or raise the memory cgroup's limit",
	},
	[DAX_CAUSE_RACE] = {
		"race",
		"another thread mapped the range while this fault ran; the fault is retried",
		"nothing to do, unless it is frequent: then touch each 2 MiB range from one thread first",
	},
	[DAX_CAUSE_FS_ERROR] = {
		"fs-error",
		"the filesystem returned an error instead of an extent (no space, I/O error)",
		"check df and dmesg; allocate the file's blocks up front with fallocate",
	},
	[DAX_CAUSE_EXTENT_SHORT] = {
		"extent-short",
		"the filesystem's extent does not cover the 2 MiB range",
		"allocate in 2 MiB steps: fallocate the whole file; XFS: extsize hint of 2 MiB; ext4: -E stride=512,stripe_width=512",
	},
	[DAX_CAUSE_HOLE_NO_ZERO_PAGE] = {
		"hole-no-zero-page",
		"read of a hole, and no huge zero page was available",
		"free memory, or allocate the blocks with fallocate and write them before reading",
	},
	[DAX_CAUSE_EXTENT_MISALIGNED] = {
		"extent-misaligned",
		"the extent does not start on a 2 MiB boundary of the device",
		"make the filesystem align to 2 MiB (ext4: -E stride=512,stripe_width=512; XFS: -d su=2m,sw=1) and partitions too; then rewrite the file",
	},
	[DAX_CAUSE_DEVICE_MISALIGNED] = {
		"device-misaligned",
		"the extent is aligned, but the device's own memory is not",
		"recreate the namespace with 2 MiB alignment: ndctl create-namespace --align=2M",
	},
	[DAX_CAUSE_UNDETERMINED] = {
		"undetermined",
		"the trace does not show the cause",
		"record dax_fault_extent and dax_pmd_fallback too: lttng-mm record dax",
	},
};

/* Checks the fault's own fields. Returns the failed checks. */
static uint32_t from_fields(const struct dax_evidence *e)
{
	uint64_t range = e->address & ~(DAX_PMD_SIZE - 1);
	uint64_t mask = DAX_PMD_PAGES - 1;
	uint32_t causes = 0;

	if ((e->pgoff & mask) != ((e->address / DAX_PAGE_SIZE) & mask))
		causes |= 1u << DAX_CAUSE_MAPPING_MISALIGNED;
	if ((e->flags & DAX_FLAG_WRITE) && !(e->vm_flags & DAX_VM_SHARED))
		causes |= 1u << DAX_CAUSE_PRIVATE_WRITE;
	if (range < e->vm_start)
		causes |= 1u << DAX_CAUSE_STARTS_BEFORE_VMA;
	if (range + DAX_PMD_SIZE > e->vm_end)
		causes |= 1u << DAX_CAUSE_ENDS_AFTER_VMA;
	if ((e->pgoff | mask) >= e->max_pgoff)
		causes |= 1u << DAX_CAUSE_PAST_EOF;
	return causes;
}

bool dax_cause_is_hole(const struct dax_evidence *e)
{
	return e->extent_seen && !(e->flags & DAX_FLAG_WRITE) &&
	       (e->extent_type == DAX_IOMAP_HOLE || e->extent_type == DAX_IOMAP_UNWRITTEN);
}

/* Checks the extent that the filesystem mapped. Returns the failed checks. */
static uint32_t from_extent(const struct dax_evidence *e)
{
	uint64_t end = e->extent_offset + e->extent_length;
	uint32_t causes = 0;

	if (end < e->extent_pos + DAX_PMD_SIZE)
		causes |= 1u << DAX_CAUSE_EXTENT_SHORT;
	if (dax_cause_is_hole(e)) {
		if (e->hole_fallback_seen)
			causes |= 1u << (e->hole_zero_pfn ? DAX_CAUSE_RACE
							  : DAX_CAUSE_HOLE_NO_ZERO_PAGE);
		return causes;
	}
	if (e->extent_type == DAX_IOMAP_MAPPED &&
	    ((e->extent_addr + e->extent_pos - e->extent_offset) & (DAX_PMD_SIZE - 1)))
		causes |= 1u << DAX_CAUSE_EXTENT_MISALIGNED;
	if (!causes && e->extent_type == DAX_IOMAP_MAPPED && e->device_aligned == 0)
		causes |= 1u << DAX_CAUSE_DEVICE_MISALIGNED;
	return causes;
}

/*
 * Returns the failed checks that evidence events show.
 *
 * The kernel asks the filesystem for an extent only after it has locked the page cache entry. An
 * extent event therefore shows that an existing entry was not the cause. An entry that exists at
 * the end of the fault was inserted later. A missing extent event proves an error of the filesystem
 * only if the kernel called the filesystem (@asked).
 */
static uint32_t from_evidence(const struct dax_evidence *e, bool asked)
{
	if (e->extent_seen)
		return from_extent(e);
	if (e->entry_seen && e->entry)
		return 1u << DAX_CAUSE_PTE_ENTRY;
	if (asked && e->entry_seen && e->extent_declared)
		return 1u << DAX_CAUSE_FS_ERROR;
	return 0;
}

uint32_t dax_cause_find(const struct dax_evidence *e, enum dax_cause *first)
{
	uint32_t causes;

	*first = DAX_CAUSE_COUNT;
	if (e->result == DAX_RESULT_UNKNOWN)
		return 0;
	if (e->result & DAX_RESULT_OOM) {
		causes = 1u << DAX_CAUSE_OOM;
	} else if (!e->result) {
		causes = 1u << DAX_CAUSE_RACE;
	} else if (e->incomplete && e->result & DAX_RESULT_FALLBACK) {
		causes = 1u << DAX_CAUSE_UNDETERMINED;
	} else if (e->result & DAX_RESULT_FALLBACK) {
		causes = from_fields(e);
		causes |= from_evidence(e, !causes);
		if (!causes)
			causes = 1u << DAX_CAUSE_UNDETERMINED;
	} else {
		return 0;
	}
	*first = (enum dax_cause)__builtin_ctz(causes);
	return causes;
}
