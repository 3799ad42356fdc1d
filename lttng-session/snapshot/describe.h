/* SPDX-License-Identifier: LGPL-2.1-only */
/* Asks the session daemon which events and processes a session records. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H
#define LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H

#include <jansson.h>
#include <stdint.h>

/*
 * Describes the session for snapshot.json. Adds its filters and trackers to the array @filters, and
 * the size of its buffers on all CPUs to *@bytes. Omits a filter if another rule selects the same
 * events without a filter. If events that the plan lists are disabled, adds a sentence to the array
 * @less.
 */
void snapshot_describe_session(const char *session, json_t *filters, json_t *less, uint64_t *bytes);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H */
