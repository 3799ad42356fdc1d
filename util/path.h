/* SPDX-License-Identifier: LGPL-2.1-only */
/* Paths as babeltrace2 names streams by them. */
#ifndef LTTNG_MM_UTIL_PATH_H
#define LTTNG_MM_UTIL_PATH_H

#include <stdbool.h>

/*
 * @path from the root, without `.`, `..` and empty parts, links as they are: babeltrace2 names
 * streams so. Release with free(). NULL when out of memory.
 */
char *mm_path_absolute(const char *path);

/* May this user not read the regular file @path? */
bool mm_path_is_denied(const char *path);

/*
 * The absolute @path as the user would write it who named the folder @given: below it, with @given
 * in front, else as it is. Release with free(); NULL: out of memory.
 */
char *mm_path_as_given(const char *path, const char *given);

#endif /* LTTNG_MM_UTIL_PATH_H */
