/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills the coverage of ctf_info(): its time range, and what the streams lost. */
#ifndef LTTNG_MM_INSPECT_INFO_COVERAGE_H
#define LTTNG_MM_INSPECT_INFO_COVERAGE_H

#include "reader/inspect/info-private.h"

/* Sums the counts of all streams, and finds the time range. */
void info_add_up(const struct info_ctx *ctx, struct ctf_info_stream *sum);

/* Says that reports of some of several traces cover more than the time that all of them share. */
void info_remark_range(const struct info_ctx *ctx, const struct ctf_info_stream *sum);

/* Fills the coverage, and its tables of losses and of missing files. @sum: from info_add_up(). */
void info_fill_coverage(struct info_ctx *ctx, const struct ctf_info_stream *sum);

#endif /* LTTNG_MM_INSPECT_INFO_COVERAGE_H */
