/* SPDX-License-Identifier: LGPL-2.1-only */
/* Looks for damaged packets before libbabeltrace2 reads them. */
#ifndef LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H
#define LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H

#include "reader/events/source.h"

/*
 * Checks the packets that may contain delivered events, in all folders of the source: packets in
 * the requested time range, and state dumps of @requests. Returns 0, or -1 with @err set. The error
 * names the first damaged packet that libbabeltrace2 would not recognize as damaged.
 */
int mm_packets_check(struct mm_source *source, const struct mm_requests *requests,
		     struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_PACKETS_CHECK_H */
