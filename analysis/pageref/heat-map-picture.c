// SPDX-License-Identifier: LGPL-2.1-only
/* Draws a heat map as a picture. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/heat-map.h"
#include "reader/picture/canvas.h"

#define ROWS 640u
#define COLUMNS HEAT_COLUMNS
#define CELL_MAX 32 /* maximum width and height of a cell in pixels */
/* With fewer touches than this, cells are larger, because single pixels are hard to see. */
#define TOUCHES_OF_LARGE_CELLS 50000u
#define TOUCHES_OF_LARGEST_CELLS 5000u
#define PROCESS_CHARACTERS 15
#define MAPPING_CHARACTERS 18
#define LEFT (24 + (PROCESS_CHARACTERS + MAPPING_CHARACTERS + 1) * MM_TEXT_WIDTH)
#define TOP (5 * MM_TEXT_HEIGHT)
#define RIGHT 210
#define BOTTOM (6 * MM_TEXT_HEIGHT)
#define SCALE_WIDTH 28
#define WIDTH_MIN (LINE_CHARACTERS * MM_TEXT_WIDTH - LEFT - RIGHT + 48)
#define LINE_CHARACTERS 110

struct picture {
	const struct heat_map *map;
	const struct heat_view *view;
	struct mm_canvas *canvas;
	/* in pixels: size of a cell, and of all cells */
	int cell_width, cell_height, width, height;
};

/*
 * Draws @text in lines of at most @characters. Returns the vertical position below the last line.
 */
static int draw_lines(struct mm_canvas *canvas, int x, int y, const char *text, size_t characters)
{
	char line[HEAT_TEXT];

	while (*text) {
		size_t length = strlen(text);

		if (length > characters) {
			length = characters;
			while (length && text[length] != ' ')
				length--;
			length = length ? length : characters;
		}
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		mm_canvas_text(canvas, x, y, line, MM_INK_TEXT);
		y += MM_TEXT_HEIGHT;
		text += length;
		text += strspn(text, " ");
	}
	return y;
}

/* Draws the start of @text, aligned to the right at @x. */
static void draw_right(struct mm_canvas *canvas, int x, int y, const char *text, int characters)
{
	char part[64];

	snprintf(part, sizeof(part), "%.*s", characters, text);
	if ((int)strlen(text) > characters)
		memcpy(part + characters - 2, "..", 3);
	mm_canvas_text(canvas, x - mm_canvas_text_width(part), y, part, MM_INK_TEXT);
}

/* Marks columns in which events may be missing. The marks are above the chart. */
static void draw_losses(const struct picture *p)
{
	int last = -MM_TEXT_WIDTH;

	for (int column = 0; column < (int)p->view->column_count; column++) {
		const int x = LEFT + column * p->cell_width;

		if (!p->view->lossy[column])
			continue;
		mm_canvas_fill(p->canvas, x, TOP - 6, p->cell_width, 4, MM_INK_ALARM);
		if (x >= last + MM_TEXT_WIDTH)
			mm_canvas_text(p->canvas, last = x, TOP - 6 - MM_TEXT_HEIGHT, "!",
				       MM_INK_ALARM);
	}
}

static void draw_cells(const struct picture *p)
{
	const struct heat_view *view = p->view;
	const double logarithm = log((double)view->most);

	for (size_t row = 0; row < view->row_count; row++)
		for (size_t column = 0; column < view->column_count; column++) {
			const uint64_t pages = view->cells[row * view->column_count + column];

			if (pages)
				mm_canvas_fill(p->canvas, LEFT + (int)column * p->cell_width,
					       TOP + p->height - ((int)row + 1) * p->cell_height,
					       p->cell_width, p->cell_height,
					       mm_canvas_ramp(view->most > 1 ? log((double)pages) /
										       logarithm
									     : 1));
		}
	draw_losses(p);
}

/* Returns the vertical position of the lower edge of chunk @chunk. */
static int y_of(const struct picture *p, size_t chunk)
{
	return TOP + p->height - (int)(chunk * (size_t)p->cell_height / p->view->chunks_per_row);
}

/* Draws the name of a process beside the chunks from @first to @end, between two lines. */
static void draw_process(const struct picture *p, const struct heat_region *region, size_t first,
			 size_t end)
{
	const int top = y_of(p, end), bottom = y_of(p, first);
	const int right = 12 + PROCESS_CHARACTERS * MM_TEXT_WIDTH;
	int y = (top + bottom - MM_TEXT_HEIGHT) / 2 + 2;
	char name[64], *pid;

	if (bottom - top < MM_TEXT_HEIGHT - 4)
		return;
	heat_view_process(region, name, sizeof(name));
	mm_canvas_fill(p->canvas, 12, top, LEFT + p->width - 12, 1, MM_INK_FRAME);
	mm_canvas_fill(p->canvas, 12, bottom, LEFT + p->width - 12, 1, MM_INK_FRAME);
	/* If there is room, put the process id on a second line. */
	pid = strrchr(name, '(');
	if (pid && pid > name && bottom - top >= 2 * MM_TEXT_HEIGHT) {
		pid[-1] = '\0';
		draw_right(p->canvas, right, y + MM_TEXT_HEIGHT / 2, pid, PROCESS_CHARACTERS);
		y -= MM_TEXT_HEIGHT / 2;
	} else if (pid && pid > name && strlen(name) > PROCESS_CHARACTERS) {
		pid[-1] = '\0';
	}
	draw_right(p->canvas, right, y, name, PROCESS_CHARACTERS);
}

/* Draws the name of a single region, or the number of regions if they are too small for names. */
static void draw_regions(const struct picture *p, size_t from, size_t to)
{
	const struct heat_region *first = &p->view->regions[from], *last = &p->view->regions[to];
	const int top = y_of(p, last->first + last->count), bottom = y_of(p, first->first);
	const int right = LEFT - 12;
	char text[64];

	if (bottom - top < MM_TEXT_HEIGHT - 4)
		return;
	mm_canvas_fill(p->canvas, right + 2, top + 2, 2, bottom - top - 3, MM_INK_FRAME);
	mm_canvas_fill(p->canvas, right + 2, top, 10, 1, MM_INK_FRAME);
	mm_canvas_fill(p->canvas, LEFT, top, p->width, 1, MM_INK_GRID);
	if (from == to)
		snprintf(text, sizeof(text), "%s", pageref_object_name(first->object));
	else
		snprintf(text, sizeof(text), "%zu mappings", to - from + 1);
	draw_right(p->canvas, right - 4, (top + bottom - MM_TEXT_HEIGHT) / 2 + 2, text,
		   MAPPING_CHARACTERS);
}

static bool has_label(const struct picture *p, const struct heat_region *region)
{
	return y_of(p, region->first) - y_of(p, region->first + region->count) >=
	       MM_TEXT_HEIGHT - 4;
}

static void draw_names(const struct picture *p)
{
	const struct heat_view *view = p->view;
	size_t process = 0, small = 0;

	for (size_t i = 0; i < view->region_count; i++) {
		const struct heat_region *region = &view->regions[i], *next = region + 1;
		const bool is_last = i + 1 == view->region_count || next->space != region->space;

		if (has_label(p, region)) {
			if (small < i)
				draw_regions(p, small, i - 1);
			draw_regions(p, i, i);
			small = i + 1;
		}
		if (!is_last)
			continue;
		if (small <= i)
			draw_regions(p, small, i);
		small = i + 1;
		draw_process(p, region, view->regions[process].first,
			     region->first + region->count);
		process = i + 1;
	}
}

static void draw_axis(const struct picture *p)
{
	const struct heat_view *view = p->view;
	const uint64_t step = heat_view_step(view->size, (unsigned int)p->width / 120 + 1);
	const int y = TOP + p->height;
	const char *name = p->map->by_touches ? "touches so far" : "time since the first event";

	for (uint64_t at = 0; at <= view->size; at += step) {
		const int x = LEFT + (int)((double)at * p->cell_width / (double)view->column_size);
		char text[32];
		int left;

		heat_view_tick(p->map, at, step, text, sizeof(text));
		left = x - mm_canvas_text_width(text) / 2;
		mm_canvas_fill(p->canvas, x, y, 1, 7, MM_INK_FRAME);
		mm_canvas_text(p->canvas, left < 0 ? 0 : left, y + 10, text, MM_INK_TEXT);
	}
	mm_canvas_text(p->canvas, LEFT + (p->width - mm_canvas_text_width(name)) / 2,
		       y + 10 + MM_TEXT_HEIGHT, name, MM_INK_TEXT);
}

/* Draws the scale of colours. Its labels are powers of ten. */
static void draw_scale(const struct picture *p)
{
	const uint64_t most = p->view->most;
	const int x = LEFT + p->width + 30, height = p->height < 320 ? p->height : 320;
	uint64_t power = 1;
	int used = TOP - MM_TEXT_HEIGHT;
	char text[32];

	mm_canvas_text(p->canvas, x, TOP - MM_TEXT_HEIGHT - 6, "touched pages", MM_INK_TEXT);
	for (int i = 0; i < height; i++)
		mm_canvas_fill(p->canvas, x, TOP + i, SCALE_WIDTH, 1,
			       mm_canvas_ramp(1 - (double)i / (height - 1)));
	mm_canvas_frame(p->canvas, x, TOP, SCALE_WIDTH, height, MM_INK_FRAME);
	while (power <= most / 10)
		power *= 10;
	for (uint64_t label = most; label;
	     label = label == most && power < most ? power : label / 10) {
		const double part = most > 1 ? log((double)label) / log((double)most) : 1;
		const int y = TOP + (int)lround((1 - part) * (height - 1));

		if (y >= used + MM_TEXT_HEIGHT - 4) {
			snprintf(text, sizeof(text), "%" PRIu64, label);
			mm_canvas_fill(p->canvas, x + SCALE_WIDTH, y, 6, 1, MM_INK_FRAME);
			mm_canvas_text(p->canvas, x + SCALE_WIDTH + 12, y - 8, text, MM_INK_TEXT);
			used = y;
		}
	}
}

static int draw_chart(const struct picture *p)
{
	char text[HEAT_TEXT], scale[HEAT_SCALE_TEXT];

	/* Draw the cells last, because they must cover the lines between names. */
	draw_names(p);
	draw_cells(p);
	mm_canvas_frame(p->canvas, LEFT, TOP, p->width, p->height, MM_INK_FRAME);
	draw_axis(p);
	draw_scale(p);
	mm_canvas_text(p->canvas, 24, TOP - MM_TEXT_HEIGHT - 6, "process", MM_INK_TEXT);
	draw_right(p->canvas, LEFT - 16, TOP - MM_TEXT_HEIGHT - 6, "mapping (address)",
		   MAPPING_CHARACTERS);
	heat_view_scale(p->map, p->view, scale);
	snprintf(
		text, sizeof(text),
		"A cell is %s. Colour: pages of 4 KiB touched in it%s. Addresses rise from bottom to top; "
		"ranges without touches are left out.",
		scale, p->map->has_huge ? ", a huge page is 512" : "");
	return draw_lines(p->canvas, 24, 12 + MM_TEXT_HEIGHT, text, LINE_CHARACTERS);
}

int heat_map_write_png(const struct heat_map *map, const struct mm_report_options *options,
		       FILE *out)
{
	struct heat_view view;
	struct picture p = { .map = map, .view = &view };
	const unsigned int size = map->touches < TOUCHES_OF_LARGEST_CELLS ? 4
				  : map->touches < TOUCHES_OF_LARGE_CELLS ? 2
									  : 1;
	char text[HEAT_TEXT];
	int y, ret = -1;

	if (heat_view_make(map, options, ROWS / size, COLUMNS / size, &view))
		return -1;
	if (view.row_count) {
		p.cell_width = (int)(COLUMNS / view.column_count);
		p.cell_height = (int)(ROWS / view.row_count);
		p.cell_width = p.cell_width > CELL_MAX ? CELL_MAX : p.cell_width;
		p.cell_height = p.cell_height > CELL_MAX ? CELL_MAX : p.cell_height;
	}
	p.width = p.cell_width * (int)view.column_count;
	p.height = p.cell_height * (int)view.row_count;
	p.canvas = mm_canvas_create(
		(unsigned int)(LEFT + RIGHT + (p.width > WIDTH_MIN ? p.width : WIDTH_MIN)),
		(unsigned int)(TOP + p.height + BOTTOM));
	if (p.canvas) {
		heat_view_title(map, &view, text);
		mm_canvas_text(p.canvas, 24, 8, text, MM_INK_TEXT);
		y = TOP + p.height + 10 + 2 * MM_TEXT_HEIGHT + 10;
		if (view.row_count)
			draw_chart(&p);
		else
			y = TOP / 2;
		heat_view_missed(map, &view, options, text);
		draw_lines(p.canvas, 24, y, text, LINE_CHARACTERS);
		ret = mm_canvas_write_png(p.canvas, out);
	}
	mm_canvas_destroy(p.canvas);
	heat_view_release(&view);
	return ret;
}
