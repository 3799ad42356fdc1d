/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills in the coverage of ctf_info(): the time range and the losses of the streams. */
#ifndef LTTNG_MM_INSPECT_INFO_COVERAGE_H
#define LTTNG_MM_INSPECT_INFO_COVERAGE_H

#include "reader/inspect/info-private.h"

/* Sums up the counts of all streams, and finds the time range. */
void info_add_up(const struct info_ctx *ctx, struct ctf_info_stream *sum);

/*
 * Adds a remark if a trace starts before the time that all traces share, because a report that
 * reads only this trace covers more than that time.
 */
void info_remark_range(const struct info_ctx *ctx, const struct ctf_info_stream *sum);

/*
 * Fills in the coverage, with its tables of losses and missing files. @sum: the result of
 * info_add_up().
 */
void info_fill_coverage(struct info_ctx *ctx, const struct ctf_info_stream *sum);

#endif /* LTTNG_MM_INSPECT_INFO_COVERAGE_H */
