/* SPDX-License-Identifier: LGPL-2.1-only */
/* A report as text for a terminal and as JSON for programs. */
#ifndef LTTNG_MM_REPORT_RENDER_H
#define LTTNG_MM_REPORT_RENDER_H

#include <stdio.h>

#include "analysis/report/metrics.h"

/* Both return 0, or -1 when @out failed or memory is short. */
int mm_render_text(FILE *out, const struct mm_report *report);
int mm_render_json(FILE *out, const struct mm_report *report);

#endif /* LTTNG_MM_REPORT_RENDER_H */
