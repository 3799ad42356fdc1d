/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Creates and removes folders and files relative to directory descriptors.
 *
 * Another user may be able to write to the parent folder. These functions do not follow symbolic
 * links, do not open existing files, and check that a created folder belongs to this user.
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

/* Makes the last six characters of @name random. Returns 0, or -1 with errno set. */
int folder_randomize(char *name);

/* Can @name be a result of folder_randomize() for @pattern? */
bool folder_is_randomized(const char *name, const char *pattern);

/*
 * Creates a folder that only this user can access, with a random name (folder_randomize()). Returns
 * the descriptor, or -1 with errno set.
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
 * Removes @name from @parent; if it is a folder, with its contents, but not other mounts. Returns
 * 0; or -1 with errno set to the first error, after removing the rest. If @name is "/" or ends in a
 * slash, "." or "..", removes nothing and fails with EINVAL.
 */
int folder_remove(int parent, const char *name);

/*
 * Removes the contents of the folder @fd, but not other mounts. Removes the entry @last (may be
 * NULL) at the end, if everything else was removed. Returns as folder_remove() does.
 */
int folder_clear(int fd, const char *last);

/*
 * Writes the contents of the folder @fd, with all its folders, to the disk. They must not change
 * meanwhile. Returns 0, or -1 with errno set.
 */
int folder_sync(int fd);
/* Like folder_sync(). Also adds to *@done the number of files and folders written so far. */
int folder_sync_counted(int fd, atomic_ullong *done);

/*
 * Writes the names in the folder @fd to the disk. Files created or moved there then survive a
 * crash. @fd may be opened with O_PATH. Returns 0, or -1 with errno set.
 */
int folder_sync_names(int fd);

/* Moves a file or folder to a name that must not exist. Returns 0, or -1 with errno set. */
int folder_move(int from, const char *name, int to, const char *new_name);

/* Maximum depth of visits; each level needs a descriptor. LTTng's snapshots are four deep. */
#define FOLDER_DEPTH_MAX 64

/*
 * Calls @visit for every entry of the folder @fd and its subfolders, down to @depth levels, until
 * @visit returns non-zero. @parent: the folder with the entry @name. Returns the value of @visit,
 * 0, or -1 with errno set.
 */
int folder_each(int fd, int depth, int (*visit)(int parent, const char *name, void *user),
		void *user);

#endif /* LTTNG_MM_SESSION_FOLDER_H */
