/* SPDX-License-Identifier: GPL-2.0-only */
/* A page fault, and the pages that the kernel may map around the page of the fault. */
#ifndef LTTNG_MM_PROBES_PAGEREF_FAULT_H
#define LTTNG_MM_PROBES_PAGEREF_FAULT_H

#include <linux/mm.h>
#include <probes/pageref/pageref.h>

#define PAGEREF_NO_PFN U64_MAX

struct pageref_fault {
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	unsigned long address;
	unsigned long ip; /* instruction pointer in user space, or call-site number */
	unsigned int flags;
	enum lttng_mm_pageref_kind kind;
	bool huge;
	bool restored; /* the hook has removed our mark from the entry */
	/* Page frame number before the fault, or PAGEREF_NO_PFN. on_mapped() updates it. */
	u64 pfn;
	/* Bit I is 1 if page I of fault-around's block was mapped before the fault. */
	u16 mapped_before;
};

static inline bool pageref_is_write(const struct pageref_fault *fault)
{
	return fault->flags & FAULT_FLAG_WRITE;
}

/* around.c */
void pageref_around_init(void);
/* May the fault map other pages than its own? */
bool pageref_may_map_around(const struct pageref_fault *fault);
/*
 * Returns the bits for mapped_before. AT is the entry for the fault's address. TABLE may be NULL.
 * Context: the lock of the page table is held.
 */
u16 pageref_mapped_before(const struct pageref_fault *fault, const pte_t *at,
			  const struct pageref_table *table);
/*
 * Finds the pages that a fault has mapped without touching them. Sets the bits of these pages in
 * AROUND if they are in the sample. START is the first entry of the page table.
 *
 * Context: the locks of the page table and of the mapping are held.
 */
void pageref_find_around(const struct pageref_fault *fault, const pte_t *start, u32 sample,
			 struct pageref_table *table, unsigned long *around);
/* Records the pages in AROUND. Context: preemption off. */
void pageref_fire_around(const struct pageref_space *space, const struct pageref_fault *fault,
			 const unsigned long *around);

#endif /* LTTNG_MM_PROBES_PAGEREF_FAULT_H */
