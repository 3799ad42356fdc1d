/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checksums of the traces that the session daemon has written to a folder. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_CHECKSUMS_H
#define LTTNG_MM_SESSION_SNAPSHOT_CHECKSUMS_H

#include <stdbool.h>

#include "util/error.h"

/*
 * Writes the checksums of all packets and metadata of the traces kernel/ and state/ in the folder
 * @made, a descriptor. The traces must not change afterwards. An unreadable file gets no checksums,
 * and *@complete becomes false. Returns 0, or -1 with @err set.
 */
int snapshot_sum_recorded(int made, bool *complete, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_CHECKSUMS_H */
