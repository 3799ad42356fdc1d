/* SPDX-License-Identifier: LGPL-2.1-only */
/* The short text form of `lttng-mm info`: one sentence, and what is not as it normally is. */
#ifndef LTTNG_MM_INSPECT_INFO_BRIEF_H
#define LTTNG_MM_INSPECT_INFO_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reader/report/report.h"

/* Findings that a reader of the short form must know. All zeros at first. */
struct ctf_info_brief {
	char **lines;
	size_t count;
	size_t reasons; /* of these, reasons for the verdicts of certificates */
	bool has_holes; /* ... which say where something is missing */
};

/* Adds the finding that was added to @report last. Does nothing if @brief is NULL. */
void ctf_info_brief_keep(struct ctf_info_brief *brief, struct mm_report *report);
void ctf_info_brief_release(struct ctf_info_brief *brief);

/*
 * Prints @report, which ctf_info() has made, as text: its answer, the time range, the findings of
 * @brief, and the first rows of the tables of what is missing or damaged. @width as of
 * mm_render_text(). Returns 0, or -1 when @out failed or memory ran out.
 */
int ctf_info_brief_render(FILE *out, const struct mm_report *report,
			  const struct ctf_info_brief *brief, unsigned int width);

#endif /* LTTNG_MM_INSPECT_INFO_BRIEF_H */
