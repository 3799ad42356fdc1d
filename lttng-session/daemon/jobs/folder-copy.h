/* SPDX-License-Identifier: LGPL-2.1-only */
/* Copies a folder that nobody changes to one that its new owner may not trust. */
#ifndef LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H
#define LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H

#include <stdatomic.h>

/*
 * Copies the files and folders in the folder @from to the folder @to, for the owner only. Other
 * kinds of files are left out. Adds the bytes that have been written to *@progress. Returns 0, or
 * -1 with errno set; what was copied remains.
 */
int folder_copy(int from, int to, atomic_ullong *progress);

/*
 * Waits until the copy is on the disk. Little of it stays in the page cache, which counts against
 * the memory of the control group. Adds what has been written to *@progress. Returns 0, or -1 with
 * errno set.
 */
int folder_copy_end(int to, atomic_ullong *progress);

#endif /* LTTNG_MM_DAEMON_JOBS_FOLDER_COPY_H */
