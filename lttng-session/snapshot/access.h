/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Access to a snapshot. Its owner and root may always read it. By default, the members of a group
 * may also read it.
 */
#ifndef LTTNG_MM_SESSION_ACCESS_H
#define LTTNG_MM_SESSION_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* The group that may read snapshots by default. Its members may also request snapshots. */
#define ACCESS_GROUP "tracing"

enum snapshot_access {
	/*
	 * SNAPSHOT_ACCESS_GROUP if this user can give files to the group, otherwise
	 * SNAPSHOT_ACCESS_PRIVATE
	 */
	SNAPSHOT_ACCESS_DEFAULT,
	SNAPSHOT_ACCESS_PRIVATE, /* only the owner: 0600, folders 0700 */
	SNAPSHOT_ACCESS_GROUP,	 /* the owner and the group: 0640, folders 0750 */
	SNAPSHOT_ACCESS_PUBLIC,	 /* all users: 0644, folders 0755 */
};

/* Parses private, group or public. Returns false for any other text. */
bool access_parse(const char *text, enum snapshot_access *access);

/* Returns the ID of the group, or (gid_t)-1 if this machine has no such group. */
gid_t access_group(void);

/* Can this process give its files to the group? */
bool access_can_give(void);

/*
 * Refuses SNAPSHOT_ACCESS_GROUP if this process cannot give files to the group. Returns 0, or -1
 * with @err set.
 */
int access_check(enum snapshot_access access, struct mm_error *err);

/*
 * Sets the group and the modes of the folder @fd and of everything in it. Before this call, other
 * users must not be able to reach the folder. Returns 0. On failure, continues with the remaining
 * files, then returns -1 with errno set to the first error.
 */
int access_set(int fd, enum snapshot_access access);

#endif /* LTTNG_MM_SESSION_ACCESS_H */
