/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The list of repairs by the recorder daemon: /run/lttng-mm/repairs.json, an array, oldest first:
 *
 *   [ { "session": "lttng-mm-slab", "what": "stopped by another program",
 *       "from_ns": N, "until_ns": N },
 *     { "session": "lttng-mm-slab", "what": "cleared by another program",
 *       "from_ns": null, "until_ns": N } ]
 *
 * Between the two times, in nanoseconds since the Epoch (CLOCK_REALTIME), the session may lack
 * events. If "from_ns" is null, it may lack events since its start.
 */
#ifndef LTTNG_MM_SESSION_REPAIRS_H
#define LTTNG_MM_SESSION_REPAIRS_H

#include <jansson.h>

#define REPAIRS_FILE "repairs.json"
/* Maximum number of repairs in the file. Older repairs are removed. */
#define REPAIRS_MAX 64

/* Returns a new array. It is empty if the file does not exist or cannot be trusted. */
json_t *repairs_read(void);

/*
 * Appends @repair to @repairs and takes ownership of it. Then replaces the file. Returns 0, or -1
 * with errno set.
 */
int repairs_add(json_t *repairs, json_t *repair);

#endif /* LTTNG_MM_SESSION_REPAIRS_H */
