// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook at the entry of handle_mm_fault(), through which every page fault and every
 * get_user_pages() goes that does not find a usable entry.
 *
 *   the entry is marked         -> restore it, record the touch; the kernel finds a present entry
 *   none, swap, copy-on-write   -> hook the end of this call, and record the touch there if the
 *                                  page is mapped by then
 *
 * An entry is classified under the lock of its page table, because it reads as none between
 * ptep_modify_prot_start() and ptep_modify_prot_commit(). This is the one lock that the record path
 * takes; events are recorded after it is released.
 */

#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <probes/compat/page-marks.h>
#include <probes/compat/rethook.h>
#include <probes/lib/call-site.h>
#include <probes/lib/pack.h>
#include <probes/pageref/pageref.h>

/* Maximum number of faults at a time whose ends are hooked. */
#define ENDS 1024
/* Pages that fault-around maps at most, with the kernel's default (fault_around_bytes). */
#define AROUND_PAGES 16
#define NO_PFN U64_MAX

/* A page fault. */
struct fault {
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	unsigned long address;
	unsigned long ip; /* instruction pointer in user space, or call-site number */
	unsigned int flags;
	enum lttng_mm_pageref_kind kind;
	bool huge;
	u64 pfn; /* of the page that was mapped before the fault, or NO_PFN */
	/* Bit I: page I of those that fault-around may map (find_window()) was mapped before. */
	u16 mapped_before;
};
static_assert(AROUND_PAGES == 16);

/* A fault whose end is hooked. */
struct fault_end {
	struct rethook_node node; /* first: the kernel frees the node */
	struct fault fault;
};

static struct rethook *ends;

static bool is_write(const struct fault *fault)
{
	return fault->flags & FAULT_FLAG_WRITE;
}

static __always_inline bool pack_touch(struct lttng_mm_packed_long *rec, u32 mm,
				       const struct fault *fault, u32 node)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);

	lttng_mm_pack(&pack, (u32)current->pid, LTTNG_MM_PAGEREF_TID_BITS);
	lttng_mm_pack_or_ones(&pack, mm, LTTNG_MM_PAGEREF_MM_BITS);
	lttng_mm_pack_or_ones(&pack, fault->address, LTTNG_MM_PAGEREF_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, fault->ip, LTTNG_MM_PAGEREF_IP_BITS);
	lttng_mm_pack_or_ones(&pack, node, LTTNG_MM_PAGEREF_NODE_BITS);
	lttng_mm_pack(&pack, fault->kind, LTTNG_MM_PAGEREF_KIND_BITS);
	lttng_mm_pack(&pack, fault->huge, 1);
	lttng_mm_pack(&pack, is_write(fault), 1);
	lttng_mm_pack(&pack, !!(fault->flags & FAULT_FLAG_USER), 1);
	return lttng_mm_pack_end(&pack);
}
static_assert(LTTNG_MM_PAGEREF_TOUCH_BITS % 8 == 0);
static_assert(PID_MAX_LIMIT <= 1UL << LTTNG_MM_PAGEREF_TID_BITS);

/* NODE is the node of the page; with PFN NO_PFN the page is unknown, and so is its node. */
static void fire_touch(const struct pageref_space *space, const struct fault *fault, u64 pfn)
{
	struct lttng_mm_packed_long rec LTTNG_MM_NO_CLEAR;
	u32 node = pfn == NO_PFN ? U16_MAX : (u32)page_to_nid(pfn_to_page(pfn));

	pageref_count(TOUCHES);
	pageref_count_size(fault->huge);
	if (!pack_touch(&rec, space->number, fault, node)) {
		struct lttng_mm_pageref_touch_wide wide = {
			.tid = (u32)current->pid,
			.mm = space->number,
			.address = fault->address,
			.ip = fault->ip,
			.node = (u16)node,
			.kind = fault->kind,
			.huge = fault->huge,
			.write = is_write(fault),
			.user = !!(fault->flags & FAULT_FLAG_USER),
		};

		trace_lttng_mm_pageref_touch_wide(&wide);
	}
	trace_lttng_mm_pageref_touch(&rec);
}

/*
 * The last lookup of each CPU: the address space and the table for an address. It is valid as long
 * as pageref_generation is the same: whatever is removed is freed by RCU after the generation has
 * changed.
 */
struct lookup {
	const struct mm_struct *mm;
	unsigned long index;
	long generation;
	struct pageref_space *space;
	struct pageref_table *table;
};
static DEFINE_PER_CPU(struct lookup, last_lookup);

/* As look_up(), if the last lookup was another one. */
static noinline struct pageref_space *look_up_again(const struct fault *fault,
						    struct pageref_table **table)
{
	/* The generation is read first: what is removed from now on makes this lookup invalid. */
	long generation = atomic_long_read_acquire(&pageref_generation);
	struct pageref_space *space = pageref_space_of(fault->mm);

	*table = NULL;
	if (!space || !pageref_is_markable(fault->vma))
		return space;
	*table = pageref_table_of(space, fault->address, GFP_NOWAIT);
	if (*table)
		*this_cpu_ptr(&last_lookup) = (struct lookup){
			.mm = fault->mm,
			.index = fault->address >> PMD_SHIFT,
			.generation = generation,
			.space = space,
			.table = *table,
		};
	else
		pageref_count(NO_TABLE);
	return space;
}

/*
 * Finds the address space of a fault, or NULL, and the table for its page, or NULL. Context:
 * preemption off; page faults do not nest.
 */
static __always_inline struct pageref_space *look_up(const struct fault *fault,
						     struct pageref_table **table)
{
	const struct lookup *last = this_cpu_ptr(&last_lookup);

	if (unlikely(last->mm != fault->mm || last->index != fault->address >> PMD_SHIFT ||
		     last->generation != atomic_long_read(&pageref_generation)))
		return look_up_again(fault, table);
	*table = last->table;
	return last->space;
}

/* Records the mapping of the fault's page. */
static noinline void fire_mapping(struct pageref_space *space, struct pageref_table *table,
				  const struct fault *fault)
{
	unsigned long base = fault->address & PMD_MASK;

	pageref_fire_mapping(space, table, fault->vma, max(fault->vma->vm_start, base),
			     min(fault->vma->vm_end, base + PMD_SIZE));
}

/* Hooks the end of the call of handle_mm_fault() that REGS has just entered. */
static void hook_end(const struct fault *fault, struct pt_regs *regs, struct pageref_table *table)
{
	struct rethook_node *node = static_call(pageref_rethook_try_get)(ends);

	if (!node) {
		pageref_count(MISSED_ENDS);
		return;
	}
	if (table) {
		set_bit(pageref_page_bit(fault->address), table->faulting);
		set_bit(PAGEREF_HUGE_FAULTING, &table->huge);
	}
	container_of(node, struct fault_end, node)->fault = *fault;
	static_call(pageref_rethook_hook)(node, regs, true);
}

/* Is the page, or the huge page, in the sample? */
static __always_inline bool is_sampled(const struct pageref_space *space, const struct fault *fault)
{
	return pageref_is_sampled(READ_ONCE(space->sample),
				  fault->huge ? fault->address & PMD_MASK : fault->address);
}

/* May the end of the fault be recorded? It may map a huge page, or other pages around its own. */
static bool may_be_sampled(const struct pageref_space *space, const struct fault *fault)
{
	const struct vm_area_struct *vma = fault->vma;
	const u32 sample = READ_ONCE(space->sample);

	return pageref_is_sampled(sample, fault->address) ||
	       pageref_is_sampled(sample, fault->address & PMD_MASK) ||
	       (!is_write(fault) && vma->vm_ops && vma->vm_ops->map_pages);
}

/* Must the kernel copy the page, or ask the file system, before it can be written? */
static bool needs_write(const struct fault *fault, bool writable)
{
	return (fault->flags & (FAULT_FLAG_WRITE | FAULT_FLAG_UNSHARE)) && !writable;
}

/*
 * Finds the pages that fault-around may map, as do_fault_around() does: the aligned block of the
 * page, but AROUND_PAGES from the start of a mapping that begins in the block. They are from the
 * returned index in the page table up to *LAST (exclusive).
 */
static unsigned int find_window(const struct fault *fault, unsigned int *last)
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
 * Returns the bits for mapped_before. AT is the entry for the fault's address.
 *
 * A fault that waits for its page has mapped the pages around it before, and is tried again: the
 * pages that are mapped, but not known to be, count as mapped by this try.
 */
static u16 find_mapped_before(const struct fault *fault, const pte_t *at,
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

/* Result of classifying a fault by its page-table entry. */
enum finding {
	FOUND_NOTHING, /* the fault is not a touch */
	FOUND_TOUCH,   /* the touch is complete */
	FOUND_START,   /* the end of the fault will tell */
};

/* Sets the bits of the fault's page, which is mapped. Returns whether it was touched already. */
static bool note_touch(const struct fault *fault, struct pageref_table *table)
{
	unsigned int bit = pageref_page_bit(fault->address);

	/* A pass has usually set this bit already, but a fork copies marks without tables. */
	if (!test_bit(bit, table->present)) {
		if (fault->huge)
			bitmap_fill(table->present, PTRS_PER_PTE);
		else
			set_bit(bit, table->present);
	}
	if (fault->huge)
		return test_and_set_bit(PAGEREF_HUGE_TOUCHED, &table->huge);
	return test_and_set_bit(bit, table->touched);
}

/*
 * Several threads can fault on a page at a time. The first one that finds the page mapped takes the
 * bit that hook_end() has set, and records the touch. Returns whether this is the first one.
 */
static bool takes_touch(const struct fault *fault, struct pageref_table *table)
{
	if (fault->huge)
		return test_and_clear_bit(PAGEREF_HUGE_FAULTING, &table->huge);
	return test_and_clear_bit(pageref_page_bit(fault->address), table->faulting);
}

/*
 * Classifies the fault by ENTRY, which maps the page or is a mark of ours or of the kernel. MASK
 * has the bits of its page frame number. TABLE may be NULL. Context: the lock of the entry is held.
 */
static __always_inline enum finding classify_page(struct fault *fault, u64 entry, u64 mask,
						  struct pageref_table *table)
{
	fault->pfn = lttng_mm_entry_pfn(entry, mask);
	fault->kind =
		lttng_mm_is_numa_hint(entry) ? LTTNG_MM_PAGEREF_NUMA_HINT : LTTNG_MM_PAGEREF_ARMED;
	if (needs_write(fault, entry & _PAGE_RW))
		return FOUND_START;
	if (lttng_mm_is_mapped(entry)) {
		/* Has an earlier try of the fault waited, until another thread mapped the page? */
		if (!table || !test_bit(pageref_page_bit(fault->address), table->retried))
			return FOUND_NOTHING;
		fault->kind = LTTNG_MM_PAGEREF_DEMAND;
		return FOUND_START;
	}
	return table && note_touch(fault, table) ? FOUND_NOTHING : FOUND_TOUCH;
}

static bool is_page(u64 entry)
{
	return lttng_mm_is_mapped(entry) || lttng_mm_is_marked(entry) ||
	       lttng_mm_is_numa_hint(entry);
}

/* Restores the entry if it is marked. Context: the page-table lock is held. */
static enum finding classify_entry(struct fault *fault, pte_t *at, struct pageref_table *table)
{
	const pte_t pte = READ_ONCE(*at);

	if (pte_none(pte) || lttng_mm_is_mapped(lttng_mm_pte_val(pte)))
		fault->mapped_before = find_mapped_before(fault, at, table);
	if (pte_none(pte))
		return FOUND_START;
	if (!is_page(lttng_mm_pte_val(pte))) {
		fault->kind = lttng_mm_pte_is_migrating(pte) ? LTTNG_MM_PAGEREF_MIGRATED
							     : LTTNG_MM_PAGEREF_SWAP_IN;
		return FOUND_START;
	}
	if (lttng_mm_is_marked(lttng_mm_pte_val(pte))) {
		set_pte_at(fault->mm, fault->address & PAGE_MASK, at,
			   pte_mkyoung(lttng_mm_pte_unmark(pte)));
		pageref_count(RESTORED);
	}
	return classify_page(fault, lttng_mm_pte_val(pte), PTE_PFN_MASK, table);
}

/* As classify_entry(), for a huge page. */
static noinline enum finding classify_huge(struct fault *fault, pmd_t *at,
					   struct pageref_table *table)
{
	const pmd_t pmd = READ_ONCE(*at);

	fault->huge = true;
	if (!is_page(lttng_mm_pmd_val(pmd))) {
		fault->kind = LTTNG_MM_PAGEREF_MIGRATED;
		return FOUND_START;
	}
	if (lttng_mm_is_marked(lttng_mm_pmd_val(pmd))) {
		set_pmd_at(fault->mm, fault->address & PMD_MASK, at,
			   pmd_mkyoung(lttng_mm_pmd_unmark(pmd)));
		pageref_count(RESTORED);
	}
	return classify_page(fault, lttng_mm_pmd_val(pmd), PHYSICAL_PMD_PAGE_MASK, table);
}

/*
 * Classifies the fault by its entry, and restores the entry if it is marked. Stores the entry's
 * address in *ENTRY, or NULL.
 */
static __always_inline enum finding classify(struct fault *fault, struct pageref_table *table,
					     const u64 **entry)
{
	enum finding found;
	unsigned long next;
	pmd_t *at = lttng_mm_pmd_of(fault->mm, fault->address, &next), pmd;
	spinlock_t *lock = at ? lttng_mm_lock_entries(fault->mm, at, &pmd) : NULL;

	fault->kind = LTTNG_MM_PAGEREF_DEMAND;
	fault->pfn = NO_PFN;
	fault->huge = false;
	fault->mapped_before = 0;
	*entry = NULL;
	if (!lock)
		return FOUND_START;
	if (likely(lttng_mm_pmd_is_table(pmd))) {
		pte_t *pte = pte_offset_kernel(&pmd, fault->address);

		*entry = (const u64 *)pte;
		found = classify_entry(fault, pte, table);
	} else {
		*entry = (const u64 *)at;
		found = classify_huge(fault, at, table);
	}
	spin_unlock(lock);
	return found;
}

static noinline void notrace on_fault(struct vm_area_struct *vma, struct pt_regs *regs)
{
	const struct pt_regs *at = (const void *)regs->cx;
	struct fault fault = {
		.vma = vma,
		.mm = vma->vm_mm,
		.address = regs->si,
		.flags = (unsigned int)regs->dx,
	};
	struct pageref_space *space;
	struct pageref_table *table;
	const u64 *entry;
	enum finding found;

	preempt_disable_notrace();
	space = look_up(&fault, &table);
	if (!space || !pageref_is_markable(vma))
		goto out;
	if (at)
		fault.ip = user_mode((struct pt_regs *)at) ? at->ip : lttng_mm_call_site(at->ip);
	if (table && unlikely(!test_bit(pageref_page_bit(fault.address), table->mapping_known)))
		fire_mapping(space, table, &fault);
	found = classify(&fault, table, &entry);
	while (found == FOUND_TOUCH) {
		if (likely(is_sampled(space, &fault)))
			fire_touch(space, &fault, fault.pfn);
		/* If a pass has marked the page again, this is a touch after that pass, too. */
		if (likely(!lttng_mm_is_marked(READ_ONCE(*entry))))
			break;
		found = classify(&fault, table, &entry);
	}
	if (found == FOUND_START && may_be_sampled(space, &fault))
		hook_end(&fault, regs, table);
out:
	preempt_enable_notrace();
}

/*
 * Context: process. ftrace's registers start with a struct pt_regs, which has the arguments, the
 * stack pointer and nothing else.
 */
static void notrace on_handle_mm_fault(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *ops, struct ftrace_regs *ftrace_regs)
{
	struct pt_regs *regs = (struct pt_regs *)ftrace_regs;
	struct vm_area_struct *vma = (void *)regs->di;

	if (unlikely(pageref_maybe_recorded(vma->vm_mm)))
		on_fault(vma, regs);
}

/* Is entry I mapped, to the same large folio as the fault's page? */
static bool is_of_folio(const struct fault *fault, const pte_t *start, int i)
{
	pte_t pte = READ_ONCE(start[i]);

	return lttng_mm_is_mapped(lttng_mm_pte_val(pte)) &&
	       page_folio(pfn_to_page(pte_pfn(pte))) == page_folio(pfn_to_page(fault->pfn));
}

/*
 * Sets the bits in AROUND of pages that a fault has mapped untouched. START is the first entry of
 * the page table.
 *
 * Context: the lock of the page table is held, and that of the mapping.
 */
static void find_around(const struct fault *fault, const pte_t *start, u32 sample,
			struct pageref_table *table, unsigned long *around)
{
	const struct vm_area_struct *vma = fault->vma;
	const unsigned long base = fault->address & PMD_MASK;
	int bit = pageref_page_bit(fault->address);
	int low = vma->vm_start > base ? pageref_page_bit(vma->vm_start) : 0;
	int high = vma->vm_end < base + PMD_SIZE ? pageref_page_bit(vma->vm_end) : PTRS_PER_PTE;
	unsigned int page, first, last;

	first = find_window(fault, &last);
	if (!is_write(fault) && vma->vm_ops && vma->vm_ops->map_pages)
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

/*
 * Finds the page that a fault has mapped. Returns false if the page is not mapped, or has been
 * marked again. PAGE is its entry.
 *
 * Context: as find_around().
 */
static bool find_mapped(struct fault *fault, const pte_t *page, u32 sample,
			struct pageref_table *table, unsigned long *around)
{
	pte_t pte = READ_ONCE(*page);

	if (!lttng_mm_is_mapped(lttng_mm_pte_val(pte)))
		return false;
	fault->pfn = pte_pfn(pte);
	if (table && fault->kind == LTTNG_MM_PAGEREF_DEMAND)
		find_around(fault, page - pageref_page_bit(fault->address), sample, table, around);
	return true;
}

static void fire_around(const struct pageref_space *space, const struct fault *fault,
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

/*
 * Decides whether the fault was a touch to record, and sets the page's bits. BEFORE is the page
 * that was mapped before the fault.
 */
static bool is_touch(struct fault *fault, u64 before, struct pageref_table *table)
{
	/* The kernel may migrate a page that it has marked. It copies the page in another fault. */
	if (before != NO_PFN && before != fault->pfn && fault->kind != LTTNG_MM_PAGEREF_NUMA_HINT)
		fault->kind = LTTNG_MM_PAGEREF_COPY;
	if (!table)
		return true;
	clear_bit(pageref_page_bit(fault->address), table->retried);
	if (!takes_touch(fault, table))
		return false;
	return !note_touch(fault, table) || fault->kind == LTTNG_MM_PAGEREF_COPY ||
	       fault->kind == LTTNG_MM_PAGEREF_SWAP_IN;
}

/* A fault has ended without an error, and its caller still holds the lock of the mapping. */
static void on_mapped(struct pageref_space *space, struct fault *fault)
{
	struct pageref_table *table = pageref_table_of(space, fault->address, 0);
	DECLARE_BITMAP(around, PTRS_PER_PTE) = { 0 };
	u64 before = fault->pfn;
	bool touch = false;
	unsigned long next;
	pmd_t *at = lttng_mm_pmd_of(fault->mm, fault->address, &next), pmd;
	spinlock_t *lock = at ? lttng_mm_lock_entries(fault->mm, at, &pmd) : NULL;

	if (!lock)
		return;
	fault->huge = !lttng_mm_pmd_is_table(pmd);
	if (fault->huge && lttng_mm_is_mapped(lttng_mm_pmd_val(pmd))) {
		fault->pfn = pmd_pfn(pmd);
		touch = is_touch(fault, before, table);
	} else if (!fault->huge && find_mapped(fault, pte_offset_kernel(&pmd, fault->address),
					       READ_ONCE(space->sample), table, around)) {
		touch = is_touch(fault, before, table);
	}
	spin_unlock(lock);
	if (touch && is_sampled(space, fault))
		fire_touch(space, fault, fault->pfn);
	fire_around(space, fault, around);
}

/*
 * The end of a call of handle_mm_fault(). With RETRY, the kernel calls it again. With COMPLETED,
 * the page is mapped, but the lock of the mapping is released.
 *
 * Context: preemption off.
 */
static void notrace LTTNG_MM_RETHOOK_HANDLER(on_end, node, regs)
{
	struct fault *fault = &container_of(node, struct fault_end, node)->fault;
	vm_fault_t result = (__force vm_fault_t)regs->ax;
	struct pageref_space *space = pageref_space_of(fault->mm);

	if (!space || (result & VM_FAULT_ERROR))
		return;
	if (result & VM_FAULT_RETRY) {
		struct pageref_table *table = pageref_table_of(space, fault->address, 0);

		if (table)
			set_bit(pageref_page_bit(fault->address), table->retried);
		return;
	}
	if (result & VM_FAULT_COMPLETED) {
		struct pageref_table *table = pageref_table_of(space, fault->address, 0);

		fault->pfn = NO_PFN;
		if (is_touch(fault, NO_PFN, table) && is_sampled(space, fault))
			fire_touch(space, fault, NO_PFN);
		return;
	}
	on_mapped(space, fault);
}

/* The hook is attached, and so are those of forks and execs. */
static bool attached, settled;

bool pageref_is_recording(void)
{
	lttng_mm_callbacks_state state;
	const struct tracepoint_func *func;
	bool recording = false;

	if (!READ_ONCE(settled))
		return false;
	preempt_disable_notrace();
	state = lttng_mm_callbacks_lock();
	func = rcu_dereference_raw(__tracepoint_lttng_mm_pageref_touch.funcs);
	for (; func && func->func && !recording; func++) {
		const struct lttng_kernel_event_common *event = func->data;
		const struct lttng_kernel_channel_common *chan;

		recording = READ_ONCE(event->enabled);
		if (!recording || event->type != LTTNG_KERNEL_EVENT_TYPE_RECORDER)
			continue;
		chan = &container_of(event, struct lttng_kernel_event_recorder, parent)
				->chan->parent;
		recording = READ_ONCE(chan->session->active) && READ_ONCE(chan->enabled);
	}
	lttng_mm_callbacks_unlock(state);
	preempt_enable_notrace();
	return recording;
}

/*
 * PERMANENT: otherwise `sysctl kernel.ftrace_enabled=0` would silently remove the hook. The hook
 * cannot recurse, because it calls no function that faults.
 */
static struct ftrace_ops hook_ops = {
	.func = on_handle_mm_fault,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

int pageref_hook_attach(void)
{
	int ret = register_ftrace_function(&hook_ops);

	attached = !ret;
	return ret;
}

void pageref_hook_detach(unsigned int unused_hook)
{
	WRITE_ONCE(settled, false);
	pageref_unmark_all();
	if (attached)
		unregister_ftrace_function(&hook_ops);
	attached = false;
}

void pageref_hook_settled(void)
{
	WRITE_ONCE(settled, attached);
}

int pageref_hook_init(void)
{
	int ret;

	if (!pageref_ends_init())
		return -ENOENT;
	ret = ftrace_set_filter_ip(&hook_ops, (unsigned long)handle_mm_fault, 0, 0);
	if (ret) {
		pr_err("lttng-probe-pageref: handle_mm_fault() cannot be hooked: error %d\n", ret);
		return ret;
	}
	ends = pageref_make_ends(on_end, sizeof(struct fault_end), ENDS);
	if (ends)
		return 0;
	ftrace_free_filter(&hook_ops);
	return -ENOMEM;
}

void pageref_hook_exit(void)
{
	pageref_free_ends(ends);
	ftrace_free_filter(&hook_ops);
}
