/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hidden folder in which a snapshot is assembled, beside the place where the complete snapshot
 * appears:
 *
 *   created -> locked and marked -> contents complete -> published, staging folder removed
 *                 |
 *                 +- process killed: lock released, the next staging_sweep() removes it
 *
 * The lock on the folder shows that a process is writing it. The kernel releases the lock when the
 * last process that has the folder open exits. The mark in the folder shows that it is a staging
 * folder, whoever named it.
 */
#ifndef LTTNG_MM_SESSION_STAGING_H
#define LTTNG_MM_SESSION_STAGING_H

#include <stdbool.h>
#include <stddef.h>

#define STAGING_NAME ".lttng-mm-XXXXXX"
#define STAGING_SUFFIX_LENGTH 6
/* The folder in the staging folder that becomes the snapshot. */
#define STAGING_MADE "snapshot"

struct staging {
	int parent; /* descriptor of the parent folder, owned by the caller */
	int folder;
	char name[sizeof(STAGING_NAME)];
};

/* Creates a folder in @parent that only this user can access. Returns 0, or -1 with errno set. */
int staging_make(struct staging *staging, int parent);

/* Closes the folder, and removes it with its contents. */
void staging_remove(struct staging *staging);

/* Closes the folder without removing it: a child process continues and holds the lock. */
void staging_leave(struct staging *staging);

/* Returns the six random characters of the folder's name, unique in @parent. */
const char *staging_suffix(const struct staging *staging);

/*
 * Removes staging folders that killed processes of this user have left in @parent. Such a folder
 * has a staging folder's name, owner, mode and mark, is on @parent's filesystem, and has no lock.
 * Removes nothing on filesystems without locks. Returns the number of removed folders.
 */
unsigned int staging_sweep(int parent);

enum staging_published {
	STAGING_FAILED = -1, /* errno is set */
	STAGING_PUBLISHED,
	/* another entry used the promised name, and was renamed to a longer one */
	STAGING_DISPLACED,
	/*
	 * another user's entry uses the promised name and cannot be renamed, so the snapshot has a
	 * longer name
	 */
	STAGING_RENAMED,
};

/*
 * Moves @child from the staging folder to @name (of @size bytes) in the parent folder. If the name
 * is in use and was @promised, renames the other entry. If that fails, or nothing was promised,
 * makes @name longer.
 */
enum staging_published staging_publish(const struct staging *staging, const char *child, char *name,
				       size_t size, bool promised);

#endif /* LTTNG_MM_SESSION_STAGING_H */
