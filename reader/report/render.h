/* SPDX-License-Identifier: LGPL-2.1-only */
/* A report as text for a terminal and as JSON for programs. */
#ifndef LTTNG_MM_REPORT_RENDER_H
#define LTTNG_MM_REPORT_RENDER_H

#include <stdio.h>

#include "reader/report/report.h"
#include "util/error.h"

#define MM_WIDTH_PIPED 100
#define MM_WIDTH_ALL 0 /* as wide as the tables are */

/* The columns of the terminal that @out is, MM_WIDTH_PIPED if it is none. */
unsigned int mm_render_width(FILE *out);

/* "2026-11-28T22:02:13Z to 22:03:18Z (65.40 s)"; nothing if it is not known. */
void mm_render_range(FILE *out, const struct mm_report *report);
/* One line with the time range, CPUs, kernel and host; nothing if they are not known. */
void mm_render_recorded(FILE *out, const struct mm_report *report);
/* What was recorded and what of it is missing: the first lines of the text form. */
void mm_render_header(FILE *out, const struct mm_report *report);
/* The same for the first screen: one sentence on losses, the time range, warnings and remarks. */
void mm_render_brief_header(FILE *out, const struct mm_report *report);
/* What was lost, in a few words; only if report->incomplete. */
const char *mm_report_what_lost(const struct mm_report *report);
/* What avoids the loss of an incomplete trace. */
const char *mm_report_remedy(const struct mm_report *report);

/* All return 0, or -1 when @out failed or memory ran out. */
/* Everything but what is in the JSON form only. */
int mm_render_text(FILE *out, const struct mm_report *report, unsigned int width);
/*
 * The first screen, of at most MM_FIRST_LINES lines unless sentences or names are very long: what
 * is missing, the answer, the largest rows of one table, the command that shows more. @selection
 * (" --pid=7", or NULL) and @trace replace TRACE at the end of that command. A report without an
 * answer is shown as a whole.
 */
#define MM_FIRST_LINES 30
int mm_render_first(FILE *out, const struct mm_report *report, unsigned int width,
		    const char *selection, const char *trace);
/* The head, and @rows rows at most of each table called @name. */
int mm_render_named_table(FILE *out, const struct mm_report *report, unsigned int width,
			  const char *name, size_t rows);
/*
 * Does a report of @schema have a table called @name in its text form? Returns 0, or -1 with @err
 * set, which lists the names.
 */
int mm_render_check_table(const struct mm_report_schema *schema, const char *name,
			  struct mm_error *err);
/*
 * Prints @table, @rows of its rows at most; @more says where the others are shown ("--json has them
 * all"). @width as of mm_render_text(). @brief: each row is one line, also where a text is longer.
 */
int mm_render_table(FILE *out, const struct mm_table *table, size_t rows, unsigned int width,
		    bool brief, const char *more);
int mm_render_json(FILE *out, const struct mm_report *report);
/* What reports of @schema may contain, as the tables of doc/metrics.md. */
int mm_render_schema(FILE *out, const struct mm_report_schema *schema);
/* The same of the coverage section. */
int mm_render_coverage_schema(FILE *out);

#endif /* LTTNG_MM_REPORT_RENDER_H */
