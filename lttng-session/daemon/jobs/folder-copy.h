/* SPDX-License-Identifier: LGPL-2.1-only */
/* Copies a folder into a folder of another user. The contents must not change meanwhile. */
#ifndef LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H
#define LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H

#include <stdatomic.h>

/*
 * Copies the regular files and folders in @from to the folder @to. Only the owner gets access.
 * Skips other kinds of files. Adds the written bytes to *@progress. Returns 0, or -1 with errno
 * set; a partial copy remains.
 */
int folder_copy(int from, int to, atomic_ullong *progress);

/*
 * Waits until the copy is on the disk, then drops the copy from the page cache, because cached
 * pages count as memory of the cgroup. Adds the written bytes to *@progress. Returns 0, or -1 with
 * errno set.
 */
int folder_copy_end(int to, atomic_ullong *progress);

#endif /* LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H */
