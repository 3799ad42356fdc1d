/* SPDX-License-Identifier: LGPL-2.1-only */
/* A report as text for a terminal and as JSON for programs. */
#ifndef LTTNG_MM_REPORT_RENDER_H
#define LTTNG_MM_REPORT_RENDER_H

#include <stdio.h>

#include "analysis/report/report.h"

#define MM_WIDTH_PIPED 100
#define MM_WIDTH_ALL 0 /* as wide as the tables are */

/* The columns of the terminal that @out is, MM_WIDTH_PIPED if it is none. */
unsigned int mm_render_width(FILE *out);

/* A number with its unit. */
#define MM_NUMBER_TEXT 64
void mm_render_ns(char *text, size_t size, double ns);
/* What was recorded and what of it is missing: the first lines of the text form. */
void mm_render_header(FILE *out, const struct mm_report *report);
/* What was lost, in a few words; only if report->incomplete. */
const char *mm_report_what_lost(const struct mm_report *report);
/* What avoids the loss of an incomplete trace. */
const char *mm_report_remedy(const struct mm_report *report);

/* All return 0, or -1 when @out failed or memory ran out. */
int mm_render_text(FILE *out, const struct mm_report *report, unsigned int width);
int mm_render_json(FILE *out, const struct mm_report *report);
/* What reports of @schema may contain, as the tables of doc/metrics.md. */
int mm_render_schema(FILE *out, const struct mm_report_schema *schema);
/* The same of the coverage section. */
int mm_render_coverage_schema(FILE *out);

#endif /* LTTNG_MM_REPORT_RENDER_H */
