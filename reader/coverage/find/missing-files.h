/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds what is missing from a trace. */
#ifndef LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H
#define LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H

#include "reader/events/source.h"

/*
 * Compares the files of a trace with those that the system information lists, with the packets in
 * its index files, and in older snapshots with the CPUs of the other session. Stores the list in
 * source->missing. Returns 0, or -1 with @err set.
 */
int mm_missing_search(struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H */
