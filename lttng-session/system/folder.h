/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Creates and removes folders and files relative to directory descriptors.
 *
 * Another user may be able to write to the parent folder. These functions do not follow symbolic
 * links or open existing files, and verify that what they create is ours.
 */
#ifndef LTTNG_MM_SESSION_FOLDER_H
#define LTTNG_MM_SESSION_FOLDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Creates and opens @name in @parent. Returns the descriptor, or -1 with errno set: EEXIST if @name
 * exists.
 */
int folder_make(int parent, const char *name, mode_t mode);

/* Randomizes the last six characters of @name. Returns 0, or -1 with errno set. */
int folder_randomize(char *name);

/* Can @name be what folder_randomize() made of @pattern? */
bool folder_is_randomized(const char *name, const char *pattern);

/* Creates a folder that only we can access, with a name made by folder_randomize(). */
int folder_make_random(int parent, char *name);

/* Opens the folder @name in @parent for reading. Returns the descriptor, or -1 with errno set. */
int folder_open(int parent, const char *name);

/*
 * Creates the file @name in @parent and opens it for writing. NULL: errno is set, to EEXIST if
 * @name exists.
 */
FILE *folder_make_file(int parent, const char *name);

/*
 * Removes @name from @parent, with its contents if it is a folder, except other mounts. Returns 0,
 * or -1 with errno set to the first error, after everything else was removed. EINVAL: @name ends in
 * a slash, "." or "..", as "/" does; nothing is removed.
 */
int folder_remove(int parent, const char *name);

/*
 * Removes the contents of the folder @fd, except other mounts; the entry @last (NULL: none) after
 * all others, and only if these could be removed. Returns as folder_remove().
 */
int folder_clear(int fd, const char *last);

/*
 * Writes the contents of the folder @fd, with all folders in it, to the disk. To be called when
 * nothing changes them any more. Returns 0, or -1 with errno set.
 */
int folder_sync(int fd);
/* The same; adds to *@done what has been written, in files and folders. */
int folder_sync_counted(int fd, atomic_ullong *done);

/*
 * Writes the names in the folder @fd to the disk, so that what was made or moved there is still
 * there after a crash. @fd may be opened with O_PATH. Returns 0, or -1 with errno set.
 */
int folder_sync_names(int fd);

/* Moves a file or folder to a name that must not exist. Returns 0, or -1 with errno set. */
int folder_move(int from, const char *name, int to, const char *new_name);

/* LTTng's snapshots are four folders deep; each level uses a descriptor. */
#define FOLDER_DEPTH_MAX 64

/*
 * Calls @visit for every entry of the folder @fd, and of the folders in it down to @depth levels,
 * until it returns non-zero. Returns that value, or 0, or -1 with errno set. @parent: the folder
 * that contains @name.
 */
int folder_each(int fd, int depth, int (*visit)(int parent, const char *name, void *user),
		void *user);

#endif /* LTTNG_MM_SESSION_FOLDER_H */
