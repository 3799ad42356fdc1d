/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds missing packets by the indexes and checksum files that list them. */
#ifndef LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H
#define LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H

#include "reader/coverage/find/search.h"

/* Adds the packets that are missing at the end of files according to checksum files. */
void missing_check_ends(struct missing_search *search, const struct ctf_trace *trace);
/*
 * Compares the files of folder @number with its indexes and checksum files. An index shows that its
 * stream existed. If a stream is missing together with its index, this is not noticed.
 */
void missing_check_indexes(struct missing_search *search, size_t number);

#endif /* LTTNG_MM_COVERAGE_FIND_INDEX_FIND_H */
