/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hidden folder in which a snapshot is assembled, next to where it appears when it is complete.
 *
 * A lock on the folder shows that a process writes it: the kernel releases the lock when the last
 * process that has the folder open ends, however it ends. A mark in the folder shows that it is one
 * of these, whoever gave it its name.
 */
#ifndef LTTNG_MM_SESSION_STAGING_H
#define LTTNG_MM_SESSION_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#define STAGING_NAME ".lttng-mm-XXXXXX"
#define STAGING_SUFFIX_LENGTH 6
/* In it, the folder that becomes the snapshot. */
#define STAGING_MADE "snapshot"

struct staging {
	int parent; /* the caller's */
	int folder;
	char name[sizeof(STAGING_NAME)];
};

/* Creates a folder that only we can access in @parent. Returns 0, or -1 with errno set. */
int staging_make(struct staging *staging, int parent);

/* Closes the folder, and removes it with its contents. */
void staging_remove(struct staging *staging);

/* Closes the folder in a process that has left it to a child, which has the lock. */
void staging_leave(struct staging *staging);

/* The six characters of its name that no other folder of this kind in @parent has. */
const char *staging_suffix(const struct staging *staging);

/*
 * Removes from @parent the folders that processes of this user left unfinished. Nothing else is
 * touched: a folder has our kind of name, owner, mode and mark, is on the filesystem of @parent,
 * and no process holds its lock. Where the filesystem has no locks, nothing is removed. Returns the
 * number of folders.
 */
unsigned int staging_sweep(int parent);

enum staging_published {
	STAGING_FAILED = -1, /* errno is set */
	STAGING_PUBLISHED,
	/* What had taken a promised name is next to it, with a longer one. */
	STAGING_DISPLACED,
	/* A promised name is taken by somebody else, and we may not move that away. */
	STAGING_RENAMED,
};

/*
 * Moves @child of the staging folder to @name, of @size bytes, in the parent folder. If the name is
 * taken, and has not been @promised to anyone, or the promise cannot be kept, @name becomes a
 * longer one.
 */
enum staging_published staging_publish(const struct staging *staging, const char *child, char *name,
				       size_t size, bool promised);

#endif /* LTTNG_MM_SESSION_STAGING_H */
