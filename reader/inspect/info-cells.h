/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sets cells in the tables of ctf_info(). Unknown values leave a cell empty. */
#ifndef LTTNG_MM_INSPECT_INFO_CELLS_H
#define LTTNG_MM_INSPECT_INFO_CELLS_H

#include "reader/report/report.h"
#include "util/time.h"

static inline void set_known(struct mm_cell *cell, bool known, uint64_t value)
{
	if (known)
		mm_cell_set_u(cell, value);
}

static inline void set_time(struct mm_cell *cell, bool gmt, bool known, int64_t ns)
{
	char text[MM_TIME_TEXT];

	if (!known)
		return;
	mm_time_format(text, sizeof(text), ns, gmt);
	mm_cell_set_s(cell, text);
}

static inline bool is_known(int64_t ns)
{
	return ns != INT64_MIN && ns != INT64_MAX;
}

/* Returns the time between two timestamps; 0 if @end_ns is earlier. */
static inline uint64_t span(int64_t start_ns, int64_t end_ns)
{
	return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
}

#endif /* LTTNG_MM_INSPECT_INFO_CELLS_H */
