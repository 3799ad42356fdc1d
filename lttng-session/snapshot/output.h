/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens the output folder of a snapshot. */
#ifndef LTTNG_MM_SESSION_OUTPUT_H
#define LTTNG_MM_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* Is @name valid as the start of the names of snapshots? */
bool snapshot_name_is_valid(const char *name);

/*
 * Opens the folder @path. Creates it if only its last component is missing. Writes its absolute
 * path without symbolic links to @full.
 *
 * The session daemon accepts only a path, and resolves the path again. If root takes the snapshot,
 * other users must not be able to redirect that path. So root must own every folder and link on the
 * path. A folder that others can write to must be sticky, because others could otherwise replace
 * root's entries in it. This function opens the path component by component, so it checks exactly
 * the folders that it opens.
 *
 * Returns a descriptor for the functions of folder.h, or -1 with @err set.
 */
int output_open(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Opens the folder of a recorder, or creates it. If root creates it, members of ACCESS_GROUP can
 * read the folder, and only root can change it.
 */
int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Writes the path that the kernel reports for the folder @fd to @full. Returns false if no path
 * leads to the folder from this process, for example because the folder is in another mount
 * namespace. Does not access the folder's filesystem, so it does not block.
 */
bool output_path(int fd, char *full, size_t size);

#endif /* LTTNG_MM_SESSION_OUTPUT_H */
