/* SPDX-License-Identifier: LGPL-2.1-only */
/* Errors of a folder that cannot be written to, with a remedy. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_SPACE_H
#define LTTNG_MM_SESSION_SNAPSHOT_SPACE_H

#include <stdint.h>

#include "util/error.h"

/* In the message if there is room for bytes, but for no file. */
#define SPACE_NO_INODES "no free inodes"

/*
 * The bytes that this user can still write to the filesystem of the folder @folder; UINT64_MAX: not
 * known.
 */
uint64_t space_free(int folder);

/*
 * Sets @err: the folder @folder, whose path is @path, is full, for the reason @why, unless its
 * filesystem has no free inodes. @bytes: the most that the traces take; 0: not known. Returns -1.
 */
int space_fail_full(int folder, const char *path, uint64_t bytes, const char *why,
		    struct mm_error *err);

/* Sets @err: the folder @path cannot be written to, for the reason @why. Returns -1. */
int space_fail_folder(const char *path, const char *why, struct mm_error *err);

/* As one of them, as the error number @error requires. */
int space_fail(int folder, const char *path, uint64_t bytes, int error, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_SPACE_H */
