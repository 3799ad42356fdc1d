/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks in page-table entries, for x86-64. A marked entry faults on the next access:
 *
 *   present   PRESENT=1 PROTNONE=0 USER=1, page frame number
 *   marked    PRESENT=0 PROTNONE=1 USER=1, page frame number inverted against L1TF
 *   NUMA hint PRESENT=0 PROTNONE=1 USER=0, page frame number inverted (the kernel's own marks)
 *
 * All other bits stay as they are, such as RW, Dirty and soft-dirty. To the kernel, a marked entry
 * is a NUMA hint: wherever our hook does not run, the kernel restores it.
 *
 * Other architectures are not supported: arm64's pte_protnone() requires another encoding.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_PAGE_MARKS_H
#define LTTNG_MM_PROBES_COMPAT_PAGE_MARKS_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#if __has_include(<linux/leafops.h>)
#include <linux/leafops.h>
#endif
#include <asm/cpufeature.h>
#include <asm/tlbflush.h>

#ifndef CONFIG_X86_64
#error "Page references are recorded on x86-64 only."
#endif

#define LTTNG_MM_MARK_BITS (_PAGE_PRESENT | _PAGE_PROTNONE | _PAGE_USER)

/* If this kernel or machine does not support marks, returns the reason. Otherwise, returns NULL. */
static inline const char *lttng_mm_marks_refused(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "page-table locks sleep on a PREEMPT_RT kernel";
	if (!IS_ENABLED(CONFIG_NUMA_BALANCING))
		return "CONFIG_NUMA_BALANCING is not set, without which the kernel cannot restore pages";
	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		return "Xen PV guests do not own their page tables";
	return NULL;
}

static __always_inline bool lttng_mm_is_marked(u64 entry)
{
	return (entry & LTTNG_MM_MARK_BITS) == (_PAGE_PROTNONE | _PAGE_USER);
}

static __always_inline bool lttng_mm_is_numa_hint(u64 entry)
{
	return (entry & LTTNG_MM_MARK_BITS) == _PAGE_PROTNONE;
}

static __always_inline bool lttng_mm_is_mapped(u64 entry)
{
	return (entry & _PAGE_PRESENT) != 0;
}

/* @mask: the bits of the page frame number. */
static __always_inline u64 lttng_mm_mark(u64 entry, u64 mask)
{
	return flip_protnone_guard(entry, (entry & ~_PAGE_PRESENT) | _PAGE_PROTNONE, mask);
}

static __always_inline u64 lttng_mm_unmark(u64 entry, u64 mask)
{
	return flip_protnone_guard(entry, (entry & ~_PAGE_PROTNONE) | _PAGE_PRESENT, mask);
}

/*
 * These functions return the value of an entry. pte_val() and pmd_val() do so by calls that Xen PV
 * guests need, and the compiler cannot combine several such calls.
 */
static __always_inline u64 lttng_mm_pte_val(pte_t pte)
{
	return native_pte_val(pte);
}

static __always_inline u64 lttng_mm_pmd_val(pmd_t pmd)
{
	return native_pmd_val(pmd);
}

static __always_inline pte_t lttng_mm_pte_mark(pte_t pte)
{
	return native_make_pte(lttng_mm_mark(lttng_mm_pte_val(pte), PTE_PFN_MASK));
}

static __always_inline pte_t lttng_mm_pte_unmark(pte_t pte)
{
	return native_make_pte(lttng_mm_unmark(lttng_mm_pte_val(pte), PTE_PFN_MASK));
}

static __always_inline pmd_t lttng_mm_pmd_mark(pmd_t pmd)
{
	return native_make_pmd(lttng_mm_mark(lttng_mm_pmd_val(pmd), PHYSICAL_PMD_PAGE_MASK));
}

static __always_inline pmd_t lttng_mm_pmd_unmark(pmd_t pmd)
{
	return native_make_pmd(lttng_mm_unmark(lttng_mm_pmd_val(pmd), PHYSICAL_PMD_PAGE_MASK));
}

/* Returns the page frame number of a page-table entry: mapped, with our mark, or a NUMA hint. */
static __always_inline u64 lttng_mm_entry_pfn(u64 entry, u64 mask)
{
	return ((entry ^ protnone_mask(entry)) & mask) >> PAGE_SHIFT;
}

/* Is the entry's page being migrated? Do not pass an entry that is none, mapped or marked. */
static inline bool lttng_mm_pte_is_migrating(pte_t pte)
{
#if __has_include(<linux/leafops.h>)
	return softleaf_is_migration(softleaf_from_pte(pte));
#else
	return is_migration_entry(pte_to_swp_entry(pte));
#endif
}

/* Does the entry map a huge page, marked or not? */
static __always_inline bool lttng_mm_pmd_is_huge(pmd_t pmd)
{
	return (lttng_mm_pmd_val(pmd) & _PAGE_PSE) &&
	       (lttng_mm_pmd_val(pmd) & (_PAGE_PRESENT | _PAGE_PROTNONE));
}

/* Does the entry point to a page table? */
static __always_inline bool lttng_mm_pmd_is_table(pmd_t pmd)
{
	return (lttng_mm_pmd_val(pmd) & (_PAGE_PRESENT | _PAGE_PSE)) == _PAGE_PRESENT;
}

/*
 * mmap_write_trylock() was removed in Linux 6.6. Since Linux 6.13, and in later versions of 6.12, a
 * writer also starts a sequence count, which mmap_write_unlock() ends.
 */
static inline bool lttng_mm_mmap_write_trylock(struct mm_struct *mm)
{
	if (!down_write_trylock(&mm->mmap_lock))
		return false;
#ifdef LTTNG_MM_MM_LOCK_SEQCOUNT
	mm_lock_seqcount_begin(mm);
#endif
	return true;
}

/* Does the current thread hold the mmap lock for writing? */
static inline bool lttng_mm_is_mmap_writer(struct mm_struct *mm)
{
#ifdef CONFIG_PREEMPT_RT
	return false;
#else
	/* If readers hold the lock, @owner differs: it has flags in its low bits. */
	return atomic_long_read(&mm->mmap_lock.owner) == (long)current;
#endif
}

/*
 * Returns the entry for ADDRESS in the page middle directory, or NULL if there is no such
 * directory. Sets *NEXT to the end of the range of the entry or of the missing directory. The
 * caller holds the mmap lock or the lock of the mapping.
 */
static __always_inline pmd_t *lttng_mm_pmd_of(struct mm_struct *mm, unsigned long address,
					      unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, address);
	p4d_t *p4d;
	pud_t *pud;

	*next = (address | ~PGDIR_MASK) + 1;
	if (pgd_none(READ_ONCE(*pgd)))
		return NULL;
	p4d = p4d_offset(pgd, address);
	*next = (address | ~P4D_MASK) + 1;
	if (p4d_none(READ_ONCE(*p4d)))
		return NULL;
	pud = pud_offset(p4d, address);
	*next = (address | ~PUD_MASK) + 1;
	if ((native_pud_val(READ_ONCE(*pud)) & (_PAGE_PRESENT | _PAGE_PSE)) != _PAGE_PRESENT)
		return NULL;
	*next = (address | ~PMD_MASK) + 1;
	return pmd_offset(pud, address);
}

/*
 * Locks the page table that *AT points to, or *AT itself if it maps a huge page or has no page
 * table. Returns the lock, and stores the entry in *PMD; returns NULL if the entry is none.
 *
 * The kernel can free the page table meanwhile, by RCU. Since Linux 6.6, khugepaged does so for
 * pages of files, without the mmap lock. Since 6.14, MADV_DONTNEED does so under the mmap lock for
 * reading (CONFIG_PT_RECLAIM).
 *
 *   we read the pmd
 *     -> another thread clears the pmd, and frees the page table by RCU
 *     -> we lock the page table that the old value points to: it still exists
 *     -> the pmd differs: start again
 *
 * Context: RCU read section, or preemption off.
 */
static __always_inline spinlock_t *lttng_mm_lock_entries(struct mm_struct *mm, pmd_t *at,
							 pmd_t *pmd)
{
	spinlock_t *lock;

	for (;;) {
		*pmd = READ_ONCE(*at);
		if (pmd_none(*pmd))
			return NULL;
		lock = lttng_mm_pmd_is_table(*pmd) ? pte_lockptr(mm, pmd) : pmd_lockptr(mm, at);
		spin_lock(lock);
		if (lttng_mm_pmd_val(READ_ONCE(*at)) == lttng_mm_pmd_val(*pmd))
			return lock;
		spin_unlock(lock);
	}
}

#endif /* LTTNG_MM_PROBES_COMPAT_PAGE_MARKS_H */
