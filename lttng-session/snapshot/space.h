/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sets errors about folders that cannot be written to. The messages contain remedies. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_SPACE_H
#define LTTNG_MM_SESSION_SNAPSHOT_SPACE_H

#include <stdint.h>

#include "util/error.h"

/* Part of the message if the filesystem has free bytes but no free inodes. */
#define SPACE_NO_INODES "no free inodes"

/*
 * Returns how many bytes this user can still write to the filesystem of @folder, or UINT64_MAX if
 * that is unknown.
 */
uint64_t space_free(int folder);

/*
 * Sets @err to a message that the folder @folder, with the path @path, is full, or that its
 * filesystem has no free inodes. @why is the reason, and @bytes the maximum size of the traces (0:
 * unknown). Returns -1.
 */
int space_fail_full(int folder, const char *path, uint64_t bytes, const char *why,
		    struct mm_error *err);

/*
 * Sets @err to a message that the folder @path cannot be written to. @why is the reason. Returns
 * -1.
 */
int space_fail_folder(const char *path, const char *why, struct mm_error *err);

/*
 * Calls space_fail_full() or space_fail_folder(), depending on the error number @error. Returns -1.
 */
int space_fail(int folder, const char *path, uint64_t bytes, int error, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_SPACE_H */
