// SPDX-License-Identifier: LGPL-2.1-only
/* Address spaces, their mappings, and the counts of each mapping. */
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-state.h"
#include "instrumentation/wire/pageref-sample.h"
#include "util/time.h"

const int64_t pageref_ages_ns[PAGEREF_AGES] = { INT64_C(10000000000), INT64_C(60000000000),
						INT64_C(600000000000) };
const char *const pageref_age_names[PAGEREF_AGES] = { "10s", "1min", "10min" };

void pageref_counts_add(struct pageref_counts *sum, const struct pageref_counts *counts)
{
	sum->touches += counts->touches;
	sum->pages += counts->pages;
	sum->written += counts->written;
	sum->huge += counts->huge;
	sum->maybe += counts->maybe;
}

/* Adds an area. Returns its number, or 0 when out of memory. */
static uint32_t add_area(struct pageref_state *state, const struct pageref_area *area)
{
	struct pageref_area *areas =
		mm_array_grow(state->areas, state->area_count, &state->area_room, sizeof(*areas));

	if (!areas)
		return 0;
	state->areas = areas;
	areas[state->area_count] = *area;
	return (uint32_t)state->area_count++;
}

int pageref_mappings_init(struct pageref_state *state)
{
	const struct pageref_area none = { 0 };

	for (uint32_t memory = 0; memory < PAGEREF_MEMORIES; memory++)
		if (!mm_rows_get(&state->objects, memory, 0))
			return -1;
	add_area(state, &none);
	return state->area_count ? 0 : -1;
}

/* Returns the number of the mapping's object, or MM_HASH_NONE when out of memory. */
static uint32_t find_object(struct pageref_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const char *name = f[PAGEREF_MAPPING_NAME].s;
	const uint64_t ino = f[PAGEREF_MAPPING_INO].u;
	struct mm_row key = { (uint32_t)f[PAGEREF_MAPPING_MAJOR].u << 20 |
				      (uint32_t)f[PAGEREF_MAPPING_MINOR].u,
			      (uint32_t)ino, (uint32_t)(ino >> 32), 1 };
	struct pageref_object *object;
	uint32_t number;

	if (!key.a && !ino)
		key = (struct mm_row){ !strcmp(name, "[heap]")	  ? PAGEREF_MEMORY_HEAP
				       : !strcmp(name, "[stack]") ? PAGEREF_MEMORY_STACK
								  : PAGEREF_MEMORY_ANONYMOUS,
				       0, 0, 0 };
	number = mm_rows_number(&state->objects, &key);
	if (number == MM_HASH_NONE || !key.d)
		return number;
	object = mm_rows_at(&state->objects, number);
	if (!object->name) {
		object->name = strdup(name);
		object->is_listed = state->first_touch && !strcmp(name, state->first_touch);
	}
	return object->name ? number : MM_HASH_NONE;
}

int pageref_mappings_add(struct pageref_state *state, const struct mm_event *event,
			 struct mm_last_ranges *mappings)
{
	const union mm_scalar *f = event->fields;
	struct pageref_area area = {
		.first = f[PAGEREF_MAPPING_START].u >> PAGEREF_PAGE_SHIFT,
		.pgoff = f[PAGEREF_MAPPING_PGOFF].u,
	};
	const uint64_t last = (f[PAGEREF_MAPPING_END].u - 1) >> PAGEREF_PAGE_SHIFT;
	uint32_t number;

	if (f[PAGEREF_MAPPING_START].u >= f[PAGEREF_MAPPING_END].u)
		return 0;
	area.object = find_object(state, event);
	number = area.object == MM_HASH_NONE ? 0 : add_area(state, &area);
	if (!number)
		return -1;
	return mm_last_ranges_set(mappings, (uint32_t)f[PAGEREF_MAPPING_MM].u, area.first, last,
				  ++state->pages.number, number);
}

struct touched_space *pageref_state_space(struct pageref_state *state, uint32_t mm)
{
	const uint32_t count = state->spaces.count;
	struct touched_space *space = mm_rows_get(&state->spaces, mm, 0);

	if (space && state->spaces.count > count) {
		space->pid = PAGEREF_NO_PID;
		space->thread = MM_HASH_NONE;
	}
	return space;
}

struct pageref_use *pageref_mappings_use(struct pageref_state *state, uint32_t object, uint32_t mm)
{
	return mm_rows_get(&state->uses, object, mm);
}

struct pageref_use *pageref_mappings_use_in(struct pageref_state *state, uint32_t area, uint32_t mm)
{
	const struct mm_row key = { state->areas[area].object, mm, 0, 0 };
	uint32_t number;

	if (!area)
		return pageref_mappings_use(state, PAGEREF_MEMORY_UNKNOWN + 1, mm);
	/*
	 * All touches in an area belong to one address space, so the row can be stored in the area.
	 */
	if (!state->areas[area].use) {
		number = mm_rows_number(&state->uses, &key);
		if (number == MM_HASH_NONE)
			return NULL;
		state->areas[area].use = number;
	}
	return mm_rows_at(&state->uses, state->areas[area].use);
}

int pageref_mappings_first(struct pageref_state *state, const struct pageref_area *area,
			   uint64_t page, uint32_t mm, const struct pageref_first *first)
{
	const uint64_t at = area->pgoff + (page - area->first);
	const struct mm_row key = { area->object, (uint32_t)(at >> 32), (uint32_t)at, mm };
	const uint32_t count = state->file_pages.count;
	struct pageref_file_page *file_page;
	uint32_t number;

	if (!((struct pageref_object *)mm_rows_at(&state->objects, area->object))->is_listed)
		return 0;
	number = mm_rows_number(&state->file_pages, &key);
	if (number == MM_HASH_NONE)
		return -1;
	file_page = mm_rows_at(&state->file_pages, number);
	if (state->file_pages.count > count || first->time_ns < file_page->first.time_ns)
		file_page->first = *first;
	return 0;
}

struct pageref_unmapped *pageref_mappings_unmapped(struct pageref_state *state, uint32_t mm,
						   uint64_t page)
{
	return mm_rows_get3(&state->unmapped, mm, (uint32_t)(page >> 32), (uint32_t)page);
}

int pageref_mappings_maybe(struct pageref_state *state, uint32_t mm, uint64_t page, uint64_t maybe)
{
	const uint32_t area = mm_last_ranges_find(&state->mappings, mm, page).value;
	struct pageref_unmapped *unmapped;
	struct pageref_use *use;

	if (!maybe)
		return 0;
	if (!area) {
		unmapped = pageref_mappings_unmapped(state, mm, page);
		if (unmapped)
			unmapped->counts.maybe += maybe;
		return unmapped ? 0 : -1;
	}
	use = pageref_mappings_use_in(state, area, mm);
	if (use)
		use->counts.maybe += maybe;
	return use ? 0 : -1;
}

void pageref_mappings_subtract(struct pageref_use *use, uint64_t certain)
{
	use->counts.maybe -= certain < use->counts.maybe ? certain : use->counts.maybe;
}

/* Returns the area of the page in mappings from before the time range or from state dumps, or 0. */
static uint32_t find_earlier(const struct pageref_state *state,
			     const struct pageref_unmapped *unmapped)
{
	const uint64_t page = (uint64_t)unmapped->key.b << 32 | unmapped->key.c;

	return mm_last_ranges_find(&state->earlier_mappings, unmapped->key.a, page).value;
}

/*
 * First adds all possibly touched pages, and then subtracts the pages that were certainly touched.
 * The other order could subtract pages before they were added.
 */
int pageref_mappings_resolve(struct pageref_state *state)
{
	for (uint32_t i = 1; i < state->unmapped.count; i++) {
		const struct pageref_unmapped *unmapped = mm_rows_at(&state->unmapped, i);
		const uint32_t mm = unmapped->key.a, area = find_earlier(state, unmapped);
		struct pageref_use *use = pageref_mappings_use_in(state, area, mm);

		if (!use)
			return -1;
		pageref_counts_add(&use->counts, &unmapped->counts);
		if (area && unmapped->counts.touches &&
		    pageref_mappings_first(state, &state->areas[area],
					   (uint64_t)unmapped->key.b << 32 | unmapped->key.c, mm,
					   &unmapped->first))
			return -1;
	}
	for (uint32_t i = 1; i < state->unmapped.count; i++) {
		const struct pageref_unmapped *unmapped = mm_rows_at(&state->unmapped, i);
		struct pageref_use *use =
			unmapped->certain
				? pageref_mappings_use_in(state, find_earlier(state, unmapped),
							  unmapped->key.a)
				: NULL;

		if (use)
			pageref_mappings_subtract(use, unmapped->certain);
	}
	return 0;
}

/* Counts a page that was not marked when the time range started. @user: struct pageref_state */
static int count_unmarked(void *user, uint32_t mm, uint64_t page, bool is_huge)
{
	struct pageref_state *state = user;
	struct touched_space *space = pageref_state_space(state, mm);
	struct pageref_use *use = pageref_mappings_use_in(
		state, mm_last_ranges_find(&state->earlier_mappings, mm, page).value, mm);
	uint64_t added = 0;

	if (!lttng_mm_sample_has(state->sample, page))
		return 0;
	if (!space || !use ||
	    pageref_pages_maybe(&state->pages, mm, page, is_huge ? PAGEREF_TABLE_PAGES : 1,
				space->changed, &added))
		return -1;
	space->unmarked += added;
	space->counts.maybe += added;
	use->counts.maybe += added;
	return 0;
}

int pageref_mappings_count_unmarked(struct pageref_state *state)
{
	for (uint32_t i = 1; i < state->unmarked.spaces.count; i++) {
		const struct mm_row *key = mm_rows_at(&state->unmarked.spaces, i);

		if (pageref_unmarked_visit(&state->unmarked, key->a, count_unmarked, state))
			return -1;
	}
	return 0;
}

uint32_t pageref_mappings_area(const struct pageref_state *state, uint32_t mm, uint64_t first,
			       uint64_t count)
{
	const struct mm_last_ranges *const all[] = { &state->mappings, &state->earlier_mappings };
	struct mm_last_range range;

	for (unsigned int i = 0; i < 2; i++)
		for (uint64_t page = first; page < first + count; page = range.last + 1) {
			range = mm_last_ranges_from(all[i], mm, page);
			if (!range.number || range.first >= first + count)
				break;
			if (range.value)
				return range.value;
		}
	return 0;
}

/*
 * Finds the object that is mapped at @page at the end of the trace. Sets *@last to the last page of
 * the range for which the result is valid.
 */
static uint32_t find_last_object(const struct pageref_state *state, uint32_t mm, uint64_t page,
				 uint64_t *last)
{
	const struct mm_last_ranges *const all[] = { &state->mappings, &state->earlier_mappings };

	*last = UINT64_MAX;
	for (unsigned int i = 0; i < 2; i++) {
		const struct mm_last_range range = mm_last_ranges_from(all[i], mm, page);

		if (!range.number)
			continue;
		if (range.first > page) {
			*last = range.first - 1 < *last ? range.first - 1 : *last;
			continue;
		}
		/*
		 * A range without a value was unmapped. In this case, look for an earlier mapping.
		 */
		*last = range.last < *last ? range.last : *last;
		if (range.value)
			return state->areas[range.value].object;
	}
	return PAGEREF_MEMORY_UNKNOWN + 1;
}

/*
 * The state of counting resident pages. The members from @mm on describe the pages that were
 * counted last.
 */
struct resident_count {
	struct pageref_state *state;
	/*
	 * for each interval: bit N is set if the interval starts pageref_ages_ns[N] or more before
	 * the end
	 */
	uint8_t *old;
	uint32_t mm;
	struct touched_space *space;
	uint64_t first, last; /* range of pages that belong to @use */
	struct pageref_use *use;
};

/* Returns the array resident_count.old. Release it with free(). Returns NULL when out of memory. */
static uint8_t *find_old(const struct pageref_state *state)
{
	uint8_t *old = calloc(state->interval_count + 1, sizeof(*old));

	for (size_t i = 0; old && i < state->interval_count; i++) {
		const int64_t start_ns = i ? state->intervals[i].start_ns : state->start_ns;

		for (int age = 0; age < PAGEREF_AGES; age++)
			if (start_ns <= mm_time_difference(state->end_ns, pageref_ages_ns[age]))
				old[i] |= (uint8_t)(1u << age);
	}
	return old;
}

/* Returns the counts for one page that was last touched in @interval. Each count is 0 or 1. */
static struct pageref_resident count_page(const struct resident_count *count, uint32_t interval)
{
	const struct touched_space *space = count->space;
	const uint32_t marked = (interval < space->used_until ? space->used_until : interval) + 1;
	struct pageref_resident resident = { .pages = 1 };
	unsigned int least = 0;

	/*
	 * The trace does not say when the pass marked the page, but the mark is older than the next
	 * pass.
	 */
	if (marked <= space->last_passed && marked + 1 < count->state->interval_count)
		least = count->old[marked + 1];
	for (int age = 0; age < PAGEREF_AGES; age++) {
		resident.most_cold[age] = count->old[interval] >> age & 1;
		resident.least_cold[age] = least >> age & 1;
	}
	return resident;
}

static void add_resident(struct pageref_resident *sum, const struct pageref_resident *page,
			 uint64_t pages)
{
	sum->pages += pages;
	for (int age = 0; age < PAGEREF_AGES; age++) {
		sum->most_cold[age] += page->most_cold[age] * pages;
		sum->least_cold[age] += page->least_cold[age] * pages;
	}
}

/* Counts resident pages for their objects and their address space. */
static int count_resident(void *user, uint32_t mm, uint64_t first, uint64_t last, uint32_t interval)
{
	struct resident_count *count = user;
	struct pageref_state *state = count->state;
	struct pageref_resident page;
	uint64_t end;

	if (!count->space || count->mm != mm) {
		count->mm = mm;
		count->space = mm_rows_get(&state->spaces, mm, 0);
		count->use = NULL;
	}
	if (count->space->has_ended)
		return 0;
	page = count_page(count, interval);
	for (; first <= last; first = end + 1) {
		if (!count->use || first < count->first || first > count->last) {
			count->first = first;
			count->use = pageref_mappings_use(
				state, find_last_object(state, mm, first, &count->last), mm);
		}
		if (!count->use)
			return -1;
		end = count->last < last ? count->last : last;
		add_resident(&count->use->resident, &page, end - first + 1);
		add_resident(&count->space->resident, &page, end - first + 1);
	}
	return 0;
}

int pageref_mappings_count_resident(struct pageref_state *state)
{
	struct resident_count count = { .state = state, .old = find_old(state) };
	const int ret = count.old ? pageref_pages_visit(&state->pages, &count, count_resident) : -1;

	free(count.old);
	return ret;
}
