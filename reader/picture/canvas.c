// SPDX-License-Identifier: LGPL-2.1-only
/* Draws pictures of charts and writes them as PNG files. */
#include "reader/picture/canvas.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "reader/picture/font.h"

#define SCALE 2 /* width and height of a font's pixel in the picture */

struct mm_canvas {
	unsigned int width, height;
	uint8_t *pixels;
};

struct color {
	double red, green, blue;
};

/*
 * Points of the scale at equal distances. The luminance falls from each point to the next, so that
 * the scale can be read in grey, too. Hues go from yellow-green over blue-green to violet: people
 * with the usual colour deficiencies can tell these apart. Source: the colormap viridis of
 * matplotlib (2015). Its lightest part is left out, because it is hard to see on white paper.
 */
static const struct color points[] = {
	{ 181, 222, 43 }, { 110, 206, 88 }, { 53, 183, 121 }, { 31, 158, 137 }, { 38, 130, 142 },
	{ 49, 104, 142 }, { 62, 73, 137 },  { 72, 40, 120 },  { 68, 1, 84 },
};
#define POINTS (sizeof(points) / sizeof(points[0]))

static const struct color inks[MM_INK_RAMP] = {
	[MM_INK_PAPER] = { 255, 255, 255 }, [MM_INK_TEXT] = { 0, 0, 0 },
	[MM_INK_FRAME] = { 96, 96, 96 },    [MM_INK_GRID] = { 208, 208, 208 },
	[MM_INK_ALARM] = { 204, 51, 17 },
};

struct mm_canvas *mm_canvas_create(unsigned int width, unsigned int height)
{
	struct mm_canvas *canvas = malloc(sizeof(*canvas));

	if (!canvas)
		return NULL;
	*canvas = (struct mm_canvas){ width, height, calloc(width, height) };
	if (canvas->pixels)
		return canvas;
	free(canvas);
	return NULL;
}

void mm_canvas_destroy(struct mm_canvas *canvas)
{
	if (canvas)
		free(canvas->pixels);
	free(canvas);
}

static int limit(int value, int end)
{
	return value < 0 ? 0 : value > end ? end : value;
}

void mm_canvas_fill(struct mm_canvas *canvas, int x, int y, int width, int height, uint8_t ink)
{
	const int left = limit(x, (int)canvas->width), right = limit(x + width, (int)canvas->width);
	const int bottom = limit(y + height, (int)canvas->height);

	for (int row = limit(y, (int)canvas->height); row < bottom && left < right; row++)
		memset(canvas->pixels + (size_t)row * canvas->width + (size_t)left, ink,
		       (size_t)(right - left));
}

void mm_canvas_frame(struct mm_canvas *canvas, int x, int y, int width, int height, uint8_t ink)
{
	mm_canvas_fill(canvas, x - 1, y - 1, width + 2, 1, ink);
	mm_canvas_fill(canvas, x - 1, y + height, width + 2, 1, ink);
	mm_canvas_fill(canvas, x - 1, y, 1, height, ink);
	mm_canvas_fill(canvas, x + width, y, 1, height, ink);
}

/* Is a pixel of a character set? Pixels outside the character are not set. */
static bool is_set(unsigned int character, int column, int row)
{
	return column >= 0 && column < MM_FONT_COLUMNS && row >= 0 && row < MM_FONT_ROWS &&
	       mm_font[character][row] >> (MM_FONT_COLUMNS - 1 - column) & 1;
}

/*
 * Characters are drawn at twice their size: four pixels replace each pixel, and @dx and @dy (-1 or
 * 1) select one of the four. Returns whether the selected pixel is set. It usually has the value of
 * the replaced pixel. But if the two neighbours on its side are equal, and differ from the two
 * neighbours on the opposite side, it gets the value of the neighbours on its side, so that
 * diagonal lines become smooth. Source: the algorithm Scale2x (Mazzoleni, 2001).
 */
static bool is_set_doubled(unsigned int character, int column, int row, int dx, int dy)
{
	const bool pixel = is_set(character, column, row);
	const bool beside = is_set(character, column + dx, row),
		   above = is_set(character, column, row + dy);

	return beside == above && beside != is_set(character, column - dx, row) &&
			       above != is_set(character, column, row - dy)
		       ? beside
		       : pixel;
}

static void draw_character(struct mm_canvas *canvas, int x, int y, unsigned int character,
			   uint8_t ink)
{
	for (int row = 0; row < SCALE * MM_FONT_ROWS; row++)
		for (int column = 0; column < SCALE * MM_FONT_COLUMNS; column++)
			if (is_set_doubled(character, column / SCALE, row / SCALE,
					   column % SCALE ? 1 : -1, row % SCALE ? 1 : -1))
				mm_canvas_fill(canvas, x + column, y + row, 1, 1, ink);
}

void mm_canvas_text(struct mm_canvas *canvas, int x, int y, const char *text, uint8_t ink)
{
	for (; *text; text++, x += MM_TEXT_WIDTH) {
		const char shown = *text >= MM_FONT_FIRST && *text <= MM_FONT_LAST ? *text : '?';

		draw_character(canvas, x, y, (unsigned int)(shown - MM_FONT_FIRST), ink);
	}
}

int mm_canvas_text_width(const char *text)
{
	return (int)strlen(text) * MM_TEXT_WIDTH;
}

uint8_t mm_canvas_ramp(double part)
{
	const double at = part < 0 ? 0 : part > 1 ? 1 : part;

	return (uint8_t)(MM_INK_RAMP + lround(at * (MM_INK_RAMP_COUNT - 1)));
}

static struct color ramp_color(unsigned int number)
{
	const double at = (double)number * (POINTS - 1) / (MM_INK_RAMP_COUNT - 1);
	const size_t point = at < POINTS - 2 ? (size_t)at : POINTS - 2;
	const struct color *from = &points[point], *to = from + 1;
	const double part = at - (double)point;

	return (struct color){ from->red + (to->red - from->red) * part,
			       from->green + (to->green - from->green) * part,
			       from->blue + (to->blue - from->blue) * part };
}

int mm_canvas_write_png(const struct mm_canvas *canvas, FILE *out)
{
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = canvas->width,
			    .height = canvas->height,
			    .format = PNG_FORMAT_RGB_COLORMAP,
			    .colormap_entries = MM_INK_RAMP + MM_INK_RAMP_COUNT };
	uint8_t colors[(MM_INK_RAMP + MM_INK_RAMP_COUNT) * 3];
	int ok;

	for (unsigned int i = 0; i < image.colormap_entries; i++) {
		const struct color color = i < MM_INK_RAMP ? inks[i] : ramp_color(i - MM_INK_RAMP);

		colors[i * 3] = (uint8_t)lround(color.red);
		colors[i * 3 + 1] = (uint8_t)lround(color.green);
		colors[i * 3 + 2] = (uint8_t)lround(color.blue);
	}
	ok = png_image_write_to_stdio(&image, out, 0, canvas->pixels, (png_int_32)canvas->width,
				      colors);
	png_image_free(&image);
	return ok && !fflush(out) ? 0 : -1;
}
