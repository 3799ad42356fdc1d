/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds missing streams by the system information that lists them (traces.json). */
#ifndef LTTNG_MM_COVERAGE_FIND_LISTED_FIND_H
#define LTTNG_MM_COVERAGE_FIND_LISTED_FIND_H

#include "reader/coverage/find/search.h"

/*
 * Compares the files with the lists of the system information. Sets search->verifiable for the
 * folders that have a list.
 */
void missing_find_listed(struct missing_search *search, const struct mm_snapshots *snapshots);

#endif /* LTTNG_MM_COVERAGE_FIND_LISTED_FIND_H */
