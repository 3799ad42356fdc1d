/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Labels of the flags in the DAX events, from the kernel's own constants.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H

#include <instrumentation/enums/bits.h>
#include <probes/compat/fault-flags.h>
#include <probes/compat/fs-dax.h>
#include <probes/compat/iomap.h>
#include <probes/compat/vm-flags.h>

/* vma->vm_flags: bits 0 to 62 are one field and bit 63 is another (see bits.h) */
#define MM_VM_FLAGS_0_62(flags)	((u64)(flags) & ~(1ULL << 63))
#define MM_VM_FLAG_63(flags)	((u8)((u64)(flags) >> 63))
#define mm_vm_flag_name(bit) (						\
	mm_is_bit(VM_READ, bit) ? "READ" :				\
	mm_is_bit(VM_WRITE, bit) ? "WRITE" :				\
	mm_is_bit(VM_EXEC, bit) ? "EXEC" :				\
	mm_is_bit(VM_SHARED, bit) ? "SHARED" :				\
	mm_is_bit(VM_MAYREAD, bit) ? "MAYREAD" :			\
	mm_is_bit(VM_MAYWRITE, bit) ? "MAYWRITE" :			\
	mm_is_bit(VM_MAYEXEC, bit) ? "MAYEXEC" :			\
	mm_is_bit(VM_MAYSHARE, bit) ? "MAYSHARE" :			\
	mm_is_bit(VM_GROWSDOWN, bit) ? "GROWSDOWN" :			\
	mm_is_bit(VM_UFFD_MISSING, bit) ? "UFFD_MISSING" :		\
	mm_is_bit(VM_PFNMAP, bit) ? "PFNMAP" :				\
	mm_is_bit(VM_MAYBE_GUARD, bit) ? "MAYBE_GUARD" :		\
	mm_is_bit(VM_UFFD_WP, bit) ? "UFFD_WP" :			\
	mm_is_bit(VM_LOCKED, bit) ? "LOCKED" :				\
	mm_is_bit(VM_IO, bit) ? "IO" :					\
	mm_is_bit(VM_SEQ_READ, bit) ? "SEQ_READ" :			\
	mm_is_bit(VM_RAND_READ, bit) ? "RAND_READ" :			\
	mm_is_bit(VM_DONTCOPY, bit) ? "DONTCOPY" :			\
	mm_is_bit(VM_DONTEXPAND, bit) ? "DONTEXPAND" :			\
	mm_is_bit(VM_LOCKONFAULT, bit) ? "LOCKONFAULT" :		\
	mm_is_bit(VM_ACCOUNT, bit) ? "ACCOUNT" :			\
	mm_is_bit(VM_NORESERVE, bit) ? "NORESERVE" :			\
	mm_is_bit(VM_HUGETLB, bit) ? "HUGETLB" :			\
	mm_is_bit(VM_SYNC, bit) ? "SYNC" :				\
	mm_is_bit(VM_ARCH_1, bit) ? "ARCH_1" :				\
	mm_is_bit(VM_WIPEONFORK, bit) ? "WIPEONFORK" :			\
	mm_is_bit(VM_DONTDUMP, bit) ? "DONTDUMP" :			\
	mm_is_bit(VM_SOFTDIRTY, bit) ? "SOFTDIRTY" :			\
	mm_is_bit(VM_MIXEDMAP, bit) ? "MIXEDMAP" :			\
	mm_is_bit(VM_HUGEPAGE, bit) ? "HUGEPAGE" :			\
	mm_is_bit(VM_NOHUGEPAGE, bit) ? "NOHUGEPAGE" :			\
	mm_is_bit(VM_MERGEABLE, bit) ? "MERGEABLE" :			\
	mm_is_bit(VM_PKEY_BIT0, bit) ? "PKEY_BIT0" :			\
	mm_is_bit(VM_PKEY_BIT1, bit) ? "PKEY_BIT1" :			\
	mm_is_bit(VM_PKEY_BIT2, bit) ? "PKEY_BIT2" :			\
	mm_is_bit(VM_PKEY_BIT3, bit) ? "PKEY_BIT3" :			\
	mm_is_bit(VM_SHADOW_STACK, bit) ? "SHADOW_STACK" :		\
	mm_is_bit(VM_UFFD_MINOR, bit) ? "UFFD_MINOR" :			\
	mm_is_bit(VM_ALLOW_ANY_UNCACHED, bit) ? "ALLOW_ANY_UNCACHED" :	\
	mm_is_bit(VM_DROPPABLE, bit) ? "DROPPABLE" :			\
	mm_is_bit(VM_SEALED, bit) ? "SEALED" :				\
	"bit" #bit)
#define mm_vm_flag_entry(bit)	ctf_enum_value(mm_vm_flag_name(bit), 1ULL << (bit))

/* vmf->flags */
#define mm_fault_flag_name(bit) (					\
	mm_is_bit(FAULT_FLAG_WRITE, bit) ? "WRITE" :			\
	mm_is_bit(FAULT_FLAG_MKWRITE, bit) ? "MKWRITE" :		\
	mm_is_bit(FAULT_FLAG_ALLOW_RETRY, bit) ? "ALLOW_RETRY" :	\
	mm_is_bit(FAULT_FLAG_RETRY_NOWAIT, bit) ? "RETRY_NOWAIT" :	\
	mm_is_bit(FAULT_FLAG_KILLABLE, bit) ? "KILLABLE" :		\
	mm_is_bit(FAULT_FLAG_TRIED, bit) ? "TRIED" :			\
	mm_is_bit(FAULT_FLAG_USER, bit) ? "USER" :			\
	mm_is_bit(FAULT_FLAG_REMOTE, bit) ? "REMOTE" :			\
	mm_is_bit(FAULT_FLAG_INSTRUCTION, bit) ? "INSTRUCTION" :	\
	mm_is_bit(FAULT_FLAG_INTERRUPTIBLE, bit) ? "INTERRUPTIBLE" :	\
	mm_is_bit(FAULT_FLAG_UNSHARE, bit) ? "UNSHARE" :		\
	mm_is_bit(FAULT_FLAG_ORIG_PTE_VALID, bit) ? "ORIG_PTE_VALID" :	\
	mm_is_bit(MM_FAULT_FLAG_VMA_LOCK, bit) ? "VMA_LOCK" :		\
	"bit" #bit)
#define mm_fault_flag_entry(bit) ctf_enum_value(mm_fault_flag_name(bit), 1ULL << (bit))

/* vm_fault_t; the four bits of HINDEX are a number, the size of a poisoned huge page */
#define mm_fault_result_name(bit) (					\
	mm_is_bit(VM_FAULT_OOM, bit) ? "OOM" :				\
	mm_is_bit(VM_FAULT_SIGBUS, bit) ? "SIGBUS" :			\
	mm_is_bit(VM_FAULT_MAJOR, bit) ? "MAJOR" :			\
	mm_is_bit(MM_VM_FAULT_WRITE, bit) ? "WRITE" :			\
	mm_is_bit(VM_FAULT_HWPOISON, bit) ? "HWPOISON" :		\
	mm_is_bit(VM_FAULT_HWPOISON_LARGE, bit) ? "HWPOISON_LARGE" :	\
	mm_is_bit(VM_FAULT_SIGSEGV, bit) ? "SIGSEGV" :			\
	mm_is_bit(VM_FAULT_NOPAGE, bit) ? "NOPAGE" :			\
	mm_is_bit(VM_FAULT_LOCKED, bit) ? "LOCKED" :			\
	mm_is_bit(VM_FAULT_RETRY, bit) ? "RETRY" :			\
	mm_is_bit(VM_FAULT_FALLBACK, bit) ? "FALLBACK" :		\
	mm_is_bit(VM_FAULT_DONE_COW, bit) ? "DONE_COW" :		\
	mm_is_bit(VM_FAULT_NEEDDSYNC, bit) ? "NEEDDSYNC" :		\
	mm_is_bit(VM_FAULT_COMPLETED, bit) ? "COMPLETED" :		\
	mm_is_bit(VM_FAULT_SET_HINDEX(1), bit) ? "HINDEX_BIT0" :	\
	mm_is_bit(VM_FAULT_SET_HINDEX(2), bit) ? "HINDEX_BIT1" :	\
	mm_is_bit(VM_FAULT_SET_HINDEX(4), bit) ? "HINDEX_BIT2" :	\
	mm_is_bit(VM_FAULT_SET_HINDEX(8), bit) ? "HINDEX_BIT3" :	\
	"bit" #bit)
#define mm_fault_result_entry(bit) ctf_enum_value(mm_fault_result_name(bit), 1ULL << (bit))

/* What a caller asks of the filesystem: iomap_iter.flags */
#define mm_iomap_request_name(bit) (					\
	mm_is_bit(IOMAP_WRITE, bit) ? "WRITE" :				\
	mm_is_bit(IOMAP_ZERO, bit) ? "ZERO" :				\
	mm_is_bit(IOMAP_REPORT, bit) ? "REPORT" :			\
	mm_is_bit(IOMAP_FAULT, bit) ? "FAULT" :				\
	mm_is_bit(IOMAP_DIRECT, bit) ? "DIRECT" :			\
	mm_is_bit(IOMAP_NOWAIT, bit) ? "NOWAIT" :			\
	mm_is_bit(IOMAP_OVERWRITE_ONLY, bit) ? "OVERWRITE_ONLY" :	\
	mm_is_bit(IOMAP_UNSHARE, bit) ? "UNSHARE" :			\
	mm_is_bit(IOMAP_DAX, bit) ? "DAX" :				\
	mm_is_bit(IOMAP_ATOMIC, bit) ? "ATOMIC" :			\
	mm_is_bit(IOMAP_DONTCACHE, bit) ? "DONTCACHE" :			\
	"bit" #bit)
#define mm_iomap_request_entry(bit) ctf_enum_value(mm_iomap_request_name(bit), 1ULL << (bit))

/* What the filesystem says of an extent: iomap.flags */
#define mm_iomap_flag_name(bit) (					\
	mm_is_bit(IOMAP_F_NEW, bit) ? "NEW" :				\
	mm_is_bit(IOMAP_F_DIRTY, bit) ? "DIRTY" :			\
	mm_is_bit(IOMAP_F_SHARED, bit) ? "SHARED" :			\
	mm_is_bit(IOMAP_F_MERGED, bit) ? "MERGED" :			\
	mm_is_bit(IOMAP_F_BUFFER_HEAD, bit) ? "BUFFER_HEAD" :		\
	mm_is_bit(IOMAP_F_ZONE_APPEND, bit) ? "ZONE_APPEND" :		\
	mm_is_bit(IOMAP_F_XATTR, bit) ? "XATTR" :			\
	mm_is_bit(IOMAP_F_BOUNDARY, bit) ? "BOUNDARY" :			\
	mm_is_bit(IOMAP_F_ANON_WRITE, bit) ? "ANON_WRITE" :		\
	mm_is_bit(IOMAP_F_ATOMIC_BIO, bit) ? "ATOMIC_BIO" :		\
	mm_is_bit(IOMAP_F_INTEGRITY, bit) ? "INTEGRITY" :		\
	mm_is_bit(IOMAP_F_ZERO_TAIL, bit) ? "ZERO_TAIL" :		\
	mm_is_bit(IOMAP_F_FSVERITY, bit) ? "FSVERITY" :			\
	mm_is_bit(IOMAP_F_PRIVATE, bit) ? "PRIVATE" :			\
	mm_is_bit(IOMAP_F_FOLIO_BATCH, bit) ? "FOLIO_BATCH" :		\
	mm_is_bit(IOMAP_F_SIZE_CHANGED, bit) ? "SIZE_CHANGED" :		\
	mm_is_bit(IOMAP_F_STALE, bit) ? "STALE" :			\
	"bit" #bit)
#define mm_iomap_flag_entry(bit) ctf_enum_value(mm_iomap_flag_name(bit), 1ULL << (bit))

/* The flags at the top of a pfn_t, shifted down by MM_PFN_FLAGS_SHIFT */
#define mm_pfn_flag_name(bit) (						\
	mm_is_bit(PFN_SPECIAL >> MM_PFN_FLAGS_SHIFT, bit) ? "SPECIAL" :	\
	mm_is_bit(PFN_MAP >> MM_PFN_FLAGS_SHIFT, bit) ? "MAP" :		\
	mm_is_bit(PFN_DEV >> MM_PFN_FLAGS_SHIFT, bit) ? "DEV" :		\
	mm_is_bit(PFN_SG_LAST >> MM_PFN_FLAGS_SHIFT, bit) ? "SG_LAST" :	\
	mm_is_bit(PFN_SG_CHAIN >> MM_PFN_FLAGS_SHIFT, bit) ? "SG_CHAIN" : \
	"bit" #bit)
#define mm_pfn_flag_entry(bit)	ctf_enum_value(mm_pfn_flag_name(bit), 1ULL << (bit))

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_DAX_H */
