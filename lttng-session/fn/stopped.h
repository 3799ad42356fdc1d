/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists the functions that the kernel module stopped because they exceeded --max-rate. */
#ifndef LTTNG_MM_SESSION_FN_STOPPED_H
#define LTTNG_MM_SESSION_FN_STOPPED_H

#include <jansson.h>

/*
 * Returns an object, which the caller releases:
 *
 *   { "count": 1, "functions": [ { "name": "vfs_read", "since": 1795000000 } ] }
 *
 * "since" is in seconds since the Epoch. "functions" has at most FN_STOPPED_MAX elements. Returns
 * NULL if the functions cannot be read, for example because this user is not root.
 */
json_t *fn_stopped(void);

#define FN_STOPPED_MAX 64

#endif /* LTTNG_MM_SESSION_FN_STOPPED_H */
