/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the missing files and packets of a trace, before its first event is read. */
#ifndef LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H
#define LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H

#include "reader/events/source.h"

/*
 * Compares the files of a trace with the lists in its system information, its certificate, its
 * index and checksum files, and in older snapshots with the CPUs of the other session. Finds
 * pauses, gaps and cuts, too. Stores the result in source->missing. Returns 0, or -1 with @err set.
 */
int mm_missing_search(struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H */
