// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages that the kernel maps around the page of a fault, although nobody has touched them:
 *
 *   fault-around   pages of a file that are in the page cache, after a read
 *   a large folio  the other pages of the folio, since Linux 6.8. Anonymous memory has large folios
 *                  if they are enabled in sysfs; shared memory has them since 6.11. On 7.2, a write
 *                  to a mapped file also maps the other pages.
 */

#include <linux/mm.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/page-marks.h>
#include <probes/pageref/fault.h>

/* Maximum number of pages that fault-around maps by default (fault_around_bytes). */
#define AROUND_PAGES 16
static_assert(AROUND_PAGES == sizeof_field(struct pageref_fault, mapped_before) * 8);

/*
 * Variables of the kernel: each is a mask of the folio orders that are enabled for anonymous
 * memory. NULL: this kernel does not have the variable.
 */
static const unsigned long *folio_orders[3];

void pageref_around_init(void)
{
	static const char *const names[] = { "huge_anon_orders_always", "huge_anon_orders_madvise",
					     "huge_anon_orders_inherit" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		folio_orders[i] = (const void *)wrapper_kallsyms_lookup_name(names[i]);
}

static bool are_folios_enabled(void)
{
	unsigned long orders = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folio_orders); i++)
		orders |= folio_orders[i] ? READ_ONCE(*folio_orders[i]) : 0;
	return orders & ~BIT(PMD_SHIFT - PAGE_SHIFT);
}

bool pageref_may_map_around(const struct pageref_fault *fault)
{
	const struct vm_area_struct *vma = fault->vma;

	if (!vma->vm_ops)
		return are_folios_enabled();
	return vma->vm_ops->map_pages && (!pageref_is_write(fault) || (vma->vm_flags & VM_SHARED));
}

/*
 * Finds the pages that fault-around may map. Like do_fault_around(), takes the aligned block of
 * AROUND_PAGES with the fault's page. If the mapping starts inside this block, takes the first
 * AROUND_PAGES of the mapping. Returns the index of the first page in the page table, and sets
 * *LAST to the index after the last page.
 */
static unsigned int find_window(const struct pageref_fault *fault, unsigned int *last)
{
	const struct vm_area_struct *vma = fault->vma;
	const unsigned long base = fault->address & PMD_MASK;
	unsigned int bit = pageref_page_bit(fault->address), first = bit - bit % AROUND_PAGES;

	if (vma->vm_start > base)
		first = max(first, pageref_page_bit(vma->vm_start));
	*last = min_t(unsigned int, first + AROUND_PAGES, PTRS_PER_PTE);
	if (vma->vm_end < base + PMD_SIZE)
		*last = min(*last, pageref_page_bit(vma->vm_end));
	return first;
}

/*
 * If a fault must wait for its page, the kernel first maps the pages around this page, and then
 * retries the fault. In a retry, a page therefore counts as mapped before the fault only if it is
 * known to be present.
 */
u16 pageref_mapped_before(const struct pageref_fault *fault, const pte_t *at,
			  const struct pageref_table *table)
{
	unsigned int bit = pageref_page_bit(fault->address), last;
	unsigned int first = find_window(fault, &last);
	bool retried = table && test_bit(bit, table->retried);
	const pte_t *start = at - bit;
	u16 mapped = 0;

	for (unsigned int i = first; i < last; i++)
		if (!pte_none(READ_ONCE(start[i])) && (!retried || test_bit(i, table->present)))
			mapped |= 1U << (i - first);
	return mapped;
}

/* Does entry I map a page of the same folio as the fault's page? */
static bool is_of_folio(const struct pageref_fault *fault, const pte_t *start, int i)
{
	pte_t pte = READ_ONCE(start[i]);

	return lttng_mm_is_mapped(lttng_mm_pte_val(pte)) &&
	       page_folio(pfn_to_page(pte_pfn(pte))) == page_folio(pfn_to_page(fault->pfn));
}

void pageref_find_around(const struct pageref_fault *fault, const pte_t *start, u32 sample,
			 struct pageref_table *table, unsigned long *around)
{
	const struct vm_area_struct *vma = fault->vma;
	const unsigned long base = fault->address & PMD_MASK;
	int bit = pageref_page_bit(fault->address);
	int low = vma->vm_start > base ? pageref_page_bit(vma->vm_start) : 0;
	int high = vma->vm_end < base + PMD_SIZE ? pageref_page_bit(vma->vm_end) : PTRS_PER_PTE;
	unsigned int page, first, last;

	if (fault->kind != LTTNG_MM_PAGEREF_DEMAND && fault->kind != LTTNG_MM_PAGEREF_SWAP_IN)
		return;
	first = find_window(fault, &last);
	if (fault->kind == LTTNG_MM_PAGEREF_DEMAND && !pageref_is_write(fault) && vma->vm_ops &&
	    vma->vm_ops->map_pages)
		for (unsigned int i = first; i < last; i++)
			if (!(fault->mapped_before & 1U << (i - first)) &&
			    lttng_mm_is_mapped(lttng_mm_pte_val(READ_ONCE(start[i]))))
				__set_bit(i, around);
	if (folio_test_large(page_folio(pfn_to_page(fault->pfn)))) {
		for (int i = bit - 1; i >= low && is_of_folio(fault, start, i); i--)
			__set_bit(i, around);
		for (int i = bit + 1; i < high && is_of_folio(fault, start, i); i++)
			__set_bit(i, around);
	}
	__clear_bit(bit, around);
	for_each_set_bit(page, around, PTRS_PER_PTE)
		if (!pageref_is_sampled(sample, base + page * PAGE_SIZE) ||
		    test_bit(page, table->touched) || test_and_set_bit(page, table->around))
			__clear_bit(page, around);
		else
			set_bit(page, table->present);
}

void pageref_fire_around(const struct pageref_space *space, const struct pageref_fault *fault,
			 const unsigned long *around)
{
	unsigned int start, end;

	for_each_set_bitrange(start, end, around, PTRS_PER_PTE) {
		struct lttng_mm_pageref_around rec = {
			.tid = (u32)current->pid,
			.mm = space->number,
			.address = (fault->address & PMD_MASK) + start * PAGE_SIZE,
			.pages = end - start,
		};

		trace_lttng_mm_pageref_around(&rec);
	}
}
