/* SPDX-License-Identifier: LGPL-2.1-only */
/* The functions that are no longer recorded, since they were called too often. */
#ifndef LTTNG_MM_SESSION_FN_STOPPED_H
#define LTTNG_MM_SESSION_FN_STOPPED_H

#include <jansson.h>

/*
 * Returns an object, which the caller releases, or NULL if it is not known, as to users other than
 * root. Of more functions than FN_STOPPED_MAX, only the number is there:
 *
 *   { "count": 1, "functions": [ { "name": "vfs_read", "since": 1795000000 } ] }
 *
 * "since" is in seconds since the Epoch.
 */
json_t *fn_stopped(void);

#define FN_STOPPED_MAX 64

#endif /* LTTNG_MM_SESSION_FN_STOPPED_H */
