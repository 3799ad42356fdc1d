/* SPDX-License-Identifier: LGPL-2.1-only */
/* The folder that a snapshot goes to. */
#ifndef LTTNG_MM_SESSION_OUTPUT_H
#define LTTNG_MM_SESSION_OUTPUT_H

#include <stddef.h>

#include "util/error.h"

/*
 * Opens the folder @path, which is made if only its last part is missing, and writes its absolute
 * path without links to
 * @full. The session daemon takes a path only, and resolves it itself. So for root every folder on
 * that path must be root's, and others may write to it only where its sticky bit keeps them from
 * replacing what is not theirs: nobody else can then redirect the path. Returns a descriptor for
 * the functions of folder.h, or -1 with @err set.
 */
int output_open(const char *path, char *full, size_t size, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_OUTPUT_H */
