/* SPDX-License-Identifier: LGPL-2.1-only */
/* Gives up what a process that reads what users name does not need. */
#ifndef LTTNG_MM_SESSION_RIGHTS_H
#define LTTNG_MM_SESSION_RIGHTS_H

#include <sys/types.h>

/*
 * Closes all descriptors but the standard ones, of which the first two are /dev/null afterwards,
 * and @kept. Returns the new number of @kept, or -1 with errno set.
 */
int rights_close_others(int kept);

/*
 * Becomes the user @uid with the group @gid and the other groups that the user has now, for good;
 * root keeps the right to read files, and no other capability. What the process runs gets no more
 * rights; it leaves no core dumps, cannot be traced, has little memory and a low priority, and ends
 * with its parent. If this process is not root's, it must be of that user. Returns 0, or -1 with
 * errno set: the process must end then.
 */
int rights_drop(uid_t uid, gid_t gid);

#endif /* LTTNG_MM_SESSION_RIGHTS_H */
