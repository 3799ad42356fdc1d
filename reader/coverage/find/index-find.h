/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the packets that indexes and checksums list and that are missing. */
#ifndef LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H
#define LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H

#include "reader/coverage/find/search.h"

/* Adds the packets that are missing at the end of files whose checksums list more of them. */
void missing_check_ends(struct missing_search *search, const struct ctf_trace *trace);
/*
 * Compares the files of the folder of that number with its indexes and checksums. An index shows
 * that its stream was there; a stream may be missing together with its index.
 */
void missing_check_indexes(struct missing_search *search, size_t number);

#endif /* LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H */
