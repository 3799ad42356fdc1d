/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes numbers with their units. */
#ifndef LTTNG_MM_REPORT_UNITS_H
#define LTTNG_MM_REPORT_UNITS_H

#include "reader/report/report.h"

/* A number with its unit. */
#define MM_NUMBER_TEXT 64
void mm_render_ns(char *text, size_t size, double ns);
void mm_render_number(char *text, size_t size, const struct mm_cell *cell, enum mm_value_kind kind,
		      const char *unit);

#endif /* LTTNG_MM_REPORT_UNITS_H */
