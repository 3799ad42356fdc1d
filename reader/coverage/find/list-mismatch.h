/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds stream files that differ from the file list in the system information (traces.json). */
#ifndef LTTNG_MM_COVERAGE_FIND_LIST_MISMATCH_H
#define LTTNG_MM_COVERAGE_FIND_LIST_MISMATCH_H

#include <jansson.h>

#include "reader/coverage/missing.h"
#include "reader/ctf/packet/packet.h"

/*
 * Adds @file, a path as the user would write it, to list->mismatches. The formatted phrase says how
 * the file differs. Returns 0, or -1 when out of memory.
 */
__attribute__((format(printf, 3, 4))) int mm_mismatch_add(struct mm_missing_list *list,
							  const char *file, const char *fmt, ...);

/*
 * Compares @streams, an array from traces.json, with the streams of @trace. Compares CPU, stream
 * class and stream id in the first packet of each file. Adds the differences. Returns 0, or -1 when
 * out of memory.
 */
int mm_mismatches_find(struct mm_missing_list *list, const struct ctf_trace *trace,
		       const json_t *streams);

#endif /* LTTNG_MM_COVERAGE_FIND_LIST_MISMATCH_H */
