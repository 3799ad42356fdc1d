/* SPDX-License-Identifier: LGPL-2.1-only */
/* Copies a folder that nobody changes to one that its new owner may not trust, durably. */
#ifndef LTTNG_MM_SESSION_FOLDER_COPY_H
#define LTTNG_MM_SESSION_FOLDER_COPY_H

/*
 * Copies the files and folders in the folder @from to the folder @to, for the owner and its group,
 * and waits until all of them are on the disk. Other kinds of files are left out. Returns 0, or -1
 * with errno set; what was copied remains.
 */
int folder_copy(int from, int to);

#endif /* LTTNG_MM_SESSION_FOLDER_COPY_H */
