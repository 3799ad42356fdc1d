/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills cells of the DAX report with shares and rates. */
#ifndef LTTNG_MM_DAX_DAX_CELLS_H
#define LTTNG_MM_DAX_DAX_CELLS_H

#include "reader/report/report.h"

/* @part in percent of @whole; @count per second. Empty if the divisor is 0. */
void dax_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole);
void dax_set_rate(const struct mm_report *report, struct mm_cell *cell, uint64_t count);

#endif /* LTTNG_MM_DAX_DAX_CELLS_H */
