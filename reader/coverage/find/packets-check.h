/* SPDX-License-Identifier: LGPL-2.1-only */
/* Looks for damaged packets before another reader reads them. */
#ifndef LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H
#define LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H

#include "reader/events/source.h"

/*
 * Reads the packets of all of the source's folders, as far as events that are delivered may be in
 * them: those of the requested time range, and state dumps of @requests. Returns 0, or -1 with @err
 * set, which names the first damaged packet that libbabeltrace2 would take for valid data.
 */
int mm_packets_check(struct mm_source *source, const struct mm_requests *requests,
		     struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H */
