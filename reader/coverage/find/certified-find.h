/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds missing streams by the certificates of coverage that list them. */
#ifndef LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H
#define LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H

#include "reader/coverage/find/search.h"

/* Compares files with certificates. Does nothing if all folders were compared with traces.json. */
void missing_find_certified(struct missing_search *search, const struct mm_snapshots *snapshots);

/*
 * Does a recorded trace lack a certificate, so that the limits of the recording are unknown? A
 * certificate lists the recorder's filters, and the events that the tracer excluded up to the
 * freeze. system.json cannot replace the certificate: system.json is written later, and its
 * "selection" may be `part` without a list of the filters.
 */
bool missing_is_uncertified(const struct missing_search *search,
			    const struct mm_snapshots *snapshots);

#endif /* LTTNG_MM_COVERAGE_FIND_CERTIFIED_FIND_H */
