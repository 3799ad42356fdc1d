/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sets cells of the DAX report to shares and rates. If the divisor is 0, a cell stays empty. */
#ifndef LTTNG_MM_DAX_DAX_CELLS_H
#define LTTNG_MM_DAX_DAX_CELLS_H

#include "reader/report/report.h"

static inline void dax_set_percent(struct mm_cell *cell, uint64_t part, uint64_t whole)
{
	if (whole)
		mm_cell_set_r(cell, 100.0 * (double)part / (double)whole);
}

static inline void dax_set_rate(const struct mm_report *report, struct mm_cell *cell,
				uint64_t count)
{
	const struct mm_cell *ns = &report->coverage[MM_COVERAGE_DURATION_NS];

	if (ns->kind != MM_CELL_EMPTY && ns->u)
		mm_cell_set_r(cell, (double)count * 1e9 / (double)ns->u);
}

#endif /* LTTNG_MM_DAX_DAX_CELLS_H */
