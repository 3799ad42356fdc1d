/* SPDX-License-Identifier: LGPL-2.1-only */
/* Formats numbers with their units. */
#ifndef LTTNG_MM_REPORT_UNITS_H
#define LTTNG_MM_REPORT_UNITS_H

#include "reader/report/report.h"

/*
 * Is a value of this unit a measure of time or memory, and not a count? The text form scales
 * measures to ms and s, or to KiB and MiB.
 */
bool mm_unit_is_measure(const char *unit);

/* Writes a number with its unit to @text. */
#define MM_NUMBER_TEXT 64
void mm_render_ns(char *text, size_t size, double ns);
void mm_render_number(char *text, size_t size, const struct mm_cell *cell, enum mm_value_kind kind,
		      const char *unit);

#endif /* LTTNG_MM_REPORT_UNITS_H */
