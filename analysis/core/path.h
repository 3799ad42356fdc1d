/* SPDX-License-Identifier: LGPL-2.1-only */
/* Paths as babeltrace2 names streams by them. */
#ifndef LTTNG_MM_CORE_PATH_H
#define LTTNG_MM_CORE_PATH_H

/*
 * @path from the root, without `.`, `..` and empty parts, links as they are: babeltrace2 names streams
 * so. Release with free(). NULL when out of memory.
 */
char *mm_path_absolute(const char *path);

#endif /* LTTNG_MM_CORE_PATH_H */
