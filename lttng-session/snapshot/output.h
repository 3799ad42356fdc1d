/* SPDX-License-Identifier: LGPL-2.1-only */
/* The output folder of a snapshot. */
#ifndef LTTNG_MM_SESSION_OUTPUT_H
#define LTTNG_MM_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* May the names of snapshots start with @name? */
bool snapshot_name_is_valid(const char *name);

/*
 * Opens the folder @path, and creates it if only its last component is missing. Writes its absolute
 * path without symbolic links to @full.
 *
 * The session daemon accepts only a path and resolves it again. If root takes the snapshot, nobody
 * else may be able to redirect that path. So every folder and link on it must belong to root, and a
 * folder that others can write to must have the sticky bit: others then cannot replace entries of
 * root. The path is opened component by component, so the folders that were checked are in use.
 * Returns a descriptor for the functions of folder.h, or -1 with @err set.
 */
int output_open(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Opens the folder of a recorder. If root creates it, the members of ACCESS_GROUP can read it, and
 * only root can change it.
 */
int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Writes the kernel's path of the folder @fd to @full. Returns false if this process cannot reach
 * the folder by a path, for example in another mount namespace. Does not access the filesystem, so
 * it does not block.
 */
bool output_path(int fd, char *full, size_t size);

#endif /* LTTNG_MM_SESSION_OUTPUT_H */
