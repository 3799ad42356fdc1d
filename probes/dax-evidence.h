/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the DAX probe's own events are recorded: each class names its callback here, and those of
 * our two events return before LTTng's code when the condition does not hold, so that nothing is
 * reserved in the ring buffer and no filter is run. Include before the event header.
 */
#ifndef LTTNG_MM_PROBES_DAX_EVIDENCE_H
#define LTTNG_MM_PROBES_DAX_EVIDENCE_H

#include <linux/fs.h>
#include <linux/mm.h>
#include <probes/compat/iomap.h>

/* Made by LTTng's macros from the event header. */
static void __event_probe__dax_fault_extent(void *data, struct inode *inode, struct iomap *iomap);
static void __event_probe__dax_pmd_fallback(void *data, struct inode *inode, struct vm_fault *vmf,
					    pgoff_t max_pgoff, int result);

/*
 * Only the iteration of a huge-page fault on a DAX file: a 4 KiB fault asks for one page, and
 * read(), write() and write-back ask without IOMAP_FAULT.
 *
 * Context: that of iomap_iter(); any, no lock taken.
 */
static void dax_fault_extent_probe(void *data, struct inode *inode, struct iomap *iomap)
{
	const struct iomap_iter *iter = lttng_mm_iomap_iter(iomap);

	if (!(iter->flags & IOMAP_FAULT) || iter->len <= PAGE_SIZE || iter->inode != inode ||
	    !IS_DAX(inode))
		return;
	__event_probe__dax_fault_extent(data, inode, iomap);
}

/*
 * Only a fault that fell back.
 *
 * Context: the end of a page fault, mmap or VMA lock held; no lock taken.
 */
static void dax_pmd_fallback_probe(void *data, struct inode *inode, struct vm_fault *vmf,
				   pgoff_t max_pgoff, int result)
{
	if (!(result & (__force int)VM_FAULT_FALLBACK))
		return;
	__event_probe__dax_pmd_fallback(data, inode, vmf, max_pgoff, result);
}

#define TP_PROBE_CB(_template) (&dax_probe_of_##_template)
#define dax_probe_of_dax_fault_extent dax_fault_extent_probe
#define dax_probe_of_dax_insert_mapping __event_probe__dax_insert_mapping
#define dax_probe_of_dax_pmd_fallback dax_pmd_fallback_probe
#define dax_probe_of_dax_pmd_fault_class __event_probe__dax_pmd_fault_class
#define dax_probe_of_dax_pmd_insert_mapping __event_probe__dax_pmd_insert_mapping
#define dax_probe_of_dax_pmd_load_hole_class __event_probe__dax_pmd_load_hole_class
#define dax_probe_of_dax_pte_fault_class __event_probe__dax_pte_fault_class
#define dax_probe_of_dax_writeback_one __event_probe__dax_writeback_one
#define dax_probe_of_dax_writeback_range_class __event_probe__dax_writeback_range_class

#endif /* LTTNG_MM_PROBES_DAX_EVIDENCE_H */
