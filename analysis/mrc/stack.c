// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps the bounds of the LRU stack, and counts stack distances. */
#include "analysis/mrc/stack.h"

#include <math.h>
#include <stdlib.h>

#include "util/hash.h"

int mrc_stack_init(struct mrc_stack *stack, double counted, double recorded)
{
	*stack = (struct mrc_stack){ .rate = counted * recorded,
				     .counted = counted,
				     .limit = UINT64_MAX,
				     .tally_count = counted * recorded < 1 ? MRC_TALLIES : 1 };
	if (counted < 1)
		stack->limit = (uint64_t)ldexp(counted, 64);
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		struct mrc_tally *tally = &stack->tallies[i];

		tally->high.round_up = true;
		if (mrc_counts_init(&tally->may) || mrc_counts_init(&tally->certain))
			return -1;
	}
	return 0;
}

void mrc_stack_release(struct mrc_stack *stack)
{
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		struct mrc_tally *tally = &stack->tallies[i];

		mrc_counts_release(&tally->may);
		mrc_counts_release(&tally->certain);
		mrc_distances_release(&tally->low);
		mrc_distances_release(&tally->high);
	}
	free(stack->pages);
	*stack = (struct mrc_stack){ NULL };
}

int mrc_stack_add(struct mrc_stack *stack, uint32_t number, uint32_t weight, uint64_t hash,
		  uint64_t spread)
{
	struct mrc_page *page;

	while (number >= stack->page_count) {
		struct mrc_page *pages = mm_array_grow(stack->pages, stack->page_count,
						       &stack->page_room, sizeof(*pages));

		if (!pages)
			return -1;
		stack->pages = pages;
		pages[stack->page_count++] = (struct mrc_page){ 0 };
	}
	page = &stack->pages[number];
	*page = (struct mrc_page){ .weight = weight, .subsample = MRC_UNSAMPLED };
	/*
	 * The highest bits have selected the sample, so the other bits must select the sub-sample.
	 */
	if (hash < stack->limit || stack->counted >= 1)
		page->subsample = (uint8_t)((spread * 0x9e3779b97f4a7c15u) >> 60);
	return 0;
}

/*
 * Returns the number of tallies that count @page: none, the tally of all pages, or this tally and
 * the tally of the sub-sample.
 */
static unsigned int tallies_of(const struct mrc_stack *stack, const struct mrc_page *page)
{
	if (page->subsample == MRC_UNSAMPLED)
		return 0;
	return stack->tally_count == 1 ? 1 : 2;
}

static struct mrc_tally *tally_of(struct mrc_stack *stack, const struct mrc_page *page,
				  unsigned int index)
{
	return &stack->tallies[index ? 1u + page->subsample : 0];
}

void mrc_stack_maybe_since(struct mrc_stack *stack, uint32_t number, uint32_t segment)
{
	stack->pages[number].since = segment;
	stack->pages[number].flags |= MRC_PAGE_USED;
}

/* Returns the memory that may have been used since the last use of @page, including @page. */
static uint64_t find_high(const struct mrc_tally *tally, const struct mrc_page *page)
{
	const uint64_t since = tally->open + mrc_counts_since(&tally->may, page->since);

	return page->flags & MRC_PAGE_COUNTED ? since : since + page->weight;
}

static uint64_t find_low(const struct mrc_tally *tally, const struct mrc_page *page)
{
	return page->weight + mrc_counts_since(&tally->certain, page->closed + 1);
}

static bool lacks(const struct mrc_stack *stack, const struct mrc_page *page)
{
	return stack->lacks && stack->lacks(stack->user, page->since);
}

static int count_distance(struct mrc_stack *stack, const struct mrc_page *page,
			  struct mrc_tally *tally)
{
	if (lacks(stack, page))
		return mrc_distances_add(&tally->high, MRC_INFINITE);
	if (page->flags & MRC_PAGE_CERTAIN && !page->spans &&
	    mrc_distances_add(&tally->low, find_low(tally, page)))
		return -1;
	return mrc_distances_add(&tally->high, find_high(tally, page));
}

int mrc_stack_touch(struct mrc_stack *stack, uint32_t number, bool own_maybe)
{
	struct mrc_page *page = &stack->pages[number];
	const bool was_used = page->flags & MRC_PAGE_USED;
	/* If the open span already has a touch, this use is a hit. */
	const bool is_new_use = was_used && !own_maybe && (!page->spans || page->maybes);

	if (!was_used || (own_maybe && !(page->flags & MRC_PAGE_CERTAIN)))
		stack->first_touches++;
	for (unsigned int i = 0; i < tallies_of(stack, page); i++) {
		struct mrc_tally *tally = tally_of(stack, page, i);

		if (is_new_use && count_distance(stack, page, tally))
			return -1;
		if (!(page->flags & MRC_PAGE_CERTAIN))
			mrc_counts_leave(&tally->certain, MRC_NO_SEGMENT, page->weight);
		else if (page->since != stack->segment)
			mrc_counts_leave(&tally->certain, page->since, page->weight);
		else
			continue;
		mrc_counts_add(&tally->certain, page->weight);
	}
	page->since = stack->segment;
	page->flags |= MRC_PAGE_USED | MRC_PAGE_CERTAIN;
	return 0;
}

void mrc_stack_open(struct mrc_stack *stack, uint32_t number, bool maybe)
{
	struct mrc_page *page = &stack->pages[number];

	for (unsigned int i = 0; i < tallies_of(stack, page); i++) {
		struct mrc_tally *tally = tally_of(stack, page, i);

		if (page->spans)
			break;
		mrc_counts_leave(&tally->may,
				 page->flags & MRC_PAGE_COUNTED ? page->closed : MRC_NO_SEGMENT,
				 page->weight);
		tally->open += page->weight;
	}
	if (!(page->flags & MRC_PAGE_USED))
		page->since = stack->segment;
	page->flags |= MRC_PAGE_USED | MRC_PAGE_COUNTED;
	page->spans++;
	page->maybes += maybe;
}

int mrc_stack_close(struct mrc_stack *stack, uint32_t number, bool maybe, bool is_first)
{
	struct mrc_page *page = &stack->pages[number];

	for (unsigned int i = 0; i < tallies_of(stack, page); i++) {
		struct mrc_tally *tally = tally_of(stack, page, i);

		if (maybe && !is_first &&
		    mrc_distances_add(&tally->high,
				      lacks(stack, page) ? MRC_INFINITE : find_high(tally, page)))
			return -1;
		if (page->spans > 1)
			continue;
		tally->open -= page->weight;
		mrc_counts_add(&tally->may, page->weight);
	}
	page->maybes -= maybe;
	page->spans--;
	page->closed = stack->segment;
	return 0;
}

void mrc_stack_doubt(struct mrc_stack *stack, uint32_t number)
{
	struct mrc_page *page = &stack->pages[number];

	for (unsigned int i = 0; i < tallies_of(stack, page); i++)
		if (page->flags & MRC_PAGE_CERTAIN)
			mrc_counts_free(&tally_of(stack, page, i)->certain, page->since,
					page->weight);
	page->flags &= (uint8_t)~MRC_PAGE_CERTAIN;
}

void mrc_stack_free(struct mrc_stack *stack, uint32_t number)
{
	struct mrc_page *page = &stack->pages[number];

	mrc_stack_doubt(stack, number);
	for (unsigned int i = 0; i < tallies_of(stack, page); i++)
		if (page->flags & MRC_PAGE_COUNTED)
			mrc_counts_free(&tally_of(stack, page, i)->may, page->closed, page->weight);
	*page = (struct mrc_page){ 0 };
}

/* Returns the share of @pages that is in the tally @index. */
static uint64_t share(const struct mrc_stack *stack, unsigned int index, uint64_t pages)
{
	const double part = index ? stack->counted / MRC_SUBSAMPLES : stack->counted;

	return (uint64_t)ceil((double)pages * part);
}

void mrc_stack_open_others(struct mrc_stack *stack, uint64_t pages)
{
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		mrc_counts_leave(&stack->tallies[i].may, MRC_NO_SEGMENT, share(stack, i, pages));
		stack->tallies[i].open += share(stack, i, pages);
	}
}

void mrc_stack_close_others(struct mrc_stack *stack, uint64_t pages)
{
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		stack->tallies[i].open -= share(stack, i, pages);
		mrc_counts_add(&stack->tallies[i].may, share(stack, i, pages));
	}
}

void mrc_stack_measure(struct mrc_stack *stack, uint32_t segment)
{
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		struct mrc_tally *tally = &stack->tallies[i];
		const uint64_t used = tally->open + mrc_counts_since(&tally->may, segment);

		if (used > tally->largest)
			tally->largest = used;
	}
}

int mrc_stack_next(struct mrc_stack *stack)
{
	for (unsigned int i = 0; i < stack->tally_count; i++)
		if (mrc_counts_next(&stack->tallies[i].may) ||
		    mrc_counts_next(&stack->tallies[i].certain))
			return -1;
	stack->segment++;
	return 0;
}

void mrc_stack_finish(struct mrc_stack *stack)
{
	for (unsigned int i = 0; i < stack->tally_count; i++) {
		mrc_distances_finish(&stack->tallies[i].low);
		mrc_distances_finish(&stack->tallies[i].high);
	}
}
