/* SPDX-License-Identifier: LGPL-2.1-only */
/* Draws pictures of charts and writes them as PNG files. */
#ifndef LTTNG_MM_PICTURE_CANVAS_H
#define LTTNG_MM_PICTURE_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Colours. MM_INK_RAMP and the colours after it are a scale, from light to dark. */
enum mm_ink {
	MM_INK_PAPER, /* white: the background */
	MM_INK_TEXT,  /* black */
	MM_INK_FRAME, /* dark grey */
	MM_INK_GRID,  /* light grey */
	MM_INK_ALARM, /* red */
	MM_INK_RAMP,
};
#define MM_INK_RAMP_COUNT 128u

/* Size of a character with the space around it, in pixels. */
#define MM_TEXT_WIDTH 12
#define MM_TEXT_HEIGHT 22

struct mm_canvas;

/* Returns an empty picture, or NULL when out of memory. Sizes are in pixels. */
struct mm_canvas *mm_canvas_create(unsigned int width, unsigned int height);
void mm_canvas_destroy(struct mm_canvas *canvas);

/* The parts of rectangles and texts outside the picture are not drawn. */
void mm_canvas_fill(struct mm_canvas *canvas, int x, int y, int width, int height, uint8_t ink);
/* Draws an outline of one pixel around the rectangle, just outside it. */
void mm_canvas_frame(struct mm_canvas *canvas, int x, int y, int width, int height, uint8_t ink);
/*
 * Draws one line of text. @x and @y are its upper left corner. Draws '?' for bytes that are not
 * ASCII.
 */
void mm_canvas_text(struct mm_canvas *canvas, int x, int y, const char *text, uint8_t ink);
/* Returns the width of @text in pixels. */
int mm_canvas_text_width(const char *text);

/* Returns the colour at position @part of the scale, from 0 (light) to 1 (dark). */
uint8_t mm_canvas_ramp(double part);

/* Writes the picture as a PNG file. Returns 0, or -1 when out of memory or if @out has an error. */
int mm_canvas_write_png(const struct mm_canvas *canvas, FILE *out);

#endif /* LTTNG_MM_PICTURE_CANVAS_H */
