/* SPDX-License-Identifier: LGPL-2.1-only */
/* Who may read a snapshot: its owner and root, and by default the members of a group. */
#ifndef LTTNG_MM_SESSION_ACCESS_H
#define LTTNG_MM_SESSION_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* Its members may request snapshots, too. */
#define ACCESS_GROUP "tracing"

enum snapshot_access {
	/* the group, if this user can give it files; otherwise the owner */
	SNAPSHOT_ACCESS_DEFAULT,
	SNAPSHOT_ACCESS_PRIVATE, /* the owner: 0600, folders 0700 */
	SNAPSHOT_ACCESS_GROUP,	 /* and the group: 0640, folders 0750 */
	SNAPSHOT_ACCESS_PUBLIC,	 /* all users: 0644, folders 0755 */
};

/* private, group or public. Returns false if @text is none of them. */
bool access_parse(const char *text, enum snapshot_access *access);

/* The group's number; (gid_t)-1: there is none on this machine. */
gid_t access_group(void);

/* Can this process give its files to the group? */
bool access_can_give(void);

/*
 * Refuses SNAPSHOT_ACCESS_GROUP to a process that cannot give it. Returns 0, or -1 with @err set.
 */
int access_check(enum snapshot_access access, struct mm_error *err);

/*
 * Sets group and modes of the folder @fd and of all that is in it. Until that is done, nobody else
 * must be able to reach the folder. Returns 0, or -1 with errno set to the first error, after the
 * rest was set.
 */
int access_set(int fd, enum snapshot_access access);

#endif /* LTTNG_MM_SESSION_ACCESS_H */
