// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests heat maps on random touches: compares the grid with the list of all touches. Also tests the
 * PNG files of pictures by reading them again.
 */
#include <png.h>
#include <string.h>

#include "analysis/pageref/heat-map.h"
#include "reader/picture/canvas.h"
#include "tests/tap.h"

#define TOUCHES 20000
#define CASES 40

struct touch {
	int64_t time_ns;
	uint32_t mm;
	uint64_t page;
	bool is_huge;
};

static struct touch touches[TOUCHES];
static size_t count;

static uint64_t below(uint64_t end)
{
	return ((uint64_t)rand() << 31 ^ (uint64_t)rand()) % end;
}

/* Touches a few ranges of addresses, for longer or shorter times. */
static void make(unsigned int number)
{
	const uint64_t spaces = 1 + below(number % 3 ? 4 : 2000), pages = 1 + below(30000);
	const uint64_t step = UINT64_C(1) << below(34);
	int64_t now = 1000000;

	count = 1 + below(TOUCHES);
	for (size_t i = 0; i < count; i++) {
		now += (int64_t)below(step);
		touches[i] = (struct touch){
			.time_ns = now,
			.mm = (uint32_t)(1 + below(spaces)),
			.page = below(3) * (UINT64_C(1) << 30) + below(pages),
			.is_huge = number % 4 == 1 && !below(50),
		};
	}
}

static struct heat_map *fill(bool by_touches)
{
	struct heat_map *map = heat_map_create(by_touches);

	if (!map)
		abort();
	map->state->started = true;
	for (size_t i = 0; i < count; i++) {
		const union mm_scalar fields[] = { { .u = 7 },
						   { .u = touches[i].mm },
						   { .u = touches[i].page << PAGEREF_PAGE_SHIFT },
						   { .u = touches[i].is_huge } };
		const struct mm_event_type type = { .request = PAGEREF_ON_TOUCH };
		const struct mm_event event = { .time_ns = touches[i].time_ns,
						.fields = fields,
						.type = &type };

		if (heat_map_event(map, &event))
			abort();
	}
	if (heat_map_finish(map, NULL))
		abort();
	return map;
}

static uint64_t column_of(const struct heat_map *map, size_t touch)
{
	return (map->by_touches ? touch
				: (uint64_t)(touches[touch].time_ns - touches[0].time_ns)) >>
	       map->column_shift;
}

/* Subtracts the touches from the cells. Returns whether nothing remains. */
static bool is_equal(struct heat_map *map)
{
	for (size_t i = 0; i < count; i++) {
		struct heat_column *column = &map->columns[column_of(map, i)];
		uint64_t page = touches[i].page, pages = 1;

		if (touches[i].is_huge) {
			page -= page % PAGEREF_TABLE_PAGES;
			pages = PAGEREF_TABLE_PAGES;
		}
		for (; pages; page++, pages--) {
			const uint64_t number = page >> map->chunk_shift;
			const struct heat_chunk *chunk =
				mm_rows_lookup3(&map->chunks, touches[i].mm,
						(uint32_t)(number >> 32), (uint32_t)number);

			if (!chunk || !column->pages ||
			    !column->pages[chunk - (struct heat_chunk *)map->chunks.all]--)
				return false;
		}
	}
	for (size_t i = 0; i < HEAT_COLUMNS; i++)
		for (size_t j = 0; map->columns[i].pages && j < HEAT_CHUNKS; j++)
			if (map->columns[i].pages[j])
				return false;
	return true;
}

static void check_grid(void)
{
	unsigned int different = 0, views = 0, joined = 0, narrow = 0;

	for (unsigned int number = 0; number < CASES; number++) {
		const struct mm_report_options all = MM_REPORT_DEFAULTS;
		struct heat_map *map;
		struct heat_view view;

		srand(number);
		make(number);
		map = fill(number % 2);
		joined += map->chunk_shift > 0;
		/* If columns were widened, at least half of them must be in use. */
		narrow += map->column_shift > 0 && map->column < HEAT_COLUMNS / 2;
		if (heat_view_make(map, &all, 1 + below(800), 1 + below(HEAT_COLUMNS), &view))
			abort();
		views += view.pages != map->pages || map->touches != count || !view.most;
		heat_view_release(&view);
		different += !is_equal(map);
		heat_map_destroy(map);
	}
	tap(!different, "heat map: each cell has its touches (%u cases)", CASES);
	tap(!views, "views have all touches");
	tap(joined > 5 && joined < CASES, "... also after chunks were joined (%u)", joined);
	tap(!narrow, "columns are not wider than necessary");
}

/* Tests times and addresses that occur only in damaged traces. */
static void check_extremes(void)
{
	static const struct touch extremes[] = {
		{ INT64_MIN, 1, 0, false },
		{ -1, UINT32_MAX, UINT64_MAX >> PAGEREF_PAGE_SHIFT, true },
		{ INT64_MAX, 7, UINT64_MAX >> PAGEREF_PAGE_SHIFT, false },
	};
	const struct mm_report_options all = MM_REPORT_DEFAULTS;
	FILE *file = tmpfile();
	struct heat_map *map;
	bool ok;

	memcpy(touches, extremes, sizeof(extremes));
	count = 3;
	map = fill(false);
	ok = file && !heat_map_write_png(map, &all, file) && !heat_map_print(map, &all, file, 80);
	tap(ok && map->touches == 3, "extreme times and addresses are drawn");
	heat_map_destroy(map);
	if (file)
		fclose(file);
}

/* Reads a PNG file as colours. Returns an array of 3 bytes for each pixel. */
static png_bytep read_png(FILE *file, png_image *image)
{
	png_bytep pixels;

	*image = (png_image){ .version = PNG_IMAGE_VERSION };
	rewind(file);
	if (!png_image_begin_read_from_stdio(image, file))
		return NULL;
	image->format = PNG_FORMAT_RGB;
	pixels = malloc(PNG_IMAGE_SIZE(*image));
	if (pixels && !png_image_finish_read(image, NULL, pixels, 0, NULL))
		abort();
	return pixels;
}

static unsigned int luminance(const png_byte *pixel)
{
	return 299u * pixel[0] + 587u * pixel[1] + 114u * pixel[2];
}

static void check_picture(void)
{
	struct mm_canvas *canvas = mm_canvas_create(300, 40);
	FILE *file = tmpfile();
	png_image image;
	png_bytep pixels;
	bool falls = true;
	unsigned int black = 0;

	if (!canvas || !file)
		abort();
	for (int i = 0; i < 100; i++)
		mm_canvas_fill(canvas, i, 0, 1, 10, mm_canvas_ramp(i / 99.0));
	mm_canvas_fill(canvas, -5, 38, 1000, 1000, MM_INK_ALARM);
	mm_canvas_text(canvas, 0, 15, "A\x1b\xff", MM_INK_TEXT);
	tap(!mm_canvas_write_png(canvas, file), "a picture is written");
	pixels = read_png(file, &image);
	if (!pixels)
		abort();
	tap(image.width == 300 && image.height == 40, "... and read: its size");
	for (unsigned int i = 1; i < 100; i++)
		falls &= luminance(&pixels[3 * i]) <= luminance(&pixels[3 * (i - 1)]);
	tap(falls && luminance(pixels) < 900 * 255 && luminance(&pixels[3 * 99]) < 150 * 255,
	    "the scale gets darker from one end to the other, and is darker than paper");
	tap(pixels[3 * 299] == 255 && pixels[3 * (39 * 300 + 299)] == 204,
	    "paper is white, and a rectangle beyond the edges is cut");
	for (unsigned int i = 0; i < MM_TEXT_WIDTH; i++)
		for (unsigned int row = 15; row < 35; row++)
			black += !luminance(&pixels[3 * (row * 300 + i)]);
	/*
	 * The font has 18 pixels for an A. Each one is drawn as 2 x 2 pixels here, and diagonals
	 * are smoothed.
	 */
	tap(black >= 72 && black <= 90, "a character is drawn (%u pixels)", black);
	tap(!memcmp(&pixels[3 * (20 * 300 + 12)], &pixels[3 * (20 * 300 + 24)], 3 * 10),
	    "bytes that are not ASCII look the same");
	free(pixels);
	fclose(file);
	file = fopen("/dev/full", "w");
	tap(file && mm_canvas_write_png(canvas, file) == -1, "a full disk is an error");
	if (file)
		fclose(file);
	mm_canvas_destroy(canvas);
}

int main(void)
{
	check_grid();
	check_extremes();
	check_picture();
	return tap_status();
}
