/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DAX faults and write-back: the kernel's fs_dax tracepoints under their own names, and two
 * additional events that show why a huge-page fault fell back. Macros describe the fields and their
 * widths in bits (probes/lib/record.h). Fields follow each other from low to high bits, without
 * padding. doc/events.md describes every field.
 *
 * A value that does not fit in its packed field is recorded as all ones. The event's wide variant,
 * which is also recorded in this case, has the complete value. Rare events have fields of full
 * width and no wide variant.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H

#include <instrumentation/enums/dax.h>
#include <instrumentation/wire/dax.h>
#include <probes/lib/record.h>

/* Fields of all events: the thread and the file. */
#define lttng_mm_dax_where_fields						\
	lttng_mm_field_uint(tid, LTTNG_MM_DAX_TID_BITS),			\
	lttng_mm_field_uint(pid, LTTNG_MM_DAX_TID_BITS),			\
	lttng_mm_field_uint(dev_major, LTTNG_MM_DAX_MAJOR_BITS),		\
	lttng_mm_field_uint(dev_minor, LTTNG_MM_DAX_MINOR_BITS),		\
	lttng_mm_field_hex(ino, LTTNG_MM_DAX_INO_BITS)

#define lttng_mm_dax_where_wide_fields						\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_uint(pid, 32),						\
	lttng_mm_field_uint(dev_major, LTTNG_MM_DAX_MAJOR_BITS),		\
	lttng_mm_field_uint(dev_minor, LTTNG_MM_DAX_MINOR_BITS),		\
	lttng_mm_field_hex(ino, 64)

/* Flags of the mapping that faulted. */
#define lttng_mm_dax_vm_flags_fields						\
	lttng_mm_field_enum(vm_flags, LTTNG_MM_DAX_VM_FLAGS_BITS, &dax_vm_flags_43), \
	lttng_mm_field_enum(vm_flag_63, 1, &dax_vm_flag_63)

#define lttng_mm_dax_vm_flags_wide_fields					\
	lttng_mm_field_enum(vm_flags, 63, &dax_vm_flags_63),			\
	lttng_mm_field_enum(vm_flag_63, 1, &dax_vm_flag_63)

/*
 * Start and end of a huge-page fault on a DAX file. result is 0 at the start, and the outcome at
 * the end.
 */
#define lttng_mm_dax_pmd_fault_fields						\
	lttng_mm_dax_where_fields,						\
	lttng_mm_field_hex(vm_start, LTTNG_MM_DAX_ADDRESS_BITS),		\
	lttng_mm_field_hex(vm_end, LTTNG_MM_DAX_ADDRESS_BITS),			\
	lttng_mm_dax_vm_flags_fields,						\
	lttng_mm_field_hex(address, LTTNG_MM_DAX_ADDRESS_BITS),		\
	lttng_mm_field_hex(pgoff, LTTNG_MM_DAX_PGOFF_BITS),			\
	lttng_mm_field_hex(max_pgoff, LTTNG_MM_DAX_PGOFF_BITS),		\
	lttng_mm_field_enum(flags, LTTNG_MM_DAX_FLAGS_BITS, &dax_fault_flags_13), \
	lttng_mm_field_enum(result, LTTNG_MM_DAX_RESULT_BITS, &dax_fault_result_20)
#define lttng_mm_dax_pmd_fault_done_fields	lttng_mm_dax_pmd_fault_fields

#define lttng_mm_dax_pmd_fault_wide_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_field_hex(vm_start, 64),					\
	lttng_mm_field_hex(vm_end, 64),					\
	lttng_mm_dax_vm_flags_wide_fields,					\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_hex(pgoff, 64),						\
	lttng_mm_field_hex(max_pgoff, 64),					\
	lttng_mm_field_enum(flags, 32, &dax_fault_flags_32),			\
	lttng_mm_field_enum(result, 32, &dax_fault_result_32)
#define lttng_mm_dax_pmd_fault_done_wide_fields	lttng_mm_dax_pmd_fault_wide_fields

/* Start and end of a 4 KiB fault on a DAX file. */
#define lttng_mm_dax_pte_fault_fields						\
	lttng_mm_dax_where_fields,						\
	lttng_mm_dax_vm_flags_fields,						\
	lttng_mm_field_hex(address, LTTNG_MM_DAX_ADDRESS_BITS),		\
	lttng_mm_field_hex(pgoff, LTTNG_MM_DAX_PGOFF_BITS),			\
	lttng_mm_field_enum(flags, LTTNG_MM_DAX_FLAGS_BITS, &dax_fault_flags_13), \
	lttng_mm_field_enum(result, LTTNG_MM_DAX_RESULT_BITS, &dax_fault_result_20)
#define lttng_mm_dax_pte_fault_done_fields	lttng_mm_dax_pte_fault_fields
/* A 4 KiB read fault hit a hole, and the kernel mapped the zero page. */
#define lttng_mm_dax_load_hole_fields		lttng_mm_dax_pte_fault_fields
/* A page, 4 KiB or huge, was made writable after its metadata was written (MAP_SYNC). */
#define lttng_mm_dax_insert_pfn_mkwrite_fields	lttng_mm_dax_pte_fault_fields

#define lttng_mm_dax_pte_fault_wide_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_dax_vm_flags_wide_fields,					\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_hex(pgoff, 64),						\
	lttng_mm_field_enum(flags, 32, &dax_fault_flags_32),			\
	lttng_mm_field_enum(result, 32, &dax_fault_result_32)
#define lttng_mm_dax_pte_fault_done_wide_fields		lttng_mm_dax_pte_fault_wide_fields
#define lttng_mm_dax_load_hole_wide_fields		lttng_mm_dax_pte_fault_wide_fields
#define lttng_mm_dax_insert_pfn_mkwrite_wide_fields	lttng_mm_dax_pte_fault_wide_fields
/*
 * A page could not be made writable (MAP_SYNC), because its page cache entry is gone. The access
 * faults again. Rare.
 */
#define lttng_mm_dax_insert_pfn_mkwrite_no_entry_fields	lttng_mm_dax_pte_fault_wide_fields

/* A huge read fault hit a hole, and the kernel mapped the huge zero page. */
#define lttng_mm_dax_pmd_load_hole_fields					\
	lttng_mm_dax_where_fields,						\
	lttng_mm_dax_vm_flags_fields,						\
	lttng_mm_field_hex(address, LTTNG_MM_DAX_ADDRESS_BITS),		\
	lttng_mm_field_hex(zero_pfn, LTTNG_MM_DAX_PFN_BITS),			\
	lttng_mm_field_hex(radix_entry, LTTNG_MM_DAX_ENTRY_BITS)

#define lttng_mm_dax_pmd_load_hole_wide_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_dax_vm_flags_wide_fields,					\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_hex(zero_pfn, 64),					\
	lttng_mm_field_hex(radix_entry, 64)
/* The huge zero page was not mapped: none existed, or (before 7.2) another thread was faster. */
#define lttng_mm_dax_pmd_load_hole_fallback_fields	lttng_mm_dax_pmd_load_hole_wide_fields

/*
 * Start and end of the write-back of dirty pages in a range of a file. end_index is the last page
 * of the range.
 */
#define lttng_mm_dax_writeback_range_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_field_hex(start_index, 64),					\
	lttng_mm_field_hex(end_index, 64)
#define lttng_mm_dax_writeback_range_done_fields	lttng_mm_dax_writeback_range_fields

/* Write-back flushed one page cache entry (a page or a huge page). */
#define lttng_mm_dax_writeback_one_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_field_hex(pgoff, 64),						\
	lttng_mm_field_hex(pglen, 64)

/*
 * Added by this probe: the extent that the filesystem returned for a huge-page fault. Fires only
 * for huge-page faults, between dax_pmd_fault and dax_pmd_fault_done (probes/dax/hooks.c).
 */
#define lttng_mm_dax_fault_extent_fields					\
	lttng_mm_dax_where_fields,						\
	lttng_mm_field_hex(pos, LTTNG_MM_DAX_POS_BITS),			\
	lttng_mm_field_uint(len, LTTNG_MM_DAX_LEN_BITS),			\
	lttng_mm_field_enum(flags, LTTNG_MM_DAX_REQUEST_BITS, &dax_iomap_request_16), \
	lttng_mm_field_hex(extent_offset, LTTNG_MM_DAX_POS_BITS),		\
	lttng_mm_field_hex(extent_length, LTTNG_MM_DAX_POS_BITS),		\
	lttng_mm_field_hex(extent_addr, LTTNG_MM_DAX_DEVICE_BITS),		\
	lttng_mm_field_enum(extent_type, LTTNG_MM_DAX_TYPE_BITS, &dax_extent_type_8), \
	lttng_mm_field_enum(extent_flags, LTTNG_MM_DAX_EXTENT_BITS, &dax_extent_flags)

#define lttng_mm_dax_fault_extent_wide_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_field_hex(pos, 64),						\
	lttng_mm_field_uint(len, 64),						\
	lttng_mm_field_enum(flags, 32, &dax_iomap_request_32),			\
	lttng_mm_field_hex(extent_offset, 64),					\
	lttng_mm_field_hex(extent_length, 64),					\
	lttng_mm_field_hex(extent_addr, 64),					\
	lttng_mm_field_enum(extent_type, 16, &dax_extent_type_16),		\
	lttng_mm_field_enum(extent_flags, 16, &dax_extent_flags)

/*
 * Added by this probe. Fires after the dax_pmd_fault_done of a huge-page fault that fell back.
 * Describes the first page cache entry in the fault's range that covers a single page.
 */
#define lttng_mm_dax_pmd_fallback_fields					\
	lttng_mm_dax_where_wide_fields,					\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_hex(pgoff, 64),						\
	lttng_mm_field_hex(entry_pgoff, 64),					\
	lttng_mm_field_hex(radix_entry, 64)

/* Records of the full-width events, in the layout of the fields above. */
struct lttng_mm_dax_where {
	u32 tid;
	u32 pid;
	u32 dev; /* dev_major is in the low bits */
	u64 ino;
} __packed;

struct lttng_mm_dax_pmd_values {
	struct lttng_mm_dax_where where;
	u64 vm_start;
	u64 vm_end;
	u64 vm_flags; /* includes vm_flag_63 */
	u64 address;
	u64 pgoff;
	u64 max_pgoff;
	u32 flags;
	u32 result;
} __packed;

struct lttng_mm_dax_pte_values {
	struct lttng_mm_dax_where where;
	u64 vm_flags;
	u64 address;
	u64 pgoff;
	u32 flags;
	u32 result;
} __packed;

struct lttng_mm_dax_hole_values {
	struct lttng_mm_dax_where where;
	u64 vm_flags;
	u64 address;
	u64 zero_pfn;
	u64 radix_entry;
} __packed;

struct lttng_mm_dax_extent_values {
	struct lttng_mm_dax_where where;
	u64 pos;
	u64 len;
	u32 flags;
	u64 extent_offset;
	u64 extent_length;
	u64 extent_addr;
	u16 extent_type;
	u16 extent_flags;
} __packed;

struct lttng_mm_dax_range_values {
	struct lttng_mm_dax_where where;
	u64 first; /* start_index or pgoff */
	u64 second; /* end_index or pglen */
} __packed;

#define LTTNG_MM_DAX_RECORD(_event, _values)		\
	struct lttng_mm_##_event {			\
		struct lttng_mm_header header;		\
		struct lttng_mm_dax_##_values values;	\
	} __packed

LTTNG_MM_DAX_RECORD(dax_pmd_fault_wide, pmd_values);
LTTNG_MM_DAX_RECORD(dax_pmd_fault_done_wide, pmd_values);
LTTNG_MM_DAX_RECORD(dax_pte_fault_wide, pte_values);
LTTNG_MM_DAX_RECORD(dax_pte_fault_done_wide, pte_values);
LTTNG_MM_DAX_RECORD(dax_load_hole_wide, pte_values);
LTTNG_MM_DAX_RECORD(dax_insert_pfn_mkwrite_wide, pte_values);
LTTNG_MM_DAX_RECORD(dax_insert_pfn_mkwrite_no_entry, pte_values);
LTTNG_MM_DAX_RECORD(dax_pmd_load_hole_wide, hole_values);
LTTNG_MM_DAX_RECORD(dax_pmd_load_hole_fallback, hole_values);
LTTNG_MM_DAX_RECORD(dax_writeback_range, range_values);
LTTNG_MM_DAX_RECORD(dax_writeback_range_done, range_values);
LTTNG_MM_DAX_RECORD(dax_writeback_one, range_values);
LTTNG_MM_DAX_RECORD(dax_fault_extent_wide, extent_values);

struct lttng_mm_dax_pmd_fallback {
	struct lttng_mm_header header;
	struct lttng_mm_dax_where where;
	u64 address;
	u64 pgoff;
	u64 entry_pgoff;
	u64 radix_entry;
} __packed;

/* L(PROVIDER, EVENT, BYTES, HOOK): a packed event. W(PROVIDER, EVENT, HOOK): a full-width event. */
#define lttng_mm_dax_packed_events(L)						\
	L(dax, dax_pmd_fault, LTTNG_MM_DAX_PMD_FAULT_BYTES, pmd_fault)		\
	L(dax, dax_pmd_fault_done, LTTNG_MM_DAX_PMD_FAULT_BYTES, pmd_fault_done) \
	L(dax, dax_pmd_load_hole, LTTNG_MM_DAX_LOAD_HOLE_BYTES, pmd_load_hole)	\
	L(dax, dax_pte_fault, LTTNG_MM_DAX_PTE_FAULT_BYTES, pte_fault)		\
	L(dax, dax_pte_fault_done, LTTNG_MM_DAX_PTE_FAULT_BYTES, pte_fault_done) \
	L(dax, dax_load_hole, LTTNG_MM_DAX_PTE_FAULT_BYTES, load_hole)		\
	L(dax, dax_insert_pfn_mkwrite, LTTNG_MM_DAX_PTE_FAULT_BYTES, insert_pfn_mkwrite) \
	L(dax, dax_fault_extent, LTTNG_MM_DAX_EXTENT_BYTES, iomap)

#define lttng_mm_dax_wide_events(W)						\
	W(dax, dax_pmd_fault_wide, pmd_fault)					\
	W(dax, dax_pmd_fault_done_wide, pmd_fault_done)			\
	W(dax, dax_pmd_load_hole_wide, pmd_load_hole)				\
	W(dax, dax_pmd_load_hole_fallback, pmd_load_hole_fallback)		\
	W(dax, dax_pte_fault_wide, pte_fault)					\
	W(dax, dax_pte_fault_done_wide, pte_fault_done)			\
	W(dax, dax_load_hole_wide, load_hole)					\
	W(dax, dax_insert_pfn_mkwrite_wide, insert_pfn_mkwrite)		\
	W(dax, dax_insert_pfn_mkwrite_no_entry, insert_pfn_mkwrite_no_entry)	\
	W(dax, dax_writeback_range, writeback_range)				\
	W(dax, dax_writeback_range_done, writeback_range_done)			\
	W(dax, dax_writeback_one, writeback_one)				\
	W(dax, dax_fault_extent_wide, iomap)					\
	W(dax, dax_pmd_fallback, pmd_fault_done)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_DAX_H */
