/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Folders and files made and removed relative to directory descriptors.
 *
 * Another user may be able to write to the parent folder. Nothing here follows a symbolic link or
 * opens a file that was already there, and what is made is checked to be ours.
 */
#ifndef LTTNG_MM_SESSION_FOLDER_H
#define LTTNG_MM_SESSION_FOLDER_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Makes @name in @parent and opens it. Returns the descriptor, or -1 with errno set: EEXIST if
 * @name was there.
 */
int folder_make(int parent, const char *name, mode_t mode);

/* Makes the six last characters of @name random ones. Returns 0, or -1 with errno set. */
int folder_randomize(char *name);

/* Makes a folder that only we can enter, with a name that folder_randomize() made. */
int folder_make_random(int parent, char *name);

/* Opens the folder @name in @parent for reading. Returns the descriptor, or -1 with errno set. */
int folder_open(int parent, const char *name);

/*
 * Makes the file @name in @parent and opens it for writing. NULL: errno is set, EEXIST if @name was
 * there.
 */
FILE *folder_make_file(int parent, const char *name);

/*
 * Removes @name from @parent, and all that is in it if it is a folder; other mounts are left.
 * Returns 0, or -1 with errno set to the first error, after everything else was removed.
 */
int folder_remove(int parent, const char *name);

/* Moves a file or folder to a name that must not exist. Returns 0, or -1 with errno set. */
int folder_move(int from, const char *name, int to, const char *new_name);

/* LTTng's snapshots are four folders deep; each level takes a descriptor. */
#define FOLDER_DEPTH_MAX 64

/*
 * Calls @visit for every entry in the folder @fd, and in the folders in it to @depth levels, until
 * it returns non-zero; returns that, or 0, or -1 with errno set. @parent: the folder that @name is
 * in.
 */
int folder_each(int fd, int depth, int (*visit)(int parent, const char *name, void *user),
		void *user);

#endif /* LTTNG_MM_SESSION_FOLDER_H */
