/* SPDX-License-Identifier: LGPL-2.1-only */
/* Prints a report as text for a terminal, or as JSON for programs. */
#ifndef LTTNG_MM_REPORT_RENDER_H
#define LTTNG_MM_REPORT_RENDER_H

#include <stdio.h>

#include "reader/report/report.h"
#include "util/error.h"

#define MM_WIDTH_PIPED 100
#define MM_WIDTH_ALL 0 /* lines are as wide as their tables need */

/* Returns the width of the terminal @out in columns; MM_WIDTH_PIPED if it is not a terminal. */
unsigned int mm_render_width(FILE *out);

/* Prints the time range if it is known: "2026-11-28T22:02:13Z to 22:03:18Z (65.40 s)". */
void mm_render_range(FILE *out, const struct mm_report *report);
/* Prints one line with the time range, CPUs, kernel and host, as far as these are known. */
void mm_render_recorded(FILE *out, const struct mm_report *report);
/* Prints the first lines of the text form: recorded time and machine, and losses. */
void mm_render_header(FILE *out, const struct mm_report *report);
/*
 * Prints the header of the first screen: a sentence about losses, the time range, warnings and
 * remarks.
 */
void mm_render_brief_header(FILE *out, const struct mm_report *report);
/* Returns a few words that say what was lost. Requires report->incomplete. */
const char *mm_report_what_lost(const struct mm_report *report);
/* Returns the remedy for an incomplete trace. */
const char *mm_report_remedy(const struct mm_report *report);

/*
 * The following functions return 0, or -1 if writing failed or memory is exhausted.
 *
 * Prints the whole text form.
 */
int mm_render_text(FILE *out, const struct mm_report *report, unsigned int width);
/*
 * Prints the first screen: losses, the answer, the largest rows of one table, and a command that
 * shows more. It has at most MM_FIRST_LINES lines unless sentences or names are very long.
 * @selection (" --pid=7", or NULL) and @trace replace TRACE at the end of the command. A report
 * without an answer is printed in full.
 */
#define MM_FIRST_LINES 30
int mm_render_first(FILE *out, const struct mm_report *report, unsigned int width,
		    const char *selection, const char *trace);
/* Prints the header and at most @rows rows of each table called @name. */
int mm_render_named_table(FILE *out, const struct mm_report *report, unsigned int width,
			  const char *name, size_t rows);
/*
 * Checks that the text form of @schema has a table @name. Returns 0, or -1 with @err set; the
 * message lists the names.
 */
int mm_render_check_table(const struct mm_report_schema *schema, const char *name,
			  struct mm_error *err);
/*
 * Prints at most @rows rows of @table. @more says where the other rows are ("--json has them all").
 * @width is as in mm_render_text(). With @brief, each row takes one line and is truncated.
 */
int mm_render_table(FILE *out, const struct mm_table *table, size_t rows, unsigned int width,
		    bool brief, const char *more);
int mm_render_json(FILE *out, const struct mm_report *report);
/* Prints the metrics, series and tables of @schema as in doc/metrics.md. */
int mm_render_schema(FILE *out, const struct mm_report_schema *schema);
/* Prints the keys and tables of the section "Coverage" as in doc/metrics.md. */
int mm_render_coverage_schema(FILE *out);

#endif /* LTTNG_MM_REPORT_RENDER_H */
