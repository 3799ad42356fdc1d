// SPDX-License-Identifier: LGPL-2.1-only
/* Makes a view of a heat map: selects, sorts and adds up its cells, and describes them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/heat-map.h"
#include "instrumentation/wire/pageref-sample.h"
#include "reader/report/units.h"
#include "util/plural.h"
#include "util/time.h"

/*
 * A range of chunks without touches is left out if it is longer than 1/GAP_PART of the touched
 * chunks.
 */
#define GAP_PART 64u

static uint64_t number_of(const struct heat_chunk *chunk)
{
	return (uint64_t)chunk->key.b << 32 | chunk->key.c;
}

static int compare_chunks(const void *a, const void *b, void *user)
{
	const struct heat_map *map = user;
	const struct heat_chunk *x = mm_rows_at(&map->chunks, *(const uint32_t *)a);
	const struct heat_chunk *y = mm_rows_at(&map->chunks, *(const uint32_t *)b);

	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	return number_of(x) < number_of(y) ? -1 : number_of(x) > number_of(y);
}

/*
 * Returns the row numbers of the selected chunks in map->chunks, sorted by address space and
 * address. Returns NULL when out of memory.
 */
static uint32_t *sort_chunks(const struct heat_map *map, const struct mm_report_options *options,
			     size_t *count)
{
	uint32_t *numbers = malloc(map->chunks.count * sizeof(*numbers));

	*count = 0;
	for (uint32_t i = 1; numbers && i < map->chunks.count; i++) {
		const struct heat_chunk *chunk = mm_rows_at(&map->chunks, i);

		/*
		 * The state lacks address spaces for which only touches were recorded, so
		 * pageref_selected() would not find them.
		 */
		if (!options->by_pid || pageref_selected(map->state, chunk->key.a, options))
			numbers[(*count)++] = i;
	}
	if (numbers)
		qsort_r(numbers, *count, sizeof(*numbers), compare_chunks, (void *)map);
	return numbers;
}

static const struct pageref_object *object_of(const struct heat_map *map,
					      const struct heat_chunk *chunk)
{
	const struct pageref_state *state = map->state;
	const uint32_t object =
		chunk->area ? state->areas[chunk->area].object : PAGEREF_MEMORY_UNKNOWN + 1;

	return mm_rows_at(&state->objects, object);
}

/*
 * Adds @chunk to the last region, or to a new region. Returns the position of the chunk, or
 * SIZE_MAX when out of memory.
 */
static size_t place_chunk(const struct heat_map *map, struct heat_view *view,
			  const struct heat_chunk *chunk, const struct heat_chunk *before,
			  uint64_t longest_gap)
{
	const struct pageref_object *object = object_of(map, chunk);
	struct heat_region *regions,
		*last = view->region_count ? &view->regions[view->region_count - 1] : NULL;
	uint64_t gap;

	if (before && before->key.a == chunk->key.a && last->object == object) {
		gap = number_of(chunk) - number_of(before) - 1;
		gap = gap > longest_gap ? 0 : gap;
		last->count += (size_t)gap + 1;
		view->chunk_count += (size_t)gap + 1;
		return view->chunk_count - 1;
	}
	regions = mm_array_grow(view->regions, view->region_count, &view->region_room,
				sizeof(*regions));
	if (!regions)
		return SIZE_MAX;
	view->regions = regions;
	regions[view->region_count++] = (struct heat_region){
		.space = mm_rows_lookup(&map->state->spaces, chunk->key.a, 0),
		.object = object,
		.first = view->chunk_count,
		.count = 1,
	};
	return view->chunk_count++;
}

/* Finds the regions, and the positions of the chunks. Returns 0, or -1 when out of memory. */
static int place_chunks(const struct heat_map *map, const uint32_t *numbers, size_t count,
			struct heat_view *view, size_t *positions)
{
	const struct heat_chunk *before = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct heat_chunk *chunk = mm_rows_at(&map->chunks, numbers[i]);

		positions[i] = place_chunk(map, view, chunk, before, count / GAP_PART);
		if (positions[i] == SIZE_MAX)
			return -1;
		before = chunk;
	}
	return 0;
}

/* Adds up the cells of the view. Returns 0, or -1 when out of memory. */
static int add_up(const struct heat_map *map, const uint32_t *numbers, const size_t *positions,
		  size_t count, size_t rows, size_t columns, struct heat_view *view)
{
	const size_t used = map->column + 1, joined = (used + columns - 1) / columns;

	view->chunks_per_row = (view->chunk_count + rows - 1) / rows;
	view->row_count = (view->chunk_count + view->chunks_per_row - 1) / view->chunks_per_row;
	view->column_count = (used + joined - 1) / joined;
	view->row_bytes = view->chunks_per_row * PAGEREF_PAGE_BYTES << map->chunk_shift;
	view->column_size = (uint64_t)joined << map->column_shift;
	view->cells = calloc(view->row_count * view->column_count, sizeof(*view->cells));
	view->lossy = calloc(view->column_count, sizeof(*view->lossy));
	if (!view->cells || !view->lossy)
		return -1;
	for (size_t column = 0; column < used; column++) {
		const struct heat_column *from = &map->columns[column];

		view->lossy[column / joined] |= from->is_lossy;
		for (size_t i = 0; i < count && from->pages; i++) {
			const uint32_t pages = from->pages[numbers[i]];
			uint64_t *cell = &view->cells[positions[i] / view->chunks_per_row *
							      view->column_count +
						      column / joined];

			*cell += pages;
			view->pages += pages;
			view->most = *cell > view->most ? *cell : view->most;
		}
	}
	return 0;
}

static int count_processes(const struct heat_map *map, struct heat_view *view)
{
	struct mm_rows pids;

	if (mm_rows_init(&pids, sizeof(struct mm_row), UINT32_MAX - 1, 6))
		return -1;
	for (size_t i = 0; i < view->region_count; i++) {
		const struct touched_space *space = view->regions[i].space;

		if (space && space->pid != PAGEREF_NO_PID && !mm_rows_get(&pids, space->pid, 0)) {
			mm_rows_release(&pids);
			return -1;
		}
		/* Each address space of an unknown process counts as a process. */
		if ((!space || space->pid == PAGEREF_NO_PID) &&
		    (!i || view->regions[i - 1].space != space))
			view->processes++;
	}
	view->processes += pids.count - 1;
	mm_rows_release(&pids);
	return 0;
}

int heat_view_make(const struct heat_map *map, const struct mm_report_options *options, size_t rows,
		   size_t columns, struct heat_view *view)
{
	size_t count, *positions;
	uint32_t *numbers = sort_chunks(map, options, &count);
	int ret = -1;

	*view = (struct heat_view){ 0 };
	view->size = map->by_touches ? map->touches
		     : map->touches  ? (uint64_t)mm_time_difference(map->state->end_ns,
								    map->state->start_ns)
				     : 0;
	for (uint32_t i = 1; i < map->spaces.count; i++) {
		const struct heat_space *space = mm_rows_at(&map->spaces, i);

		if (!options->by_pid || pageref_selected(map->state, space->key.a, options))
			view->touches += space->touches;
	}
	positions = malloc((count + 1) * sizeof(*positions));
	if (numbers && positions && !place_chunks(map, numbers, count, view, positions))
		ret = count ? add_up(map, numbers, positions, count, rows, columns, view) : 0;
	if (!ret)
		ret = count_processes(map, view);
	free(numbers);
	free(positions);
	if (ret)
		heat_view_release(view);
	return ret;
}

void heat_view_release(struct heat_view *view)
{
	free(view->cells);
	free(view->lossy);
	free(view->regions);
	*view = (struct heat_view){ 0 };
}

static const char *bytes_text(char text[MM_NUMBER_TEXT], uint64_t bytes)
{
	const struct mm_cell cell = { .kind = MM_CELL_UNSIGNED, .u = bytes };

	mm_render_number(text, MM_NUMBER_TEXT, &cell, MM_BYTES);
	return text;
}

void heat_view_process(const struct heat_region *region, char *text, size_t size)
{
	const struct touched_space *space = region->space;
	const char *name = space && *space->name ? space->name : "<...>";

	if (space && space->pid != PAGEREF_NO_PID)
		snprintf(text, size, "%s (pid %" PRIu32 ")", name, space->pid);
	else
		snprintf(text, size, "%s", name);
}

void heat_view_title(const struct heat_map *map, const struct heat_view *view, char text[HEAT_TEXT])
{
	const struct pageref_state *state = map->state;
	const uint64_t passes = state->interval_count - 1;
	const double seconds = (double)mm_time_difference(state->end_ns, state->start_ns) / 1e9;

	if (!view->row_count)
		snprintf(text, HEAT_TEXT, "No page touches to show");
	else
		snprintf(text, HEAT_TEXT,
			 "Page touches: %" PRIu64 " by %" PRIu64
			 " process%s in %.1f s with %" PRIu64 " pass%s",
			 view->touches, view->processes, mm_plural(view->processes, "", "es"),
			 seconds, passes, mm_plural(passes, "", "es"));
}

void heat_view_scale(const struct heat_map *map, const struct heat_view *view,
		     char text[HEAT_SCALE_TEXT])
{
	char width[MM_NUMBER_TEXT], height[MM_NUMBER_TEXT];

	if (map->by_touches)
		snprintf(width, sizeof(width), "%" PRIu64 " touch%s", view->column_size,
			 mm_plural(view->column_size, "", "es"));
	else
		mm_render_ns(width, sizeof(width), (double)view->column_size);
	snprintf(text, HEAT_SCALE_TEXT, "%s x %s", width, bytes_text(height, view->row_bytes));
}

/* States why there is nothing to see. */
static void explain_empty(const struct heat_map *map, const struct mm_report_options *options,
			  char text[HEAT_TEXT])
{
	const struct pageref_state *state = map->state;
	const uint64_t passes = state->interval_count - 1;

	if (map->touches && options->by_pid)
		snprintf(
			text, HEAT_TEXT,
			"There are no touches by process %u in this time range, but %" PRIu64
			" touch%s by other processes (lttng-mm report page-ref --by=process lists the processes).",
			options->pid, map->touches, mm_plural(map->touches, "", "es"));
	else if (map->touches)
		snprintf(text, HEAT_TEXT,
			 "The trace has too many address spaces: none of its %" PRIu64
			 " touches can be shown.",
			 map->touches);
	else if (state->incomplete)
		snprintf(text, HEAT_TEXT,
			 "The addresses of all %" PRIu64
			 " touches are unknown, because events are missing.",
			 state->incomplete);
	else if (state->losses.any)
		snprintf(text, HEAT_TEXT,
			 "There are no touches in this time range, but events are missing.");
	else if (!passes)
		snprintf(
			text, HEAT_TEXT,
			"There are no touches and no passes in this time range: no process was recorded, or it ended before the first pass.");
	else
		snprintf(
			text, HEAT_TEXT,
			"There are no touches in this time range, although %" PRIu64
			" pass%s marked pages: the recorded processes did not run, or used only memory that is never marked.",
			passes, mm_plural(passes, "", "es"));
}

void heat_view_missed(const struct heat_map *map, const struct heat_view *view,
		      const struct mm_report_options *options, char text[HEAT_TEXT])
{
	const struct pageref_state *state = map->state;
	uint64_t maybe = 0, never = 0;
	bool lossy = false;
	size_t length;

	if (!view->row_count) {
		explain_empty(map, options, text);
		return;
	}
	for (uint32_t i = 1; i < state->spaces.count; i++) {
		const struct touched_space *space = mm_rows_at(&state->spaces, i);

		if (!pageref_is_selected(space, options))
			continue;
		maybe += space->unseen + space->around;
		never += space->left_out;
	}
	for (size_t i = 0; i < view->column_count; i++)
		lossy |= view->lossy[i];
	length = (size_t)snprintf(
		text, HEAT_TEXT,
		"Not shown: further touches of a page before the next pass marks it; read() and write()");
	if (state->lowest_sample < LTTNG_MM_PAGEREF_SAMPLE_ALL)
		length += (size_t)snprintf(text + length, HEAT_TEXT - length,
					   "; pages outside of the recorder's sample of %.3g %%",
					   100.0 * state->lowest_sample /
						   LTTNG_MM_PAGEREF_SAMPLE_ALL);
	if (maybe)
		length += (size_t)snprintf(text + length, HEAT_TEXT - length,
					   "; %" PRIu64
					   " page%s that may have been touched without an event",
					   maybe, mm_plural_s(maybe));
	if (never)
		length += (size_t)snprintf(text + length, HEAT_TEXT - length,
					   "; %" PRIu64 " page%s that are never marked", never,
					   mm_plural_s(never));
	if (map->left_out + state->incomplete)
		length += (size_t)snprintf(text + length, HEAT_TEXT - length,
					   "; %" PRIu64 " touches without a place",
					   map->left_out + state->incomplete);
	snprintf(text + length, HEAT_TEXT - length, "%s",
		 lossy ? "; lost events (marked with !)." : ".");
}

uint64_t heat_view_step(uint64_t size, unsigned int count)
{
	static const unsigned int factors[] = { 1, 2, 5 };
	uint64_t power = 1;

	for (;; power *= 10)
		for (unsigned int i = 0; i < 3; i++)
			if (size / (power * factors[i]) <= count || power > UINT64_MAX / 100)
				return power * factors[i];
}

void heat_view_tick(const struct heat_map *map, uint64_t at, uint64_t step, char *text, size_t size)
{
	static const struct {
		uint64_t factor;
		const char *time, *count;
	} units[] = { { 1000000000, " s", " G" },
		      { 1000000, " ms", " M" },
		      { 1000, " us", " k" },
		      { 1, " ns", "" } };
	unsigned int unit = 0;
	const char *name;
	uint64_t part;

	/* Use the largest unit in which labels have at most one digit after the point. */
	while (unit < 3 && step % (units[unit].factor / (unit < 3 ? 10 : 1)))
		unit++;
	part = at % units[unit].factor * 10 / units[unit].factor;
	name = map->by_touches ? units[unit].count : units[unit].time;
	if (part)
		snprintf(text, size, "%" PRIu64 ".%" PRIu64 "%s", at / units[unit].factor, part,
			 name);
	else
		snprintf(text, size, "%" PRIu64 "%s", at / units[unit].factor, at ? name : "");
}
