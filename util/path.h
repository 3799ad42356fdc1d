/* SPDX-License-Identifier: LGPL-2.1-only */
/* Paths in the form that babeltrace2 uses as stream names. */
#ifndef LTTNG_MM_UTIL_PATH_H
#define LTTNG_MM_UTIL_PATH_H

#include <stdbool.h>

/*
 * Returns the absolute form of @path without `.`, `..` and empty components, but with links
 * unresolved, as babeltrace2 names streams. Release with free(). NULL when out of memory.
 */
char *mm_path_absolute(const char *path);

/* Removes the slashes at the end of @path, but not that of the root directory. */
void mm_path_strip(char *path);

/* Is @path a regular file that this user has no permission to read? */
bool mm_path_is_denied(const char *path);

/*
 * Returns the absolute @path as a user who named the folder @given would write it: starting with
 * @given if it is below it, else unchanged. Release with free(). NULL when out of memory.
 */
char *mm_path_as_given(const char *path, const char *given);

#endif /* LTTNG_MM_UTIL_PATH_H */
