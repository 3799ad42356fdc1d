/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fits a table to a terminal: decides which columns are shown, and how wide they are. */
#ifndef LTTNG_MM_REPORT_FIT_H
#define LTTNG_MM_REPORT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reader/report/schema.h"

/* The layout of a column. */
struct mm_fit {
	unsigned int natural;	/* width without shortening */
	unsigned int narrowest; /* minimum width; equal to @natural: never shortened */
	/* minimum width as long as other columns can be dropped instead */
	unsigned int kept;
	unsigned int width; /* the result */
	bool shown;
	bool dropped; /* left out because it does not fit */
	uint8_t priority;
};

#define MM_FIT_INDENT 2u
#define MM_FIT_GAP 2u
/* Other columns are dropped before a column of priority 0 becomes narrower than this. */
#define MM_FIT_KEY 48u

/*
 * Sets `width` and `dropped` of the shown columns, so that a row fits in @width columns of the
 * terminal (0: any number). First drops columns with high priority numbers. Of columns with equal
 * numbers, drops the last one first. Then shortens the remaining columns. Columns of priority 0 are
 * never dropped.
 */
void mm_fit(struct mm_fit *columns, size_t count, unsigned int width);

/* Returns the number of columns that @text needs on a terminal. */
unsigned int mm_fit_width(const char *text);
/* Shortens a name in place to @width columns, with "..." in the middle. */
void mm_fit_shorten(char *text, unsigned int width);
/* Shortens a sentence in place to @width columns, with "..." at the end. */
void mm_fit_cut(char *text, unsigned int width);
/* Prints @text in lines of @width columns. Indents all lines but the first by @indent spaces. */
void mm_fit_print(FILE *out, const char *text, unsigned int width, unsigned int indent);

#endif /* LTTNG_MM_REPORT_FIT_H */
