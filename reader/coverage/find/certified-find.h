/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the streams that a certificate of coverage lists and that are missing. */
#ifndef LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H
#define LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H

#include "reader/coverage/find/search.h"

/* Compares the files with the certificates, unless all folders have been compared with lists. */
void missing_find_certified(struct missing_search *search, const struct mm_snapshots *snapshots);

/*
 * Does a recorded trace lack a certificate, which knows its limits? A certificate describes what
 * the tracer excluded up to the freeze, and the recorder's own filters. system.json is written
 * later, and says `part` as well if the session daemon did not tell which filters there are.
 */
bool missing_is_uncertified(const struct missing_search *search,
			    const struct mm_snapshots *snapshots);

#endif /* LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H */
