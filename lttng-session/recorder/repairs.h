/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Repairs by the recorder daemon: /run/lttng-mm/repairs.json, an array, oldest first:
 *
 *   [ { "session": "lttng-mm-slab", "what": "stopped by another program",
 *       "from_ns": N, "until_ns": N },
 *     { "session": "lttng-mm-slab", "what": "cleared by another program",
 *       "from_ns": null, "until_ns": N } ]
 *
 * Between the two times, in nanoseconds since the Epoch (CLOCK_REALTIME), the session may lack
 * events. "from_ns" is null if the gap extends back to the start.
 */
#ifndef LTTNG_MM_SESSION_REPAIRS_H
#define LTTNG_MM_SESSION_REPAIRS_H

#include <jansson.h>

#define REPAIRS_FILE "repairs.json"
/* Number of repairs to keep. */
#define REPAIRS_MAX 64

/* Returns a new array; empty if the file does not exist or is not trustworthy. */
json_t *repairs_read(void);

/*
 * Appends @repair to @repairs, takes ownership of it, and replaces the file. Returns 0, or -1 with
 * errno set.
 */
int repairs_add(json_t *repairs, json_t *repair);

#endif /* LTTNG_MM_SESSION_REPAIRS_H */
