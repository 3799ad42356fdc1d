// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages from the page allocator's bulk interface. No kernel tracepoint reports them, so this file
 * fires one event per page when the call returns.
 *
 * Only array entries that were empty before the call are new pages. If the allocator allocates a
 * single page by its regular path, the tracepoint mm_page_alloc reports that page, and it must not
 * be reported twice. Each call in progress therefore has a slot in which the tracepoint's hook
 * stores the page frame number of the last page it saw:
 *
 *   call enters     -> takes the slot of its thread and interrupt level
 *   mm_page_alloc   -> finds the same slot, stores the page frame number
 *   call returns    -> fires an event for each new page except the page in the slot
 *
 * The key contains the interrupt level, because in a softirq or hardirq the current thread is the
 * thread that was interrupted.
 */

#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>
#include <probes/compat/function.h>
#include <probes/compat/slab-functions.h>
#include <probes/lib/call-site.h>
#include <probes/slab/events.h>

/*
 * The number of slots is twice the number of calls that a return probe can follow. A key is in one
 * of SLOT_STEPS consecutive slots.
 */
#define SLOT_BITS 8
#define SLOTS (1U << SLOT_BITS)
#define SLOT_STEPS 8
#define NO_PFN U64_MAX
/* Number of pointers that are read at once. */
#define CHUNK 16

/* Data of a call, stored from its entry to its return. */
struct bulk_call {
	unsigned long caller;
	struct page **array;
	struct list_head *list; /* NULL: the call fills the array */
	/* @pfn of the slot before this call; the return restores it for the enclosing call */
	u64 outer;
	u32 gfp;
	unsigned int slot;
	DECLARE_BITMAP(filled,
		       LTTNG_MM_PAGE_BULK_MAX); /* array entries that were set before the call */
};
static_assert(sizeof(struct bulk_call) <= LTTNG_MM_PAGE_BULK_CALL_BYTES);

/* Only the thread with the key writes the other members. */
static struct bulk_slot {
	unsigned long key; /* the owner; 0: the slot is free */
	unsigned int depth;
	u64 pfn; /* last page that the tracepoint reported */
} slots[SLOTS];

atomic_t lttng_mm_page_bulk_calls;
static atomic64_t missed;

/*
 * Returns the current thread with the interrupt level in the low bits. If a probe is entered by a
 * trap, the trap has added one NMI and one hardirq to preempt_count(). They are subtracted, because
 * the probed function does not run in them.
 */
static unsigned long current_key(bool in_probe)
{
	unsigned long count = preempt_count();

	if (in_probe && count & NMI_MASK)
		count -= NMI_OFFSET + HARDIRQ_OFFSET;
	return (unsigned long)current | (count & HARDIRQ_MASK ? 2 : in_serving_softirq() ? 1 : 0);
}

static struct bulk_slot *find_slot(unsigned long key, unsigned long of)
{
	unsigned int start = hash_long(key, SLOT_BITS);

	for (unsigned int i = 0; i < SLOT_STEPS; i++) {
		struct bulk_slot *slot = &slots[(start + i) % SLOTS];

		if (READ_ONCE(slot->key) == of)
			return slot;
	}
	return NULL;
}

/* Reserves a slot for the call until it returns. Returns NULL if none is free. */
static struct bulk_slot *enter(struct bulk_call *call)
{
	unsigned long key = current_key(true);
	struct bulk_slot *slot = find_slot(key, key);

	if (!slot) {
		do {
			slot = find_slot(key, 0);
		} while (slot && cmpxchg(&slot->key, 0, key));
		if (!slot)
			return NULL;
		slot->depth = 0;
		slot->pfn = NO_PFN;
		atomic_inc(&lttng_mm_page_bulk_calls);
	}
	slot->depth++;
	call->outer = slot->pfn;
	slot->pfn = NO_PFN;
	return slot;
}

/* Releases the slot. Returns the page of this call that the tracepoint reported, or NO_PFN. */
static u64 leave(const struct bulk_call *call)
{
	struct bulk_slot *slot = &slots[call->slot];
	u64 pfn = slot->pfn;

	slot->pfn = call->outer;
	if (!--slot->depth) {
		atomic_dec(&lttng_mm_page_bulk_calls);
		smp_store_release(&slot->key, 0);
	}
	return pfn;
}

void lttng_mm_page_bulk_note(u64 pfn)
{
	unsigned long key = current_key(false);
	struct bulk_slot *slot = in_nmi() ? NULL : find_slot(key, key);

	if (slot)
		slot->pfn = pfn;
}

/*
 * Stores which of the first COUNT array entries are set. Returns false if the array is unreadable.
 */
static bool find_filled(struct bulk_call *call, unsigned int count)
{
	struct page *pages[CHUNK];

	bitmap_zero(call->filled, LTTNG_MM_PAGE_BULK_MAX);
	for (unsigned int at = 0; call->array && at < count; at += CHUNK) {
		unsigned int some = min_t(unsigned int, count - at, CHUNK);

		if (copy_from_kernel_nofault(pages, call->array + at, some * sizeof(pages[0])))
			return false;
		for (unsigned int i = 0; i < some; i++)
			if (pages[i])
				__set_bit(at + i, call->filled);
	}
	return true;
}

int lttng_mm_page_bulk_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct bulk_call *call = (void *)instance->data;
	int count = (int)regs_get_kernel_argument(regs, LTTNG_MM_ARG_PAGE_BULK_COUNT);
	struct bulk_slot *slot;

	if (count <= 0)
		return 1;
	call->caller = lttng_mm_function_caller(regs);
	call->gfp = (u32)regs_get_kernel_argument(regs, LTTNG_MM_ARG_PAGE_BULK_GFP);
	call->array = (void *)regs_get_kernel_argument(regs, LTTNG_MM_ARG_PAGE_BULK_ARRAY);
#ifdef LTTNG_MM_ARG_PAGE_BULK_LIST
	call->list = (void *)regs_get_kernel_argument(regs, LTTNG_MM_ARG_PAGE_BULK_LIST);
#else
	call->list = NULL;
#endif
	slot = find_filled(call, min_t(unsigned int, count, LTTNG_MM_PAGE_BULK_MAX)) ? enter(call)
										     : NULL;
	if (!slot) {
		atomic64_inc(&missed);
		return 1;
	}
	call->slot = slot - slots;
	return 0;
}

/* Returns the result of gfp_migratetype(), but assumes that the kernel groups pages by mobility. */
static u64 migrate_type(u32 gfp)
{
	if (gfp & (__force u32)__GFP_MOVABLE)
		return MIGRATE_MOVABLE;
	return gfp & (__force u32)__GFP_RECLAIMABLE ? MIGRATE_RECLAIMABLE : MIGRATE_UNMOVABLE;
}

/* Fires the event of a page, except for page TRACED, which the tracepoint has reported. */
static void fire(const struct bulk_call *call, const struct page *page, u64 traced)
{
	const u64 gfp = call->gfp & ((1U << LTTNG_MM_SLAB_PAGE_GFP_BITS) - 1);
	struct lttng_mm_packed rec;
	u64 pfn;

	/* Without a contiguous memory map, page_to_pfn() dereferences its argument. */
	if (!page)
		return;
	pfn = page_to_pfn(page);
	if (pfn == traced || !pfn_valid(pfn))
		return;
	rec.word[0] = cpu_to_le64(lttng_mm_pack_page(pfn, 0));
	rec.word[1] =
		cpu_to_le64(migrate_type(call->gfp) | gfp << LTTNG_MM_SLAB_MIGRATE_BITS |
			    (u64)lttng_mm_call_site(call->caller)
				    << (LTTNG_MM_SLAB_MIGRATE_BITS + LTTNG_MM_SLAB_PAGE_GFP_BITS));
	trace_lttng_mm_page_alloc_bulk(&rec);
}

/* Fires the events of the new pages in the array. Returns false if the array is unreadable. */
static bool fire_array(const struct bulk_call *call, unsigned int count, u64 traced)
{
	struct page *pages[CHUNK];

	for (unsigned int at = 0; at < count; at += CHUNK) {
		unsigned int some = min_t(unsigned int, count - at, CHUNK);

		if (copy_from_kernel_nofault(pages, call->array + at, some * sizeof(pages[0])))
			return false;
		for (unsigned int i = 0; i < some; i++)
			if (!test_bit(at + i, call->filled))
				fire(call, pages[i], traced);
	}
	return true;
}

/* Fires the events of the first COUNT pages. Returns false if the list is unreadable. */
static bool fire_list(const struct bulk_call *call, unsigned int count, u64 traced)
{
	struct list_head *entry = call->list;

	for (unsigned int i = 0; i < count; i++) {
		if (get_kernel_nofault(entry, &entry->next))
			return false;
		fire(call, container_of(entry, struct page, lru), traced);
	}
	return true;
}

int lttng_mm_page_bulk_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct bulk_call *call = (void *)instance->data;
	unsigned int filled = (unsigned int)regs_return_value(regs);
	unsigned int count = min_t(unsigned int, filled, LTTNG_MM_PAGE_BULK_MAX);
	u64 traced = leave(call);
	bool complete;

	preempt_disable_notrace();
	if (call->list)
		complete = fire_list(call, count - bitmap_weight(call->filled, count), traced);
	else
		complete = fire_array(call, count, traced);
	preempt_enable_notrace();
	if (!complete || filled > count)
		atomic64_inc(&missed);
	return 0;
}

u64 lttng_mm_page_bulk_missed(void)
{
	return (u64)atomic64_read(&missed);
}

void lttng_mm_page_bulk_reset(void)
{
	memset(slots, 0, sizeof(slots));
	atomic_set(&lttng_mm_page_bulk_calls, 0);
	atomic64_set(&missed, 0);
}
