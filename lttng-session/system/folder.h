/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Creates and removes folders and files relative to directory descriptors.
 *
 * Another user may be able to write to the parent folder. So these functions do not follow symbolic
 * links, do not open existing files for writing, and check that a created folder belongs to this
 * user.
 */
#ifndef LTTNG_MM_SESSION_FOLDER_H
#define LTTNG_MM_SESSION_FOLDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Creates and opens the folder @name in @parent. Returns the descriptor, or -1 with errno set;
 * EEXIST if @name exists.
 */
int folder_make(int parent, const char *name, mode_t mode);

/* Replaces the last six characters of @name by random ones. Returns 0, or -1 with errno set. */
int folder_randomize(char *name);

/* Can folder_randomize() turn @pattern into @name? */
bool folder_is_randomized(const char *name, const char *pattern);

/*
 * Creates a folder that only this user can access. Changes @name to a random name
 * (folder_randomize()). Returns the descriptor, or -1 with errno set.
 */
int folder_make_random(int parent, char *name);

/* Opens the folder @name in @parent for reading. Returns the descriptor, or -1 with errno set. */
int folder_open(int parent, const char *name);

/*
 * Creates the file @name in @parent and opens it for writing. Returns NULL with errno set on
 * failure; EEXIST if @name exists.
 */
FILE *folder_make_file(int parent, const char *name);

/*
 * Removes @name from @parent. If it is a folder, also removes its contents, but not other mounts.
 * Returns 0. On failure, continues with the remaining entries, then returns -1 with errno set to
 * the first error. If @name is "/" or ends in a slash, "." or "..", removes nothing and fails with
 * EINVAL.
 */
int folder_remove(int parent, const char *name);

/*
 * Removes the contents of the folder @fd, but not other mounts. If @last is not NULL, removes the
 * entry @last only when everything else was removed. Returns the same values as folder_remove().
 */
int folder_clear(int fd, const char *last);

/*
 * Syncs the folder @fd and all files and folders below it. They must not change meanwhile. Returns
 * 0, or -1 with errno set.
 */
int folder_sync(int fd);
/* Like folder_sync(), but also adds 1 to *@done after syncing each file or folder below @fd. */
int folder_sync_counted(int fd, atomic_ullong *done);

/*
 * Syncs the names in the folder @fd, so that files that were created or moved there survive a
 * crash. @fd may be opened with O_PATH. Returns 0, or -1 with errno set.
 */
int folder_sync_names(int fd);

/* Moves a file or folder. The new name must not exist. Returns 0, or -1 with errno set. */
int folder_move(int from, const char *name, int to, const char *new_name);

/*
 * Maximum depth of folder_each(), which needs a descriptor per level. LTTng's snapshots are four
 * levels deep.
 */
#define FOLDER_DEPTH_MAX 64

/*
 * Calls @visit for every entry of the folder @fd and its subfolders, down to @depth levels, until
 * @visit returns a value other than 0. @parent is the folder that contains the entry @name. Returns
 * the last value of @visit, or -1 with errno set.
 */
int folder_each(int fd, int depth, int (*visit)(int parent, const char *name, void *user),
		void *user);

#endif /* LTTNG_MM_SESSION_FOLDER_H */
