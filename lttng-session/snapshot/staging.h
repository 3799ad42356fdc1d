/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hidden folder in which a snapshot is assembled, beside the place where the complete snapshot
 * appears:
 *
 *   created -> locked and marked -> contents complete -> published, staging folder removed
 *                 |
 *                 +- process killed: lock released, the next staging_sweep() removes it
 *
 * The lock on the folder shows that a process is writing it. The kernel releases it when the last
 * process that has the folder open exits, for whatever reason. The mark in the folder shows that it
 * is a staging folder, whoever named it.
 */
#ifndef LTTNG_MM_SESSION_STAGING_H
#define LTTNG_MM_SESSION_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#define STAGING_NAME ".lttng-mm-XXXXXX"
#define STAGING_SUFFIX_LENGTH 6
/* Folder in the staging folder that becomes the snapshot. */
#define STAGING_MADE "snapshot"

struct staging {
	int parent; /* owned by the caller */
	int folder;
	char name[sizeof(STAGING_NAME)];
};

/* Creates a folder that only we can access in @parent. Returns 0, or -1 with errno set. */
int staging_make(struct staging *staging, int parent);

/* Closes the folder, and removes it with its contents. */
void staging_remove(struct staging *staging);

/* Closes the folder without removing it: a child process continues, and has the lock. */
void staging_leave(struct staging *staging);

/*
 * Returns the six random characters of its name, which are unique among the staging folders in
 * @parent.
 */
const char *staging_suffix(const struct staging *staging);

/*
 * Removes the folders from @parent that killed processes of this user have left. Removes nothing
 * but folders with our form of name, owner, mode and mark, on the filesystem of @parent, and
 * without a lock. Removes nothing on filesystems without locks. Returns the number of removed
 * folders.
 */
unsigned int staging_sweep(int parent);

enum staging_published {
	STAGING_FAILED = -1, /* errno is set */
	STAGING_PUBLISHED,
	/* The entry that had taken the promised name now has a longer name. */
	STAGING_DISPLACED,
	/*
	 * Somebody else's entry has taken the promised name and cannot be renamed, so ours has a
	 * longer name.
	 */
	STAGING_RENAMED,
};

/*
 * Moves @child of the staging folder to @name, of @size bytes, in the parent folder. If the name is
 * taken, and was not @promised to anybody or the promise cannot be kept, changes @name to a longer
 * one.
 */
enum staging_published staging_publish(const struct staging *staging, const char *child, char *name,
				       size_t size, bool promised);

#endif /* LTTNG_MM_SESSION_STAGING_H */
