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

/* Removes trailing slashes, but keeps the slash of the root directory. */
void mm_path_strip(char *path);

/* Does opening @path for reading fail with EACCES or EPERM? */
bool mm_path_is_denied(const char *path);

/*
 * Returns the absolute @path with @given in place of the folder that @given names, as a user would
 * write it. Paths elsewhere are unchanged. Release with free(). NULL when out of memory.
 */
char *mm_path_as_given(const char *path, const char *given);

#endif /* LTTNG_MM_UTIL_PATH_H */
