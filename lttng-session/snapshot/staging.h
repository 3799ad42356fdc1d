/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A staging folder is the hidden folder in which a snapshot is assembled. It is in the folder in
 * which the complete snapshot will appear. Its states:
 *
 *   created -> locked and marked -> contents complete -> published, staging folder removed
 *                 |
 *                 +- process killed: lock released, the next staging_sweep() removes it
 *
 * The lock on the folder shows that a process is writing to it. The kernel releases the lock when
 * the last process that has the folder open exits. The mark is a file in the folder. Another user
 * may rename a folder of this user so that it looks like a staging folder, but cannot create the
 * mark in it.
 */
#ifndef LTTNG_MM_SESSION_STAGING_H
#define LTTNG_MM_SESSION_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#define STAGING_NAME ".lttng-mm-XXXXXX"
#define STAGING_SUFFIX_LENGTH 6
/* Name of the folder that becomes the snapshot. It is created in the staging folder. */
#define STAGING_MADE "snapshot"

struct staging {
	int parent; /* descriptor of the parent folder, owned by the caller */
	int folder;
	char name[sizeof(STAGING_NAME)];
};

/* Creates a folder in @parent, with access only for this user. Returns 0, or -1 with errno set. */
int staging_make(struct staging *staging, int parent);

/* Closes the folder, and removes it with its contents. */
void staging_remove(struct staging *staging);

/*
 * Closes the folder without removing it, because a child process continues with it and has the
 * lock.
 */
void staging_leave(struct staging *staging);

/* Returns the six random characters at the end of the folder's name. They are unique in @parent. */
const char *staging_suffix(const struct staging *staging);

/*
 * Removes the staging folders that killed processes of this user have left in @parent. Such a
 * folder has the name, owner, mode and mark of a staging folder, is on the filesystem of @parent,
 * and is not locked. On a filesystem without locks, removes nothing. Returns the number of removed
 * folders.
 */
unsigned int staging_sweep(int parent);

enum staging_published {
	STAGING_FAILED = -1, /* errno is set */
	STAGING_PUBLISHED,
	/* another entry had the promised name, and was renamed to a longer name */
	STAGING_DISPLACED,
	/*
	 * an entry of another user has the promised name and cannot be renamed, so the snapshot has
	 * a longer name
	 */
	STAGING_RENAMED,
};

/*
 * Moves @child from the staging folder to @name in the parent folder. If an entry of this name
 * exists, makes @name longer, within its @size bytes. But if the name was @promised, first tries to
 * rename the existing entry.
 */
enum staging_published staging_publish(const struct staging *staging, const char *child, char *name,
				       size_t size, bool promised);

#endif /* LTTNG_MM_SESSION_STAGING_H */
