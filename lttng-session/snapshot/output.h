/* SPDX-License-Identifier: LGPL-2.1-only */
/* The output folder of a snapshot. */
#ifndef LTTNG_MM_SESSION_OUTPUT_H
#define LTTNG_MM_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* Can the names of snapshots start with @name? */
bool snapshot_name_is_valid(const char *name);

/*
 * Opens the folder @path. Creates it if only its last component is missing. Writes its absolute
 * path without symbolic links to @full.
 *
 * The session daemon accepts only a path, and resolves it again. If root takes the snapshot, nobody
 * else may be able to redirect that path. So root must own every folder and link on it. A folder
 * that others can write to must be sticky, or others could replace root's entries. This function
 * opens the path component by component, so the checked folders are the ones in use.
 *
 * Returns a descriptor for the functions of folder.h, or -1 with @err set.
 */
int output_open(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Opens the folder of a recorder. If root creates it, members of ACCESS_GROUP can read it, and only
 * root can change it.
 */
int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Writes the kernel's path of the folder @fd to @full. Returns false if no path leads there from
 * this process, as for a folder in another mount namespace. Does not access the filesystem, so it
 * does not block.
 */
bool output_path(int fd, char *full, size_t size);

#endif /* LTTNG_MM_SESSION_OUTPUT_H */
