/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes a table fit a terminal: which columns are shown, and how wide. */
#ifndef LTTNG_MM_REPORT_FIT_H
#define LTTNG_MM_REPORT_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reader/report/schema.h"

/* A column as it is shown. */
struct mm_fit {
	unsigned int natural;	/* the width that all of it takes */
	unsigned int narrowest; /* ... that it may be shortened to; the same: never */
	unsigned int kept;	/* ... while there are columns to drop */
	unsigned int width;	/* the result */
	bool shown;
	bool dropped; /* it did not fit */
	uint8_t priority;
};

#define MM_FIT_INDENT 2u
#define MM_FIT_GAP 2u
/* A key of up to so many columns is not shortened before other columns are dropped. */
#define MM_FIT_KEY 48u

/*
 * Sets width and dropped of the @count columns that are shown, so that a row takes @width columns
 * of the terminal at most (0: any number). Columns are dropped first, then keys are shortened.
 * Columns of priority 0 stay even if they do not fit.
 */
void mm_fit(struct mm_fit *columns, size_t count, unsigned int width);

/* Columns that a text takes on a terminal. */
unsigned int mm_fit_width(const char *text);
/* Shortens @text in place to @width columns, by a "..." in the middle, as names are. */
void mm_fit_shorten(char *text, unsigned int width);
/* The same at the end, as sentences are. */
void mm_fit_cut(char *text, unsigned int width);
/* Prints @text in lines of @width columns, all but the first after @indent spaces. */
void mm_fit_print(FILE *out, const char *text, unsigned int width, unsigned int indent);

#endif /* LTTNG_MM_REPORT_FIT_H */
