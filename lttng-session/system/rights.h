/* SPDX-License-Identifier: LGPL-2.1-only */
/* Drops the privileges of a process before it reads files whose names users have chosen. */
#ifndef LTTNG_MM_SESSION_RIGHTS_H
#define LTTNG_MM_SESSION_RIGHTS_H

#include <sys/types.h>

/*
 * Closes all descriptors except 0 to 2 and @kept. Redirects standard input and output to /dev/null.
 * Returns the new number of @kept, or -1 with errno set.
 */
int rights_close_others(int kept);

/*
 * Permanently switches this process to the user @uid with the group @gid and the user's other
 * current groups. Root stays root, but keeps only the capability to read files. The process and its
 * programs cannot gain privileges. It leaves no core dumps, cannot be traced, has little memory and
 * a low priority, and is killed when its parent exits. If the caller is not root, it must already
 * be @uid. Returns 0, or -1 with errno set. After -1, the process must exit.
 */
int rights_drop(uid_t uid, gid_t gid);

#endif /* LTTNG_MM_SESSION_RIGHTS_H */
