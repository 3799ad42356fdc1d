/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the recorder daemon has repaired: /run/lttng-mm/repairs.json, an array, the oldest first:
 *
 *   [ { "session": "lttng-mm-slab", "what": "stopped by another program",
 *       "from_ns": N, "until_ns": N },
 *     { "session": "lttng-mm-slab", "what": "cleared by another program",
 *       "from_ns": null, "until_ns": N } ]
 *
 * Nothing of the session is known to have been recorded, or kept, between the two times, in
 * nanoseconds since the Epoch (CLOCK_REALTIME). "from_ns" is null if the hole goes back to the
 * start.
 */
#ifndef LTTNG_MM_SESSION_REPAIRS_H
#define LTTNG_MM_SESSION_REPAIRS_H

#include <jansson.h>

#define REPAIRS_FILE "repairs.json"
/* The last repairs are kept. */
#define REPAIRS_MAX 64

/* Returns a new array, which is empty if there is no file or it is not to be trusted. */
json_t *repairs_read(void);

/*
 * Appends @repair, which is taken over, to the array @repairs, and replaces the file. Returns 0, or
 * -1 with errno set.
 */
int repairs_add(json_t *repairs, json_t *repair);

#endif /* LTTNG_MM_SESSION_REPAIRS_H */
