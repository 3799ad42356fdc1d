// SPDX-License-Identifier: LGPL-2.1-only
/* Counts touched pages by address and time, in a grid of limited size. */
#include "analysis/pageref/heat-map.h"

#include <stdlib.h>
#include <string.h>

#include "util/time.h"

#define RECENT_BITS 10
#define CHUNK_SHIFT_MAX 52

static int init_chunks(struct mm_rows *chunks)
{
	return mm_rows_init(chunks, sizeof(struct heat_chunk), HEAT_CHUNKS - 1, RECENT_BITS);
}

struct heat_map *heat_map_create(bool by_touches)
{
	struct heat_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->by_touches = by_touches;
	map->state = pageref_state_create();
	if (map->state && !init_chunks(&map->chunks) &&
	    !mm_rows_init(&map->spaces, sizeof(struct heat_space), UINT32_MAX - 1, 6))
		return map;
	heat_map_destroy(map);
	return NULL;
}

void heat_map_destroy(struct heat_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < HEAT_COLUMNS; i++)
		free(map->columns[i].pages);
	mm_rows_release(&map->chunks);
	mm_rows_release(&map->spaces);
	pageref_state_destroy(map->state);
	free(map);
}

static void add(uint32_t *sum, uint32_t pages)
{
	*sum = pages > UINT32_MAX - *sum ? UINT32_MAX : *sum + pages;
}

static void widen_columns(struct heat_map *map)
{
	for (size_t i = 0; i < HEAT_COLUMNS / 2; i++) {
		struct heat_column *left = &map->columns[2 * i], *right = left + 1;
		struct heat_column joined = { left->pages ? left->pages : right->pages,
					      left->is_lossy || right->is_lossy };

		if (left->pages && right->pages) {
			for (uint32_t chunk = 0; chunk < map->chunks.count; chunk++)
				add(&left->pages[chunk], right->pages[chunk]);
			free(right->pages);
		}
		*left = *right = (struct heat_column){ NULL };
		map->columns[i] = joined;
	}
	map->column /= 2;
	map->column_shift++;
}

/*
 * Enters the column of @position. If events may be missing since the current column started, marks
 * the current column and all later columns before the new one.
 */
static void enter_column(struct heat_map *map, uint64_t position, int64_t time_ns)
{
	unsigned int column;

	while (position >> map->column_shift >= HEAT_COLUMNS)
		widen_columns(map);
	column = (unsigned int)(position >> map->column_shift);
	if (column <= map->column)
		return;
	if (mm_loss_bound_any(mm_loss_between(&map->state->losses, map->column_ns, time_ns)))
		for (; map->column < column; map->column++)
			map->columns[map->column].is_lossy = true;
	map->column = column;
	map->column_ns = time_ns;
}

/*
 * Joins pairs of neighbouring chunks, and adds the joined chunks to @joined. Sets @numbers[I] to
 * the number of the joined chunk that contains chunk I.
 */
static int join_rows(struct heat_map *map, struct mm_rows *joined, uint32_t *numbers)
{
	for (uint32_t i = 1; i < map->chunks.count; i++) {
		const struct heat_chunk *chunk = mm_rows_at(&map->chunks, i);
		const uint64_t number = ((uint64_t)chunk->key.b << 32 | chunk->key.c) >> 1;
		const struct mm_row key = { chunk->key.a, (uint32_t)(number >> 32),
					    (uint32_t)number, 0 };
		struct heat_chunk *pair;

		numbers[i] = mm_rows_number(joined, &key);
		if (numbers[i] == MM_HASH_NONE)
			return -1;
		pair = mm_rows_at(joined, numbers[i]);
		pair->area = pair->area ? pair->area : chunk->area;
	}
	return 0;
}

/* Makes all chunks twice as large. Returns 0, or -1 when out of memory. */
static int join_chunks(struct heat_map *map)
{
	uint32_t *numbers = calloc(HEAT_CHUNKS, sizeof(*numbers));
	uint32_t *pages = malloc(HEAT_CHUNKS * sizeof(*pages));
	struct mm_rows joined;
	int ret = init_chunks(&joined);

	if (ret || !numbers || !pages || join_rows(map, &joined, numbers)) {
		if (!ret)
			mm_rows_release(&joined);
		free(numbers);
		free(pages);
		return -1;
	}
	for (size_t i = 0; i < HEAT_COLUMNS; i++) {
		uint32_t *before = map->columns[i].pages;

		if (!before)
			continue;
		memset(pages, 0, HEAT_CHUNKS * sizeof(*pages));
		for (uint32_t chunk = 1; chunk < map->chunks.count; chunk++)
			add(&pages[numbers[chunk]], before[chunk]);
		memcpy(before, pages, HEAT_CHUNKS * sizeof(*pages));
	}
	mm_rows_release(&map->chunks);
	map->chunks = joined;
	map->chunk_shift++;
	memset(map->recent, 0, sizeof(map->recent));
	free(numbers);
	free(pages);
	return 0;
}

/* Makes room for another chunk, if that is possible. Returns 0, or -1 when out of memory. */
static int make_room(struct heat_map *map)
{
	while (map->chunks.count > HEAT_CHUNKS - 1 && !map->is_full) {
		if (map->chunk_shift == CHUNK_SHIFT_MAX)
			map->is_full = true;
		else if (join_chunks(map))
			return -1;
	}
	return 0;
}

/*
 * Returns the number of the chunk that contains @page, or 0 if there is no room for a new chunk.
 * Returns MM_HASH_NONE when out of memory.
 */
static uint32_t find_chunk(struct heat_map *map, uint32_t mm, uint64_t page)
{
	const uint64_t number = page >> map->chunk_shift;
	const struct mm_row key = { mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };
	const uint32_t count = map->chunks.count, found = mm_rows_number(&map->chunks, &key);
	struct heat_chunk *chunk;

	if (found == MM_HASH_NONE || map->chunks.count == count)
		return found;
	chunk = mm_rows_at(&map->chunks, found);
	chunk->area = mm_last_ranges_find(&map->state->mappings, mm, page).value;
	return found;
}

/* Adds @pages touched pages to the chunk that contains @page. */
static int add_pages(struct heat_map *map, struct heat_column *column, uint32_t mm, uint64_t page,
		     uint32_t pages)
{
	/* Neighbouring chunks have different elements in the cache. */
	uint64_t chunk = page >> map->chunk_shift;
	struct heat_recent *recent = &map->recent[(chunk + mm * 1021) % HEAT_RECENT];

	if (recent->chunk != chunk || recent->mm != mm || !recent->number) {
		if (make_room(map))
			return -1;
		chunk = page >> map->chunk_shift;
		recent = &map->recent[(chunk + mm * 1021) % HEAT_RECENT];
		*recent = (struct heat_recent){ chunk, mm, find_chunk(map, mm, page) };
	}
	if (recent->number == MM_HASH_NONE)
		return -1;
	if (recent->number)
		add(&column->pages[recent->number], pages);
	else
		map->left_out++;
	return 0;
}

/* Counts a touch for its address space. Tries the address space of the previous touch first. */
static int count_touch(struct heat_map *map, uint32_t mm)
{
	const struct mm_row key = { mm, 0, 0, 0 };
	struct heat_space *space = mm_rows_at(&map->spaces, map->space);

	if (space->key.a != mm || !map->space) {
		map->space = mm_rows_number(&map->spaces, &key);
		if (map->space == MM_HASH_NONE)
			return -1;
		space = mm_rows_at(&map->spaces, map->space);
	}
	space->touches++;
	map->touches++;
	return 0;
}

static int on_touch(struct heat_map *map, const struct mm_event *event)
{
	struct pageref_place place;
	struct heat_column *column;
	uint64_t page, end, size, position;

	/* Address space 0 is the probe's own buffer. */
	if (!pageref_queue_find_place(map->state, event, &place) || !place.mm)
		return 0;
	if (pageref_state_note(map->state, event))
		return -1;
	position = map->by_touches
			   ? map->touches
			   : (uint64_t)mm_time_difference(event->time_ns, map->state->start_ns);
	if (position >> map->column_shift != map->column)
		enter_column(map, position, event->time_ns);
	if (count_touch(map, place.mm))
		return -1;
	column = &map->columns[map->column];
	if (!column->pages)
		column->pages = calloc(HEAT_CHUNKS, sizeof(*column->pages));
	if (!column->pages)
		return -1;
	page = place.address >> PAGEREF_PAGE_SHIFT;
	if (!place.is_huge) {
		map->pages++;
		return add_pages(map, column, place.mm, page, 1);
	}
	map->has_huge = true;
	map->pages += PAGEREF_TABLE_PAGES;
	page -= page % PAGEREF_TABLE_PAGES;
	for (end = page + PAGEREF_TABLE_PAGES; page < end; page += size) {
		/* add_pages() may make chunks larger, so compute the size of each part anew. */
		size = map->chunk_shift < PAGEREF_TABLE_SHIFT ? UINT64_C(1) << map->chunk_shift
							      : PAGEREF_TABLE_PAGES;
		size -= page % size;
		if (add_pages(map, column, place.mm, page, (uint32_t)size))
			return -1;
	}
	return 0;
}

int heat_map_event(struct heat_map *map, const struct mm_event *event)
{
	if (event->type->request == PAGEREF_ON_TOUCH)
		return on_touch(map, event);
	return pageref_state_event(map->state, event);
}

int heat_map_finish(struct heat_map *map, const struct mm_sysinfo *sysinfo)
{
	struct pageref_state *state = map->state;

	if (pageref_state_finish(state, sysinfo))
		return -1;
	if (!map->touches)
		return 0;
	enter_column(map,
		     map->by_touches ? map->touches - 1
				     : (uint64_t)mm_time_difference(state->end_ns, state->start_ns),
		     state->end_ns);
	map->columns[map->column].is_lossy |=
		mm_loss_bound_any(mm_loss_between(&state->losses, map->column_ns, state->end_ns));
	for (uint32_t i = 1; i < map->chunks.count; i++) {
		struct heat_chunk *chunk = mm_rows_at(&map->chunks, i);
		const uint64_t page = ((uint64_t)chunk->key.b << 32 | chunk->key.c)
				      << map->chunk_shift;

		/* The mapping may have started or become known only after the first touch. */
		if (!chunk->area)
			chunk->area = pageref_mappings_area(state, chunk->key.a, page,
							    UINT64_C(1) << map->chunk_shift);
	}
	return 0;
}
