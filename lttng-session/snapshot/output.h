/* SPDX-License-Identifier: LGPL-2.1-only */
/* The output folder of a snapshot. */
#ifndef LTTNG_MM_SESSION_OUTPUT_H
#define LTTNG_MM_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* May the names of snapshots start with it? */
bool snapshot_name_is_valid(const char *name);

/*
 * Opens the folder @path, which is created if only its last component is missing, and writes its
 * absolute path without links to @full. The session daemon only accepts a path, and resolves it
 * itself. For root, every folder and every link on that path must therefore belong to root, and a
 * folder may be writable by others only if its sticky bit prevents them from replacing what is not
 * theirs: then nobody else can redirect the path. The path is opened component by component, so
 * what was checked is what is used. Returns a descriptor for the functions of folder.h, or -1 with
 * @err set.
 */
int output_open(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * The same for the folder of a recorder. Where root creates it, the members of ACCESS_GROUP can
 * read what is in it, and only root can change it.
 */
int output_open_recorder(const char *path, char *full, size_t size, struct mm_error *err);

/*
 * Writes the path of the folder that the descriptor @fd refers to, as the kernel knows it, to
 * @full. Returns false if it has no path for this process, as in a mount namespace of its own. Asks
 * no filesystem, so it does not block.
 */
bool output_path(int fd, char *full, size_t size);

#endif /* LTTNG_MM_SESSION_OUTPUT_H */
