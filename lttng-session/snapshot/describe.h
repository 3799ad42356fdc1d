/* SPDX-License-Identifier: LGPL-2.1-only */
/* Asks the session daemon which events and processes a session records. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H
#define LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H

#include <jansson.h>
#include <stdint.h>

/*
 * Adds a session's filters and trackers to the array @filters, in the form of snapshot.json. Adds
 * the size of its buffers on all CPUs to @bytes. Omits a filter if another rule selects these
 * events without a filter. If the session is planned and some planned events are disabled, adds a
 * sentence to the array @less.
 */
void snapshot_describe_session(const char *session, json_t *filters, json_t *less, uint64_t *bytes);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H */
