/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DAX faults and write-back: the kernel's fs_dax tracepoints under their own names, and two events
 * of our own that show why a huge-page fault fell back. doc/events.md describes every field.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM dax

#if !defined(LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H) || defined(TRACE_HEADER_MULTI_READ)
#define LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H

#include <lttng/tracepoint-event.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <instrumentation/enums/dax.h>
#include <probes/compat/dax-entry.h>

LTTNG_TRACEPOINT_ENUM(dax_vm_flags,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_62(lttng_mm_vm_flag_entry)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_vm_flag_63,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		ctf_enum_value(lttng_mm_vm_flag_name(63), 1ULL)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_fault_flags,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_31(lttng_mm_fault_flag_entry)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_fault_result,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_31(lttng_mm_fault_result_entry)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_iomap_request,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_31(lttng_mm_iomap_request_entry)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_extent_type,
	TP_ENUM_VALUES(
		ctf_enum_value("HOLE", (u64)IOMAP_HOLE)
		ctf_enum_value("DELALLOC", (u64)IOMAP_DELALLOC)
		ctf_enum_value("MAPPED", (u64)IOMAP_MAPPED)
		ctf_enum_value("UNWRITTEN", (u64)IOMAP_UNWRITTEN)
		ctf_enum_value("INLINE", (u64)IOMAP_INLINE)
		ctf_enum_range("OTHER", IOMAP_INLINE + 1ULL, (u64)U16_MAX)
	)
)

LTTNG_TRACEPOINT_ENUM(dax_extent_flags,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_15(lttng_mm_iomap_flag_entry)
	)
)

/* What every event begins with: who, and on which file. */
#undef dax_common_fields
#define dax_common_fields(inode)					\
	ctf_integer(s32, tid, current->pid)				\
	ctf_integer(s32, pid, current->tgid)				\
	ctf_integer(u16, dev_major, MAJOR((inode)->i_sb->s_dev))	\
	ctf_integer(u32, dev_minor, MINOR((inode)->i_sb->s_dev))	\
	ctf_integer_hex(u64, ino, (inode)->i_ino)

/* What the mapping that faulted allows and is. */
#undef dax_vm_flags_fields
#define dax_vm_flags_fields(vma)					\
	ctf_enum(dax_vm_flags, u64, vm_flags, LTTNG_MM_VM_FLAGS_0_62((vma)->vm_flags))	\
	ctf_enum(dax_vm_flag_63, u8, vm_flag_63, LTTNG_MM_VM_FLAG_63((vma)->vm_flags))

LTTNG_TRACEPOINT_EVENT_CLASS(dax_pmd_fault_class,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, pgoff_t max_pgoff, int result),

	TP_ARGS(inode, vmf, max_pgoff, result),

	TP_FIELDS(
		dax_common_fields(inode)
		ctf_integer_hex(u64, vm_start, vmf->vma->vm_start)
		ctf_integer_hex(u64, vm_end, vmf->vma->vm_end)
		dax_vm_flags_fields(vmf->vma)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer_hex(u64, pgoff, vmf->pgoff)
		ctf_integer_hex(u64, max_pgoff, max_pgoff)
		ctf_enum(dax_fault_flags, u32, flags, vmf->flags)
		ctf_enum(dax_fault_result, u32, result, result)
	)
)

/* A huge-page fault on a DAX file begins. result is 0. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pmd_fault_class, dax_pmd_fault,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, pgoff_t max_pgoff, int result),
	TP_ARGS(inode, vmf, max_pgoff, result)
)

/* It ends; result says how. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pmd_fault_class, dax_pmd_fault_done,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, pgoff_t max_pgoff, int result),
	TP_ARGS(inode, vmf, max_pgoff, result)
)

LTTNG_TRACEPOINT_EVENT_CLASS(dax_pmd_load_hole_class,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, lttng_mm_huge_zero_t *zero,
		void *radix_entry),

	TP_ARGS(inode, vmf, zero, radix_entry),

	TP_FIELDS(
		dax_common_fields(inode)
		dax_vm_flags_fields(vmf->vma)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer_hex(u64, zero_pfn, lttng_mm_huge_zero_pfn(zero))
		ctf_integer_hex(u64, radix_entry, (unsigned long)radix_entry)
	)
)

/* A read of a hole was given the huge zero page. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pmd_load_hole_class, dax_pmd_load_hole,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, lttng_mm_huge_zero_t *zero,
		void *radix_entry),
	TP_ARGS(inode, vmf, zero, radix_entry)
)

/* It was not: no huge zero page, or (before 7.2) a race lost. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pmd_load_hole_class, dax_pmd_load_hole_fallback,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, lttng_mm_huge_zero_t *zero,
		void *radix_entry),
	TP_ARGS(inode, vmf, zero, radix_entry)
)

LTTNG_TRACEPOINT_EVENT_CLASS(dax_pte_fault_class,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),

	TP_ARGS(inode, vmf, result),

	TP_FIELDS(
		dax_common_fields(inode)
		dax_vm_flags_fields(vmf->vma)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer_hex(u64, pgoff, vmf->pgoff)
		ctf_enum(dax_fault_flags, u32, flags, vmf->flags)
		ctf_enum(dax_fault_result, u32, result, result)
	)
)

/* A 4 KiB fault on a DAX file begins. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pte_fault_class, dax_pte_fault,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),
	TP_ARGS(inode, vmf, result)
)

/* It ends; result says how. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pte_fault_class, dax_pte_fault_done,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),
	TP_ARGS(inode, vmf, result)
)

/* A 4 KiB read of a hole was given the zero page. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pte_fault_class, dax_load_hole,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),
	TP_ARGS(inode, vmf, result)
)

/* A page is to become writable (MAP_SYNC), but its entry is gone: the access faults again. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pte_fault_class, dax_insert_pfn_mkwrite_no_entry,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),
	TP_ARGS(inode, vmf, result)
)

/* A page, 4 KiB or huge, became writable after its metadata was written (MAP_SYNC). */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_pte_fault_class, dax_insert_pfn_mkwrite,
	TP_PROTO(struct inode *inode, struct vm_fault *vmf, int result),
	TP_ARGS(inode, vmf, result)
)

#ifdef LTTNG_MM_HAVE_DAX_INSERT_MAPPING
LTTNG_TRACEPOINT_ENUM(dax_pfn_flags,
	TP_ENUM_VALUES(
		ctf_enum_value("NONE", 0ULL)
		lttng_mm_bits_0_15(lttng_mm_pfn_flag_entry)
	)
)

/* Declared by 6.1 and 6.12, fired by neither. */
LTTNG_TRACEPOINT_EVENT(dax_pmd_insert_mapping,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, long length, pfn_t pfn,
		void *radix_entry),

	TP_ARGS(inode, vmf, length, pfn, radix_entry),

	TP_FIELDS(
		dax_common_fields(inode)
		dax_vm_flags_fields(vmf->vma)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer(u8, write, !!(vmf->flags & FAULT_FLAG_WRITE))
		ctf_integer(s64, length, length)
		ctf_integer_hex(u64, pfn, pfn.val & ~PFN_FLAGS_MASK)
		ctf_enum(dax_pfn_flags, u16, pfn_flags, pfn.val >> LTTNG_MM_PFN_FLAGS_SHIFT)
		ctf_integer_hex(u64, radix_entry, (unsigned long)radix_entry)
	)
)

/* Declared by 6.1 and 6.12, fired by neither. */
LTTNG_TRACEPOINT_EVENT(dax_insert_mapping,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, void *radix_entry),

	TP_ARGS(inode, vmf, radix_entry),

	TP_FIELDS(
		dax_common_fields(inode)
		dax_vm_flags_fields(vmf->vma)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer(u8, write, !!(vmf->flags & FAULT_FLAG_WRITE))
		ctf_integer_hex(u64, radix_entry, (unsigned long)radix_entry)
	)
)
#endif

LTTNG_TRACEPOINT_EVENT_CLASS(dax_writeback_range_class,

	TP_PROTO(struct inode *inode, pgoff_t start_index, pgoff_t end_index),

	TP_ARGS(inode, start_index, end_index),

	TP_FIELDS(
		dax_common_fields(inode)
		ctf_integer_hex(u64, start_index, start_index)
		ctf_integer_hex(u64, end_index, end_index)
	)
)

/* The dirty pages of a range of a file are about to be flushed to the device. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_writeback_range_class, dax_writeback_range,
	TP_PROTO(struct inode *inode, pgoff_t start_index, pgoff_t end_index),
	TP_ARGS(inode, start_index, end_index)
)

/* They have been, up to end_index. */
LTTNG_TRACEPOINT_EVENT_INSTANCE(dax_writeback_range_class, dax_writeback_range_done,
	TP_PROTO(struct inode *inode, pgoff_t start_index, pgoff_t end_index),
	TP_ARGS(inode, start_index, end_index)
)

/* One page cache entry (a page or a huge page) has been flushed. */
LTTNG_TRACEPOINT_EVENT(dax_writeback_one,

	TP_PROTO(struct inode *inode, pgoff_t pgoff, pgoff_t pglen),

	TP_ARGS(inode, pgoff, pglen),

	TP_FIELDS(
		dax_common_fields(inode)
		ctf_integer_hex(u64, pgoff, pgoff)
		ctf_integer_hex(u64, pglen, pglen)
	)
)

/*
 * Ours: the extent that the filesystem named for a huge-page fault, between dax_pmd_fault and
 * dax_pmd_fault_done. Recorded only for those faults (see probes/dax-evidence.h).
 */
LTTNG_TRACEPOINT_EVENT_MAP(iomap_iter_dstmap,

	dax_fault_extent,

	TP_PROTO(struct inode *inode, struct iomap *iomap),

	TP_ARGS(inode, iomap),

	TP_FIELDS(
		dax_common_fields(inode)
		ctf_integer_hex(u64, pos, lttng_mm_iomap_iter(iomap)->pos)
		ctf_integer(u64, len, lttng_mm_iomap_iter(iomap)->len)
		ctf_enum(dax_iomap_request, u32, flags, lttng_mm_iomap_iter(iomap)->flags)
		ctf_integer_hex(u64, extent_offset, iomap->offset)
		ctf_integer_hex(u64, extent_length, iomap->length)
		ctf_integer_hex(u64, extent_addr, iomap->addr)
		ctf_enum(dax_extent_type, u16, extent_type, iomap->type)
		ctf_enum(dax_extent_flags, u16, extent_flags, iomap->flags)
	)
)

/*
 * Ours: what the page cache held when a huge-page fault fell back, beside its dax_pmd_fault_done.
 * Recorded only when it did (see probes/dax-evidence.h).
 */
LTTNG_TRACEPOINT_EVENT_CODE_MAP(dax_pmd_fault_done,

	dax_pmd_fallback,

	TP_PROTO(struct inode *inode, struct vm_fault *vmf, pgoff_t max_pgoff, int result),

	TP_ARGS(inode, vmf, max_pgoff, result),

	TP_locvar(
		struct lttng_mm_dax_entry small;
	),

	TP_code_pre(
		lttng_mm_dax_find_page_entry(inode->i_mapping, vmf->pgoff, &tp_locvar->small);
	),

	TP_FIELDS(
		dax_common_fields(inode)
		ctf_integer_hex(u64, address, vmf->address)
		ctf_integer_hex(u64, pgoff, vmf->pgoff)
		ctf_integer_hex(u64, entry_pgoff, tp_locvar->small.pgoff)
		ctf_integer_hex(u64, radix_entry, tp_locvar->small.entry)
	),

	TP_code_post()
)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H */

/* Outside of the guard: read once per stage. */
#include <lttng/define_trace.h>
