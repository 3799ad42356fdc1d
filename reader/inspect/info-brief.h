/* SPDX-License-Identifier: LGPL-2.1-only */
/* Short text form of `lttng-mm info`: one sentence, the time range, and everything unusual. */
#ifndef LTTNG_MM_INSPECT_INFO_BRIEF_H
#define LTTNG_MM_INSPECT_INFO_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reader/report/report.h"

/* Findings that the short form shows. Initialize with zeros. */
struct ctf_info_brief {
	char **lines;
	size_t count;
	size_t reasons; /* number of @lines that state the reasons of certificates */
	bool has_holes; /* a certificate has the verdict `holes` */
};

/* Adds the last finding of @report. Does nothing if @brief is NULL. */
void ctf_info_brief_keep(struct ctf_info_brief *brief, struct mm_report *report);
void ctf_info_brief_release(struct ctf_info_brief *brief);

/*
 * Prints a report of ctf_info() as text: its first sentence, the time range, the findings of
 * @brief, and the first rows of the tables of missing and damaged parts. @width is as in
 * mm_render_text(). Returns 0, or -1 if writing failed or memory is exhausted.
 */
int ctf_info_brief_render(FILE *out, const struct mm_report *report,
			  const struct ctf_info_brief *brief, unsigned int width);

#endif /* LTTNG_MM_INSPECT_INFO_BRIEF_H */
