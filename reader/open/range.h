/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares the time range that users request with the time range of the trace. */
#ifndef LTTNG_MM_OPEN_RANGE_H
#define LTTNG_MM_OPEN_RANGE_H

#include "reader/events/source.h"

/*
 * Converts the requested times of @source to timestamps, and sets options.range_checked. Fails if
 * no event can be in the time range. Call it when the folders are known, before the source runs.
 * Does nothing if options.range_checked is set already, or if no time range is requested. Also does
 * nothing if the fast reader cannot read the trace, because the source's own reader reports the
 * reason. Returns 0, or -1 with @err set.
 */
int mm_range_resolve(struct mm_source *source, struct mm_error *err);

/*
 * Fails if the trace of @source ends before @since, the value of the option --@name. If @gmt is
 * true, days start at midnight UTC. @source must have been opened without a time range, and must
 * not have run. Returns 0, or -1 with @err set.
 */
int mm_range_check_since(struct mm_source *source, const struct mm_time *since, bool gmt,
			 const char *name, struct mm_error *err);

#endif /* LTTNG_MM_OPEN_RANGE_H */
