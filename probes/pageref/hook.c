// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hook at the entry of handle_mm_fault(). The kernel calls this function for every page fault,
 * and for every get_user_pages() that does not find a usable entry.
 *
 *   the entry is marked            -> restore it, record the touch; the kernel sees a present entry
 *   it is empty, a swap entry, or  -> hook the end of this call, and record the touch there if the
 *   the page must be copied           page is mapped by then
 *
 * The hook reads an entry under the lock of its page table, because the entry is empty between
 * ptep_modify_prot_start() and ptep_modify_prot_commit(). It records events after it has released
 * the lock.
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
#include <probes/pageref/fault.h>
#include <probes/pageref/pageref.h>

/* Maximum number of concurrent faults whose ends are hooked. */
#define ENDS 1024
/* A fault whose end is hooked. */
struct fault_end {
	struct rethook_node node; /* first, because the kernel frees the object by this address */
	struct pageref_fault fault;
};

static struct rethook *ends;

static __always_inline bool pack_touch(struct lttng_mm_packed_long *rec, u32 mm,
				       const struct pageref_fault *fault, u32 node)
{
	struct lttng_mm_pack pack = LTTNG_MM_PACK_INTO(rec);

	lttng_mm_pack(&pack, (u32)current->pid, LTTNG_MM_PAGEREF_TID_BITS);
	lttng_mm_pack_or_ones(&pack, mm, LTTNG_MM_PAGEREF_MM_BITS);
	lttng_mm_pack_or_ones(&pack, fault->address, LTTNG_MM_PAGEREF_ADDRESS_BITS);
	lttng_mm_pack_or_ones(&pack, fault->ip, LTTNG_MM_PAGEREF_IP_BITS);
	lttng_mm_pack_or_ones(&pack, node, LTTNG_MM_PAGEREF_NODE_BITS);
	lttng_mm_pack(&pack, fault->kind, LTTNG_MM_PAGEREF_KIND_BITS);
	lttng_mm_pack(&pack, fault->huge, 1);
	lttng_mm_pack(&pack, pageref_is_write(fault), 1);
	lttng_mm_pack(&pack, !!(fault->flags & FAULT_FLAG_USER), 1);
	return lttng_mm_pack_end(&pack);
}
static_assert(LTTNG_MM_PAGEREF_TOUCH_BITS % 8 == 0);
static_assert(PID_MAX_LIMIT <= 1UL << LTTNG_MM_PAGEREF_TID_BITS);

/* Records a touch of the page PFN. With PAGEREF_NO_PFN, its NUMA node is recorded as unknown. */
static void fire_touch(const struct pageref_space *space, const struct pageref_fault *fault,
		       u64 pfn)
{
	struct lttng_mm_packed_long rec LTTNG_MM_NO_CLEAR;
	u32 node = pfn == PAGEREF_NO_PFN ? U16_MAX : (u32)page_to_nid(pfn_to_page(pfn));

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
			.write = pageref_is_write(fault),
			.user = !!(fault->flags & FAULT_FLAG_USER),
		};

		trace_lttng_mm_pageref_touch_wide(&wide);
	}
	trace_lttng_mm_pageref_touch(&rec);
}

/*
 * The last lookup of each CPU: the address space and the table for an address. It is valid as long
 * as pageref_generation is the same, because the generation changes before RCU frees an address
 * space or a table.
 */
struct lookup {
	const struct mm_struct *mm;
	unsigned long index;
	long generation;
	struct pageref_space *space;
	struct pageref_table *table;
};
static DEFINE_PER_CPU(struct lookup, last_lookup);

/* Does the work of look_up() if the last lookup was for another address. */
static noinline struct pageref_space *look_up_again(const struct pageref_fault *fault,
						    struct pageref_table **table)
{
	/* The generation is read first, so a removal from now on makes this lookup invalid. */
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
static __always_inline struct pageref_space *look_up(const struct pageref_fault *fault,
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
				  const struct pageref_fault *fault)
{
	unsigned long base = fault->address & PMD_MASK;

	pageref_fire_mapping(space, table, fault->vma, max(fault->vma->vm_start, base),
			     min(fault->vma->vm_end, base + PMD_SIZE));
}

/* Hooks the end of the call of handle_mm_fault() that REGS has just entered. */
static void hook_end(const struct pageref_fault *fault, struct pt_regs *regs,
		     struct pageref_table *table)
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
static __always_inline bool is_sampled(const struct pageref_space *space,
				       const struct pageref_fault *fault)
{
	return pageref_is_sampled(READ_ONCE(space->sample),
				  fault->huge ? fault->address & PMD_MASK : fault->address);
}

/*
 * May the fault map a page of the sample: its own page, a huge page, or a page around its own? If
 * not, the end of the fault need not be hooked.
 */
static bool may_be_sampled(const struct pageref_space *space, const struct pageref_fault *fault)
{
	const u32 sample = READ_ONCE(space->sample);

	return pageref_is_sampled(sample, fault->address) ||
	       pageref_is_sampled(sample, fault->address & PMD_MASK) ||
	       pageref_may_map_around(fault);
}

/* Must the kernel copy the page, or ask the file system, before it can be written? */
static bool needs_write(const struct pageref_fault *fault, bool writable)
{
	return (fault->flags & (FAULT_FLAG_WRITE | FAULT_FLAG_UNSHARE)) && !writable;
}

/* Result of classifying a fault by its page-table entry. */
enum finding {
	FOUND_NOTHING, /* the fault is not a touch */
	FOUND_TOUCH,   /* the fault is a touch */
	FOUND_START,   /* the end of the fault decides whether it is a touch */
};

/*
 * Sets the bits of the fault's page, which is mapped. Returns whether a touch of the page was
 * already noted since the last pass.
 */
static bool note_touch(const struct pageref_fault *fault, struct pageref_table *table)
{
	unsigned int bit = pageref_page_bit(fault->address);

	/*
	 * A pass has usually set this bit. The child of a fork has copies of marks, but no bits
	 * yet.
	 */
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
 * Several threads can fault on a page at the same time, and hook_end() has set the page's bit
 * `faulting` for them. The first fault that ends with the page mapped clears the bit, and records
 * the touch. Returns whether the bit was set.
 */
static bool takes_touch(const struct pageref_fault *fault, struct pageref_table *table)
{
	bool page = test_and_clear_bit(pageref_page_bit(fault->address), table->faulting);
	bool huge = test_and_clear_bit(PAGEREF_HUGE_FAULTING, &table->huge);

	return fault->huge ? huge : page;
}

/*
 * Classifies the fault by ENTRY, which maps the page, is marked by us, or is a NUMA hint. MASK
 * selects the page frame number in ENTRY. TABLE may be NULL. Context: the lock of the entry is
 * held.
 */
static __always_inline enum finding classify_page(struct pageref_fault *fault, u64 entry, u64 mask,
						  struct pageref_table *table)
{
	fault->pfn = lttng_mm_entry_pfn(entry, mask);
	fault->kind =
		lttng_mm_is_numa_hint(entry) ? LTTNG_MM_PAGEREF_NUMA_HINT : LTTNG_MM_PAGEREF_ARMED;
	if (needs_write(fault, entry & _PAGE_RW))
		return FOUND_START;
	if (lttng_mm_is_mapped(entry)) {
		/*
		 * The page is mapped already. The fault is a touch only if an earlier try of it has
		 * waited while another thread mapped the page.
		 */
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

/*
 * Removes our mark from the entry PAGE or, if PAGE is NULL, from the entry AT of a huge page.
 * Context: the lock of the entry is held.
 */
static __always_inline void restore(struct pageref_fault *fault, pmd_t *at, pte_t *page)
{
	if (page)
		set_pte_at(fault->mm, fault->address & PAGE_MASK, page,
			   pte_mkyoung(lttng_mm_pte_unmark(READ_ONCE(*page))));
	else
		set_pmd_at(fault->mm, fault->address & PMD_MASK, at,
			   pmd_mkyoung(lttng_mm_pmd_unmark(READ_ONCE(*at))));
	fault->restored = true;
	pageref_count(RESTORED);
}

/*
 * Classifies the fault by the entry AT of a page table, and restores the entry if it is marked.
 * Context: the page-table lock is held.
 */
static enum finding classify_entry(struct pageref_fault *fault, pte_t *at,
				   struct pageref_table *table)
{
	const pte_t pte = READ_ONCE(*at);
	const u64 entry = lttng_mm_pte_val(pte);

	if (likely(lttng_mm_is_marked(entry))) {
		restore(fault, NULL, at);
		return classify_page(fault, entry, PTE_PFN_MASK, table);
	}
	if (pte_none(pte) || lttng_mm_is_mapped(entry))
		fault->mapped_before = pageref_mapped_before(fault, at, table);
	if (pte_none(pte))
		return FOUND_START;
	if (is_page(entry))
		return classify_page(fault, entry, PTE_PFN_MASK, table);
	fault->kind = lttng_mm_pte_is_migrating(pte) ? LTTNG_MM_PAGEREF_MIGRATED
						     : LTTNG_MM_PAGEREF_SWAP_IN;
	return FOUND_START;
}

/* Like classify_entry(), for a huge page. */
static noinline enum finding classify_huge(struct pageref_fault *fault, pmd_t *at,
					   struct pageref_table *table)
{
	const pmd_t pmd = READ_ONCE(*at);

	fault->huge = true;
	if (!is_page(lttng_mm_pmd_val(pmd))) {
		fault->kind = LTTNG_MM_PAGEREF_MIGRATED;
		return FOUND_START;
	}
	if (lttng_mm_is_marked(lttng_mm_pmd_val(pmd)))
		restore(fault, at, NULL);
	return classify_page(fault, lttng_mm_pmd_val(pmd), PHYSICAL_PMD_PAGE_MASK, table);
}

/* Classifies the fault by its entry, and restores the entry if it is marked. */
static __always_inline enum finding classify(struct pageref_fault *fault,
					     struct pageref_table *table)
{
	enum finding found;
	unsigned long next;
	pmd_t *at = lttng_mm_pmd_of(fault->mm, fault->address, &next), pmd;
	spinlock_t *lock = at ? lttng_mm_lock_entries(fault->mm, at, &pmd) : NULL;

	fault->kind = LTTNG_MM_PAGEREF_DEMAND;
	fault->pfn = PAGEREF_NO_PFN;
	fault->huge = fault->restored = false;
	fault->mapped_before = 0;
	if (!lock)
		return FOUND_START;
	if (likely(lttng_mm_pmd_is_table(pmd)))
		found = classify_entry(fault, pte_offset_kernel(&pmd, fault->address), table);
	else
		found = classify_huge(fault, at, table);
	spin_unlock(lock);
	return found;
}

/*
 * Records the fault if it is a touch. If only the fault's end can show this, hooks the end and sets
 * *HOOKED. Does not hook the end twice. Context: preemption off.
 */
static __always_inline void see_fault(struct pageref_fault *fault, struct pt_regs *regs,
				      bool *hooked)
{
	const struct pt_regs *at = (const void *)regs->cx;
	struct pageref_table *table;
	struct pageref_space *space = look_up(fault, &table);
	enum finding found;

	fault->restored = false;
	if (!space || !pageref_is_markable(fault->vma))
		return;
	fault->ip = !at ? 0 : user_mode((struct pt_regs *)at) ? at->ip : lttng_mm_call_site(at->ip);
	if (table && unlikely(!test_bit(pageref_page_bit(fault->address), table->mapping_known)))
		fire_mapping(space, table, fault);
	found = classify(fault, table);
	if (likely(found == FOUND_TOUCH)) {
		if (likely(is_sampled(space, fault)))
			fire_touch(space, fault, fault->pfn);
	} else if (found == FOUND_START && !*hooked && may_be_sampled(space, fault)) {
		hook_end(fault, regs, table);
		*hooked = true;
	}
}

/*
 * A pass can mark the entry again before the kernel reads it. The kernel would then restore the
 * entry, and the next pass would report the page as unseen:
 *
 *   we restore the entry, and enable preemption
 *     -> the thread of the passes, which was due meanwhile, preempts us and marks the entry
 *     -> the kernel finds a mark
 *
 * Therefore we look again if a pass has started to mark a page table since we read the entry. The
 * access to a page that was marked again is still to come, so it is a touch after that pass, too.
 */
static noinline void notrace on_fault(struct vm_area_struct *vma, struct pt_regs *regs)
{
	/* Do not clear the struct: see_fault() and classify() set the other members. */
	struct pageref_fault fault LTTNG_MM_NO_CLEAR;
	unsigned long marked_tables;
	bool hooked = false;

	fault.vma = vma;
	fault.mm = vma->vm_mm;
	fault.address = regs->si;
	fault.flags = (unsigned int)regs->dx;
	do {
		marked_tables = READ_ONCE(pageref_marked_tables);
		preempt_disable_notrace();
		see_fault(&fault, regs, &hooked);
		preempt_enable_notrace();
	} while (fault.restored && unlikely(marked_tables != READ_ONCE(pageref_marked_tables)));
}

/*
 * Context: process. ftrace's registers start with a struct pt_regs, in which only the arguments and
 * the stack pointer are set.
 */
static void notrace on_handle_mm_fault(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *ops, struct ftrace_regs *ftrace_regs)
{
	struct pt_regs *regs = (struct pt_regs *)ftrace_regs;
	struct vm_area_struct *vma = (void *)regs->di;

	if (unlikely(pageref_maybe_recorded(vma->vm_mm)))
		on_fault(vma, regs);
}

/*
 * Decides whether the fault was a touch to record, and sets the page's bits. BEFORE is the page
 * frame number before the fault, or PAGEREF_NO_PFN.
 */
static bool is_touch(struct pageref_fault *fault, u64 before, struct pageref_table *table)
{
	/*
	 * After a NUMA hint, a different page frame means that the kernel has migrated the page. A
	 * copy on write would be a separate fault.
	 */
	if (before != PAGEREF_NO_PFN && before != fault->pfn &&
	    fault->kind != LTTNG_MM_PAGEREF_NUMA_HINT)
		fault->kind = LTTNG_MM_PAGEREF_COPY;
	if (!table)
		return true;
	clear_bit(pageref_page_bit(fault->address), table->retried);
	if (!takes_touch(fault, table))
		return false;
	return !note_touch(fault, table) || fault->kind == LTTNG_MM_PAGEREF_COPY ||
	       fault->kind == LTTNG_MM_PAGEREF_SWAP_IN;
}

/* Clears the bits of a fault that has ended without mapping its page. TABLE may be NULL. */
static void forget_fault(const struct pageref_fault *fault, struct pageref_table *table)
{
	if (table)
		takes_touch(fault, table);
}

/*
 * Has the fault split a huge page that was marked? Then the huge page was touched, and its other
 * pages are not marked any more. TABLE may be NULL.
 */
static bool is_split(const struct pageref_fault *fault, bool was_huge, struct pageref_table *table)
{
	return was_huge && fault->restored && !fault->huge && table &&
	       !test_and_set_bit(PAGEREF_HUGE_TOUCHED, &table->huge);
}

static void fire_split(const struct pageref_space *space, const struct pageref_fault *fault,
		       u64 pfn)
{
	struct pageref_fault whole = *fault;

	whole.huge = true;
	whole.kind = LTTNG_MM_PAGEREF_ARMED;
	if (is_sampled(space, &whole))
		fire_touch(space, &whole, pfn);
}

/*
 * Records the end of a fault without an error. The caller still holds the lock of the mapping. If a
 * pass has marked the page since the kernel mapped it, restores the entry. The thread accesses the
 * page only afterwards, so its touch is after that pass.
 */
static void on_mapped(struct pageref_space *space, struct pageref_fault *fault,
		      struct pageref_table *table)
{
	DECLARE_BITMAP(around, PTRS_PER_PTE) = { 0 };
	const bool was_huge = fault->huge;
	u64 before = fault->pfn, entry;
	bool touch = false, split = false;
	unsigned long next;
	pmd_t *at = lttng_mm_pmd_of(fault->mm, fault->address, &next), pmd;
	pte_t *page = NULL;
	spinlock_t *lock = at ? lttng_mm_lock_entries(fault->mm, at, &pmd) : NULL;

	if (!lock) {
		forget_fault(fault, table);
		return;
	}
	fault->huge = !lttng_mm_pmd_is_table(pmd);
	if (!fault->huge)
		page = pte_offset_kernel(&pmd, fault->address);
	/*
	 * The kernel has split the huge page. BEFORE is its first page: compute the fault's page.
	 */
	if (was_huge && !fault->huge && before != PAGEREF_NO_PFN)
		before += pageref_page_bit(fault->address);
	entry = fault->huge ? lttng_mm_pmd_val(pmd) : lttng_mm_pte_val(READ_ONCE(*page));
	if (lttng_mm_is_mapped(entry) || lttng_mm_is_marked(entry)) {
		fault->pfn = lttng_mm_entry_pfn(entry, fault->huge ? PHYSICAL_PMD_PAGE_MASK
								   : PTE_PFN_MASK);
		split = is_split(fault, was_huge, table);
		if (page && table)
			pageref_find_around(fault, page - pageref_page_bit(fault->address),
					    READ_ONCE(space->sample), table, around);
		touch = is_touch(fault, before, table);
		if (touch && lttng_mm_is_marked(entry))
			restore(fault, at, page);
	} else {
		forget_fault(fault, table);
	}
	spin_unlock(lock);
	if (split)
		fire_split(space, fault, before);
	if (touch && is_sampled(space, fault))
		fire_touch(space, fault, fault->pfn);
	pageref_fire_around(space, fault, around);
}

/*
 * Records the end of a call of handle_mm_fault(). With RETRY, the kernel calls the function again.
 * With COMPLETED, the page is mapped, but the lock of the mapping is released.
 *
 * Context: preemption off.
 */
static void notrace LTTNG_MM_RETHOOK_HANDLER(on_end, node, regs)
{
	struct pageref_fault *fault = &container_of(node, struct fault_end, node)->fault;
	vm_fault_t result = (__force vm_fault_t)regs->ax;
	struct pageref_space *space = pageref_space_of(fault->mm);
	struct pageref_table *table;

	if (!space)
		return;
	table = pageref_table_of(space, fault->address, 0);
	if (result & VM_FAULT_ERROR) {
		forget_fault(fault, table);
	} else if (result & VM_FAULT_RETRY) {
		if (table)
			set_bit(pageref_page_bit(fault->address), table->retried);
	} else if (result & VM_FAULT_COMPLETED) {
		fault->pfn = PAGEREF_NO_PFN;
		if (is_touch(fault, PAGEREF_NO_PFN, table) && is_sampled(space, fault))
			fire_touch(space, fault, PAGEREF_NO_PFN);
	} else {
		on_mapped(space, fault, table);
	}
}

/* `attached`: this hook is attached. `settled`: the hooks of forks and execs are, too. */
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

	pageref_around_init();
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
