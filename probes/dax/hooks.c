// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks of the kernel's fs_dax tracepoints, and of one iomap tracepoint. They fire our events.
 * If a value is too wide for a packed event, its field has all ones. The wide variant, with the
 * full value, then fires immediately before the packed event.
 */

#include <linux/dax.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <probes/compat/dax-entry.h>
#include <probes/compat/iomap.h>
#include <probes/dax/dax.h>
#include <probes/lib/pack.h>
/* LTTNG_MM_HOOK_OF() compares the callbacks with these declarations of the kernel. */
#include <trace/events/fs_dax.h>

/* Packs dev_major (low bits) and dev_minor (above it) in the same way as the fields of an event. */
static __always_inline u32 device(const struct inode *inode)
{
	dev_t dev = inode->i_sb->s_dev;

	return MAJOR(dev) | MINOR(dev) << LTTNG_MM_DAX_MAJOR_BITS;
}
static_assert(LTTNG_MM_DAX_MINOR_BITS == MINORBITS);
static_assert(LTTNG_MM_DAX_MAJOR_BITS == 32 - MINORBITS);
static_assert(PID_MAX_LIMIT <= 1UL << LTTNG_MM_DAX_TID_BITS);

static __always_inline void pack_where(struct lttng_mm_pack *pack, const struct inode *inode)
{
	lttng_mm_pack(pack, (u32)current->pid, LTTNG_MM_DAX_TID_BITS);
	lttng_mm_pack(pack, (u32)current->tgid, LTTNG_MM_DAX_TID_BITS);
	lttng_mm_pack(pack, device(inode), LTTNG_MM_DAX_MAJOR_BITS + LTTNG_MM_DAX_MINOR_BITS);
	lttng_mm_pack_or_ones(pack, inode->i_ino, LTTNG_MM_DAX_INO_BITS);
}

static __always_inline void fill_where(struct lttng_mm_dax_where *where, const struct inode *inode)
{
	where->tid = (u32)current->pid;
	where->pid = (u32)current->tgid;
	where->dev = device(inode);
	where->ino = inode->i_ino;
}

static __always_inline void pack_vm_flags(struct lttng_mm_pack *pack, u64 flags)
{
	lttng_mm_pack_or_ones(pack, LTTNG_MM_VM_FLAGS_0_62(flags), LTTNG_MM_DAX_VM_FLAGS_BITS);
	lttng_mm_pack(pack, LTTNG_MM_VM_FLAG_63(flags), 1);
}

/*
 * pack_ functions fill a packed record, and return false if a value did not fit. fill_ functions
 * fill a wide variant.
 */
static __always_inline bool pack_pmd(struct lttng_mm_packed_long *rec, const struct inode *inode,
				     const struct vm_fault *vmf, pgoff_t max_pgoff, int result)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);
	const struct vm_area_struct *vma = vmf->vma;

	pack_where(&pack, inode);
	lttng_mm_pack_or_ones(&pack, vma->vm_start, LTTNG_MM_DAX_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, vma->vm_end, LTTNG_MM_DAX_ADDRESS_BITS);
	pack_vm_flags(&pack, vma->vm_flags);
	lttng_mm_pack_or_ones(&pack, vmf->address, LTTNG_MM_DAX_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, vmf->pgoff, LTTNG_MM_DAX_PGOFF_BITS);
	lttng_mm_pack_or_ones(&pack, max_pgoff, LTTNG_MM_DAX_PGOFF_BITS);
	lttng_mm_pack_or_ones(&pack, (u32)vmf->flags, LTTNG_MM_DAX_FLAGS_BITS);
	lttng_mm_pack_or_ones(&pack, (u32)result, LTTNG_MM_DAX_RESULT_BITS);
	return lttng_mm_pack_end(&pack);
}

static noinline void fill_pmd(struct lttng_mm_dax_pmd_values *values, const struct inode *inode,
			      const struct vm_fault *vmf, pgoff_t max_pgoff, int result)
{
	fill_where(&values->where, inode);
	values->vm_start = vmf->vma->vm_start;
	values->vm_end = vmf->vma->vm_end;
	values->vm_flags = vmf->vma->vm_flags;
	values->address = vmf->address;
	values->pgoff = vmf->pgoff;
	values->max_pgoff = max_pgoff;
	values->flags = (u32)vmf->flags;
	values->result = (u32)result;
}

static __always_inline bool pack_pte(struct lttng_mm_packed_long *rec, const struct inode *inode,
				     const struct vm_fault *vmf, int result)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);

	pack_where(&pack, inode);
	pack_vm_flags(&pack, vmf->vma->vm_flags);
	lttng_mm_pack_or_ones(&pack, vmf->address, LTTNG_MM_DAX_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, vmf->pgoff, LTTNG_MM_DAX_PGOFF_BITS);
	lttng_mm_pack_or_ones(&pack, (u32)vmf->flags, LTTNG_MM_DAX_FLAGS_BITS);
	lttng_mm_pack_or_ones(&pack, (u32)result, LTTNG_MM_DAX_RESULT_BITS);
	return lttng_mm_pack_end(&pack);
}

static noinline void fill_pte(struct lttng_mm_dax_pte_values *values, const struct inode *inode,
			      const struct vm_fault *vmf, int result)
{
	fill_where(&values->where, inode);
	values->vm_flags = vmf->vma->vm_flags;
	values->address = vmf->address;
	values->pgoff = vmf->pgoff;
	values->flags = (u32)vmf->flags;
	values->result = (u32)result;
}

static __always_inline bool pack_hole(struct lttng_mm_packed_long *rec, const struct inode *inode,
				      const struct vm_fault *vmf, u64 zero_pfn, const void *entry)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);

	pack_where(&pack, inode);
	pack_vm_flags(&pack, vmf->vma->vm_flags);
	lttng_mm_pack_or_ones(&pack, vmf->address, LTTNG_MM_DAX_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, zero_pfn, LTTNG_MM_DAX_PFN_BITS);
	lttng_mm_pack_or_ones(&pack, (unsigned long)entry, LTTNG_MM_DAX_ENTRY_BITS);
	return lttng_mm_pack_end(&pack);
}

static noinline void fill_hole(struct lttng_mm_dax_hole_values *values, const struct inode *inode,
			       const struct vm_fault *vmf, u64 zero_pfn, const void *entry)
{
	fill_where(&values->where, inode);
	values->vm_flags = vmf->vma->vm_flags;
	values->address = vmf->address;
	values->zero_pfn = zero_pfn;
	values->radix_entry = (unsigned long)entry;
}

static __always_inline bool pack_extent(struct lttng_mm_packed_long *rec, const struct inode *inode,
					const struct iomap_iter *iter, const struct iomap *iomap)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);

	pack_where(&pack, inode);
	lttng_mm_pack_or_ones(&pack, (u64)iter->pos, LTTNG_MM_DAX_POS_BITS);
	lttng_mm_pack_or_ones(&pack, iter->len, LTTNG_MM_DAX_LEN_BITS);
	lttng_mm_pack_or_ones(&pack, iter->flags, LTTNG_MM_DAX_REQUEST_BITS);
	lttng_mm_pack_or_ones(&pack, (u64)iomap->offset, LTTNG_MM_DAX_POS_BITS);
	lttng_mm_pack_or_ones(&pack, iomap->length, LTTNG_MM_DAX_POS_BITS);
	/*
	 * All ones is the correct address of an extent that is not on the device, so this address
	 * does not require the wide variant.
	 */
	if (iomap->addr == IOMAP_NULL_ADDR)
		lttng_mm_pack(&pack, LTTNG_MM_DAX_ALL_ONES(LTTNG_MM_DAX_DEVICE_BITS),
			      LTTNG_MM_DAX_DEVICE_BITS);
	else
		lttng_mm_pack_or_ones(&pack, iomap->addr, LTTNG_MM_DAX_DEVICE_BITS);
	lttng_mm_pack_or_ones(&pack, iomap->type, LTTNG_MM_DAX_TYPE_BITS);
	lttng_mm_pack_or_ones(&pack, iomap->flags, LTTNG_MM_DAX_EXTENT_BITS);
	return lttng_mm_pack_end(&pack);
}

static noinline void fill_extent(struct lttng_mm_dax_extent_values *values,
				 const struct inode *inode, const struct iomap_iter *iter,
				 const struct iomap *iomap)
{
	fill_where(&values->where, inode);
	values->pos = (u64)iter->pos;
	values->len = iter->len;
	values->flags = iter->flags;
	values->extent_offset = (u64)iomap->offset;
	values->extent_length = iomap->length;
	values->extent_addr = iomap->addr;
	values->extent_type = iomap->type;
	values->extent_flags = iomap->flags;
}

/*
 * Fires an event. PACK and FILL are functions from above. The wide variant fires just before the
 * packed event, so a reader in time order already has the full values.
 *
 * Context: preemption off.
 */
#define record(_event, _pack, _fill, ...)                                                \
	do {                                                                             \
		struct lttng_mm_packed_long lttng_mm_rec LTTNG_MM_NO_CLEAR;              \
                                                                                         \
		if (unlikely(!_pack(&lttng_mm_rec, __VA_ARGS__) &&                       \
			     lttng_mm_fires(_event##_wide))) {                           \
			struct lttng_mm_##_event##_wide lttng_mm_wide LTTNG_MM_NO_CLEAR; \
                                                                                         \
			_fill(&lttng_mm_wide.values, __VA_ARGS__);                       \
			lttng_mm_fire(_event##_wide, &lttng_mm_wide);                    \
		}                                                                        \
		lttng_mm_fire(_event, &lttng_mm_rec);                                    \
	} while (0)

static void on_pmd_fault(void *unused, struct inode *inode, struct vm_fault *vmf, pgoff_t max_pgoff,
			 int result)
{
	lttng_mm_enter();
	record(dax_pmd_fault, pack_pmd, fill_pmd, inode, vmf, max_pgoff, result);
	lttng_mm_leave();
}

/* A huge-page fault has fallen back. Records the first single-page entry in its range. */
static noinline void record_fallback(const struct inode *inode, const struct vm_fault *vmf)
{
	struct lttng_mm_dax_pmd_fallback rec LTTNG_MM_NO_CLEAR;
	struct lttng_mm_dax_entry small;

	if (!lttng_mm_fires(dax_pmd_fallback))
		return;
	lttng_mm_dax_find_page_entry(inode->i_mapping, vmf->pgoff, &small);
	fill_where(&rec.where, inode);
	rec.address = vmf->address;
	rec.pgoff = vmf->pgoff;
	rec.entry_pgoff = small.pgoff;
	rec.radix_entry = small.entry;
	lttng_mm_fire(dax_pmd_fallback, &rec);
}

static void on_pmd_fault_done(void *unused, struct inode *inode, struct vm_fault *vmf,
			      pgoff_t max_pgoff, int result)
{
	lttng_mm_enter();
	record(dax_pmd_fault_done, pack_pmd, fill_pmd, inode, vmf, max_pgoff, result);
	if ((__force vm_fault_t)result & VM_FAULT_FALLBACK)
		record_fallback(inode, vmf);
	lttng_mm_leave();
}

static void on_pmd_load_hole(void *unused, struct inode *inode, struct vm_fault *vmf,
			     lttng_mm_huge_zero_t *zero, void *entry)
{
	lttng_mm_enter();
	record(dax_pmd_load_hole, pack_hole, fill_hole, inode, vmf, lttng_mm_huge_zero_pfn(zero),
	       entry);
	lttng_mm_leave();
}

static void on_pmd_load_hole_fallback(void *unused, struct inode *inode, struct vm_fault *vmf,
				      lttng_mm_huge_zero_t *zero, void *entry)
{
	struct lttng_mm_dax_pmd_load_hole_fallback rec LTTNG_MM_NO_CLEAR;

	lttng_mm_enter();
	fill_hole(&rec.values, inode, vmf, lttng_mm_huge_zero_pfn(zero), entry);
	lttng_mm_fire(dax_pmd_load_hole_fallback, &rec);
	lttng_mm_leave();
}

static void on_pte_fault(void *unused, struct inode *inode, struct vm_fault *vmf, int result)
{
	lttng_mm_enter();
	record(dax_pte_fault, pack_pte, fill_pte, inode, vmf, result);
	lttng_mm_leave();
}

static void on_pte_fault_done(void *unused, struct inode *inode, struct vm_fault *vmf, int result)
{
	lttng_mm_enter();
	record(dax_pte_fault_done, pack_pte, fill_pte, inode, vmf, result);
	lttng_mm_leave();
}

static void on_load_hole(void *unused, struct inode *inode, struct vm_fault *vmf, int result)
{
	lttng_mm_enter();
	record(dax_load_hole, pack_pte, fill_pte, inode, vmf, result);
	lttng_mm_leave();
}

static void on_insert_pfn_mkwrite(void *unused, struct inode *inode, struct vm_fault *vmf,
				  int result)
{
	lttng_mm_enter();
	record(dax_insert_pfn_mkwrite, pack_pte, fill_pte, inode, vmf, result);
	lttng_mm_leave();
}

static void on_insert_pfn_mkwrite_no_entry(void *unused, struct inode *inode, struct vm_fault *vmf,
					   int result)
{
	struct lttng_mm_dax_insert_pfn_mkwrite_no_entry rec LTTNG_MM_NO_CLEAR;

	lttng_mm_enter();
	fill_pte(&rec.values, inode, vmf, result);
	lttng_mm_fire(dax_insert_pfn_mkwrite_no_entry, &rec);
	lttng_mm_leave();
}

/* The three write-back events differ only in their names. */
#define record_range(_event, _inode, _first, _second)                    \
	do {                                                             \
		struct lttng_mm_##_event lttng_mm_rec LTTNG_MM_NO_CLEAR; \
                                                                         \
		lttng_mm_enter();                                        \
		fill_where(&lttng_mm_rec.values.where, _inode);          \
		lttng_mm_rec.values.first = _first;                      \
		lttng_mm_rec.values.second = _second;                    \
		lttng_mm_fire(_event, &lttng_mm_rec);                    \
		lttng_mm_leave();                                        \
	} while (0)

static void on_writeback_range(void *unused, struct inode *inode, pgoff_t start_index,
			       pgoff_t end_index)
{
	record_range(dax_writeback_range, inode, start_index, end_index);
}

static void on_writeback_range_done(void *unused, struct inode *inode, pgoff_t start_index,
				    pgoff_t end_index)
{
	record_range(dax_writeback_range_done, inode, start_index, end_index);
}

static void on_writeback_one(void *unused, struct inode *inode, pgoff_t pgoff, pgoff_t pglen)
{
	record_range(dax_writeback_one, inode, pgoff, pglen);
}

/*
 * Records only iterations of huge-page faults on DAX files. A 4 KiB fault requests one page.
 * read(), write() and write-back do not set IOMAP_FAULT.
 *
 * Context: as iomap_iter(). Takes no lock.
 */
static void on_iomap(void *unused, struct inode *inode, struct iomap *iomap)
{
	const struct iomap_iter *iter = lttng_mm_iomap_iter(iomap);

	if (!(iter->flags & IOMAP_FAULT) || iter->len <= PAGE_SIZE || iter->inode != inode ||
	    !IS_DAX(inode))
		return;
	lttng_mm_enter();
	record(dax_fault_extent, pack_extent, fill_extent, inode, iter, iomap);
	lttng_mm_leave();
}

static struct lttng_mm_hook hooks[LTTNG_MM_HOOKS] = {
	[lttng_mm_hook_pmd_fault] = { LTTNG_MM_HOOK_OF(dax_pmd_fault, on_pmd_fault) },
	[lttng_mm_hook_pmd_fault_done] = { LTTNG_MM_HOOK_OF(dax_pmd_fault_done,
							    on_pmd_fault_done) },
	[lttng_mm_hook_pmd_load_hole] = { LTTNG_MM_HOOK_OF(dax_pmd_load_hole, on_pmd_load_hole) },
	[lttng_mm_hook_pmd_load_hole_fallback] = { LTTNG_MM_HOOK_OF(dax_pmd_load_hole_fallback,
								    on_pmd_load_hole_fallback) },
	[lttng_mm_hook_pte_fault] = { LTTNG_MM_HOOK_OF(dax_pte_fault, on_pte_fault) },
	[lttng_mm_hook_pte_fault_done] = { LTTNG_MM_HOOK_OF(dax_pte_fault_done,
							    on_pte_fault_done) },
	[lttng_mm_hook_load_hole] = { LTTNG_MM_HOOK_OF(dax_load_hole, on_load_hole) },
	[lttng_mm_hook_insert_pfn_mkwrite] = { LTTNG_MM_HOOK_OF(dax_insert_pfn_mkwrite,
								on_insert_pfn_mkwrite) },
	[lttng_mm_hook_insert_pfn_mkwrite_no_entry] = { LTTNG_MM_HOOK_OF(
		dax_insert_pfn_mkwrite_no_entry, on_insert_pfn_mkwrite_no_entry) },
	[lttng_mm_hook_writeback_range] = { LTTNG_MM_HOOK_OF(dax_writeback_range,
							     on_writeback_range) },
	[lttng_mm_hook_writeback_range_done] = { LTTNG_MM_HOOK_OF(dax_writeback_range_done,
								  on_writeback_range_done) },
	[lttng_mm_hook_writeback_one] = { LTTNG_MM_HOOK_OF(dax_writeback_one, on_writeback_one) },
	/* No kernel header declares this tracepoint. See probes/compat/iomap.h. */
	[lttng_mm_hook_iomap] = { .name = "iomap_iter_dstmap", .callback = on_iomap },
};

struct lttng_mm_hooks lttng_mm_dax_hooks = {
	.owner = THIS_MODULE,
	.hook = hooks,
	.count = ARRAY_SIZE(hooks),
};
