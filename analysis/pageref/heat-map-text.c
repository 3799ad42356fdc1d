// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Draws a heat map for a terminal. Sample:
 *
 *   Page touches: 1830 by 2 processes in 61.2 s with 12 passes
 *                                          (addresses rise from bottom to top)
 *   cc1 (pid 255)        [heap]          |     .:=+*#|
 *                                        |  .:=+#    |
 *                        libc.so.6       |:::::::::::|
 *   sh (pid 254)         anonymous       |-          |
 *                                        +-----------+
 *                                        0    20 s
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/heat-map.h"
#include "util/escape.h"

#define ROWS 32u
#define PROCESS_WIDTH 22
#define MAPPING_WIDTH 18
#define COLUMNS_MIN 20u

static const char levels[] = " .:-=+*#%@";
#define LEVELS (sizeof(levels) - 2)

/*
 * Returns the level of a number of pages on a logarithmic scale, from 1 to LEVELS. Returns 0 for 0
 * pages.
 */
static unsigned int level_of(uint64_t pages, uint64_t most)
{
	if (!pages)
		return 0;
	if (most == 1)
		return LEVELS;
	return 1 + (unsigned int)(log((double)pages) / log((double)most) * (LEVELS - 0.001));
}

/* Prints the start of an untrusted name in @width columns. */
static void print_name(FILE *out, const char *name, int width)
{
	size_t length = strlen(name);
	char text[256];

	if (length > (size_t)width - 1)
		length = (size_t)width - 1;
	/* Do not split a UTF-8 character. */
	while (length && (name[length] & 0xc0) == 0x80)
		length--;
	mm_escape_terminal(text, sizeof(text), name, length);
	fprintf(out, "%-*s", width, text);
}

/* Returns the region to which most chunks of row @row belong. */
static const struct heat_region *region_of(const struct heat_view *view, size_t row)
{
	const size_t first = row * view->chunks_per_row, end = first + view->chunks_per_row;
	const struct heat_region *found = NULL;
	size_t most = 0;

	for (size_t i = 0; i < view->region_count; i++) {
		const struct heat_region *region = &view->regions[i];
		const size_t from = region->first > first ? region->first : first;
		const size_t to =
			region->first + region->count < end ? region->first + region->count : end;

		if (to > from && to - from > most) {
			most = to - from;
			found = region;
		}
	}
	return found;
}

static void print_row(const struct heat_view *view, size_t row, const struct heat_region *above,
		      FILE *out)
{
	const struct heat_region *region = region_of(view, row);
	char process[64] = "";

	if (region->space && (!above || above->space != region->space))
		heat_view_process(region, process, sizeof(process));
	print_name(out, process, PROCESS_WIDTH);
	print_name(out,
		   *process || !above || above->object != region->object
			   ? pageref_object_name(region->object)
			   : "",
		   MAPPING_WIDTH);
	fputc('|', out);
	for (size_t column = 0; column < view->column_count; column++) {
		const uint64_t pages = view->cells[row * view->column_count + column];

		fputc(levels[level_of(pages, view->most)], out);
	}
	fputs("|\n", out);
}

static void print_axis(const struct heat_map *map, const struct heat_view *view, FILE *out)
{
	const uint64_t step = heat_view_step(view->size, (unsigned int)view->column_count / 12 + 1);
	size_t at = 0;

	fprintf(out, "%*s+", PROCESS_WIDTH + MAPPING_WIDTH, "");
	for (size_t i = 0; i < view->column_count; i++)
		fputc(view->lossy[i] ? '!' : '-', out);
	fprintf(out, "+\n%*s", PROCESS_WIDTH + MAPPING_WIDTH + 1, "");
	for (uint64_t position = 0; position <= view->size; position += step) {
		const size_t column = position / view->column_size;
		char text[32];

		heat_view_tick(map, position, step, text, sizeof(text));
		/* Skip a label that would not fit, or would adjoin the previous one. */
		if (column < at + !!at || column + strlen(text) > view->column_count + 1)
			continue;
		fprintf(out, "%*s%s", (int)(column - at), "", text);
		at = column + strlen(text);
	}
	fprintf(out, "\n%*s%s\n", PROCESS_WIDTH + MAPPING_WIDTH + 1, "",
		map->by_touches ? "touches so far" : "time since the first event");
}

static void print_scale(const struct heat_map *map, const struct heat_view *view, FILE *out)
{
	char cell[HEAT_SCALE_TEXT];
	uint64_t first = 1;

	heat_view_scale(map, view, cell);
	fprintf(out, "A character is %s. Pages of 4 KiB touched in it%s:", cell,
		map->has_huge ? " (a huge page counts as 512)" : "");
	for (unsigned int level = 1; level <= LEVELS && first <= view->most; level++) {
		uint64_t last = first;

		if (level_of(first, view->most) != level)
			continue;
		/* The bound may be off by one because of rounding. */
		if (level < LEVELS)
			last = (uint64_t)pow((double)view->most, level / (LEVELS - 0.001));
		else
			last = view->most;
		while (last > first && level_of(last, view->most) > level)
			last--;
		while (last < view->most && level_of(last + 1, view->most) == level)
			last++;
		fprintf(out, "%s '%c' %" PRIu64, first > 1 ? "," : "", levels[level], first);
		if (last > first)
			fprintf(out, " to %" PRIu64, last);
		first = last + 1;
	}
	fputs(".\n", out);
}

int heat_map_print(const struct heat_map *map, const struct mm_report_options *options, FILE *out,
		   unsigned int width)
{
	const unsigned int labels = PROCESS_WIDTH + MAPPING_WIDTH + 2;
	const struct heat_region *above = NULL;
	struct heat_view view;
	char text[HEAT_TEXT];

	if (heat_view_make(map, options, ROWS,
			   width > labels + COLUMNS_MIN ? width - labels : COLUMNS_MIN, &view))
		return -1;
	heat_view_title(map, &view, text);
	fprintf(out, "%s\n", text);
	for (size_t row = view.row_count; row--;) {
		print_row(&view, row, above, out);
		above = region_of(&view, row);
	}
	if (view.row_count) {
		print_axis(map, &view, out);
		print_scale(map, &view, out);
		fputs("Addresses rise from bottom to top; ranges without touches are left out.\n",
		      out);
	}
	heat_view_missed(map, &view, options, text);
	fprintf(out, "%s\n", text);
	heat_view_release(&view);
	return 0;
}
