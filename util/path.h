/* SPDX-License-Identifier: LGPL-2.1-only */
/* Paths in the form of babeltrace2's stream names. */
#ifndef LTTNG_MM_UTIL_PATH_H
#define LTTNG_MM_UTIL_PATH_H

#include <stdbool.h>

/*
 * Returns the absolute form of @path, as in babeltrace2's stream names. Removes `.`, `..` and empty
 * components, but does not resolve links. Release with free(). Returns NULL when out of memory.
 */
char *mm_path_absolute(const char *path);

/* Removes trailing slashes, except from the root directory. */
void mm_path_strip(char *path);

/* Does opening @path for reading fail with EACCES or EPERM? */
bool mm_path_is_denied(const char *path);

/*
 * Returns @path in the form that the user would write. @given is the user's name of a folder. If
 * @path is below this folder, @given replaces the folder's absolute path. Otherwise, returns a copy
 * of @path. Release with free(). Returns NULL when out of memory.
 */
char *mm_path_as_given(const char *path, const char *given);

#endif /* LTTNG_MM_UTIL_PATH_H */
