// SPDX-License-Identifier: LGPL-2.1-only
/* Mappings of address spaces, and the counts of each mapping. */
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-state.h"
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

struct pageref_use *pageref_mappings_use(struct pageref_state *state, uint32_t object, uint32_t mm)
{
	return mm_rows_get(&state->uses, object, mm);
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

int pageref_mappings_resolve(struct pageref_state *state)
{
	for (uint32_t i = 1; i < state->unmapped.count; i++) {
		const struct pageref_unmapped *unmapped = mm_rows_at(&state->unmapped, i);
		const uint64_t page = (uint64_t)unmapped->key.b << 32 | unmapped->key.c;
		const uint32_t mm = unmapped->key.a;
		const uint32_t number =
			mm_last_ranges_find(&state->earlier_mappings, mm, page).value;
		const struct pageref_area *area = &state->areas[number];
		struct pageref_use *use = pageref_mappings_use(
			state, number ? area->object : PAGEREF_MEMORY_UNKNOWN + 1, mm);

		if (!use)
			return -1;
		pageref_counts_add(&use->counts, &unmapped->counts);
		if (number && pageref_mappings_first(state, area, page, mm, &unmapped->first))
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

/* Finds the object that is mapped at @page at the end, and sets *@last to its last page. */
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
		/* A range without a value was unmapped: earlier mappings apply. */
		*last = range.last < *last ? range.last : *last;
		if (range.value)
			return state->areas[range.value].object;
	}
	return PAGEREF_MEMORY_UNKNOWN + 1;
}

/* Returns the counts of one page of @space whose last touch was in @interval: each 0 or 1. */
static struct pageref_resident count_page(const struct pageref_state *state,
					  const struct touched_space *space, uint32_t interval)
{
	const uint32_t marked = (interval < space->used_until ? space->used_until : interval) + 1;
	const int64_t since_ns = interval ? state->intervals[interval].start_ns : state->start_ns;
	struct pageref_resident resident = { .pages = 1 };

	for (int age = 0; age < PAGEREF_AGES; age++) {
		const int64_t until_ns = mm_time_difference(state->end_ns, pageref_ages_ns[age]);

		resident.most_cold[age] = since_ns <= until_ns;
		/* The pass that marked the page ended before the pass after it started. */
		resident.least_cold[age] = marked <= space->last_passed &&
					   marked + 1 < state->interval_count &&
					   state->intervals[marked + 1].start_ns <= until_ns;
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

/* Counts resident pages for each object that the pages map. */
static int count_resident(void *user, uint32_t mm, uint64_t first, uint64_t last, uint32_t interval)
{
	struct pageref_state *state = user;
	struct touched_space *space = mm_rows_get(&state->spaces, mm, 0);
	const struct pageref_resident page = count_page(state, space, interval);
	uint64_t end;

	if (space->has_ended)
		return 0;
	for (; first <= last; first = end + 1) {
		struct pageref_use *use =
			pageref_mappings_use(state, find_last_object(state, mm, first, &end), mm);

		if (!use)
			return -1;
		end = end < last ? end : last;
		add_resident(&use->resident, &page, end - first + 1);
		add_resident(&space->resident, &page, end - first + 1);
	}
	return 0;
}

int pageref_mappings_count_resident(struct pageref_state *state)
{
	return pageref_pages_visit(&state->pages, state, count_resident);
}
