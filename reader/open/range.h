/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares the time range that users request with the time range of the trace. */
#ifndef LTTNG_MM_OPEN_RANGE_H
#define LTTNG_MM_OPEN_RANGE_H

#include "reader/events/source.h"

/*
 * Converts the requested times of @source to timestamps. Call it when the folders are known, before
 * the source runs. Fails if no event can be in the time range. Skips this check if
 * options.range_checked is set. Sets options.range_checked. Does nothing if the fast reader cannot
 * read the trace, because the source's own reader reports the reason. Returns 0, or -1 with @err
 * set.
 */
int mm_range_resolve(struct mm_source *source, struct mm_error *err);

/*
 * Fails if the trace of @source ends before @since, the value of the option --@name. @gmt: days
 * start at midnight UTC. @source must be opened as a whole and must not have run. Returns 0, or -1
 * with @err set.
 */
int mm_range_check_since(struct mm_source *source, const struct mm_time *since, bool gmt,
			 const char *name, struct mm_error *err);

#endif /* LTTNG_MM_OPEN_RANGE_H */
