// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks the page tables of an address space, and marks or unmarks its entries.
 *
 * A walk holds the mmap lock for reading, for WALK_ENTRIES entries at a time. Faults of the process
 * run meanwhile, but its mappings do not change. Before the lock is released, the walk flushes the
 * TLB.
 *
 * Before the walk changes the first entry, it raises the kernel's count of pending flushes.
 * UFFDIO_WRITEPROTECT can run meanwhile under the same lock. Without the count, it would not flush
 * entries that are not present, such as marked ones.
 */

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/static_call.h>
#include <probes/compat/page-marks.h>
#include <probes/pageref/pageref.h>

/* Maximum number of entries that are looked at while the mmap lock is held. */
#define WALK_ENTRIES (3 * PTRS_PER_PTE)
/*
 * If not all pages are in the sample, each page table uses this many entries of the budget, in
 * addition to the entries in the sample.
 */
#define WALK_TABLE_ENTRIES 12
/*
 * After a change of the sample, each page table uses this many more entries of the budget, because
 * computing the sample takes long.
 */
#define WALK_HASH_ENTRIES (PTRS_PER_PTE / 4)

/*
 * The kernel neither exports flush_tlb_mm_range() nor declares it for modules, and may have removed
 * the ENDBR instruction that an indirect call needs. A static call is direct.
 */
void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end,
			unsigned int stride_shift, bool freed_tables);
DEFINE_STATIC_CALL_NULL(pageref_flush_tlb, flush_tlb_mm_range);

struct pageref_walk {
	struct pageref_space *space;
	enum pageref_walk_mode mode;
	unsigned int budget;  /* number of entries until the lock is released */
	unsigned int sampled; /* number of entries that were looked at in the last page table */
	bool hashed;	      /* whether the sample was computed for the last page table */
	unsigned long flush_start, flush_end; /* range of the changed entries */
	u32 sample;			      /* threshold of the sample */
	u32 monitored;			      /* struct pageref_space.monitored before this pass */
	u64 looked_at, changed, unseen;
	u64 unmarked; /* marks of pages that are no longer in the sample */
	u64 left_out[LTTNG_MM_PAGEREF_REASONS_COUNT];
	bool skipped;
};

bool pageref_dax;
unsigned long pageref_marked_tables;

int pageref_walk_init(void)
{
	void *flush = pageref_find_function("flush_tlb_mm_range");

	if (!flush)
		return -ENOENT;
	static_call_update(pageref_flush_tlb, flush);
	return 0;
}

/* Returns the reason why a mapping is not markable (pageref_is_markable()). */
static enum lttng_mm_pageref_reason left_out_reason(const struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_HUGETLB)
		return LTTNG_MM_PAGEREF_LEFT_HUGETLB;
	if (vma->vm_flags & PAGEREF_SHADOW_STACK)
		return LTTNG_MM_PAGEREF_LEFT_SHADOW_STACK;
	if (vma->vm_flags & PAGEREF_DEVICE)
		return LTTNG_MM_PAGEREF_LEFT_DEVICE;
	if (vma->vm_flags & PAGEREF_ACCESS)
		return LTTNG_MM_PAGEREF_LEFT_DAX;
	return LTTNG_MM_PAGEREF_LEFT_NO_ACCESS;
}

static void add_flush(struct pageref_walk *walk, unsigned long start, unsigned long end)
{
	walk->flush_start = min(walk->flush_start, start);
	walk->flush_end = max(walk->flush_end, end);
}

/* Records the runs of pages in BITS as unseen. They are in the page table for ADDRESS. */
static void fire_unseen(struct pageref_walk *walk, unsigned long address, const unsigned long *bits)
{
	unsigned int start, end;

	for_each_set_bitrange(start, end, bits, PTRS_PER_PTE) {
		struct lttng_mm_pageref_unseen rec = {
			.mm = walk->space->number,
			.address = (address & PMD_MASK) + start * PAGE_SIZE,
			.pages = end - start,
		};

		walk->unseen += rec.pages;
		pageref_fire(pageref_unseen, &rec);
	}
}

/* Marks the entry if it is present. Returns whether it was present. */
static __always_inline bool mark_entry(struct vm_area_struct *vma, unsigned long address, pte_t *at)
{
	pte_t old = READ_ONCE(*at);

	if (!lttng_mm_is_mapped(lttng_mm_pte_val(old)))
		return false;
	old = ptep_modify_prot_start(vma, address, at);
	ptep_modify_prot_commit(vma, address, at, old, lttng_mm_pte_mark(old));
	return true;
}

/*
 * Marks the present entries from FIRST up to LAST (exclusive) of a page table, and sets their bits
 * in CHANGED. Returns their number. Context: the page-table lock is held.
 */
static unsigned int mark_entries(struct vm_area_struct *vma, pte_t *entries, unsigned long base,
				 unsigned int first, unsigned int last, unsigned long *changed)
{
	unsigned int marked = 0;

	for (unsigned int i = first; i < last; i++) {
		if (!mark_entry(vma, base + i * PAGE_SIZE, &entries[i]))
			continue;
		__set_bit(i, changed);
		marked++;
	}
	return marked;
}

/*
 * Sets the bits in SAMPLED for pages in the sample. Sets the bits in LEFT for pages that have left
 * the sample, because these may still be marked. TABLE may be NULL.
 */
static void find_sampled(struct pageref_walk *walk, unsigned long base, struct pageref_table *table,
			 unsigned long *sampled, unsigned long *left)
{
	if (table && table->sample == walk->sample) {
		bitmap_copy(sampled, table->sampled, PTRS_PER_PTE);
		return;
	}
	walk->hashed = true;
	for (unsigned int i = 0; i < PTRS_PER_PTE; i++)
		if (pageref_is_sampled(walk->sample, base + i * PAGE_SIZE))
			__set_bit(i, sampled);
	if (!table)
		return;
	/* If the last pass was over all pages, any page may be marked. */
	if (!table->sample)
		bitmap_complement(left, sampled, PTRS_PER_PTE);
	else
		bitmap_andnot(left, table->sampled, sampled, PTRS_PER_PTE);
	bitmap_copy(table->sampled, sampled, PTRS_PER_PTE);
	table->sample = walk->sample;
}

/*
 * Like mark_entries(), but marks only the pages in the sample. Looks at other entries only if the
 * sample has become smaller, to unmark the pages that have left the sample.
 */
static unsigned int mark_sampled(struct pageref_walk *walk, struct vm_area_struct *vma,
				 struct pageref_table *table, pte_t *entries, unsigned long base,
				 unsigned int first, unsigned int last, unsigned long *changed)
{
	DECLARE_BITMAP(sampled, PTRS_PER_PTE) = { 0 };
	DECLARE_BITMAP(left, PTRS_PER_PTE) = { 0 };
	unsigned int marked = 0, i = first;

	find_sampled(walk, base, table, sampled, left);
	walk->sampled = bitmap_weight(sampled, PTRS_PER_PTE);
	for_each_set_bit_from(i, sampled, last)
	{
		if (!mark_entry(vma, base + i * PAGE_SIZE, &entries[i]))
			continue;
		__set_bit(i, changed);
		marked++;
	}
	/*
	 * Handle all pages in LEFT, not only from FIRST to LAST: find_sampled() finds them only in
	 * the first walk of the table after the sample has changed.
	 */
	for_each_set_bit(i, left, PTRS_PER_PTE) {
		pte_t pte = READ_ONCE(entries[i]);

		if (!lttng_mm_is_marked(lttng_mm_pte_val(pte)))
			continue;
		set_pte_at(vma->vm_mm, base + i * PAGE_SIZE, &entries[i], lttng_mm_pte_unmark(pte));
		walk->unmarked++;
	}
	return marked;
}

/* Unmarks the marked entries from FIRST up to LAST (exclusive). Context: as mark_entries(). */
static unsigned int unmark_entries(struct vm_area_struct *vma, pte_t *table, unsigned long base,
				   unsigned int first, unsigned int last)
{
	unsigned int unmarked = 0;

	for (unsigned int i = first; i < last; i++) {
		pte_t pte = READ_ONCE(table[i]);

		if (!lttng_mm_is_marked(lttng_mm_pte_val(pte)))
			continue;
		set_pte_at(vma->vm_mm, base + i * PAGE_SIZE, &table[i], lttng_mm_pte_unmark(pte));
		unmarked++;
	}
	return unmarked;
}

/* Removes from UNSEEN the pages that were not monitored before this pass. */
static void forget_unsampled(const struct pageref_walk *walk, unsigned long base,
			     unsigned long *unseen)
{
	unsigned int i;

	if (walk->monitored >= walk->sample)
		return;
	for_each_set_bit(i, unseen, PTRS_PER_PTE)
		if (!pageref_is_sampled(walk->monitored, base + i * PAGE_SIZE))
			__clear_bit(i, unseen);
}

/* Context: the lock of the entries is held, and none of them has been changed yet. */
static void count_marked_table(void)
{
	WRITE_ONCE(pageref_marked_tables, pageref_marked_tables + 1);
}

/*
 * Walks the entries of one page table. The RCU section protects the page table. It also protects
 * the struct pageref_table, because the OOM reaper can remove it. Returns false if the pmd no
 * longer points to a page table.
 */
static bool walk_table(struct pageref_walk *walk, struct vm_area_struct *vma, pmd_t *at,
		       unsigned long address, unsigned long end)
{
	DECLARE_BITMAP(marked, PTRS_PER_PTE) = { 0 };
	DECLARE_BITMAP(unseen, PTRS_PER_PTE) = { 0 };
	const unsigned long base = address & PMD_MASK;
	unsigned int first = pageref_page_bit(address), last = (end - base) >> PAGE_SHIFT;
	struct pageref_table *table;
	unsigned int changed = 0;
	spinlock_t *lock;
	bool is_table;
	pmd_t pmd;

	rcu_read_lock();
	table = pageref_table_of(walk->space, address, 0);
	lock = lttng_mm_lock_entries(vma->vm_mm, at, &pmd);
	is_table = lock && lttng_mm_pmd_is_table(pmd);
	if (is_table && walk->mode == PAGEREF_MARK) {
		pte_t *entries = pte_offset_kernel(&pmd, base);

		count_marked_table();
		/* Tell find_sampled() in the next pass that all pages are marked. */
		if (table && walk->sample == LTTNG_MM_PAGEREF_SAMPLE_ALL)
			table->sample = 0;
		changed = likely(walk->sample == LTTNG_MM_PAGEREF_SAMPLE_ALL)
				  ? mark_entries(vma, entries, base, first, last, marked)
				  : mark_sampled(walk, vma, table, entries, base, first, last,
						 marked);
		if (table) {
			/*
			 * The kernel has split a huge page that was touched. All of its pages count
			 * as touched, even those in mappings that are walked later. Pages that are
			 * gone do not, because the next touch there must be recorded.
			 */
			if (test_and_clear_bit(PAGEREF_HUGE_TOUCHED, &table->huge))
				pageref_set_bits(table->touched, table->present);
			pageref_forget_touches(table, first, last, marked, unseen);
			pageref_set_bits(table->present, marked);
		}
	} else if (is_table) {
		changed = unmark_entries(vma, pte_offset_kernel(&pmd, base), base, first, last);
	}
	if (lock)
		spin_unlock(lock);
	rcu_read_unlock();
	if (changed && walk->mode == PAGEREF_MARK)
		add_flush(walk, address, end);
	walk->changed += changed;
	forget_unsampled(walk, base, unseen);
	if (walk->space->passed)
		fire_unseen(walk, address, unseen);
	return is_table;
}

/* Marks a huge page. Returns whether it is unseen. Context: the pmd's lock is held. */
static bool mark_huge(struct pageref_walk *walk, struct vm_area_struct *vma, pmd_t *at, pmd_t pmd,
		      unsigned long address)
{
	struct pageref_table *table;
	bool unseen = false;
	pmd_t old;

	count_marked_table();
	old = pmdp_establish(vma, address, at, lttng_mm_pmd_mark(pmd));
	/* The processor may have set Accessed or Dirty in between. */
	if (lttng_mm_pmd_val(old) != lttng_mm_pmd_val(pmd))
		set_pmd_at(vma->vm_mm, address, at, lttng_mm_pmd_mark(old));
	add_flush(walk, address, address + PMD_SIZE);
	walk->changed++;
	rcu_read_lock();
	table = pageref_table_of(walk->space, address, 0);
	if (table) {
		/* khugepaged may have built the huge page from small pages that were touched. */
		unseen = !test_and_clear_bit(PAGEREF_HUGE_TOUCHED, &table->huge) &&
			 !test_bit(PAGEREF_HUGE_FAULTING, &table->huge) &&
			 bitmap_empty(table->touched, PTRS_PER_PTE) &&
			 bitmap_empty(table->around, PTRS_PER_PTE);
		pageref_forget_touches(table, 0, PTRS_PER_PTE, NULL, NULL);
		bitmap_fill(table->present, PTRS_PER_PTE);
	}
	rcu_read_unlock();
	return unseen && pageref_is_sampled(walk->monitored, address);
}

/* Marks or unmarks a huge page as a whole. Returns false if the pmd no longer maps one. */
static bool walk_huge(struct pageref_walk *walk, struct vm_area_struct *vma, pmd_t *at,
		      unsigned long address)
{
	DECLARE_BITMAP(unseen, PTRS_PER_PTE) = { 0 };
	spinlock_t *lock = pmd_lock(vma->vm_mm, at);
	pmd_t pmd = READ_ONCE(*at);
	bool huge = lttng_mm_pmd_is_huge(pmd), is_kept;

	address &= PMD_MASK;
	is_kept = walk->mode == PAGEREF_MARK && pageref_is_sampled(walk->sample, address);
	if (huge && is_kept && lttng_mm_is_mapped(lttng_mm_pmd_val(pmd))) {
		if (mark_huge(walk, vma, at, pmd, address))
			bitmap_fill(unseen, PTRS_PER_PTE);
	} else if (huge && !is_kept && lttng_mm_is_marked(lttng_mm_pmd_val(pmd))) {
		set_pmd_at(vma->vm_mm, address, at, lttng_mm_pmd_unmark(pmd));
		if (walk->mode == PAGEREF_MARK)
			walk->unmarked++;
		else
			walk->changed++;
	}
	spin_unlock(lock);
	if (huge && walk->space->passed)
		fire_unseen(walk, address, unseen);
	return huge;
}

/* Makes sure that there is a table for ADDRESS, and that its mapping up to END is recorded. */
static void prepare_table(struct pageref_walk *walk, const struct vm_area_struct *vma,
			  unsigned long address, unsigned long end)
{
	struct pageref_table *table;

	pageref_table_of(walk->space, address, GFP_KERNEL);
	preempt_disable_notrace();
	rcu_read_lock();
	table = pageref_table_of(walk->space, address, 0);
	if (table && !test_bit(pageref_page_bit(address), table->mapping_known))
		pageref_fire_mapping(walk->space, table, vma, address, end);
	rcu_read_unlock();
	preempt_enable_notrace();
}

/*
 * Forgets the touches from ADDRESS to END if nothing is mapped there. Returns false if the pmd maps
 * something now. Without the lock, a touch could be lost:
 *
 *   we read an empty pmd
 *     -> a fault maps a page, and sets its bit
 *     -> we clear the bit: the next pass reports the page as unseen
 */
static bool walk_none(struct pageref_walk *walk, struct vm_area_struct *vma, pmd_t *at,
		      unsigned long address, unsigned long end)
{
	struct pageref_table *table;
	spinlock_t *lock;
	bool none = true;
	pmd_t pmd;

	rcu_read_lock();
	table = walk->mode == PAGEREF_MARK ? pageref_table_of(walk->space, address, 0) : NULL;
	if (table) {
		lock = pmd_lock(vma->vm_mm, at);
		pmd = READ_ONCE(*at);
		none = !lttng_mm_pmd_is_table(pmd) && !lttng_mm_pmd_is_huge(pmd);
		if (none) {
			clear_bit(PAGEREF_HUGE_TOUCHED, &table->huge);
			pageref_forget_touches(table, pageref_page_bit(address),
					       (end - (address & PMD_MASK)) >> PAGE_SHIFT, NULL,
					       NULL);
		}
		spin_unlock(lock);
	}
	rcu_read_unlock();
	return none;
}

/*
 * Walks the part of a mapping that one page table or huge page maps. Returns the number of entries
 * that were looked at.
 */
static unsigned int walk_pmd(struct pageref_walk *walk, struct vm_area_struct *vma, pmd_t *at,
			     unsigned long address, unsigned long end)
{
	for (;;) {
		pmd_t pmd = READ_ONCE(*at);
		bool table = lttng_mm_pmd_is_table(pmd);

		if (!table && !lttng_mm_pmd_is_huge(pmd)) {
			if (walk_none(walk, vma, at, address, end))
				return 1;
			continue;
		}
		if (walk->mode == PAGEREF_MARK)
			prepare_table(walk, vma, address, end);
		walk->sampled = PTRS_PER_PTE;
		if (table && walk_table(walk, vma, at, address, end))
			return min_t(unsigned int, (end - address) >> PAGE_SHIFT, walk->sampled);
		if (!table && walk_huge(walk, vma, at, address))
			return 1;
	}
}

/* Walks a mapping from ADDRESS on. Returns the address at which to continue. */
static unsigned long walk_mapping(struct pageref_walk *walk, struct vm_area_struct *vma,
				  unsigned long address)
{
	unsigned long next;

	for (; address < vma->vm_end && walk->budget; address = next) {
		pmd_t *pmd = lttng_mm_pmd_of(vma->vm_mm, address, &next);
		unsigned int entries = 1;

		walk->hashed = false;
		/* NEXT is 0 for the last range, which ends at address 2^64. */
		if (!next || next > vma->vm_end)
			next = vma->vm_end;
		if (pmd)
			entries = walk_pmd(walk, vma, pmd, address, next);
		walk->looked_at += entries;
		if (walk->sample != LTTNG_MM_PAGEREF_SAMPLE_ALL)
			entries += WALK_TABLE_ENTRIES + (walk->hashed ? WALK_HASH_ENTRIES : 0);
		walk->budget -= min(walk->budget, entries);
	}
	return address;
}

/* Flushes the TLB for the changed entries. */
static void flush(const struct pageref_walk *walk)
{
	if (walk->flush_end)
		static_call(pageref_flush_tlb)(walk->space->mm, walk->flush_start, walk->flush_end,
					       PAGE_SHIFT, false);
}

/*
 * Walks until the budget is used up or the last mapping ends. Returns the address at which to
 * continue, or 0 at the end. Context: mmap lock held for reading.
 */
static unsigned long walk_chunk(struct pageref_walk *walk, unsigned long address)
{
	struct mm_struct *mm = walk->space->mm;
	struct vm_area_struct *vma;

	walk->budget = WALK_ENTRIES;
	walk->flush_start = ULONG_MAX;
	walk->flush_end = 0;
	inc_tlb_flush_pending(mm);
	while (walk->budget) {
		vma = find_vma(mm, address);
		if (!vma) {
			address = 0;
			break;
		}
		address = max(address, vma->vm_start);
		walk->budget--;
		if (!pageref_is_markable(vma) && walk->mode == PAGEREF_MARK) {
			walk->left_out[left_out_reason(vma)] +=
				(vma->vm_end - address) >> PAGE_SHIFT;
			address = vma->vm_end;
		} else {
			address = walk_mapping(walk, vma, address);
		}
	}
	flush(walk);
	dec_tlb_flush_pending(mm);
	return address;
}

u64 pageref_mark_range(struct pageref_space *space, unsigned long start, unsigned long end)
{
	struct pageref_walk walk = { .space = space,
				     .mode = PAGEREF_MARK,
				     .flush_start = ULONG_MAX,
				     .sample = LTTNG_MM_PAGEREF_SAMPLE_ALL,
				     .monitored = LTTNG_MM_PAGEREF_SAMPLE_ALL };
	struct vm_area_struct *vma;
	unsigned long next;

	mmap_read_lock(space->mm);
	inc_tlb_flush_pending(space->mm);
	vma = find_vma(space->mm, start);
	if (!vma || vma->vm_start > start || vma->vm_end < end)
		end = start;
	for (unsigned long address = start; address < end; address = next) {
		pmd_t *pmd = lttng_mm_pmd_of(space->mm, address, &next);

		next = min(next, end);
		if (pmd)
			walk_pmd(&walk, vma, pmd, address, next);
	}
	flush(&walk);
	dec_tlb_flush_pending(space->mm);
	mmap_read_unlock(space->mm);
	return walk.changed;
}

/* Returns how much a counter has grown since the last call for it. Context: one walk at a time. */
static u32 since_last_pass(enum pageref_counter counter)
{
	static u64 last[PAGEREF_COUNTERS];
	u64 now = pageref_counter(counter), grown = now - last[counter];

	last[counter] = now;
	return (u32)min_t(u64, grown, U32_MAX);
}

void pageref_forget_missed(void)
{
	since_last_pass(PAGEREF_MISSED_ENDS);
	since_last_pass(PAGEREF_NO_TABLE);
}

static void fire_start(const struct pageref_space *space)
{
	struct lttng_mm_pageref_pass rec = { .mm = space->number, .sample = space->sample };

	pageref_fire(pageref_pass, &rec);
}

static void fire_end(const struct pageref_walk *walk)
{
	struct lttng_mm_pageref_pass rec = {
		.mm = walk->space->number,
		.end = 1,
		.looked_at = walk->looked_at,
		.armed = walk->changed,
		.unseen = walk->unseen,
		.skipped = walk->skipped,
		.missed_ends = since_last_pass(PAGEREF_MISSED_ENDS),
		.no_table = since_last_pass(PAGEREF_NO_TABLE),
		.sample = walk->sample,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(walk->left_out); i++)
		rec.left_out += walk->left_out[i];
	pageref_fire(pageref_pass, &rec);
}

/*
 * Records the number of pages that a complete pass has left out, for each reason. Omits numbers
 * that have not changed.
 */
static void fire_left_out(const struct pageref_walk *walk)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(walk->left_out); i++) {
		struct lttng_mm_pageref_left_out rec = {
			.mm = walk->space->number,
			.reason = (u8)i,
			.pages = walk->left_out[i],
		};

		if (walk->space->left_out[i] == rec.pages)
			continue;
		walk->space->left_out[i] = rec.pages;
		pageref_fire(pageref_left_out, &rec);
	}
}

/* May the walk continue? */
static bool goes_on(const struct pageref_walk *walk)
{
	return !READ_ONCE(walk->space->ended) &&
	       (walk->mode == PAGEREF_UNMARK || pageref_has_targets());
}

/*
 * Locks the mappings for reading, and makes the walk a user of the address space. Returns false if
 * the walk must end. Also returns false if the lock is held for long, and then sets walk->skipped.
 */
static bool lock_mappings(struct pageref_walk *walk)
{
	struct mm_struct *mm = walk->space->mm;

	for (unsigned int i = 0; goes_on(walk); i++) {
		if (!mmget_not_zero(mm))
			return false;
		if (mmap_read_trylock(mm))
			return true;
		mmput_async(mm);
		walk->skipped = i >= PAGEREF_LOCK_TRIES;
		if (walk->skipped)
			return false;
		usleep_range(PAGEREF_LOCK_PAUSE_US, 2 * PAGEREF_LOCK_PAUSE_US);
	}
	return false;
}

/* The clock, the current thread's processor time and its switches to other threads. */
struct work_start {
	u64 clock_ns, processor_ns;
	unsigned long switches;
};

static struct work_start start_work(void)
{
	return (struct work_start){
		.clock_ns = ktime_get_ns(),
		.processor_ns = current->se.sum_exec_runtime,
		.switches = current->nvcsw + current->nivcsw,
	};
}

/*
 * Returns the processor time of the current thread since START. The scheduler updates this time
 * only at ticks and switches, so use the clock if the thread has not been switched out.
 */
static u64 worked_ns(const struct work_start *start)
{
	const struct work_start end = start_work();

	return end.switches == start->switches ? end.clock_ns - start->clock_ns
					       : end.processor_ns - start->processor_ns;
}

/*
 * The walk is a user of the address space (mmget()) only while it holds the lock. The last user
 * tears the address space down. If the walk is the last user, mmput_async() leaves this work to a
 * work item.
 */
bool pageref_walk(struct pageref_space *space, enum pageref_walk_mode mode, u64 *changed)
{
	struct pageref_walk walk = { .space = space, .mode = mode, .monitored = space->monitored };
	unsigned long address = 0;

	walk.sample = mode == PAGEREF_MARK ? READ_ONCE(pageref_sample) : space->sample;
	if (mode == PAGEREF_MARK)
		fire_start(space);
	WRITE_ONCE(space->sample, walk.sample);
	while (lock_mappings(&walk)) {
		const struct work_start start = start_work();

		address = walk_chunk(&walk, address);
		pageref_count_many(PASS_NS, worked_ns(&start));
		mmap_read_unlock(space->mm);
		mmput_async(space->mm);
		if (!address)
			break;
		cond_resched();
	}
	if (mode == PAGEREF_MARK && !walk.skipped) {
		fire_left_out(&walk);
		space->passed = true;
		space->monitored = walk.sample;
	}
	if (mode == PAGEREF_MARK) {
		space->monitored = min(space->monitored, walk.sample);
		fire_end(&walk);
		pageref_count_many(MARKED, walk.changed);
		pageref_count_many(UNMARKED, walk.unmarked);
		if (walk.skipped)
			pageref_count(SKIPPED);
	} else {
		pageref_count_many(UNMARKED, walk.changed);
	}
	*changed += walk.changed;
	return !walk.skipped;
}
