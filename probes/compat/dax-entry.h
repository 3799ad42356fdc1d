/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The encoding of DAX mappings in a file's page cache. It is private to fs/dax.c, and identical in
 * Linux 6.1, 6.12 and 7.2.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_DAX_ENTRY_H
#define LTTNG_MM_PROBES_COMPAT_DAX_ENTRY_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/xarray.h>

/* Bit 1 of an entry is set if the entry covers a PMD (2 MiB on x86), not a page. */
#define LTTNG_MM_DAX_ENTRY_PMD (1UL << 1)

/* A page cache entry and its position. @entry is 0 if none was found. */
struct lttng_mm_dax_entry {
	u64 pgoff;
	u64 entry;
};

/*
 * lttng_mm_dax_find_page_entry - finds the first entry of a single page in the PMD range of pgoff
 *
 * The entry may explain why the kernel has not mapped a huge page. This function does not lock the
 * tree, so the entry may also have been added after the kernel's decision. Entries are compared,
 * never dereferenced.
 *
 * Context: any in which RCU is watching; takes no lock, does not sleep. Visits at most as many
 * entries as a PMD has pages. If a node is replaced concurrently, the xarray restarts.
 */
static inline void lttng_mm_dax_find_page_entry(struct address_space *mapping, pgoff_t pgoff,
						struct lttng_mm_dax_entry *found)
{
	unsigned long index = pgoff & ~((PMD_SIZE >> PAGE_SHIFT) - 1);
	unsigned long last = index + (PMD_SIZE >> PAGE_SHIFT) - 1;
	void *entry;

	found->pgoff = 0;
	found->entry = 0;
	for (entry = xa_find(&mapping->i_pages, &index, last, XA_PRESENT); entry;
	     entry = xa_find_after(&mapping->i_pages, &index, last, XA_PRESENT)) {
		if (!xa_is_value(entry) || (xa_to_value(entry) & LTTNG_MM_DAX_ENTRY_PMD))
			continue;
		found->pgoff = index;
		found->entry = (unsigned long)entry;
		return;
	}
}

#endif /* LTTNG_MM_PROBES_COMPAT_DAX_ENTRY_H */
