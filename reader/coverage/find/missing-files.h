/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the missing files and packets of a trace, before its first event is read. */
#ifndef LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H
#define LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H

#include "reader/events/source.h"

/*
 * Compares the files of a trace with lists of its files. Such lists are in the system information,
 * the certificate, the indexes and the checksum files. In a snapshot without a list of its streams,
 * each of its two sessions also shows which CPUs the other session must have. Also finds pauses,
 * gaps and cuts. Stores the result in source->missing. Returns 0, or -1 with @err set.
 */
int mm_missing_search(struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_FIND_MISSING_FILES_H */
