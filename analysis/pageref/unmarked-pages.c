// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the unmarked pages of address spaces. */
#include "analysis/pageref/unmarked-pages.h"

#include <stdlib.h>
#include <string.h>

/*
 * Pages that are not marked. If a range in pageref_unmarked_pages.gone has a higher number, its
 * pages are gone.
 */
struct pageref_unmarked_run {
	uint64_t first;
	uint64_t number; /* pageref_unmarked_pages.number when the run was added */
	uint32_t count;
	bool is_huge;
};

int pageref_unmarked_init(struct pageref_unmarked_pages *unmarked)
{
	*unmarked = (struct pageref_unmarked_pages){ .number = 0 };
	return mm_rows_init(&unmarked->spaces, sizeof(struct pageref_unmarked_space),
			    UINT32_MAX - 1, 6) ||
			       mm_last_ranges_init(&unmarked->gone)
		       ? -1
		       : 0;
}

void pageref_unmarked_release(struct pageref_unmarked_pages *unmarked)
{
	for (uint32_t i = 1; i < unmarked->spaces.count; i++)
		free(((struct pageref_unmarked_space *)mm_rows_at(&unmarked->spaces, i))->runs);
	mm_rows_release(&unmarked->spaces);
	mm_last_ranges_release(&unmarked->gone);
}

int pageref_unmarked_add(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t first,
			 uint64_t count, bool is_huge)
{
	struct pageref_unmarked_space *space = mm_rows_get(&unmarked->spaces, mm, 0);
	struct pageref_unmarked_run *runs =
		space ? mm_array_grow(space->runs, space->count, &space->room, sizeof(*runs))
		      : NULL;

	if (!runs)
		return -1;
	space->runs = runs;
	runs[space->count++] = (struct pageref_unmarked_run){
		.first = first,
		.number = unmarked->number,
		.count = count < PAGEREF_TABLE_PAGES ? (uint32_t)count : PAGEREF_TABLE_PAGES,
		.is_huge = is_huge,
	};
	return 0;
}

int pageref_unmarked_touch(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t address,
			   bool is_huge)
{
	const uint64_t page = address >> PAGEREF_PAGE_SHIFT;

	return is_huge ? pageref_unmarked_add(unmarked, mm, page - page % PAGEREF_TABLE_PAGES,
					      PAGEREF_TABLE_PAGES, true)
		       : pageref_unmarked_add(unmarked, mm, page, 1, false);
}

int pageref_unmarked_pass(struct pageref_unmarked_pages *unmarked, uint32_t mm, bool is_end,
			  bool skipped)
{
	struct pageref_unmarked_space *space = mm_rows_get(&unmarked->spaces, mm, 0);

	if (!space)
		return -1;
	unmarked->has_passed |= !is_end;
	if (!is_end) {
		space->late = space->count;
	} else if (space->in_pass && space->late && !skipped) {
		space->count -= space->late;
		memmove(space->runs, space->runs + space->late,
			space->count * sizeof(*space->runs));
	}
	space->in_pass = !is_end;
	return 0;
}

int pageref_unmarked_gone(struct pageref_unmarked_pages *unmarked, uint32_t mm, uint64_t first,
			  uint64_t count)
{
	if (!count || first >= MM_LAST_RANGE_END)
		return 0;
	return mm_last_ranges_set(&unmarked->gone, mm, first,
				  count > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1
								    : first + count - 1,
				  ++unmarked->number, 0);
}

int pageref_unmarked_end(struct pageref_unmarked_pages *unmarked, uint32_t mm)
{
	struct pageref_unmarked_space *space = mm_rows_get(&unmarked->spaces, mm, 0);

	if (!space)
		return -1;
	space->has_ended = true;
	space->count = space->late = 0;
	return 0;
}

bool pageref_unmarked_has(const struct pageref_unmarked_pages *unmarked, uint32_t mm)
{
	const struct pageref_unmarked_space *space =
		unmarked->spaces.count > 1 ? mm_rows_lookup(&unmarked->spaces, mm, 0) : NULL;

	return space && !space->has_ended && space->count;
}

static bool is_gone(const struct pageref_unmarked_pages *unmarked, uint32_t mm,
		    const struct pageref_unmarked_run *run, uint64_t page)
{
	return mm_last_ranges_find(&unmarked->gone, mm, page).number > run->number;
}

static int visit_run(const struct pageref_unmarked_pages *unmarked, uint32_t mm,
		     const struct pageref_unmarked_run *run, pageref_unmarked_visit_fn *visit,
		     void *user)
{
	const uint64_t end = run->first + run->count;
	bool is_whole = run->is_huge;
	int ret = 0;

	for (uint64_t page = run->first; page < end && is_whole; page++)
		is_whole = !is_gone(unmarked, mm, run, page);
	if (is_whole)
		return visit(user, mm, run->first, true);
	for (uint64_t page = run->first; page < end && !ret; page++)
		if (!is_gone(unmarked, mm, run, page))
			ret = visit(user, mm, page, false);
	return ret;
}

int pageref_unmarked_visit(const struct pageref_unmarked_pages *unmarked, uint32_t mm,
			   pageref_unmarked_visit_fn *visit, void *user)
{
	const struct pageref_unmarked_space *space =
		unmarked->spaces.count > 1 ? mm_rows_lookup(&unmarked->spaces, mm, 0) : NULL;
	int ret = 0;

	for (size_t i = 0; space && !space->has_ended && i < space->count && !ret; i++)
		ret = visit_run(unmarked, mm, &space->runs[i], visit, user);
	return ret;
}
