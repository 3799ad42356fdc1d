/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of the flags in DAX events, derived from the kernel's constants. */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H

#include <instrumentation/enums/bits.h>
#include <probes/compat/fault-flags.h>
#include <probes/compat/iomap.h>
#include <probes/compat/vm-flags.h>

/* vma->vm_flags: bits 0 to 62 form one field, bit 63 another (see bits.h) */
#define LTTNG_MM_VM_FLAGS_0_62(flags)	((u64)(flags) & ~(1ULL << 63))
#define LTTNG_MM_VM_FLAG_63(flags)	((u8)((u64)(flags) >> 63))
#define lttng_mm_vm_flag_name(bit) (						\
	lttng_mm_is_bit(VM_READ, bit) ? "READ" :				\
	lttng_mm_is_bit(VM_WRITE, bit) ? "WRITE" :				\
	lttng_mm_is_bit(VM_EXEC, bit) ? "EXEC" :				\
	lttng_mm_is_bit(VM_SHARED, bit) ? "SHARED" :				\
	lttng_mm_is_bit(VM_MAYREAD, bit) ? "MAYREAD" :			\
	lttng_mm_is_bit(VM_MAYWRITE, bit) ? "MAYWRITE" :			\
	lttng_mm_is_bit(VM_MAYEXEC, bit) ? "MAYEXEC" :			\
	lttng_mm_is_bit(VM_MAYSHARE, bit) ? "MAYSHARE" :			\
	lttng_mm_is_bit(VM_GROWSDOWN, bit) ? "GROWSDOWN" :			\
	lttng_mm_is_bit(VM_UFFD_MISSING, bit) ? "UFFD_MISSING" :		\
	lttng_mm_is_bit(VM_PFNMAP, bit) ? "PFNMAP" :				\
	lttng_mm_is_bit(VM_MAYBE_GUARD, bit) ? "MAYBE_GUARD" :		\
	lttng_mm_is_bit(VM_UFFD_WP, bit) ? "UFFD_WP" :			\
	lttng_mm_is_bit(VM_LOCKED, bit) ? "LOCKED" :				\
	lttng_mm_is_bit(VM_IO, bit) ? "IO" :					\
	lttng_mm_is_bit(VM_SEQ_READ, bit) ? "SEQ_READ" :			\
	lttng_mm_is_bit(VM_RAND_READ, bit) ? "RAND_READ" :			\
	lttng_mm_is_bit(VM_DONTCOPY, bit) ? "DONTCOPY" :			\
	lttng_mm_is_bit(VM_DONTEXPAND, bit) ? "DONTEXPAND" :			\
	lttng_mm_is_bit(VM_LOCKONFAULT, bit) ? "LOCKONFAULT" :		\
	lttng_mm_is_bit(VM_ACCOUNT, bit) ? "ACCOUNT" :			\
	lttng_mm_is_bit(VM_NORESERVE, bit) ? "NORESERVE" :			\
	lttng_mm_is_bit(VM_HUGETLB, bit) ? "HUGETLB" :			\
	lttng_mm_is_bit(VM_SYNC, bit) ? "SYNC" :				\
	lttng_mm_is_bit(VM_ARCH_1, bit) ? "ARCH_1" :				\
	lttng_mm_is_bit(VM_WIPEONFORK, bit) ? "WIPEONFORK" :			\
	lttng_mm_is_bit(VM_DONTDUMP, bit) ? "DONTDUMP" :			\
	lttng_mm_is_bit(VM_SOFTDIRTY, bit) ? "SOFTDIRTY" :			\
	lttng_mm_is_bit(VM_MIXEDMAP, bit) ? "MIXEDMAP" :			\
	lttng_mm_is_bit(VM_HUGEPAGE, bit) ? "HUGEPAGE" :			\
	lttng_mm_is_bit(VM_NOHUGEPAGE, bit) ? "NOHUGEPAGE" :			\
	lttng_mm_is_bit(VM_MERGEABLE, bit) ? "MERGEABLE" :			\
	lttng_mm_is_bit(VM_PKEY_BIT0, bit) ? "PKEY_BIT0" :			\
	lttng_mm_is_bit(VM_PKEY_BIT1, bit) ? "PKEY_BIT1" :			\
	lttng_mm_is_bit(VM_PKEY_BIT2, bit) ? "PKEY_BIT2" :			\
	lttng_mm_is_bit(VM_PKEY_BIT3, bit) ? "PKEY_BIT3" :			\
	lttng_mm_is_bit(VM_SHADOW_STACK, bit) ? "SHADOW_STACK" :		\
	lttng_mm_is_bit(VM_UFFD_MINOR, bit) ? "UFFD_MINOR" :			\
	lttng_mm_is_bit(VM_ALLOW_ANY_UNCACHED, bit) ? "ALLOW_ANY_UNCACHED" :	\
	lttng_mm_is_bit(VM_DROPPABLE, bit) ? "DROPPABLE" :			\
	lttng_mm_is_bit(VM_SEALED, bit) ? "SEALED" :				\
	"bit" #bit)
#define lttng_mm_vm_flag_entry(bit) \
	lttng_kernel_static_enum_entry_value(lttng_mm_vm_flag_name(bit), 1ULL << (bit))

/* vmf->flags */
#define lttng_mm_fault_flag_name(bit) (					\
	lttng_mm_is_bit(FAULT_FLAG_WRITE, bit) ? "WRITE" :			\
	lttng_mm_is_bit(FAULT_FLAG_MKWRITE, bit) ? "MKWRITE" :		\
	lttng_mm_is_bit(FAULT_FLAG_ALLOW_RETRY, bit) ? "ALLOW_RETRY" :	\
	lttng_mm_is_bit(FAULT_FLAG_RETRY_NOWAIT, bit) ? "RETRY_NOWAIT" :	\
	lttng_mm_is_bit(FAULT_FLAG_KILLABLE, bit) ? "KILLABLE" :		\
	lttng_mm_is_bit(FAULT_FLAG_TRIED, bit) ? "TRIED" :			\
	lttng_mm_is_bit(FAULT_FLAG_USER, bit) ? "USER" :			\
	lttng_mm_is_bit(FAULT_FLAG_REMOTE, bit) ? "REMOTE" :			\
	lttng_mm_is_bit(FAULT_FLAG_INSTRUCTION, bit) ? "INSTRUCTION" :	\
	lttng_mm_is_bit(FAULT_FLAG_INTERRUPTIBLE, bit) ? "INTERRUPTIBLE" :	\
	lttng_mm_is_bit(FAULT_FLAG_UNSHARE, bit) ? "UNSHARE" :		\
	lttng_mm_is_bit(FAULT_FLAG_ORIG_PTE_VALID, bit) ? "ORIG_PTE_VALID" :	\
	lttng_mm_is_bit(LTTNG_MM_FAULT_FLAG_VMA_LOCK, bit) ? "VMA_LOCK" :		\
	"bit" #bit)
#define lttng_mm_fault_flag_entry(bit) \
	lttng_kernel_static_enum_entry_value(lttng_mm_fault_flag_name(bit), 1ULL << (bit))

/* vm_fault_t. The four HINDEX bits together are a number, the size of a poisoned huge page. */
#define lttng_mm_fault_result_name(bit) (					\
	lttng_mm_is_bit(VM_FAULT_OOM, bit) ? "OOM" :				\
	lttng_mm_is_bit(VM_FAULT_SIGBUS, bit) ? "SIGBUS" :			\
	lttng_mm_is_bit(VM_FAULT_MAJOR, bit) ? "MAJOR" :			\
	lttng_mm_is_bit(LTTNG_MM_VM_FAULT_WRITE, bit) ? "WRITE" :			\
	lttng_mm_is_bit(VM_FAULT_HWPOISON, bit) ? "HWPOISON" :		\
	lttng_mm_is_bit(VM_FAULT_HWPOISON_LARGE, bit) ? "HWPOISON_LARGE" :	\
	lttng_mm_is_bit(VM_FAULT_SIGSEGV, bit) ? "SIGSEGV" :			\
	lttng_mm_is_bit(VM_FAULT_NOPAGE, bit) ? "NOPAGE" :			\
	lttng_mm_is_bit(VM_FAULT_LOCKED, bit) ? "LOCKED" :			\
	lttng_mm_is_bit(VM_FAULT_RETRY, bit) ? "RETRY" :			\
	lttng_mm_is_bit(VM_FAULT_FALLBACK, bit) ? "FALLBACK" :		\
	lttng_mm_is_bit(VM_FAULT_DONE_COW, bit) ? "DONE_COW" :		\
	lttng_mm_is_bit(VM_FAULT_NEEDDSYNC, bit) ? "NEEDDSYNC" :		\
	lttng_mm_is_bit(VM_FAULT_COMPLETED, bit) ? "COMPLETED" :		\
	lttng_mm_is_bit(VM_FAULT_SET_HINDEX(1), bit) ? "HINDEX_BIT0" :	\
	lttng_mm_is_bit(VM_FAULT_SET_HINDEX(2), bit) ? "HINDEX_BIT1" :	\
	lttng_mm_is_bit(VM_FAULT_SET_HINDEX(4), bit) ? "HINDEX_BIT2" :	\
	lttng_mm_is_bit(VM_FAULT_SET_HINDEX(8), bit) ? "HINDEX_BIT3" :	\
	"bit" #bit)
#define lttng_mm_fault_result_entry(bit) \
	lttng_kernel_static_enum_entry_value(lttng_mm_fault_result_name(bit), 1ULL << (bit))

/* iomap_iter.flags: the operation for which the filesystem maps an extent */
#define lttng_mm_iomap_request_name(bit) (					\
	lttng_mm_is_bit(IOMAP_WRITE, bit) ? "WRITE" :				\
	lttng_mm_is_bit(IOMAP_ZERO, bit) ? "ZERO" :				\
	lttng_mm_is_bit(IOMAP_REPORT, bit) ? "REPORT" :			\
	lttng_mm_is_bit(IOMAP_FAULT, bit) ? "FAULT" :				\
	lttng_mm_is_bit(IOMAP_DIRECT, bit) ? "DIRECT" :			\
	lttng_mm_is_bit(IOMAP_NOWAIT, bit) ? "NOWAIT" :			\
	lttng_mm_is_bit(IOMAP_OVERWRITE_ONLY, bit) ? "OVERWRITE_ONLY" :	\
	lttng_mm_is_bit(IOMAP_UNSHARE, bit) ? "UNSHARE" :			\
	lttng_mm_is_bit(IOMAP_DAX, bit) ? "DAX" :				\
	lttng_mm_is_bit(IOMAP_ATOMIC, bit) ? "ATOMIC" :			\
	lttng_mm_is_bit(IOMAP_DONTCACHE, bit) ? "DONTCACHE" :			\
	"bit" #bit)
#define lttng_mm_iomap_request_entry(bit) \
	lttng_kernel_static_enum_entry_value(lttng_mm_iomap_request_name(bit), 1ULL << (bit))

/* iomap.flags: properties of the extent that the filesystem returned */
#define lttng_mm_iomap_flag_name(bit) (					\
	lttng_mm_is_bit(IOMAP_F_NEW, bit) ? "NEW" :				\
	lttng_mm_is_bit(IOMAP_F_DIRTY, bit) ? "DIRTY" :			\
	lttng_mm_is_bit(IOMAP_F_SHARED, bit) ? "SHARED" :			\
	lttng_mm_is_bit(IOMAP_F_MERGED, bit) ? "MERGED" :			\
	lttng_mm_is_bit(IOMAP_F_BUFFER_HEAD, bit) ? "BUFFER_HEAD" :		\
	lttng_mm_is_bit(IOMAP_F_ZONE_APPEND, bit) ? "ZONE_APPEND" :		\
	lttng_mm_is_bit(IOMAP_F_XATTR, bit) ? "XATTR" :			\
	lttng_mm_is_bit(IOMAP_F_BOUNDARY, bit) ? "BOUNDARY" :			\
	lttng_mm_is_bit(IOMAP_F_ANON_WRITE, bit) ? "ANON_WRITE" :		\
	lttng_mm_is_bit(IOMAP_F_ATOMIC_BIO, bit) ? "ATOMIC_BIO" :		\
	lttng_mm_is_bit(IOMAP_F_INTEGRITY, bit) ? "INTEGRITY" :		\
	lttng_mm_is_bit(IOMAP_F_ZERO_TAIL, bit) ? "ZERO_TAIL" :		\
	lttng_mm_is_bit(IOMAP_F_FSVERITY, bit) ? "FSVERITY" :			\
	lttng_mm_is_bit(IOMAP_F_PRIVATE, bit) ? "PRIVATE" :			\
	lttng_mm_is_bit(IOMAP_F_FOLIO_BATCH, bit) ? "FOLIO_BATCH" :		\
	lttng_mm_is_bit(IOMAP_F_SIZE_CHANGED, bit) ? "SIZE_CHANGED" :		\
	lttng_mm_is_bit(IOMAP_F_STALE, bit) ? "STALE" :			\
	"bit" #bit)
#define lttng_mm_iomap_flag_entry(bit) \
	lttng_kernel_static_enum_entry_value(lttng_mm_iomap_flag_name(bit), 1ULL << (bit))

/* iomap.type: the extent's type. @_last is the highest value of the field. */
#define lttng_mm_extent_type_entries(_last)					\
	lttng_kernel_static_enum_entry_value("HOLE", (u64)IOMAP_HOLE)		\
	lttng_kernel_static_enum_entry_value("DELALLOC", (u64)IOMAP_DELALLOC)	\
	lttng_kernel_static_enum_entry_value("MAPPED", (u64)IOMAP_MAPPED)	\
	lttng_kernel_static_enum_entry_value("UNWRITTEN", (u64)IOMAP_UNWRITTEN)	\
	lttng_kernel_static_enum_entry_value("INLINE", (u64)IOMAP_INLINE)	\
	lttng_kernel_static_enum_entry_range("OTHER", IOMAP_INLINE + 1ULL, _last)

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H */
