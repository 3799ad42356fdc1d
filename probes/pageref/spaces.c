// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorded address spaces. Each has an MMU notifier, which reports the pages that the address
 * space loses, and the end of the address space.
 */

#include <linux/delay.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <probes/compat/page-marks.h>
#include <probes/pageref/pageref.h>

/*
 * The number of the system call madvise() of 32-bit programs. Their header has macros with the same
 * names as the 64-bit header, so it cannot be included.
 */
#define NR_IA32_MADVISE 219

DEFINE_MUTEX(pageref_mutex);
DECLARE_BITMAP(pageref_filter, 4096);
atomic_long_t pageref_generation;
DEFINE_PER_CPU(u64[PAGEREF_COUNTERS], pageref_counts);

/* Protects the lists and the hash table below, and pageref_filter. */
static DEFINE_SPINLOCK(spaces_lock);
static LIST_HEAD(spaces); /* by ascending number */
static u32 last_number;
static DEFINE_HASHTABLE(by_mm, 8); /* spaces that have not ended */

u64 pageref_counter(enum pageref_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(pageref_counts[counter], cpu);
	return sum;
}

struct pageref_space *pageref_space_of(const struct mm_struct *mm)
{
	struct pageref_space *space;

	hash_for_each_possible_rcu_notrace(by_mm, space, node, (unsigned long)mm)
		if (space->mm == mm)
			return space;
	return NULL;
}

struct pageref_table *pageref_table_of(struct pageref_space *space, unsigned long address,
				       gfp_t gfp)
{
	unsigned long index = address >> PMD_SHIFT;
	struct pageref_table *table = xa_load(&space->tables, index), *other;

	if (table || !gfp)
		return table;
	table = kzalloc(sizeof(*table), gfp | __GFP_NOWARN);
	if (!table)
		return NULL;
	other = xa_cmpxchg(&space->tables, index, NULL, table, gfp | __GFP_NOWARN);
	if (!other)
		return table;
	kfree(table);
	return xa_is_err(other) ? NULL : other;
}

/* Clears the bits of MASK in WORD, and returns which of them were set. */
static unsigned long take_bits(unsigned long *word, unsigned long mask)
{
	if (!(READ_ONCE(*word) & mask))
		return 0;
	return (unsigned long)atomic_long_fetch_andnot((long)mask, (atomic_long_t *)word) & mask;
}

void pageref_set_bits(unsigned long *bits, const unsigned long *added)
{
	for (unsigned int word = 0; word < BITS_TO_LONGS(PTRS_PER_PTE); word++)
		if (added[word] & ~READ_ONCE(bits[word]))
			atomic_long_or((long)added[word], (atomic_long_t *)&bits[word]);
}

void pageref_forget_touches(struct pageref_table *table, unsigned int first, unsigned int last,
			    const unsigned long *changed, unsigned long *unseen)
{
	for (unsigned int word = first / BITS_PER_LONG; word * BITS_PER_LONG < last; word++) {
		unsigned long mask = ~0UL, seen;

		if (word == first / BITS_PER_LONG)
			mask &= BITMAP_FIRST_WORD_MASK(first);
		if (last - word * BITS_PER_LONG < BITS_PER_LONG)
			mask &= BITMAP_LAST_WORD_MASK(last);
		seen = take_bits(&table->touched[word], mask) |
		       take_bits(&table->around[word], mask);
		if (changed)
			unseen[word] = changed[word] & ~seen & ~READ_ONCE(table->faulting[word]);
	}
}

static void fire_gone(const struct pageref_space *space, unsigned long start, u64 pages,
		      enum lttng_mm_pageref_cause cause)
{
	struct lttng_mm_pageref_gone rec = {
		.mm = space->number,
		.address = start,
		.pages = pages,
		.cause = cause,
	};

	pageref_fire(pageref_gone, &rec);
}

/* Finds which pages of the table INDEX are between START and END: *FIRST to *LAST (exclusive). */
static void find_pages(unsigned long index, unsigned long start, unsigned long end,
		       unsigned int *first, unsigned int *last)
{
	unsigned long base = index << PMD_SHIFT;

	*first = start > base ? pageref_page_bit(start) : 0;
	*last = end < base + PMD_SIZE ? pageref_page_bit(end) : PTRS_PER_PTE;
}

static void forget_mapping(struct pageref_table *table, unsigned int first, unsigned int last)
{
	for (unsigned int i = first; i < last; i++)
		clear_bit(i, table->mapping_known);
}

/* Clears the bits of pages that the address space has lost. */
static void forget_pages(struct pageref_table *table, unsigned int first, unsigned int last)
{
	pageref_forget_touches(table, first, last, NULL, NULL);
	for (unsigned int i = first; i < last; i++)
		clear_bit(i, table->present);
}

/* Records that a range is unmapped or moved, and forgets its pages. */
static void on_unmap(struct pageref_space *space, unsigned long start, unsigned long end)
{
	struct pageref_table *table;
	unsigned long index;

	fire_gone(space, start, (end - start) >> PAGE_SHIFT, LTTNG_MM_PAGEREF_GONE_UNMAP);
	rcu_read_lock();
	xa_for_each_range(&space->tables, index, table, start >> PMD_SHIFT,
			  (end - 1) >> PMD_SHIFT) {
		unsigned int first, last;

		if (index << PMD_SHIFT >= start && (index + 1) << PMD_SHIFT <= end) {
			if (xa_cmpxchg(&space->tables, index, table, NULL, 0) == table) {
				/*
				 * Makes the last lookups (hook.c) invalid before RCU frees the
				 * table.
				 */
				atomic_long_inc(&pageref_generation);
				kfree_rcu(table, rcu);
			}
			continue;
		}
		find_pages(index, start, end, &first, &last);
		forget_pages(table, first, last);
		forget_mapping(table, first, last);
	}
	rcu_read_unlock();
}

/* Forgets the mappings of a range whose protection changes, so they will be recorded again. */
static void on_protect(struct pageref_space *space, unsigned long start, unsigned long end)
{
	struct pageref_table *table;
	unsigned long index;

	rcu_read_lock();
	xa_for_each_range(&space->tables, index, table, start >> PMD_SHIFT,
			  (end - 1) >> PMD_SHIFT) {
		unsigned int first, last;

		find_pages(index, start, end, &first, &last);
		forget_mapping(table, first, last);
	}
	rcu_read_unlock();
}

static int on_range_start(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct pageref_space *space = container_of(notifier, struct pageref_space, notifier);

	if (range->start >= range->end)
		return 0;
	if (range->event == MMU_NOTIFY_UNMAP)
		on_unmap(space, range->start, range->end);
	else if (range->event == MMU_NOTIFY_PROTECTION_VMA)
		on_protect(space, range->start, range->end);
	return 0;
}

/*
 * Sets the bit in GONE of each page from START to END whose entry is empty. The range is in one
 * page table. Context: RCU read section. The caller of the MMU notifier keeps all page tables above
 * the lowest level from being freed.
 */
static void find_gone(struct pageref_space *space, unsigned long start, unsigned long end,
		      unsigned long *gone)
{
	unsigned long next;
	pmd_t *at = lttng_mm_pmd_of(space->mm, start, &next), pmd;
	unsigned int bit = pageref_page_bit(start), pages = (end - start) >> PAGE_SHIFT;
	spinlock_t *lock = at ? lttng_mm_lock_entries(space->mm, at, &pmd) : NULL;
	const pte_t *entries;

	if (!lock) {
		bitmap_set(gone, bit, pages);
		return;
	}
	if (lttng_mm_pmd_is_table(pmd)) {
		entries = pte_offset_kernel(&pmd, start);
		for (unsigned int i = 0; i < pages; i++)
			if (pte_none(READ_ONCE(entries[i])))
				__set_bit(bit + i, gone);
	}
	spin_unlock(lock);
}

/*
 * Records the pages that are gone after entries of the range were cleared. The pages may have been
 * discarded, reclaimed, copied or migrated: a page is gone if its entry is empty now, and if a pass
 * or a fault has seen the page before.
 */
static void on_clear(struct pageref_space *space, unsigned long start, unsigned long end)
{
	enum lttng_mm_pageref_cause cause = current->flags & (PF_MEMALLOC | PF_KSWAPD)
						    ? LTTNG_MM_PAGEREF_GONE_RECLAIM
						    : LTTNG_MM_PAGEREF_GONE_DISCARD;
	struct pageref_table *table;
	unsigned long index;

	rcu_read_lock();
	xa_for_each_range(&space->tables, index, table, start >> PMD_SHIFT,
			  (end - 1) >> PMD_SHIFT) {
		DECLARE_BITMAP(gone, PTRS_PER_PTE) = { 0 };
		unsigned long base = index << PMD_SHIFT;
		unsigned int first, last;

		find_gone(space, max(start, base), min(end, base + PMD_SIZE), gone);
		bitmap_and(gone, gone, table->present, PTRS_PER_PTE);
		for_each_set_bitrange(first, last, gone, PTRS_PER_PTE) {
			forget_pages(table, first, last);
			fire_gone(space, base + first * PAGE_SIZE, last - first, cause);
		}
	}
	rcu_read_unlock();
}

/* Does the thread execute madvise() or process_madvise() with MADV_COLLAPSE? */
static bool is_collapsing(void)
{
	const struct pt_regs *regs = task_pt_regs(current);
	unsigned long arguments[6];
	long call;

	if (current->flags & (PF_KTHREAD | PF_IO_WORKER))
		return false;
	call = syscall_get_nr(current, (struct pt_regs *)regs);
	syscall_get_arguments(current, (struct pt_regs *)regs, arguments);
	if (call == __NR_process_madvise)
		return (int)arguments[3] == MADV_COLLAPSE;
	return call == (in_ia32_syscall() ? NR_IA32_MADVISE : __NR_madvise) &&
	       (int)arguments[2] == MADV_COLLAPSE;
}

/*
 * Is the current thread making a huge page of small ones? Then the pages are not gone, although
 * their entries were cleared.
 *
 *   anonymous memory  the thread clears the pmd, copies the pages, and sets the pmd. Meanwhile it
 *                     holds the mmap lock for writing. A thread that discards pages does not.
 *   files             the thread unmaps each page, as reclaim does, and then clears the pmd. The
 *                     pages stay in the page cache.
 *
 * A request by io_uring to collapse pages of a file is not recognized: these pages are reported as
 * gone. If the thread reclaims memory, for example to allocate the huge page, the pages that it
 * unmaps are gone.
 */
static bool pages_stay(struct mm_struct *mm)
{
	if (current->flags & (PF_MEMALLOC | PF_KSWAPD))
		return false;
	return ((current->flags & PF_KTHREAD) && !strcmp(current->comm, "khugepaged")) ||
	       lttng_mm_is_mmap_writer(mm) || is_collapsing();
}

static void on_range_end(struct mmu_notifier *notifier, const struct mmu_notifier_range *range)
{
	struct pageref_space *space = container_of(notifier, struct pageref_space, notifier);

	if (range->event == MMU_NOTIFY_CLEAR && range->start < range->end && !pages_stay(space->mm))
		on_clear(space, range->start, range->end);
}

/* Ends a space. Returns false if it had ended already. Context: spaces_lock is held. */
static bool end_space(struct pageref_space *space)
{
	if (space->ended)
		return false;
	WRITE_ONCE(space->ended, true);
	hash_del_rcu(&space->node);
	atomic_long_inc(&pageref_generation);
	return true;
}

void pageref_end_space(struct pageref_space *space)
{
	bool ends;

	spin_lock(&spaces_lock);
	ends = end_space(space);
	spin_unlock(&spaces_lock);
	if (ends)
		pageref_account(space);
	if (ends)
		fire_gone(space, 0, space->mm->task_size >> PAGE_SHIFT, LTTNG_MM_PAGEREF_GONE_EXIT);
}

/* Called when the address space has lost its last user, and by mmu_notifier_unregister(). */
static void on_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	pageref_end_space(container_of(notifier, struct pageref_space, notifier));
}

static const struct mmu_notifier_ops notifier_ops = {
	.release = on_release,
	.invalidate_range_start = on_range_start,
	.invalidate_range_end = on_range_end,
};

static void fire_space(const struct pageref_space *space)
{
	struct lttng_mm_pageref_mm rec = {
		.mm = space->number,
		.pid = space->pid,
		.parent = space->parent,
	};

	pageref_fire(pageref_mm, &rec, space->name);
}

static struct pageref_space *make_space(struct mm_struct *mm, const struct task_struct *task,
					const struct pageref_space *parent, gfp_t gfp)
{
	struct pageref_space *space = kzalloc(sizeof(*space), gfp | __GFP_NOWARN);

	if (!space)
		return NULL;
	space->mm = mm;
	space->parent = parent ? parent->number : 0;
	space->pid = task->tgid;
	space->process = get_pid(task_tgid((struct task_struct *)task));
	atomic64_set(&space->cpu_ns, (s64)pageref_process_ns(space->process));
	/* A fork copies the parent's marks, so the child starts with the parent's sample. */
	space->sample = parent ? READ_ONCE(parent->sample) : READ_ONCE(pageref_sample);
	space->monitored = space->sample;
	strscpy(space->name, task->comm, sizeof(space->name));
	kref_init(&space->refs);
	xa_init(&space->tables);
	space->notifier.ops = &notifier_ops;
	return space;
}

/*
 * Adds the space to the list and the hash table. It gets the number 0 if @is_own, or else the next
 * number. Returns the space. If the address space is recorded already, frees @space and returns
 * NULL.
 */
static struct pageref_space *publish_space(struct pageref_space *space, bool is_own)
{
	bool known;

	spin_lock(&spaces_lock);
	known = pageref_space_of(space->mm);
	if (!known) {
		mmgrab(space->mm);
		space->number = is_own ? 0 : ++last_number;
		/* One reference is the list's, one the caller's. */
		kref_get(&space->refs);
		if (is_own)
			list_add(&space->list, &spaces);
		else
			list_add_tail(&space->list, &spaces);
		space->listed = true;
		hash_add_rcu(by_mm, &space->node, (unsigned long)space->mm);
		set_bit(pageref_filter_bit(space->mm), pageref_filter);
	}
	spin_unlock(&spaces_lock);
	if (!known)
		return space;
	put_pid(space->process);
	kfree(space);
	return NULL;
}

struct pageref_space *pageref_add_space(struct mm_struct *mm, const struct task_struct *task,
					const struct pageref_space *parent, gfp_t gfp)
{
	struct pageref_space *space = make_space(mm, task, parent, gfp);

	if (space)
		space = publish_space(space, false);
	if (!space)
		return NULL;
	fire_space(space);
	return space;
}

struct pageref_space *pageref_add_own_space(void)
{
	struct pageref_space *space = make_space(current->mm, current, NULL, GFP_KERNEL);

	if (!space)
		return NULL;
	space->sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
	return publish_space(space, true);
}

/* Returns false if the lock is held for long. */
static bool lock_for_writing(struct mm_struct *mm)
{
	for (unsigned int i = 0; i < PAGEREF_LOCK_TRIES; i++) {
		if (lttng_mm_mmap_write_trylock(mm))
			return true;
		usleep_range(PAGEREF_LOCK_PAUSE_US, 2 * PAGEREF_LOCK_PAUSE_US);
	}
	return false;
}

void pageref_watch_space(struct pageref_space *space)
{
	static DEFINE_MUTEX(mutex);

	mutex_lock(&mutex);
	if (!space->watched && lock_for_writing(space->mm)) {
		if (!__mmu_notifier_register(&space->notifier, space->mm))
			WRITE_ONCE(space->watched, true);
		mmap_write_unlock(space->mm);
	}
	mutex_unlock(&mutex);
}

/*
 * Spaces without a reference. A work item frees them, because freeing sleeps, and the last
 * reference may be dropped where sleeping is not allowed.
 */
static LIST_HEAD(unused);

static void free_space(struct pageref_space *space)
{
	struct pageref_table *table;
	unsigned long index;

	if (space->watched)
		mmu_notifier_unregister(&space->notifier, space->mm);
	xa_for_each(&space->tables, index, table)
		kfree_rcu(table, rcu);
	xa_destroy(&space->tables);
	mmdrop(space->mm);
	put_pid(space->process);
	kfree(space);
}

static void free_unused(struct work_struct *work)
{
	struct pageref_space *space, *next;
	LIST_HEAD(list);

	spin_lock(&spaces_lock);
	list_splice_init(&unused, &list);
	spin_unlock(&spaces_lock);
	/* A hook may have found a space before it was removed, and may still add tables to it. */
	synchronize_rcu();
	list_for_each_entry_safe(space, next, &list, list)
		free_space(space);
}
static DECLARE_WORK(free_work, free_unused);

static void on_last_put(struct kref *refs)
{
	struct pageref_space *space = container_of(refs, struct pageref_space, refs);

	spin_lock(&spaces_lock);
	list_add_tail(&space->list, &unused);
	spin_unlock(&spaces_lock);
	schedule_work(&free_work);
}

void pageref_put_space(struct pageref_space *space)
{
	kref_put(&space->refs, on_last_put);
}

void pageref_spaces_exit(void)
{
	flush_work(&free_work);
}

/* Sets the filter to the address spaces that have not ended. Context: spaces_lock is held. */
static void make_filter(void)
{
	DECLARE_BITMAP(filter, 4096) = { 0 };
	const struct pageref_space *space;

	list_for_each_entry(space, &spaces, list)
		if (!space->ended)
			__set_bit(pageref_filter_bit(space->mm), filter);
	/*
	 * The hook reads the filter meanwhile, so the bit of a recorded space must never be clear.
	 */
	for (unsigned int i = 0; i < BITS_TO_LONGS(4096); i++)
		WRITE_ONCE(pageref_filter[i], filter[i]);
}

void pageref_forget_spaces(bool all)
{
	struct pageref_space *space, *next;
	LIST_HEAD(forgotten);

	spin_lock(&spaces_lock);
	list_for_each_entry_safe(space, next, &spaces, list) {
		if (!all && !space->ended)
			continue;
		end_space(space);
		space->listed = false;
		list_move(&space->list, &forgotten);
	}
	if (!list_empty(&forgotten))
		make_filter();
	spin_unlock(&spaces_lock);
	list_for_each_entry_safe(space, next, &forgotten, list) {
		list_del_init(&space->list);
		pageref_put_space(space);
	}
}

void pageref_remove_own_space(struct pageref_space *space)
{
	spin_lock(&spaces_lock);
	if (end_space(space)) {
		space->listed = false;
		list_del_init(&space->list);
		make_filter();
		pageref_put_space(space);
	}
	spin_unlock(&spaces_lock);
	pageref_put_space(space);
}

struct pageref_space *pageref_next_space(struct pageref_space *previous)
{
	const u32 number = previous ? previous->number : 0;
	struct pageref_space *space, *found = NULL;

	spin_lock(&spaces_lock);
	/* If PREVIOUS was removed meanwhile, search from the start of the list. */
	space = previous && previous->listed ? previous : NULL;
	space = list_prepare_entry(space, &spaces, list);
	list_for_each_entry_continue(space, &spaces, list)
	{
		if (space->number <= number || space->ended)
			continue;
		kref_get(&space->refs);
		found = space;
		break;
	}
	spin_unlock(&spaces_lock);
	if (previous)
		pageref_put_space(previous);
	return found;
}
