/* SPDX-License-Identifier: LGPL-2.1-only */
/* Asks the session daemon which events and processes a session records. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H
#define LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H

#include <jansson.h>
#include <stdint.h>

/*
 * Adds the filters and trackers of a session to the array @filters, as snapshot.json has them, and
 * the bytes of its buffers on all CPUs to @bytes. A filter beside a rule that selects the same
 * events without one is left out. If the plan has the session, and events of the plan are disabled,
 * adds a sentence to the array @less.
 */
void snapshot_describe_session(const char *session, json_t *filters, json_t *less, uint64_t *bytes);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_DESCRIBE_H */
