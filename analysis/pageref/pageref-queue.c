// SPDX-License-Identifier: LGPL-2.1-only
/* Counts touches for their pages, mappings, address spaces, threads and intervals. */
#include "analysis/pageref/pageref-queue.h"

#include <string.h>

#include "analysis/pageref/pageref-requests.h"
#include "analysis/pageref/pageref-state.h"

#define KIND_NAME(name, number) [number] = #name,
const char *const pageref_kind_names[PAGEREF_KINDS] = {
	LTTNG_MM_PAGEREF_KINDS(KIND_NAME)[LTTNG_MM_PAGEREF_KIND_END] = "OTHER",
};

/* Sums over consecutive touches of one address space. end_run() adds them to the address space. */
struct touch_run {
	struct touched_space *space; /* NULL: no run */
	struct pageref_touch touch;
	struct pageref_counts counts;
	uint64_t maybe;
	uint64_t in_span[PAGEREF_SPANS];
};

/* Adds the pages of the run to the current interval of the address space. */
static int count_interval(struct pageref_state *state, const struct touch_run *run)
{
	struct pageref_interval_use *use;

	if (!run->in_span[PAGEREF_INTERVAL])
		return 0;
	use = mm_rows_get(&state->interval_uses, run->space->key.a, run->space->interval);
	if (!use)
		return -1;
	for (int span = 0; span < PAGEREF_SPANS; span++)
		use->pages[span] += run->in_span[span];
	return 0;
}

static int end_run(struct pageref_state *state, struct touch_run *run)
{
	if (!run->space)
		return 0;
	pageref_counts_add(&run->space->counts, &run->counts);
	run->space->counts.maybe -= run->maybe;
	return count_interval(state, run);
}

/* Starts a run of touches of address space @mm. The first touch is by @thread. */
static int start_run(struct pageref_state *state, uint32_t mm, uint32_t thread,
		     struct touch_run *run)
{
	struct touched_space *space;

	if (end_run(state, run))
		return -1;
	space = pageref_state_space(state, mm);
	if (!space)
		return -1;
	if (!space->is_named && space->thread == MM_HASH_NONE)
		space->thread = thread;
	pageref_state_enter_interval(state, space);
	*run = (struct touch_run){ .space = space,
				   .touch = {
					   .interval = space->interval,
					   .firsts = state->intervals[space->interval].firsts,
					   .changed = space->changed,
				   } };
	return 0;
}

static inline void add_touch(struct pageref_counts *sum, const struct pageref_added *added)
{
	sum->touches++;
	sum->pages += added->pages;
	sum->written += added->written;
	sum->huge += added->huge;
}

void pageref_queue_forget_threads(struct pageref_queue *queue)
{
	if (queue->has_threads)
		memset(queue->threads, 0, sizeof(queue->threads));
	queue->has_threads = false;
}

/* Finds the thread of a touch. Returns NULL when out of memory. */
static const struct pageref_recent_thread *find_thread(struct pageref_state *state, uint32_t tid,
						       uint32_t mm)
{
	struct pageref_recent_thread *recent =
		&state->queue.threads[(tid + mm * 17) % PAGEREF_RECENT_THREADS];
	struct mm_row key = { 0, mm, 0, 0 };
	uint32_t use;

	if (recent->tid == tid && recent->mm == mm && recent->use)
		return recent;
	key.a = mm_threads_number(&state->threads, (int32_t)tid);
	if (key.a == MM_HASH_NONE)
		return NULL;
	use = mm_rows_number(&state->thread_uses, &key);
	if (use == MM_HASH_NONE)
		return NULL;
	state->queue.has_threads = true;
	*recent = (struct pageref_recent_thread){ tid, mm, key.a, use };
	return recent;
}

/* Returns the area of a touched page. @block is the block of the page; NULL: the page is huge. */
static uint32_t find_area(const struct pageref_state *state, struct pageref_block *block,
			  uint32_t mm, uint64_t page)
{
	const uint64_t first = page - page % PAGEREF_BLOCK_PAGES;
	struct mm_last_range range;

	if (block && block->area)
		return block->area;
	range = mm_last_ranges_find(&state->mappings, mm, page);
	if (block && range.first <= first && range.last >= first + PAGEREF_BLOCK_PAGES - 1)
		block->area = range.value;
	return range.value;
}

/* Counts a touch of a page whose mapping is not known yet. */
static int count_unmapped(struct pageref_state *state, uint32_t mm, uint64_t page,
			  const struct pageref_added *added, const struct pageref_first *first)
{
	struct pageref_unmapped *unmapped = pageref_mappings_unmapped(state, mm, page);

	if (!unmapped)
		return -1;
	if (!unmapped->counts.touches)
		unmapped->first = *first;
	add_touch(&unmapped->counts, added);
	unmapped->certain += added->maybe;
	return 0;
}

/* Counts a touch of @page for its mapping. @block is as in find_area(). */
static int count_mapping(struct pageref_state *state, const struct pageref_queued *queued,
			 uint32_t thread, struct pageref_block *block, uint64_t page,
			 const struct pageref_added *added)
{
	const struct pageref_first first = { queued->time_ns, thread, queued->kind, queued->huge };
	const uint32_t mm = queued->mm, area = find_area(state, block, mm, page);
	struct pageref_use *use;

	if (!area)
		return count_unmapped(state, mm, page, added, &first);
	use = pageref_mappings_use_in(state, area, mm);
	if (!use)
		return -1;
	add_touch(&use->counts, added);
	/* The possibly touched pages may have been counted for another mapping. */
	pageref_mappings_subtract(use, added->maybe);
	return state->first_touch
		       ? pageref_mappings_first(state, &state->areas[area], page, mm, &first)
		       : 0;
}

static int count_touch(struct pageref_state *state, const struct pageref_queued *queued,
		       struct touch_run *run)
{
	const struct pageref_recent_thread *thread = find_thread(state, queued->tid, queued->mm);
	struct pageref_touch *touch = &run->touch;
	struct pageref_block *block = NULL;
	struct pageref_thread_use *use;
	struct pageref_added added;

	if (!thread)
		return -1;
	if ((!run->space || run->space->key.a != queued->mm) &&
	    start_run(state, queued->mm, thread->thread, run))
		return -1;
	touch->table = queued->table;
	touch->page = queued->page;
	touch->write = queued->write;
	if (!queued->huge) {
		block = pageref_pages_touch(&state->pages, touch, &added, run->in_span);
		if (!block)
			return -1;
	} else if (pageref_pages_touch_huge(&state->pages, touch, &added, run->in_span)) {
		return -1;
	}
	run->space->touches[queued->kind]++;
	add_touch(&run->counts, &added);
	run->maybe += added.maybe;
	use = mm_rows_at(&state->thread_uses, thread->use);
	add_touch(&use->counts, &added);
	use->kernel += !queued->user;
	return count_mapping(state, queued, thread->thread, block, touch->page, &added);
}

/* Finds the page tables of the queued touches, and prefetches the blocks of their pages. */
static int find_tables(struct pageref_state *state)
{
	for (unsigned int i = 0; i < state->queue.count; i++) {
		struct pageref_queued *queued = &state->queue.all[i];

		queued->table = pageref_pages_table(&state->pages, queued->mm,
						    queued->page / PAGEREF_TABLE_PAGES);
		if (queued->table == MM_HASH_NONE)
			return -1;
		pageref_pages_prefetch_block(&state->pages, queued->table, queued->page);
	}
	return 0;
}

int pageref_queue_flush(struct pageref_state *state)
{
	struct touch_run run = { NULL };

	if (!state->queue.count)
		return 0;
	if (find_tables(state))
		return -1;
	for (unsigned int i = 0; i < state->queue.count; i++)
		if (count_touch(state, &state->queue.all[i], &run))
			return -1;
	state->queue.count = 0;
	return end_run(state, &run);
}

static int add(struct pageref_state *state, const struct mm_event *event,
	       const struct pageref_place *place)
{
	const union mm_scalar *f = event->fields;
	const uint64_t kind = f[TOUCH_KIND].u;
	struct pageref_queued *queued = &state->queue.all[state->queue.count];
	uint64_t page = place->address >> PAGEREF_PAGE_SHIFT;

	if (place->is_huge)
		page -= page % PAGEREF_TABLE_PAGES;
	if (!pageref_state_is_sampled(state, page))
		return 0;
	pageref_pages_prefetch_table(&state->pages, place->mm, page);
	*queued = (struct pageref_queued){
		.time_ns = event->time_ns,
		.page = page,
		.mm = place->mm,
		.tid = (uint32_t)f[TOUCH_TID].u,
		.kind = kind < PAGEREF_KINDS ? (uint8_t)kind : PAGEREF_KINDS - 1,
		.huge = place->is_huge,
		.write = f[TOUCH_WRITE].u,
		.user = f[TOUCH_USER].u,
	};
	return ++state->queue.count == PAGEREF_QUEUE ? pageref_queue_flush(state) : 0;
}

/* Finds the place of a touch in its wide variant. Returns false if no wide variant matches. */
static bool find_wide(const struct pageref_state *state, const struct mm_event *event,
		      struct pageref_place *place)
{
	/* The wide variant is recorded before the packed event, on the same CPU. */
	const struct pageref_wide *wide = &state->wides[event->cpu % PAGEREF_WIDE_CPUS];

	if (wide->tid == event->fields[TOUCH_TID].u &&
	    (place->mm == LTTNG_MM_PAGEREF_MM_ONES || wide->mm == place->mm) &&
	    (place->address == LTTNG_MM_PAGEREF_ADDRESS_ONES || wide->address == place->address)) {
		place->mm = wide->mm;
		place->address = wide->address;
		return true;
	}
	return false;
}

bool pageref_queue_look_up_place(const struct pageref_state *state, const struct mm_event *event,
				 struct pageref_place *place)
{
	place->mm = (uint32_t)event->fields[TOUCH_MM].u;
	place->address = event->fields[TOUCH_ADDRESS].u;
	place->is_huge = event->fields[TOUCH_HUGE].u;
	if (__builtin_expect(place->mm != LTTNG_MM_PAGEREF_MM_ONES &&
				     place->address != LTTNG_MM_PAGEREF_ADDRESS_ONES,
			     1))
		return true;
	return find_wide(state, event, place);
}

bool pageref_queue_find_place(struct pageref_state *state, const struct mm_event *event,
			      struct pageref_place *place)
{
	if (__builtin_expect(pageref_queue_look_up_place(state, event, place), 1))
		return true;
	state->incomplete++;
	state->intervals[state->interval_count - 1].lacks_events = true;
	return false;
}

int pageref_queue_touch(struct pageref_state *state, const struct mm_event *event)
{
	struct pageref_place place;

	return pageref_queue_find_place(state, event, &place) ? add(state, event, &place) : 0;
}

void pageref_queue_touch_wide(struct pageref_state *state, const struct mm_event *event)
{
	state->wides[event->cpu % PAGEREF_WIDE_CPUS] =
		(struct pageref_wide){ (uint32_t)event->fields[TOUCH_TID].u,
				       (uint32_t)event->fields[TOUCH_MM].u,
				       event->fields[TOUCH_ADDRESS].u };
}
